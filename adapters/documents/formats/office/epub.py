"""EPUB: the chapters of a book, in the order they are read.

https://www.w3.org/TR/epub-33/ (read 2026-11-15): the container names the package document, whose
spine lists the chapters.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec

from ....pages.safe_text import one_line
from ...dates import iso_date
from ..draft import Draft, StepAllowance
from ..embedded_html import whole_markdown
from ..markdown_writing import disarm_pictures
from .package import BrokenFileError, Package, relative_part
from .xml_elements import XmlNode, parse_elements

_TOLD: Final = frozenset(
    {
        "contributor", "creator", "date", "description", "identifier", "language", "publisher",
        "rights", "source", "subject", "title",
    }
)  # fmt: skip
_SERIES: Final = frozenset({"calibre:series", "belongs-to-collection"})
# Of the roles that libraries know (https://id.loc.gov/vocabulary/relators), the usual ones.
_ROLES: Final = {
    "art": "artist", "aui": "introduction", "edt": "editor", "ill": "illustrator",
    "nrt": "narrator", "pht": "photographer", "trl": "translator",
}  # fmt: skip
_ISBN: Final = re.compile(
    r"(?:urn:)?(?:isbn[:\s]*)?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dX])\Z", re.IGNORECASE
)
_ISBN_SCHEMES: Final = frozenset({"isbn", "isbn-10", "isbn-13"})
_MAX_VALUES: Final = 30
_MAX_FACT_CHARS: Final = 300


class BookMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What a page has fields for, and the rest as a list in markdown."""

    title: str
    author: str
    language: str
    published_at: str | None
    description: str
    publisher: str
    facts: str


def read_book_metadata(metadata: Iterable[XmlNode]) -> BookMetadata:
    """Return what the metadata of a book say."""
    nodes = [node for one in metadata for node in one.walk()]
    told: defaultdict[str, list[XmlNode]] = defaultdict(list)
    for node in nodes:
        if node.name.lower() in _TOLD and node.words().strip():
            told[node.name.lower()].append(node)
    date = iso_date(_first(told["date"]))
    facts = [*_facts(told, _roles(nodes)), ("Series", _book_metadata_joined(_series(nodes)))]
    facts += [("Date", _listed(told["date"]))] if date is None else []
    return BookMetadata(
        title=_first(told["title"]),
        author=", ".join(_lines(told["creator"])),
        language=_first(told["language"]),
        published_at=date,
        description=whole_markdown(_first(told["description"])),
        publisher=_first(told["publisher"]),
        facts="\n".join(f"- {name}: {said}" for name, said in facts if said),
    )


def _facts(
    told: Mapping[str, list[XmlNode]], roles: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    others = [node for node in told["identifier"] if not _isbn(node)]
    yield "Also called", _listed(told["title"][1:])
    yield "Publisher", _listed(told["publisher"])
    yield (
        "Contributors",
        _book_metadata_joined(_person(node, roles) for node in told["contributor"]),
    )
    yield "Languages", _listed(told["language"]) if len(told["language"]) > 1 else ""
    yield "Subjects", _listed(told["subject"])
    yield "ISBN", _book_metadata_joined(_isbn(node) for node in told["identifier"])
    yield "Identifiers", _listed(others)
    yield "Source", _listed(told["source"])
    yield "Rights", _listed(told["rights"])


def _roles(nodes: Iterable[XmlNode]) -> dict[str, str]:
    """Return the roles that are told apart from their names, by what these are called."""
    metas = (node for node in nodes if node.name == "meta" and node.get("property") == "role")
    return {node.get("refines"): node.words().strip() for node in metas}


def _series(nodes: Iterable[XmlNode]) -> Iterator[str]:
    for node in nodes:
        if node.name == "meta" and (node.get("name") or node.get("property")) in _SERIES:
            yield node.get("content") or node.words()


def _person(node: XmlNode, roles: Mapping[str, str]) -> str:
    code = node.get("role") or roles.get(f"#{node.get('id')}", "")
    role = _ROLES.get(code.lower(), "")
    return f"{node.words()} ({role})" if role else node.words()


def _isbn(node: XmlNode) -> str:
    """Return the number of a book, empty where it is another identifier."""
    text = " ".join(node.words().split())
    found = _ISBN.match(text)
    if found is None:
        return ""
    is_called = "isbn" in text.lower() or node.get("scheme").lower() in _ISBN_SCHEMES
    return found[1] if is_called or found[1].startswith(("978", "979")) else ""


def _first(nodes: list[XmlNode]) -> str:
    return nodes[0].words() if nodes else ""


def _lines(nodes: list[XmlNode]) -> list[str]:
    return [one_line(node.words()) for node in nodes[:_MAX_VALUES]]


def _listed(nodes: list[XmlNode]) -> str:
    return _book_metadata_joined(node.words() for node in nodes)


def _book_metadata_joined(texts: Iterable[str]) -> str:
    """Return each text once, in one line, as many as a person would read."""
    lines = dict.fromkeys(disarm_pictures(one_line(text, _MAX_FACT_CHARS)) for text in texts)
    return ", ".join([line for line in lines if line][:_MAX_VALUES])


# EPUB: the chapters of a book, in the order they are read.

_CONTAINER: Final = "META-INF/container.xml"
_LOCKS: Final = "META-INF/encryption.xml"
_CHAPTERS: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
# About a second: a byte of a chapter is a step (measured 2026-11-15: 0.1 to 0.2 µs).
MAX_EPUB_STEPS: Final = 6_000_000


class _Book(msgspec.Struct, frozen=True):
    """What a package document says: about the book, and where its chapters are."""

    about: BookMetadata
    chapters: list[str]


def read_epub(package: Package, _url: str) -> Draft:
    """Return a book as markdown; links within it lead nowhere on the web and are plain text."""
    book = _book(package)
    locked = set(_locked(package))
    content, notes = _content(package, [part for part in book.chapters if part not in locked])
    shut = sum(part in locked for part in book.chapters)
    if shut:
        notes = (*notes, f"chapters that are encrypted: {shut}")
    about = book.about
    return Draft(
        content=f"{about.facts}\n\n{content}" if about.facts and content else content,
        title=about.title,
        author=about.author,
        language=about.language,
        published_at=about.published_at,
        description=about.description,
        site_name=about.publisher,
        notes=notes,
    )


def _content(package: Package, chapters: list[str]) -> tuple[str, tuple[str, ...]]:
    allowance = StepAllowance(MAX_EPUB_STEPS)
    texts: list[str] = []
    for number, part in enumerate(chapters):
        if allowance.is_spent:
            notes = (f"only the first {number:,} of {len(chapters):,} chapters",)
            return _joined(texts), notes
        chapter = b"".join(package.chunks(part))
        allowance.spend(len(chapter))
        texts.append(whole_markdown(chapter) if chapter else "")
    return _joined(texts), ()


def _joined(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _book(package: Package) -> _Book:
    root = next(parse_elements(package.chunks(_CONTAINER), "rootfile", doctype=True), None)
    if root is None:
        raise BrokenFileError
    part = relative_part("", unquote(root.get("full-path")))
    metadata: list[XmlNode] = []
    items: dict[str, str] = {}
    chapters: list[str] = []
    for node in parse_elements(package.chunks(part), "metadata", "manifest", "spine", doctype=True):
        if node.name == "metadata":
            metadata.append(node)
        elif node.name == "manifest":
            items |= _items(node, part)
        elif node.name == "spine":
            references = (each.get("idref") for each in node.nodes("itemref"))
            chapters += [items[name] for name in references if name in items]
    return _Book(read_book_metadata(metadata), list(dict.fromkeys(chapters)))


def _items(manifest: XmlNode, part: str) -> dict[str, str]:
    """Return where each chapter is, by id; pictures and style sheets are none."""
    return {
        node.get("id"): relative_part(part, unquote(node.get("href")))
        for node in manifest.nodes("item")
        if node.get("media-type").lower() in _CHAPTERS
    }


def _locked(package: Package) -> Iterator[str]:
    for node in parse_elements(package.chunks(_LOCKS), "CipherReference"):
        yield relative_part("", unquote(node.get("URI")))


PACKAGE_READERS: Final = {"epub": read_epub}
