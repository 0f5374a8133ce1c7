"""Who wrote a page, when, in which language, and where it says it lives."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from turbohtml import Document

from .addresses import absolute
from .characters import one_line
from .dates import iso_date
from .head import Head

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*\Z")
_PUBLISHED: Final = (
    "article:published_time", "datepublished", "date", "pubdate", "publishdate", "publish-date",
    "dc.date.issued", "dc.date", "dcterms.created", "dcterms.date", "parsely-pub-date",
    "sailthru.date", "citation_publication_date", "citation_date", "og:published_time",
    "cxenseparse:recs:publishtime",
)  # fmt: skip
_AUTHORS: Final = (
    "author", "article:author", "dc.creator", "dcterms.creator", "citation_author",
    "parsely-author", "sailthru.author", "twitter:creator",
)  # fmt: skip
_LONG: Final = 1_000
_MOST_AUTHORS: Final = 5


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """What the page says about itself, cleaned; None where it says nothing."""

    title: str
    author: str | None
    published_at: str | None
    language: str | None
    canonical_url: str | None
    description: str | None
    site_name: str | None


class Marks(msgspec.Struct, frozen=True):
    """What the body says about the page, taken before it is pruned."""

    times: tuple[str, ...]
    bylines: tuple[str, ...]
    heading: str


def read_marks(document: Document) -> Marks:
    """Take the dates, bylines and first heading that stand in the body."""
    heading = document.find("h1")
    times = document.select('time[datetime],[itemprop="datePublished"]')[:5]
    bylines = document.select('[rel~="author"],[itemprop="author"],.byline,.author-name')[:5]
    return Marks(
        times=tuple(t.attr("datetime") or t.attr("content") or t.text for t in times),
        bylines=tuple(b.attr("content") or b.text for b in bylines),
        heading="" if heading is None else heading.text,
    )


def read_metadata(head: Head, marks: Marks, base: str) -> Metadata:
    """Choose the best source for each field: linked data, meta tags, then the body."""
    metas = head.metas
    home = head.canonical or metas.get("og:url", "")
    address = absolute(home, base) if home.strip() else None
    language = (head.language or metas.get("og:locale", "")).strip()
    return Metadata(
        title=_first([metas.get("og:title", ""), head.title, marks.heading], 300) or "",
        author=_author(head, marks),
        published_at=_published(head, marks),
        language=language.replace("_", "-") if _LANGUAGE.match(language) else None,
        canonical_url=address if address and address.startswith("http") else None,
        description=_first(
            [metas.get("description", ""), metas.get("og:description", ""), head.descriptions],
            _LONG,
        ),
        site_name=_first([metas.get("og:site_name", ""), metas.get("application-name", "")], 100),
    )


def _first(texts: Iterable[str], most: int) -> str | None:
    return next((line for text in texts if (line := one_line(text, most))), None)


def _published(head: Head, marks: Marks) -> str | None:
    told = [text for thing in head.things if isinstance(text := thing.get("datePublished"), str)]
    metas = [head.metas[name] for name in _PUBLISHED if name in head.metas]
    return next((day for text in [*told, *metas, *marks.times] if (day := iso_date(text))), None)


def _author(head: Head, marks: Marks) -> str | None:
    names = [name for thing in head.things for name in _names(thing.get("author"))]
    metas = [head.metas[name] for name in _AUTHORS if name in head.metas]
    for source in (names, metas, marks.bylines):
        lines = [one_line(name, 100) for name in source]
        found = [
            line for line in dict.fromkeys(lines) if line and "://" not in line and line[0] != "@"
        ]
        if found:
            return ", ".join(found[:_MOST_AUTHORS])
    return None


def _names(author: object) -> Iterator[str]:
    if isinstance(author, list):
        for one in author[:_MOST_AUTHORS]:
            yield from _names(one)
    name = author.get("name") if isinstance(author, dict) else author
    if isinstance(name, str):
        yield name
