"""Jupyter notebooks."""

import re
from typing import Final

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ...pages.detection.media import LANGUAGES
from .detection.charset import decode_source
from .draft import Draft, Source, StepAllowance, finish_page
from .embedded_html import whole_markdown
from .json_text import read_json
from .markdown import shown_markdown
from .markdown_writing import code_block

_MAX_PRINTED_CHARS: Final = 5000
# Tables are short; what is longer is mostly the program of a drawing.
_MAX_OUTPUT_HTML_CHARS: Final = 400_000
_MAX_TOTAL_HTML_CHARS: Final = 2_000_000
# How Python shows what only a browser can: <IPython.core.display.HTML object>.
_NO_TEXT: Final = re.compile(r"<[\w. ]{1,200} object(?: at 0x[0-9a-f]+)?>")
# The colours of a terminal.
_COLOURS: Final = re.compile(r"\x1b\[[0-9;:]{0,40}[A-Za-z]")
_TABLE: Final = re.compile(r"^\| --- \|", re.MULTILINE)


class Output(msgspec.Struct, frozen=True):
    """What a cell gave; ``ename`` and ``evalue`` are of an error, ``html`` is of version 3."""

    text: object = ""
    data: dict[str, object] = msgspec.field(default_factory=dict)
    html: object = ""
    latex: object = ""
    ename: object = ""
    evalue: object = ""


class Outputs:
    """Shows the outputs of a notebook, in HTML as many as there is room for."""

    def __init__(self, base: str) -> None:
        """Have shown none; ``base`` is where links begin."""
        self._base = base
        self._room = StepAllowance(_MAX_TOTAL_HTML_CHARS)

    def shown(self, output: Output) -> str:
        """Return what a cell gave as markdown, empty for pictures and programs."""
        plain = _COLOURS.sub(
            "", join_lines(output.text) or join_lines(output.data.get("text/plain"))
        )
        is_text = plain.strip() != "" and _NO_TEXT.fullmatch(plain.strip()) is None
        words = join_lines(output.data.get("text/markdown")) or (
            "" if is_text else _formula(output)
        )
        if words:
            return shown_markdown(words, self._base)
        rich = self._rich(output)
        if rich and (not is_text or _TABLE.search(rich)):
            return rich
        text = plain or _error(output)
        return _fenced(text) if text.strip() else ""

    def _rich(self, output: Output) -> str:
        html = join_lines(output.html) or join_lines(output.data.get("text/html"))
        if not html or len(html) > _MAX_OUTPUT_HTML_CHARS or self._room.is_spent:
            return ""
        self._room.spend(len(html))
        return whole_markdown(html, self._base).strip()


def _formula(output: Output) -> str:
    return join_lines(output.latex) or join_lines(output.data.get("text/latex"))


def _error(output: Output) -> str:
    name = join_lines(output.ename)
    return _COLOURS.sub("", f"{name}: {join_lines(output.evalue)}") if name else ""


def _fenced(text: str) -> str:
    return code_block(text if len(text) <= _MAX_PRINTED_CHARS else f"{text[:_MAX_PRINTED_CHARS]}…")


def join_lines(text: object) -> str:
    """Return a text that may be given by lines; nothing for anything else."""
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""


# Jupyter notebooks: words as they are, code in fences, what it gave below it.

_MARKDOWN: Final = "markdown"
_HEADING: Final = "heading"
_MAX_HEADING_LEVEL: Final = 6
# What stands behind a fence must not end it.
# Some are called after the language: python3, julia-1.9.
_KERNEL: Final = re.compile(r"[a-z]+")
_NAME: Final = re.compile(r"[\w+#.-]{1,30}")


class _Cell(msgspec.Struct, frozen=True):
    """A cell; before version 4 its code is ``input``, and headings are cells with a level."""

    cell_type: str
    source: str | list[str] = ""
    outputs: list[Output] = msgspec.field(default_factory=list)
    input: str | list[str] = ""
    language: str = ""
    level: int = 1


class _Language(msgspec.Struct, frozen=True):
    name: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    title: object = ""
    language_info: _Language = _Language()
    kernelspec: object = None


class _Sheet(msgspec.Struct, frozen=True):
    cells: list[_Cell] = msgspec.field(default_factory=list)


class _Notebook(msgspec.Struct, frozen=True):
    """A notebook; before version 4 the cells stand in sheets."""

    nbformat: int
    cells: list[_Cell] | None = None
    worksheets: list[_Sheet] | None = None
    metadata: _Metadata = _Metadata()


_DECODER: Final = msgspec.json.Decoder(_Notebook)


def read_notebook(source: Source) -> Result[ReadPage, WebError]:
    """Return a notebook's cells; a file that is no notebook is read as JSON."""
    notebook = read_notebook_text(decode_source(source).encode("utf-8", "replace"), source)
    return read_json(source) if notebook is None else notebook


def read_notebook_text(raw: bytes, source: Source) -> Result[ReadPage, WebError] | None:
    """Return a notebook's cells in order, None when the JSON is no notebook."""
    try:
        notebook = _DECODER.decode(raw)
    except (ValueError, RecursionError):
        return None
    cells = notebook.cells
    if cells is None:
        if notebook.worksheets is None:
            return None
        cells = [cell for sheet in notebook.worksheets for cell in sheet.cells]
    language = _language(notebook.metadata)
    outputs = Outputs(source.url)
    pieces = [
        piece
        for cell in cells
        for piece in (*_said(cell, language, source.url), *map(outputs.shown, cell.outputs))
    ]
    title = join_lines(notebook.metadata.title) or source.file_name
    return finish_page(Draft(content="\n\n".join(filter(None, pieces)), title=title))


def _language(about: _Metadata) -> str:
    """Return the language of the code, as its kernel says where the notebook does not."""
    kernel = about.kernelspec if isinstance(about.kernelspec, dict) else {}
    name = about.language_info.name or join_lines(kernel.get("language"))
    if _NAME.fullmatch(name):
        return name
    called = _KERNEL.match(join_lines(kernel.get("name")))
    return called[0] if called and called[0] in LANGUAGES.values() else ""


def _said(cell: _Cell, language: str, base: str) -> list[str]:
    text = join_lines(cell.source) or join_lines(cell.input)
    if not text.strip():
        return []
    if cell.cell_type == _MARKDOWN:
        return [shown_markdown(text, base)]
    if cell.cell_type == _HEADING:
        return [f"{'#' * max(1, min(cell.level, _MAX_HEADING_LEVEL))} {' '.join(text.split())}"]
    own = cell.language if _NAME.fullmatch(cell.language) else ""
    return [code_block(text, (language or own) if cell.cell_type == "code" else "")]


READERS: Final = {"notebook": read_notebook}
