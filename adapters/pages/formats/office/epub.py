"""EPUB: the chapters of a book, in the order they are read.

https://www.w3.org/TR/epub-33/ (read 2026-11-15): the container names the package document, whose
spine lists the chapters.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

import msgspec

from ..draft import Draft, StepAllowance
from ..embedded_html import whole_markdown
from .book_metadata import BookMetadata, read_book_metadata
from .package import BrokenFileError, Package, relative_part
from .xml_elements import XmlNode, parse_elements

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
