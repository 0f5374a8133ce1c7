"""What a book says of itself: fields of the page, and a short list of facts for the rest.

https://www.w3.org/TR/epub-33/#sec-pkg-metadata (read 2026-11-16): elements of Dublin Core. A role
is an attribute in EPUB 2, and in EPUB 3 a ``meta`` that refines its element.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from ...dates import iso_date
from ...safe_text import one_line
from ..embedded_html import whole_markdown
from ..markdown_writing import disarm_pictures
from .xml_elements import XmlNode

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
    facts = [*_facts(told, _roles(nodes)), ("Series", _joined(_series(nodes)))]
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
    yield "Contributors", _joined(_person(node, roles) for node in told["contributor"])
    yield "Languages", _listed(told["language"]) if len(told["language"]) > 1 else ""
    yield "Subjects", _listed(told["subject"])
    yield "ISBN", _joined(_isbn(node) for node in told["identifier"])
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
    return _joined(node.words() for node in nodes)


def _joined(texts: Iterable[str]) -> str:
    """Return each text once, in one line, as many as a person would read."""
    lines = dict.fromkeys(disarm_pictures(one_line(text, _MAX_FACT_CHARS)) for text in texts)
    return ", ".join([line for line in lines if line][:_MAX_VALUES])
