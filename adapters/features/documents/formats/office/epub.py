"""EPUB: the chapters of a book in reading order.

https://www.w3.org/TR/epub-33/ (read 2026-11-15): the container names the package document, whose
spine lists the chapters.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec

from webseam.adapters.pages.safe_text import one_line
from webseam.adapters.values.dates import iso_date
from webseam.ports.pages import PagePart
from webseam.ports.text import disarm_pictures

from ..draft import Cut, Draft, StepAllowance
from ..embedded_html import html_to_markdown
from .package import BrokenFileError, Package, relative_part
from .xml_elements import XmlNode, parse_xml_elements

_METADATA_ELEMENTS: Final = frozenset({
    "contributor", "creator", "date", "description", "identifier", "language", "publisher",
    "rights", "source", "subject", "title",
})  # fmt: skip
_SERIES_NAMES: Final = frozenset({"calibre:series", "belongs-to-collection"})
# The common roles of https://id.loc.gov/vocabulary/relators.
_ROLE_NAMES: Final = {
    "art": "artist", "aui": "introduction", "edt": "editor", "ill": "illustrator",
    "nrt": "narrator", "pht": "photographer", "trl": "translator",
}  # fmt: skip
_ISBN_PATTERN: Final = re.compile(
    r"(?:urn:)?(?:isbn[:\s]*)?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dX])\Z", re.IGNORECASE
)
_ISBN_SCHEMES: Final = frozenset({"isbn", "isbn-10", "isbn-13"})
_MAX_VALUES: Final = 30
_MAX_FACT_CHARS: Final = 300
_ENCRYPTION_PART: Final = "META-INF/encryption.xml"
_CHAPTER_TYPES: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
# About a second: a byte of a chapter is a step (measured 2026-11-15: 0.1 to 0.2 µs).
MAX_EPUB_STEPS: Final = 6_000_000


def read_epub_metadata(metadata: Iterable[XmlNode]) -> Draft:
    """Return a draft with the metadata of a book; its content is a list of further metadata."""
    nodes = [node for element in metadata for node in element.subtree()]
    values: defaultdict[str, list[XmlNode]] = defaultdict(list)
    for node in nodes:
        if node.name.lower() in _METADATA_ELEMENTS and node.inner_text().strip():
            values[node.name.lower()].append(node)
    date = iso_date(_first_value(values["date"]))
    facts = list(_facts(values, _contributor_roles(nodes)))
    facts.append(("Series", _join_texts(_series(nodes))))
    facts += [("Date", _join_node_texts(values["date"]))] if date is None else []
    return Draft(
        content="\n".join(f"- {name}: {text}" for name, text in facts if text),
        title=_first_value(values["title"]),
        author=", ".join(one_line(node.inner_text()) for node in values["creator"][:_MAX_VALUES]),
        language=_first_value(values["language"]),
        published_at=date,
        description=html_to_markdown(_first_value(values["description"])),
        site_name=_first_value(values["publisher"]),
    )


def _facts(
    values: Mapping[str, list[XmlNode]], roles: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    others = [node for node in values["identifier"] if not _isbn_number(node)]
    yield "Also called", _join_node_texts(values["title"][1:])
    yield "Publisher", _join_node_texts(values["publisher"])
    contributors = (_contributor(node, roles) for node in values["contributor"])
    yield "Contributors", _join_texts(contributors)
    yield "Languages", _join_node_texts(values["language"]) if len(values["language"]) > 1 else ""
    yield "Subjects", _join_node_texts(values["subject"])
    yield "ISBN", _join_texts(_isbn_number(node) for node in values["identifier"])
    yield "Identifiers", _join_node_texts(others)
    yield "Source", _join_node_texts(values["source"])
    yield "Rights", _join_node_texts(values["rights"])


def _contributor_roles(nodes: Iterable[XmlNode]) -> dict[str, str]:
    """Return the roles that refine a name from another element, by the id of that name."""
    metas = (node for node in nodes if node.name == "meta" and node.attribute("property") == "role")
    return {node.attribute("refines"): node.inner_text().strip() for node in metas}


def _series(nodes: Iterable[XmlNode]) -> Iterator[str]:
    for node in (node for node in nodes if node.name == "meta"):
        if (node.attribute("name") or node.attribute("property")) in _SERIES_NAMES:
            yield node.attribute("content") or node.inner_text()


def _contributor(node: XmlNode, roles: Mapping[str, str]) -> str:
    code = node.attribute("role") or roles.get(f"#{node.attribute('id')}", "")
    role = _ROLE_NAMES.get(code.lower(), "")
    return f"{node.inner_text()} ({role})" if role else node.inner_text()


def _isbn_number(node: XmlNode) -> str:
    """Return an ISBN, empty for another identifier."""
    text = " ".join(node.inner_text().split())
    match = _ISBN_PATTERN.match(text)
    if match is None:
        return ""
    is_named_isbn = "isbn" in text.lower() or node.attribute("scheme").lower() in _ISBN_SCHEMES
    return match[1] if is_named_isbn or match[1].startswith(("978", "979")) else ""


def _first_value(nodes: list[XmlNode]) -> str:
    return nodes[0].inner_text() if nodes else ""


def _join_node_texts(nodes: list[XmlNode]) -> str:
    return _join_texts(node.inner_text() for node in nodes)


def _join_texts(texts: Iterable[str]) -> str:
    lines = dict.fromkeys(disarm_pictures(one_line(text, _MAX_FACT_CHARS)) for text in texts)
    return ", ".join([line for line in lines if line][:_MAX_VALUES])


def read_epub(package: Package, _url: str) -> Draft:
    """Return a book as markdown; links within the book are plain text."""
    draft, chapters = _read_package_document(package)
    references = parse_xml_elements(package.part_chunks(_ENCRYPTION_PART), "CipherReference")
    encrypted = {relative_part("", unquote(node.attribute("URI"))) for node in references}
    readable = [part for part in chapters if part not in encrypted]
    book = _read_chapters(package, readable)
    content, cuts = book.content, book.cuts
    if count := len(chapters) - len(readable):
        cuts = (*cuts, Cut("chapters", f"chapters that are encrypted: {count}"))
    content = f"{draft.content}\n\n{content}" if draft.content and content else content
    return msgspec.structs.replace(draft, content=content, cuts=cuts, parts=book.parts)


def _read_chapters(package: Package, chapters: list[str]) -> Draft:
    allowance = StepAllowance(MAX_EPUB_STEPS)
    texts: list[str] = []
    parts: list[PagePart] = []
    cuts: tuple[Cut, ...] = ()
    for number, part in enumerate(chapters):
        if allowance.is_spent:
            note = f"only the first {number:,} of {len(chapters):,} chapters"
            cuts = (Cut("work", note),)
            break
        chapter = b"".join(package.part_chunks(part))
        allowance.spend(len(chapter))
        texts.append(html_to_markdown(chapter, parts=parts) if chapter else "")
    content = "\n\n".join(filter(None, texts))
    return Draft(content=content, cuts=cuts, parts=tuple(parts))


def _read_package_document(package: Package) -> tuple[Draft, list[str]]:
    """Return the metadata of a book, and the parts of its chapters."""
    container = package.part_chunks("META-INF/container.xml")
    root = next(parse_xml_elements(container, "rootfile", doctype=True), None)
    if root is None:
        raise BrokenFileError
    part = relative_part("", unquote(root.attribute("full-path")))
    metadata: list[XmlNode] = []
    items: dict[str, str] = {}
    chapters: list[str] = []
    chunks = package.part_chunks(part)
    for node in parse_xml_elements(chunks, "metadata", "manifest", "spine", doctype=True):
        if node.name == "metadata":
            metadata.append(node)
        elif node.name == "manifest":
            items |= _chapter_parts(node, part)
        elif node.name == "spine":
            references = (reference.attribute("idref") for reference in node.elements("itemref"))
            chapters += [items[name] for name in references if name in items]
    return read_epub_metadata(metadata), list(dict.fromkeys(chapters))


def _chapter_parts(manifest: XmlNode, part: str) -> dict[str, str]:
    """Return the part of each chapter by id, without pictures and style sheets."""
    return {
        node.attribute("id"): relative_part(part, unquote(node.attribute("href")))
        for node in manifest.elements("item")
        if node.attribute("media-type").lower() in _CHAPTER_TYPES
    }


PACKAGE_READERS: Final = {"epub": read_epub}
