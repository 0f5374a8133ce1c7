"""Who wrote a page, when, in which language, and where it says it lives."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from turbohtml import Document, Element

from ...pages.safe_text import absolute_url, one_line
from ..dates import iso_date
from .imprint import BY_OTHERS, declared_author, read_byline, read_dateline

_MAX_JSON_CHARS: Final = 2_000_000
# To mend costs thirty times as much as to decode.
_MAX_MENDED_CHARS: Final = 60_000
_MAX_OBJECTS: Final = 50
# A price stays as it was written: 49.90 is no 49.9.
_DECODER: Final = json.JSONDecoder(strict=False, parse_float=str)
# Each alternative reaches to the end where it is not closed, so that no text is looked at twice.
_STRINGS: Final = re.compile(
    r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|/\*(?:[^*]+|\*(?!/))*(?:\*/|\Z)|//[^\n]*|<!--|-->|<!\[CDATA\[|\]\]>',
    re.DOTALL,
)
_COMMAS: Final = re.compile(r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
_WRONG_ESCAPE: Final = re.compile(r"\\(?:(u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])|(.))", re.DOTALL)
_BETWEEN: Final = re.compile(r"[\s;,]*")


def decode_linked(text: str, *, mend: bool = True) -> object:
    """Return what the JSON of a page says, several objects as a list; nothing where it is none.

    Line breaks in texts are forgiven, and comments, commas too many, a semicolon at the end,
    escapes that JSON does not know, and quotes that were written as entities; not in a long text,
    and not without ``mend``.
    """
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _mended(text) if mend and len(text) <= _MAX_MENDED_CHARS else None


def _mended(text: str) -> object:
    plain = text.strip("\ufeff \t\r\n")
    if "&quot;" in plain[:40]:
        plain = html.unescape(plain)
    plain = _COMMAS.sub(_kept, _STRINGS.sub(_kept, plain))
    found: list[object] = []
    place = _end(plain, 0)
    while place < len(plain) and len(found) < _MAX_OBJECTS:
        try:
            value, place = _DECODER.raw_decode(plain, place)
        except (ValueError, RecursionError):
            break
        found.append(value)
        place = _end(plain, place)
    return found[0] if len(found) == 1 else found or None


def _end(text: str, place: int) -> int:
    """Return where the next object may begin."""
    match = _BETWEEN.match(text, place)
    return match.end() if match else place


def _kept(match: re.Match[str]) -> str:
    """Keep a text, with escapes that JSON knows, and nothing else."""
    return _WRONG_ESCAPE.sub(_escape, match[1]) if match[1] else ""


def _escape(match: re.Match[str]) -> str:
    wrong = match[1]
    if not wrong:
        return match[0]
    return wrong if wrong == "'" else f"\\\\{wrong}"


# Who wrote a page, when, in which language, and where it says it lives.

_MAX_THING_DEPTH: Final = 12
_MAX_THINGS: Final = 400
_MAX_METAS: Final = 500
_MAX_MENDED_SCRIPTS: Final = 10
_MAX_ROBOTS_METAS: Final = 5
_MAX_ROBOTS_CHARS: Final = 300


class PageHead(msgspec.Struct, frozen=True):
    """The page's own words about itself; nothing here is vouched for."""

    title: str
    metas: dict[str, str]
    things: tuple[dict[str, object], ...]
    language: str
    canonical: str
    body_names: str
    robots: tuple[str, ...] = ()

    @property
    def titles(self) -> str:
        """Return every title the head gives."""
        return f"{self.title} {self.metas.get('og:title', '')}"

    @property
    def address(self) -> str:
        """Return where the page says it is; blank where it does not say."""
        return self.canonical or self.metas.get("og:url", "")

    @property
    def descriptions(self) -> str:
        """Return every description the head gives."""
        texts = [text for thing in self.things if isinstance(text := thing.get("description"), str)]
        metas = self.metas
        return " ".join([metas.get("description", ""), metas.get("og:description", ""), *texts])


def read_head(document: Document) -> PageHead:
    """Gather what the page says about itself."""
    root = document.root
    return PageHead(
        title=_title(document),
        metas=_metas(document),
        things=tuple(_things(document)),
        language=(root.attr("lang") or root.attr("xml:lang") or "") if root is not None else "",
        canonical=_attribute(document.select_one('link[rel~="canonical" i]'), "href"),
        body_names=_attribute(document.find("body"), "class"),
        robots=tuple(_robots(document)),
    )


def _attribute(element: Element | None, name: str) -> str:
    return "" if element is None else element.attr(name) or ""


def _title(document: Document) -> str:
    # A <title> inside an <svg> names a drawing.
    element = document.select_one("head title") or document.find("title")
    return "" if element is None else element.text


def _metas(document: Document) -> dict[str, str]:
    metas: dict[str, str] = {}
    for meta in document.select("meta[content]")[:_MAX_METAS]:
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop")
        if name:
            metas.setdefault(name.strip().lower(), meta.attr("content") or "")
    return metas


def _robots(document: Document) -> Iterator[str]:
    for meta in document.select('meta[name="robots" i][content]')[:_MAX_ROBOTS_METAS]:
        yield one_line(meta.attr("content") or "", _MAX_ROBOTS_CHARS)


def _things(document: Document) -> Iterator[dict[str, object]]:
    """Yield every JSON-LD object of the page, outer ones first."""
    scripts = document.select('script[type*="ld+json" i]')[:50]
    queue: list[tuple[object, int]] = [
        (decode_linked(script.text, mend=place < _MAX_MENDED_SCRIPTS), 0)
        for place, script in enumerate(scripts)
    ]
    seen = 0
    for value, depth in queue:
        if isinstance(value, dict):
            seen += 1
            yield value
        if depth < _MAX_THING_DEPTH and seen < _MAX_THINGS:
            queue.extend((inner, depth + 1) for inner in _inside(value))


def _inside(value: object) -> list[object]:
    """Return the objects and lists right inside of an object or a list."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for x in value if isinstance(x, dict | list)] if isinstance(value, list) else []


_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*\Z")
_PUBLISHED: Final = (
    "article:published_time", "datepublished", "date", "pubdate", "publishdate", "publish-date",
    "dc.date.issued", "dc.date", "dcterms.created", "dcterms.date", "parsely-pub-date",
    "sailthru.date", "citation_publication_date", "citation_date", "og:published_time",
    "cxenseparse:recs:publishtime",
)  # fmt: skip
_REPLIES: Final = ("Answer", "Comment")
_REVIEWS: Final = frozenset({"review", "reviews"})
_MAX_DESCRIPTION_CHARS: Final = 1_000


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """What the page says about itself, cleaned; None where it says nothing."""

    title: str
    author: str | None
    published_at: str | None
    language: str | None
    canonical_url: str | None
    description: str | None
    site_name: str | None
    robots: tuple[str, ...] = ()


class BodyMarks(msgspec.Struct, frozen=True):
    """What the page says of who wrote it and when, and its heading, taken before it is pruned."""

    author: str | None
    published_at: str | None
    heading: str


def read_marks(document: Document, head: PageHead) -> BodyMarks:
    """Take the author and the date of the head, else those that stand in the body."""
    heading = document.find("h1")
    return BodyMarks(
        author=declared_author(_own(head.things), head.metas) or read_byline(document),
        published_at=_told_day(head) or _day(document) or read_dateline(document, head.language),
        heading="" if heading is None else heading.text,
    )


def read_metadata(head: PageHead, marks: BodyMarks, base: str) -> Metadata:
    """Choose the best source for each field: linked data, meta tags, then the body."""
    metas = head.metas
    address = absolute_url(head.address, base) if head.address.strip() else None
    language = (head.language or metas.get("og:locale", "")).strip()
    return Metadata(
        title=_first([metas.get("og:title", ""), head.title, marks.heading], 300) or "",
        author=marks.author,
        published_at=marks.published_at,
        language=language.replace("_", "-") if _LANGUAGE.match(language) else None,
        canonical_url=address if address and address.startswith("http") else None,
        description=_first(
            [metas.get("description", ""), metas.get("og:description", ""), head.descriptions],
            _MAX_DESCRIPTION_CHARS,
        ),
        site_name=_first([metas.get("og:site_name", ""), metas.get("application-name", "")], 100),
        robots=head.robots,
    )


def _first(texts: Iterable[str], most: int) -> str | None:
    return next((line for text in texts if (line := one_line(text, most))), None)


def _told_day(head: PageHead) -> str | None:
    things = _own(head.things)
    dates = [text for thing in things if isinstance(text := thing.get("datePublished"), str)]
    metas = [head.metas[name] for name in _PUBLISHED if name in head.metas]
    return _first_day([*dates, *metas])


def _day(document: Document) -> str | None:
    times = document.select('time[datetime],[itemprop="datePublished"]')[:5]
    own = (time for time in times if not time.closest(BY_OTHERS))
    return _first_day(t.attr("datetime") or t.attr("content") or t.text for t in own)


def _first_day(texts: Iterable[str]) -> str | None:
    return next((day for text in texts if (day := iso_date(text))), None)


def _own(things: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Return the things that the page's author may have written: no comments, answers, reviews.

    A single review may well be the page itself.
    """
    others = {
        id(review)
        for thing in things
        for name in _REVIEWS.intersection(thing)
        if isinstance(reviews := thing[name], list) and len(reviews) > 1
        for review in reviews
    }
    return [one for one in things if one.get("@type") not in _REPLIES and id(one) not in others]
