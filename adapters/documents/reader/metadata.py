"""Read a page's author, date, language, canonical address and descriptions."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from turbohtml import Document, Element

from ...dates import iso_date
from ...pages.safe_text import absolute_page_url, one_line
from .imprint import (
    FOREIGN_TEXT_SELECTOR,
    declared_author,
    is_other_value,
    read_byline,
    read_dateline,
)

_MAX_JSON_CHARS: Final = 2_000_000
# Repairing costs thirty times as much as decoding.
_MAX_MENDED_CHARS: Final = 60_000
_MAX_OBJECTS: Final = 50
# Numbers stay text, so that a price keeps its form: 49.90, not 49.9.
_JSON_DECODER: Final = json.JSONDecoder(strict=False, parse_float=str)
# Each alternative runs to the end where it is not closed, so no text is scanned twice.
_STRING_PATTERN: Final = re.compile(
    r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|/\*(?:[^*]+|\*(?!/))*(?:\*/|\Z)|//[^\n]*|<!--|-->|<!\[CDATA\[|\]\]>',
    re.DOTALL,
)
_EXTRA_COMMA_PATTERN: Final = re.compile(r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
_ESCAPE_PATTERN: Final = re.compile(r"\\(?:(u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])|(.))", re.DOTALL)
_JSON_SEPARATOR_PATTERN: Final = re.compile(r"[\s;,]*")


def decode_linked_data(text: str, *, mend: bool = True) -> object:
    """Return the JSON value of a script, several objects as a list; None where it is invalid.

    With ``mend``, a short text may have line breaks in strings, comments, extra commas, a final
    semicolon, unknown escapes, and quotes written as entities.
    """
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        return _JSON_DECODER.decode(text)
    except (ValueError, RecursionError):
        return _decode_broken_json(text) if mend and len(text) <= _MAX_MENDED_CHARS else None


def _decode_broken_json(text: str) -> object:
    json_text = text.strip("\ufeff \t\r\n")
    if "&quot;" in json_text[:40]:
        json_text = html.unescape(json_text)
    json_text = _EXTRA_COMMA_PATTERN.sub(
        _keep_json_string, _STRING_PATTERN.sub(_keep_json_string, json_text)
    )
    values: list[object] = []
    offset = _next_json_offset(json_text, 0)
    while offset < len(json_text) and len(values) < _MAX_OBJECTS:
        try:
            value, offset = _JSON_DECODER.raw_decode(json_text, offset)
        except (ValueError, RecursionError):
            break
        values.append(value)
        offset = _next_json_offset(json_text, offset)
    return values[0] if len(values) == 1 else values or None


def _next_json_offset(text: str, offset: int) -> int:
    """Return the offset at which the next object may begin."""
    match = _JSON_SEPARATOR_PATTERN.match(text, offset)
    return match.end() if match else offset


def _keep_json_string(match: re.Match[str]) -> str:
    """Return a matched string with valid escapes; blank for any other match."""
    return _ESCAPE_PATTERN.sub(_fix_json_escape, match[1]) if match[1] else ""


def _fix_json_escape(match: re.Match[str]) -> str:
    wrong = match[1]
    if not wrong:
        return match[0]
    return wrong if wrong == "'" else f"\\\\{wrong}"


_MAX_THING_DEPTH: Final = 12
_MAX_THINGS: Final = 400
_MAX_METAS: Final = 500
_MAX_MENDED_SCRIPTS: Final = 10
_MAX_ROBOTS_METAS: Final = 5
_MAX_ROBOTS_CHARS: Final = 300


class PageHead(msgspec.Struct, frozen=True):
    """The page's statements about itself; nothing here is verified."""

    title: str
    metas: dict[str, str]
    things: tuple[dict[str, object], ...]
    language: str
    canonical: str
    body_names: str
    robots: tuple[str, ...] = ()

    @property
    def titles(self) -> str:
        """Return all titles in the head, joined."""
        return f"{self.title} {self.metas.get('og:title', '')}"

    @property
    def address(self) -> str:
        """Return the address that the page declares; blank where it declares none."""
        return self.canonical or self.metas.get("og:url", "")

    @property
    def descriptions(self) -> str:
        """Return all descriptions in the head, joined."""
        texts = [text for thing in self.things if isinstance(text := thing.get("description"), str)]
        metas = self.metas
        return " ".join([metas.get("description", ""), metas.get("og:description", ""), *texts])


def read_html_head(document: Document) -> PageHead:
    """Read the title, meta tags, linked data and other declarations of a page."""
    root = document.root
    return PageHead(
        title=_html_document_title(document),
        metas=_html_meta_tags(document),
        things=tuple(_linked_data_objects(document)),
        language=(root.attr("lang") or root.attr("xml:lang") or "") if root is not None else "",
        canonical=_html_head_attribute(document.select_one('link[rel~="canonical" i]'), "href"),
        body_names=_html_head_attribute(document.find("body"), "class"),
        robots=tuple(_html_robots_metas(document)),
    )


def _html_head_attribute(element: Element | None, name: str) -> str:
    return "" if element is None else element.attr(name) or ""


def _html_document_title(document: Document) -> str:
    # A <title> inside an <svg> names a drawing.
    element = document.select_one("head title") or document.find("title")
    return "" if element is None else element.text


def _html_meta_tags(document: Document) -> dict[str, str]:
    metas: dict[str, str] = {}
    for meta in document.select("meta[content]")[:_MAX_METAS]:
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop")
        if name:
            metas.setdefault(name.strip().lower(), meta.attr("content") or "")
    return metas


def _html_robots_metas(document: Document) -> Iterator[str]:
    for meta in document.select('meta[name="robots" i][content]')[:_MAX_ROBOTS_METAS]:
        yield one_line(meta.attr("content") or "", _MAX_ROBOTS_CHARS)


def _linked_data_objects(document: Document) -> Iterator[dict[str, object]]:
    """Yield every JSON-LD object of the page, outer ones first."""
    scripts = document.select('script[type*="ld+json" i]')[:50]
    queue: list[tuple[object, int]] = [
        (decode_linked_data(script.text, mend=index < _MAX_MENDED_SCRIPTS), 0)
        for index, script in enumerate(scripts)
    ]
    object_count = 0
    for value, depth in queue:
        if isinstance(value, dict):
            object_count += 1
            yield value
        if depth < _MAX_THING_DEPTH and object_count < _MAX_THINGS:
            queue.extend((inner, depth + 1) for inner in _linked_data_children(value))


def _linked_data_children(value: object) -> list[object]:
    """Return the objects and lists directly inside an object or a list."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for x in value if isinstance(x, dict | list)] if isinstance(value, list) else []


_LANGUAGE_TAG_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*\Z")
_PUBLISHED_METAS: Final = (
    "article:published_time", "datepublished", "date", "pubdate", "publishdate", "publish-date",
    "dc.date.issued", "dc.date", "dcterms.created", "dcterms.date", "parsely-pub-date",
    "sailthru.date", "citation_publication_date", "citation_date", "og:published_time",
    "cxenseparse:recs:publishtime",
)  # fmt: skip
_REPLY_TYPES: Final = ("Answer", "Comment")
_REVIEW_FIELDS: Final = frozenset({"review", "reviews"})
_MAX_DESCRIPTION_CHARS: Final = 1_000


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """The page's cleaned statements about itself; None where it states nothing."""

    title: str
    author: str | None
    published_at: str | None
    language: str | None
    canonical_url: str | None
    description: str | None
    site_name: str | None
    robots: tuple[str, ...] = ()


class BodyMarks(msgspec.Struct, frozen=True):
    """The author, date and heading of a page, read before the tree is pruned."""

    author: str | None
    published_at: str | None
    heading: str


def read_html_byline(document: Document, head: PageHead) -> BodyMarks:
    """Read the author and the date from the head, or else from the body."""
    heading = document.find("h1")
    return BodyMarks(
        author=declared_author(_page_linked_data(head.things), head.metas) or read_byline(document),
        published_at=_declared_publication_day(head)
        or _html_publication_day(document)
        or read_dateline(document, head.language),
        heading="" if heading is None else heading.text,
    )


def read_html_metadata(head: PageHead, marks: BodyMarks, base: str) -> Metadata:
    """Choose the best source for each field: linked data, meta tags, then the body."""
    metas = head.metas
    address = absolute_page_url(head.address, base) if head.address.strip() else None
    language = (head.language or metas.get("og:locale", "")).strip()
    return Metadata(
        title=_first_clean_text([metas.get("og:title", ""), head.title, marks.heading], 300) or "",
        author=marks.author,
        published_at=marks.published_at,
        language=language.replace("_", "-") if _LANGUAGE_TAG_PATTERN.match(language) else None,
        canonical_url=address if address and address.startswith("http") else None,
        description=_first_clean_text(
            [metas.get("description", ""), metas.get("og:description", ""), head.descriptions],
            _MAX_DESCRIPTION_CHARS,
        ),
        site_name=_first_clean_text(
            [metas.get("og:site_name", ""), metas.get("application-name", "")], 100
        ),
        robots=head.robots,
    )


def _first_clean_text(texts: Iterable[str], max_chars: int) -> str | None:
    return next((line for text in texts if (line := one_line(text, max_chars))), None)


def _declared_publication_day(head: PageHead) -> str | None:
    things = _page_linked_data(head.things)
    dates = [text for thing in things if isinstance(text := thing.get("datePublished"), str)]
    metas = [head.metas[name] for name in _PUBLISHED_METAS if name in head.metas]
    return _first_html_date([*dates, *metas])


def _html_publication_day(document: Document) -> str | None:
    times = document.select('time[datetime]:not([itemprop]),[itemprop~="datePublished"]')[:5]
    page_times = (
        time
        for time in times
        if not time.closest(FOREIGN_TEXT_SELECTOR) and not is_other_value(time)
    )
    return _first_html_date(t.attr("datetime") or t.attr("content") or t.text for t in page_times)


def _first_html_date(texts: Iterable[str]) -> str | None:
    return next((day for text in texts if (day := iso_date(text))), None)


def _page_linked_data(things: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Return the linked data without comments, answers and lists of reviews.

    A single review stays: it may be the page itself.
    """
    foreign = {
        id(review)
        for thing in things
        for name in _REVIEW_FIELDS.intersection(thing)
        if isinstance(reviews := thing[name], list) and len(reviews) > 1
        for review in reviews
    }
    return [
        thing
        for thing in things
        if thing.get("@type") not in _REPLY_TYPES and id(thing) not in foreign
    ]
