"""RSS, Atom and RDF feeds: the parser knows no DTD, expands no entity and loads nothing."""

from collections.abc import Sequence
from typing import Final

import msgspec
from turbohtml import parse
from turbohtml.extract import Entry as ParsedEntry, Feed, feed

from webseam.adapters.pages.safe_text import one_line
from webseam.adapters.values.dates import iso_date
from webseam.ports.pages import PagePart
from webseam.ports.text import disarm_pictures

from .charset import decode_page_text
from .draft import Cut, Draft, PageResult, Source, StepAllowance, finish_draft
from .embedded_html import html_to_markdown
from .markdown_writing import markdown_link
from .plain_text_page import read_xml

_MAX_ENTRIES: Final = 500
_MAX_SUMMARY_CHARS: Final = 1000
_MAX_MARKUP_CHARS: Final = 50_000
# About a second of full texts; later entries get summaries (measured 2026-11-15: 0.1 to 0.2 µs
# a character, 100 µs an entry).
MAX_FEED_STEPS: Final = 5_000_000
_ENTRY_STEPS: Final = 500
# JSON Feed (https://www.jsonfeed.org/version/1.1/, read 2026-10-02).
_JSON_FEED_VERSION = "https://jsonfeed.org/version/"


class FeedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a feed, unchanged."""

    title: str = ""
    url: str = ""
    date: str = ""
    author: str = ""
    summary: str = ""
    content: str = ""


class EntryWriter:
    """Writes the entries of a feed as a list, and keeps what is left out of them."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._allowance = StepAllowance(MAX_FEED_STEPS)
        self._parts: list[PagePart] = []
        self._cut_summaries = 0

    def entries_draft(self, entries: Sequence[FeedEntry]) -> Draft:
        """Return the entries as a draft without a title."""
        shown = entries[:_MAX_ENTRIES]
        items = [self._entry_markdown(entry) for entry in shown]
        # Entries with full text are separated by blank lines.
        lines = ("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)
        cuts: list[Cut] = []
        if len(shown) < len(entries):
            note = f"only the first {len(shown):,} of {len(entries):,} entries"
            cuts.append(Cut("entries", note))
        if self._cut_summaries:
            note = f"summaries of which only the first part is shown: {self._cut_summaries:,}"
            cuts.append(Cut("summaries", note))
        return Draft(content=lines, cuts=tuple(cuts), parts=tuple(self._parts))

    def _entry_markdown(self, entry: FeedEntry) -> str:
        title = one_line(feed_text(entry.title), 300) or entry.url or "(untitled)"
        day = (iso_date(entry.date) or "")[: len("2024-03-05")]
        about = " · ".join(filter(None, (day, one_line(feed_text(entry.author), 200))))
        link = markdown_link(title, entry.url, self._base)
        head = " ".join(filter(None, (link, about and f"({disarm_pictures(about)})")))
        content = "" if self._allowance.is_spent else self._entry_content(entry)
        if content:
            return f"## {head}\n\n{content}"
        text = " ".join(feed_text(entry.summary or entry.content).split())
        self._cut_summaries += len(text) > _MAX_SUMMARY_CHARS
        summary = one_line(text, _MAX_SUMMARY_CHARS)
        return f"- {head}\n  {disarm_pictures(summary)}" if summary else f"- {head}"

    def _entry_content(self, entry: FeedEntry) -> str:
        """Return the full text of an entry as markdown, empty where the feed has only a summary.

        RSS has one description for both: one that is too long for a summary is the full text.
        """
        html = entry.summary if len(entry.summary) > _MAX_SUMMARY_CHARS else ""
        if len(entry.content) > max(len(entry.summary), _MAX_SUMMARY_CHARS // 2):
            html = entry.content
        if not html:
            return ""
        self._allowance.spend(len(html) + _ENTRY_STEPS)
        text = html.removeprefix("<![CDATA[").removesuffix("]]>")
        if "<" in text:
            return html_to_markdown(text, entry.url or self._base, parts=self._parts)
        return disarm_pictures(text).strip()


def feed_text(text: str) -> str:
    """Return the text of a value that may be HTML, as in feeds.

    >>> feed_text("<p>Bread &amp; <b>wine</b></p>")
    'Bread & wine'
    """
    text = text[:_MAX_MARKUP_CHARS].removeprefix("<![CDATA[").removesuffix("]]>")
    return parse(text).text if "<" in text or "&" in text else text


def read_feed(source: Source) -> PageResult:
    """Return a feed as a list of its entries; XML without entries is shown as XML."""
    text, cuts = decode_page_text(source)
    # Only the lenient parser knows well-formed RSS before version 2.0.
    channel = feed(text) or parse(text).feed()
    if channel is None or not channel.entries:
        return read_xml(source)
    return finish_draft(_draft(channel, source, cuts))


def _draft(channel: Feed, source: Source, cuts: tuple[Cut, ...]) -> Draft:
    draft = EntryWriter(source.url).entries_draft(list(map(_xml_entry, channel.entries)))
    title = feed_text(channel.title or "") or source.file_name
    return msgspec.structs.replace(
        draft,
        title=title,
        site_name=title,
        description=feed_text(channel.description or ""),
        cuts=(*cuts, *draft.cuts),
    )


def _xml_entry(entry: ParsedEntry) -> FeedEntry:
    return FeedEntry(
        title=entry.title or "",
        url=entry.link or "",
        date=entry.published or entry.updated or "",
        author=entry.author or "",
        summary=entry.summary or "",
        content=entry.content if isinstance(entry.content, str) else "",
    )


class _JsonFeedItem(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    external_url: str | None = None
    date_published: str | None = None
    summary: str | None = None
    content_text: str | None = None
    content_html: str | None = None


class _JsonFeed(msgspec.Struct, frozen=True):
    version: str
    title: str | None = None
    description: str | None = None
    language: str | None = None
    items: list[_JsonFeedItem] = msgspec.field(default_factory=list)


_JSON_FEED_DECODER = msgspec.json.Decoder(_JsonFeed)


def read_json_feed(raw: bytes, source: Source) -> PageResult | None:
    """Return a JSON feed as a list of its entries, None when the JSON is something else."""
    try:
        channel = _JSON_FEED_DECODER.decode(raw)
    except (ValueError, RecursionError):
        return None
    if not channel.version.startswith(_JSON_FEED_VERSION) or not channel.items:
        return None
    title = channel.title or source.file_name
    draft = EntryWriter(source.url).entries_draft([_json_entry(item) for item in channel.items])
    return finish_draft(
        msgspec.structs.replace(
            draft,
            title=title,
            site_name=title,
            description=channel.description or "",
            language=channel.language or "",
        )
    )


def _json_entry(item: _JsonFeedItem) -> FeedEntry:
    return FeedEntry(
        title=item.title or "",
        url=item.url or item.external_url or "",
        date=item.date_published or "",
        summary=item.summary or "",
        content=item.content_html or item.content_text or "",
    )


READERS: Final = {"feed": read_feed}
