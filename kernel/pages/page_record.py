"""The record of a page: its content, and the text that was left out of it, kept under a handle.

A handle is all that a caller needs to read the rest. It can reach others: keys that share a cache
have one store of texts, and an agent may pass a handle on. So a page is stored with its URLs, and
who asks for it is judged by them as for a fresh read. They stand in the stored text and not beside
it: whatever store keeps the text keeps them, and the handle is a hash of everything. Two pages with
equal content and different rests have two handles.

The text behind a wall is never kept: it is read only under the option that says so, and is content
then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from webseam.ports.pages import (
    PARTS_CAP,
    LeftOut,
    LeftOutKind,
    PagePart,
    PageReading,
    fitting_parts,
)
from webseam.ports.web import WebExtractResult

_RECORD_MARK = "webseam page "
_NEVER_KEPT: frozenset[LeftOutKind] = frozenset({"walled"})


class PageSource(msgspec.Struct, frozen=True, kw_only=True):
    """The URL of a page and the one that it led to, both without credentials."""

    url: str
    final_url: str


class PageRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page as it was read: where it came from, its content, and the text beside the content."""

    source: PageSource
    content: str
    title: str = ""
    reading: PageReading = PageReading()


class _RecordHead(msgspec.Struct, frozen=True, omit_defaults=True):
    url: str
    final_url: str
    title: str = ""
    reading: PageReading = PageReading()


_HEAD_DECODER = msgspec.json.Decoder(_RecordHead)


class WholePage(WebExtractResult, frozen=True, kw_only=True):
    """A page with the text of its parts, for a backend that hands it on; a caller gets none."""

    parts: tuple[PagePart, ...] = ()


def whole_page(page: WebExtractResult, reading: PageReading) -> WholePage:
    """Return a page as its reader describes it; only a record names a handle."""
    left_out = reading.left_out
    if left_out is not None:
        left_out = tuple([replace(entry, handle=None) for entry in left_out])
    fields: dict[str, Any] = {
        **msgspec.structs.asdict(page),
        "view": reading.view,
        "complete": reading.complete,
        "cuts": reading.cuts,
        "left_out": left_out,
        "notes": reading.notes,
        "parts": reading.parts,
    }
    return WholePage(**fields)


def plain_page(page: WebExtractResult) -> WebExtractResult:
    """Return a page without the text of its parts."""
    names = WebExtractResult.__struct_fields__
    return WebExtractResult(**{name: getattr(page, name) for name in names})


def page_reading(page: WebExtractResult) -> PageReading:
    """Return what is known about the text of a page that is not in its content."""
    content_type = page.metadata.get("content_type")
    return PageReading(
        view=page.view,
        content_type=content_type if isinstance(content_type, str) else "",
        complete=page.complete,
        cuts=page.cuts,
        left_out=page.left_out,
        notes=page.notes,
        parts=page.parts if isinstance(page, WholePage) else (),
    )


def page_record(page: WebExtractResult) -> PageRecord:
    """Return the record of a page, with the parts that are kept."""
    receipt, reading = page.receipt, page_reading(page)
    return PageRecord(
        source=PageSource(url=receipt.url, final_url=receipt.final_url or receipt.url),
        content=page.content,
        title=page.title,
        reading=replace(reading, parts=kept_parts(reading.parts)),
    )


def kept_parts(parts: Sequence[PagePart]) -> tuple[PagePart, ...]:
    """Return the parts that a record keeps."""
    return fitting_parts([part for part in parts if part.text and part.kind not in _NEVER_KEPT])


def oversized_kinds(reading: PageReading) -> tuple[LeftOutKind, ...]:
    """Return the kinds of text that are too long to keep, here or for the reader."""
    kinds = [part.kind for part in reading.parts if part.text]
    if PARTS_CAP in reading.cuts:
        kinds += [entry.kind for entry in reading.left_out or () if entry.words]
    kept = {part.kind for part in kept_parts(reading.parts)}
    return tuple([kind for kind in dict.fromkeys(kinds) if kind not in kept | _NEVER_KEPT])


def has_rest(page: WebExtractResult) -> bool:
    """Tell whether a page has text that its content does not."""
    return bool(page.cuts) or any(entry.words for entry in page.left_out or ())


def name_handle(page: WebExtractResult, handle: str, parts: Sequence[PagePart]) -> WebExtractResult:
    """Return a page whose record has a handle, also where its ``left_out`` is counted."""
    kinds = {part.kind for part in parts}
    left_out = page.left_out
    if left_out is not None:
        left_out = tuple(_with_handles(left_out, handle, kinds))
    receipt = replace(page.receipt, handle=handle)
    return replace(page, left_out=left_out, receipt=receipt)


def _with_handles(
    left_out: Sequence[LeftOut], handle: str, kinds: set[LeftOutKind]
) -> Iterator[LeftOut]:
    for entry in left_out:
        yield replace(entry, handle=handle) if entry.kind in kinds else entry


def write_page_record(record: PageRecord) -> str:
    r"""Return a text for a store: what is known of a page in the first line, then its content.

    >>> source = PageSource(url="https://a.example/", final_url="https://b.example/")
    >>> write_page_record(PageRecord(source=source, content="Tides.")).partition("\n")[2]
    'Tides.'
    """
    source = record.source
    head = _RecordHead(
        url=source.url, final_url=source.final_url, title=record.title, reading=record.reading
    )
    return f"{_RECORD_MARK}{msgspec.json.encode(head).decode()}\n{record.content}"


def read_page_record(stored: str) -> PageRecord | None:
    """Return the page in a stored text; None if the text is no record."""
    line, _, content = stored.partition("\n")
    if not line.startswith(_RECORD_MARK):
        return None
    try:
        head = _HEAD_DECODER.decode(line.removeprefix(_RECORD_MARK))
    except ValueError:
        return None
    source = PageSource(url=head.url, final_url=head.final_url)
    return PageRecord(source=source, content=content, title=head.title, reading=head.reading)
