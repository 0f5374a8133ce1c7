"""What a paper says of itself before and beside its text."""

from collections.abc import Iterable, Iterator
from typing import Final

from ..office.xml_elements import XmlNode
from .article_blocks import article_blocks
from .element_text import element_line, person_name

_AUTHORS: Final = frozenset({"", "author"})


def read_authors(about: XmlNode) -> list[str]:
    """Return who wrote it; editors and reviewers stand in the same list in the file."""
    people = _named(about, "contrib")
    return _once(person_name(each) for each in people if each.get("contrib-type") in _AUTHORS)


def front_lines(about: XmlNode) -> str:
    """Return as a list who wrote a paper and where they work, who edited it, what it is about."""
    people = _named(about, "contrib")
    editors = _once(
        person_name(each) for each in people if each.get("contrib-type") not in _AUTHORS
    )
    fields = {
        "Authors": read_authors(about),
        "Editors": editors,
        "Subjects": _once(element_line(each) for each in _named(about, "subject")),
        "Keywords": _once(element_line(each) for each in _named(about, "kwd")),
    }
    lines = [f"{name}: {', '.join(some)}" for name, some in fields.items() if some]
    return "\n".join(f"- {line}" for line in (*lines, *_places(about)))


def _places(about: XmlNode) -> list[str]:
    """Return where the authors work, each with its number, and how to reach them."""
    return _once(_address(each) for each in _named(about, "aff", "corresp"))


def _address(node: XmlNode) -> str:
    # In many a file nothing stands between its parts.
    parts = (child if isinstance(child, str) else element_line(child) for child in node.children)
    return " ".join(" ".join(parts).split()).replace(" ,", ",")


def read_abstracts(about: XmlNode, base: str) -> Iterator[str]:
    """Yield the abstracts under their headings."""
    for abstract in about.nodes("abstract", "trans-abstract"):
        if abstract.first("title") is None:
            yield "## Abstract"
        yield from article_blocks(abstract, 2, base)


def read_back_notes(about: XmlNode, base: str) -> Iterator[str]:
    """Yield who paid for it and what the authors say of themselves, under a heading."""
    notes = [*_named(about, "funding-statement"), *_named(about, "author-notes")]
    texts = [
        text
        for note in notes
        for text in ([element_line(note)] if note.name != "author-notes" else _notes(note, base))
        if text
    ]
    yield from ("## Author notes", *texts) if texts else ()


def _notes(note: XmlNode, base: str) -> Iterator[str]:
    rest = XmlNode(note.name, {})
    rest.children = [each for each in note.nodes() if each.name != "corresp"]
    yield from article_blocks(rest, 2, base)


def _named(about: XmlNode, *names: str) -> list[XmlNode]:
    return [each for each in about.walk() if each.name in names]


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
