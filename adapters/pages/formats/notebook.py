"""Jupyter notebooks: words as they are, code in fences, printed results below it."""

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


class _Output(msgspec.Struct, frozen=True):
    text: str | list[str] = ""
    data: dict[str, object] = msgspec.field(default_factory=dict)


class _Cell(msgspec.Struct, frozen=True):
    cell_type: str
    source: str | list[str] = ""
    outputs: list[_Output] = msgspec.field(default_factory=list)


class _Language(msgspec.Struct, frozen=True):
    name: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    title: str = ""
    language_info: _Language = _Language()


class _Notebook(msgspec.Struct, frozen=True):
    cells: list[_Cell]
    nbformat: int
    metadata: _Metadata = _Metadata()


_DECODER: Final = msgspec.json.Decoder(_Notebook)


def read_notebook_text(raw: bytes, source: Source) -> Result[ReadPage, WebError] | None:
    """Return a notebook's cells in order, None when the JSON is no notebook."""
    try:
        notebook = _DECODER.decode(raw)
    except (ValueError, RecursionError):
        return None
    language = notebook.metadata.language_info.name
    pieces = [piece for cell in notebook.cells for piece in _pieces(cell, language, source.url)]
    title = notebook.metadata.title or source.file_name
    return page_of(Draft(content="\n\n".join(pieces), title=title))


def _pieces(cell: _Cell, language: str, base: str) -> list[str]:
    text = _joined(cell.source)
    if not text.strip():
        return []
    if cell.cell_type == _MARKDOWN:
        return [shown_markdown(text, base)]
    results = [_printed(output) for output in cell.outputs]
    code = fenced(text, language if cell.cell_type == "code" else "")
    return [code, *(fenced(result) for result in results if result.strip())]


def _printed(output: _Output) -> str:
    """Return what a cell printed; pictures and pages it drew are left out."""
    text = _joined(output.text) or _joined(output.data.get("text/plain", ""))
    return text if len(text) <= _MOST_OUTPUT else f"{text[:_MOST_OUTPUT]}…"


def _joined(text: object) -> str:
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""
