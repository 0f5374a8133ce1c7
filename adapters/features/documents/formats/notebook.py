"""Jupyter notebooks."""

import re
from typing import Final

import msgspec

from webseam.adapters.pages.detection import LANGUAGES_BY_SUFFIX
from webseam.ports.text import truncate

from . import charset, draft, embedded_html, json_text, markdown
from .markdown_writing import code_block

_MAX_PRINTED_CHARS: Final = 5000
# Tables are short; what is longer is mostly the program of a drawing.
_MAX_OUTPUT_HTML_CHARS: Final = 400_000
_MAX_TOTAL_HTML_CHARS: Final = 2_000_000
# How Python shows what only a browser can: <IPython.core.display.HTML object>.
_OBJECT_REPR_PATTERN: Final = re.compile(r"<[\w. ]{1,200} object(?: at 0x[0-9a-f]+)?>")
# The colours of a terminal.
_COLOUR_PATTERN: Final = re.compile(r"\x1b\[[0-9;:]{0,40}[A-Za-z]")
_TABLE_PATTERN: Final = re.compile(r"^\| --- \|", re.MULTILINE)
_MAX_HEADING_LEVEL: Final = 6
# Some kernels are named after the language: python3, julia-1.9.
_KERNEL_PATTERN: Final = re.compile(r"[a-z]+")
_LANGUAGE_NAME_PATTERN: Final = re.compile(r"[\w+#.-]{1,30}")


class Output(msgspec.Struct, frozen=True):
    """An output of a cell; errors have ``ename`` and ``evalue``, version 3 has ``html``."""

    text: object = ""
    data: dict[str, object] = msgspec.field(default_factory=dict)
    html: object = ""
    latex: object = ""
    ename: object = ""
    evalue: object = ""


class OutputWriter:
    """Writes the outputs of a notebook; HTML up to a limit."""

    def __init__(self, base: str) -> None:
        self.losses = draft.Losses()
        self._base = base
        self._html_allowance = draft.StepAllowance(_MAX_TOTAL_HTML_CHARS)

    def output_markdown(self, output: Output) -> str:
        """Return an output as markdown, empty for pictures and programs."""
        text = notebook_text(output.text) or notebook_text(output.data.get("text/plain"))
        plain = _COLOUR_PATTERN.sub("", text)
        is_text = plain.strip() != "" and _OBJECT_REPR_PATTERN.fullmatch(plain.strip()) is None
        formula = notebook_text(output.latex) or notebook_text(output.data.get("text/latex"))
        words = notebook_text(output.data.get("text/markdown")) or ("" if is_text else formula)
        if words:
            return markdown.clean_markdown(words, self._base)
        rich = self._output_html_markdown(output)
        if rich and (not is_text or _TABLE_PATTERN.search(rich)):
            return rich
        printed = plain or _output_error(output)
        text = truncate(printed, _MAX_PRINTED_CHARS)
        if text != printed:
            self._keep_rest(printed)
        return code_block(text) if text.strip() else ""

    def _keep_rest(self, printed: str) -> None:
        note = f"outputs of which only the first {_MAX_PRINTED_CHARS:,} characters are shown"
        self.losses.add_cut("outputs", note)
        # The mark of the cut takes the place of a character.
        rest = printed[_MAX_PRINTED_CHARS - 1 :]
        self.losses.parts += draft.left_out_parts("truncated", rest)

    def _output_html_markdown(self, output: Output) -> str:
        html = notebook_text(output.html) or notebook_text(output.data.get("text/html"))
        if not html or len(html) > _MAX_OUTPUT_HTML_CHARS or self._html_allowance.is_spent:
            return ""
        self._html_allowance.spend(len(html))
        # The plain form of the output has its words, so what is left out of this one is not.
        return embedded_html.html_to_markdown(html, self._base).strip()


def _output_error(output: Output) -> str:
    name = notebook_text(output.ename)
    return _COLOUR_PATTERN.sub("", f"{name}: {notebook_text(output.evalue)}") if name else ""


def notebook_text(text: object) -> str:
    """Return a text, or its lines joined; empty for anything else."""
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""


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


class _Worksheet(msgspec.Struct, frozen=True):
    cells: list[_Cell] = msgspec.field(default_factory=list)


class _Notebook(msgspec.Struct, frozen=True):
    """A notebook; before version 4 the cells stand in sheets."""

    nbformat: int
    cells: list[_Cell] | None = None
    worksheets: list[_Worksheet] | None = None
    metadata: _Metadata = _Metadata()


_DECODER: Final = msgspec.json.Decoder(_Notebook)


def read_notebook(source: draft.Source) -> draft.PageResult:
    """Return a notebook's cells in order; a file that is not a notebook is read as JSON."""
    try:
        notebook = _DECODER.decode(charset.decode_source(source).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return json_text.read_json(source)
    cells = notebook.cells
    if cells is None:
        if notebook.worksheets is None:
            return json_text.read_json(source)
        cells = [cell for sheet in notebook.worksheets for cell in sheet.cells]
    language = _code_language(notebook.metadata)
    outputs = OutputWriter(source.url)
    pieces: list[str] = []
    for cell in cells:
        pieces += _cell_blocks(cell, language, source.url)
        pieces += map(outputs.output_markdown, cell.outputs)
    title = notebook_text(notebook.metadata.title) or source.file_name
    losses = outputs.losses
    return draft.finish_draft(
        draft.Draft(
            content="\n\n".join(filter(None, pieces)),
            title=title,
            cuts=losses.cuts,
            parts=tuple(losses.parts),
        )
    )


def _code_language(about: _Metadata) -> str:
    """Return the language of the code, from the kernel where the notebook names none."""
    kernel = about.kernelspec if isinstance(about.kernelspec, dict) else {}
    name = about.language_info.name or notebook_text(kernel.get("language"))
    if _LANGUAGE_NAME_PATTERN.fullmatch(name):
        return name
    called = _KERNEL_PATTERN.match(notebook_text(kernel.get("name")))
    return called[0] if called and called[0] in LANGUAGES_BY_SUFFIX.values() else ""


def _cell_blocks(cell: _Cell, language: str, base: str) -> list[str]:
    text = notebook_text(cell.source) or notebook_text(cell.input)
    if not text.strip():
        return []
    if cell.cell_type == "markdown":
        return [markdown.clean_markdown(text, base)]
    if cell.cell_type == "heading":
        return [f"{'#' * max(1, min(cell.level, _MAX_HEADING_LEVEL))} {' '.join(text.split())}"]
    declared = cell.language if _LANGUAGE_NAME_PATTERN.fullmatch(cell.language) else ""
    return [code_block(text, (language or declared) if cell.cell_type == "code" else "")]


READERS: Final = {"notebook": read_notebook}
