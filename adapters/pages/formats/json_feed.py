"""JSON Feed (https://www.jsonfeed.org/version/1.1/, read 2026-10-02)."""

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .listing import Entry, listed
from .outcome import Draft, page_of
from .source import Source

_MARK = "https://jsonfeed.org/version/"


class _Item(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    external_url: str | None = None
    date_published: str | None = None
    summary: str | None = None
    content_text: str | None = None
    content_html: str | None = None


class _Feed(msgspec.Struct, frozen=True):
    version: str
    title: str | None = None
    description: str | None = None
    language: str | None = None
    items: list[_Item] = msgspec.field(default_factory=list)


_DECODER = msgspec.json.Decoder(_Feed)


def read_json_feed(raw: bytes, source: Source) -> Result[ReadPage, WebError] | None:
    """Return a JSON feed as a list of its entries, None when the JSON is something else."""
    try:
        found = _DECODER.decode(raw)
    except (ValueError, RecursionError):
        return None
    if not found.version.startswith(_MARK) or not found.items:
        return None
    content, notes = listed([_entry(item) for item in found.items], source.url)
    title = found.title or source.file_name
    return page_of(
        Draft(
            content=content,
            title=title,
            site_name=title,
            description=found.description or "",
            language=found.language or "",
            notes=notes,
        )
    )


def _entry(item: _Item) -> Entry:
    return Entry(
        title=item.title or "",
        url=item.url or item.external_url or "",
        date=item.date_published or "",
        summary=item.summary or item.content_text or item.content_html or "",
    )
