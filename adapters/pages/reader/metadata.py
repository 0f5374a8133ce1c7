"""Who wrote a page, when, in which language, and where it says it lives."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from turbohtml import Document, Element

from ..dates import iso_date
from ..safe_text import absolute_url, one_line
from .imprint.authors import BY_OTHERS, declared_author, read_byline
from .imprint.datelines import read_dateline
from .structured_data.json_ld import decode_linked

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
