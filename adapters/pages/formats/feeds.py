"""RSS, Atom and RDF feeds: the parser knows no DTD, expands no entity and loads nothing."""

from returns.result import Result
from turbohtml import parse
from turbohtml.extract import Entry as ParsedEntry, Feed, feed

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .charset import clipped
from .listing import Entry, listed, plain
from .outcome import Draft, page_of
from .plain import read_xml
from .source import Source


def read_feed(source: Source) -> Result[ReadPage, WebError]:
    """Return a feed as a list of its entries; what is no feed after all stays XML."""
    text, notes = clipped(source)
    # Well-formed RSS of an older version than 2.0 is only known to the forgiving parser.
    found = feed(text) or parse(text).feed()
    if found is None or not found.entries:
        return read_xml(source)
    return page_of(_draft(found, source, notes))


def _draft(found: Feed, source: Source, notes: tuple[str, ...]) -> Draft:
    content, cut = listed([_entry(entry) for entry in found.entries], source.url)
    title = plain(found.title or "") or source.file_name
    return Draft(
        content=content,
        title=title,
        site_name=title,
        description=plain(found.description or ""),
        notes=(*notes, *cut),
    )


def _entry(entry: ParsedEntry) -> Entry:
    body = entry.content if isinstance(entry.content, str) else ""
    return Entry(
        title=entry.title or "",
        url=entry.link or "",
        date=entry.published or entry.updated or "",
        author=entry.author or "",
        summary=entry.summary or body,
    )
