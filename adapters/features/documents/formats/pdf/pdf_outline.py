# ruff: noqa: ANN401  PDFium's names have no types
"""The outline of a PDF: the titles that it names, with their pages and depths."""

import ctypes
from typing import Any, Final

from .pdf_headings import OutlineEntry

_MAX_ENTRIES: Final = 5_000
_MAX_DEPTH: Final = 8
_MAX_TITLE_BYTES: Final = 2_000


def read_outline(document: Any, raw: Any) -> list[OutlineEntry]:
    """Return the entries that lead to a page, in order; a broken outline has a limit."""
    entries: list[OutlineEntry] = []
    handle = document.raw
    waiting = [(raw.FPDFBookmark_GetFirstChild(handle, None), 0)]
    # An outline may lead back to itself.
    for _ in range(_MAX_ENTRIES):
        if not waiting:
            break
        bookmark, depth = waiting.pop()
        if not bookmark:
            continue
        waiting.append((raw.FPDFBookmark_GetNextSibling(handle, bookmark), depth))
        if depth < _MAX_DEPTH:
            waiting.append((raw.FPDFBookmark_GetFirstChild(handle, bookmark), depth + 1))
        page = _entry_page(handle, bookmark, raw)
        if page >= 0:
            entries.append(OutlineEntry(page, depth, _entry_title(bookmark, raw)))
    return entries


def _entry_page(handle: Any, bookmark: Any, raw: Any) -> int:
    """Return the page that an entry leads to, counted from 0; below 0 for none."""
    target = raw.FPDFBookmark_GetDest(handle, bookmark)
    return int(raw.FPDFDest_GetDestPageIndex(handle, target)) if target else -1


def _entry_title(bookmark: Any, raw: Any) -> str:
    size = min(raw.FPDFBookmark_GetTitle(bookmark, None, 0), _MAX_TITLE_BYTES)
    buffer = ctypes.create_string_buffer(_MAX_TITLE_BYTES)
    raw.FPDFBookmark_GetTitle(bookmark, buffer, _MAX_TITLE_BYTES)
    return buffer.raw[:size].decode("utf-16-le", "replace").partition("\0")[0]
