"""Jupyter notebooks: words as they are, code in fences, printed results below it."""

import re
from typing import Final

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .draft import Draft, Source, page_of
from .markdown import shown_markdown
from .markup import fenced

_MOST_OUTPUT: Final = 5000
_MARKDOWN: Final = "markdown"
_HEADING: Final = "heading"
_LOWEST_HEADING: Final = 6
# What stands behind a fence must not end it.
_NAME: Final = re.compile(r"[\w+#.-]{1,30}")


class _Output(msgspec.Struct, frozen=True):
    """What a cell gave; ``ename`` and ``evalue`` are of an error."""

    text: str | list[str] = ""
    data: dict[str, object] = msgspec.field(default_factory=dict)
    ename: str = ""
    evalue: str = ""


class _Cell(msgspec.Struct, frozen=True):
    """A cell; before version 4 its code is ``input``, and headings are cells with a level."""

    cell_type: str
    source: str | list[str] = ""
    outputs: list[_Output] = msgspec.field(default_factory=list)
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
    pieces = [piece for cell in cells for piece in _pieces(cell, language, source.url)]
    title = _joined(notebook.metadata.title) or source.file_name
    return page_of(Draft(content="\n\n".join(pieces), title=title))


def _language(about: _Metadata) -> str:
    """Return the language of the code, as its kernel says where the notebook does not."""
    kernel = about.kernelspec if isinstance(about.kernelspec, dict) else {}
    name = about.language_info.name or _joined(kernel.get("language"))
    return name if _NAME.fullmatch(name) else ""


def _pieces(cell: _Cell, language: str, base: str) -> list[str]:
    text = _joined(cell.source) or _joined(cell.input)
    if not text.strip():
        return []
    if cell.cell_type == _MARKDOWN:
        return [shown_markdown(text, base)]
    if cell.cell_type == _HEADING:
        return [f"{'#' * max(1, min(cell.level, _LOWEST_HEADING))} {' '.join(text.split())}"]
    results = [_printed(output) for output in cell.outputs]
    own = cell.language if _NAME.fullmatch(cell.language) else ""
    code = fenced(text, (language or own) if cell.cell_type == "code" else "")
    return [code, *(fenced(result) for result in results if result.strip())]


def _printed(output: _Output) -> str:
    """Return what a cell printed, or its error; pictures and pages it drew are left out."""
    text = _joined(output.text) or _joined(output.data.get("text/plain", ""))
    if not text and output.ename:
        text = f"{output.ename}: {output.evalue}"
    return text if len(text) <= _MOST_OUTPUT else f"{text[:_MOST_OUTPUT]}…"


def _joined(text: object) -> str:
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""
