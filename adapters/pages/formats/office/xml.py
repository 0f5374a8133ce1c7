"""The XML of a part, streamed: the elements asked for, one small tree after the other.

A document type declaration ends it at once, so there are no entities to expand or to load. Where
formats have one by their standard, it may name a DTD, which is not loaded, and declare no entity.
"""

from collections.abc import Container, Iterable, Iterator
from typing import Final
from xml.parsers import expat

from ...dates import iso_date
from ..draft import Draft
from .package import BrokenFileError, Package, TooLargeError, beside

_MOST_DEEP: Final = 200
_MOST_NODES: Final = 300_000


class Node:
    """An element: its name and attributes without prefixes, and what is inside, in order.

    ``size`` is the number of elements that an outermost one is made of.
    """

    __slots__ = ("attributes", "children", "name", "size")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        """Start with nothing inside."""
        self.name = name
        self.attributes = attributes
        self.children: list[Node | str] = []
        self.size = 1

    def get(self, attribute: str) -> str:
        """Return an attribute, empty when there is none."""
        return self.attributes.get(attribute, "")

    def nodes(self, *names: str) -> Iterator["Node"]:
        """Yield the elements right inside, of these names or all."""
        for child in self.children:
            if isinstance(child, Node) and (not names or child.name in names):
                yield child

    def first(self, *path: str) -> "Node | None":
        """Follow a path of names, taking the first of each."""
        node: Node | None = self
        for name in path:
            node = next(node.nodes(name), None) if node else None
        return node

    def walk(self) -> Iterator["Node"]:
        """Yield this element and all inside, in document order."""
        yield self
        for child in self.nodes():
            yield from child.walk()

    def words(self) -> str:
        """Return all text inside."""
        return "".join(
            child if isinstance(child, str) else child.words() for child in self.children
        )


class _Builder:
    """Turns expat's calls into finished trees."""

    def __init__(
        self, wanted: Container[str], marks: Container[str] = (), *, doctype: bool = False
    ) -> None:
        self._wanted = wanted
        self._marks = marks
        self._takes_doctype = doctype
        self._open: list[Node] = []
        self._depth = 0
        self._count = 0
        self._names: dict[str, str] = {}
        self.done: list[Node] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _doctype(self, *_: object) -> None:
        if not self._takes_doctype:
            raise BrokenFileError

    def _entity(self, *_: object) -> None:
        raise BrokenFileError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        local = self._local(name)
        if not self._open and local not in self._wanted:
            if local in self._marks:
                self.done.append(Node(local, self._named(attributes)))
            return
        self._count += 1
        if self._depth > _MOST_DEEP or self._count > _MOST_NODES:
            raise TooLargeError
        node = Node(local, self._named(attributes))
        if self._open:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _named(self, attributes: dict[str, str]) -> dict[str, str]:
        return {self._local(key): value for key, value in attributes.items()}

    def _local(self, name: str) -> str:
        """Return a name without its namespace; there are few, so each is cut once."""
        short = self._names.get(name)
        if short is None:
            short = self._names[name] = name.rpartition(" ")[2]
        return short

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._open:
            node = self._open.pop()
            if not self._open:
                node.size = self._count
                self.done.append(node)
                self._count = 0

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].children.append(text)


def elements(
    chunks: Iterable[bytes], *names: str, marks: Container[str] = (), doctype: bool = False
) -> Iterator[Node]:
    """Yield the outermost elements of these names, each when it is whole.

    Of those in ``marks`` only the beginning is given, empty, and what is inside follows. A document
    type declaration without an entity is no error with ``doctype``. Stop asking and
    nothing more is unpacked or parsed.
    """
    builder = _Builder(frozenset(names), marks, doctype=doctype)
    begun = False
    for chunk in chunks:
        begun = True
        _feed(builder, chunk)
        yield from builder.done
        builder.done.clear()
    if begun:
        _feed(builder, b"", last=True)


def _feed(builder: _Builder, chunk: bytes, *, last: bool = False) -> None:
    try:
        builder.parser.Parse(chunk, last)
    except (expat.ExpatError, ValueError) as error:
        raise BrokenFileError from error


# What all three kinds of document have: relations between parts, and words about themselves.


def relations(package: Package, part: str) -> dict[str, str]:
    """Return where the ids used in a part point to; a link out keeps its URL."""
    folder, _, name = part.rpartition("/")
    place = {}
    for node in elements(package.chunks(f"{folder}/_rels/{name}.rels"), "Relationship"):
        target = node.get("Target")
        outside = node.get("TargetMode") == "External"
        place[node.get("Id")] = target if outside else beside(part, target)
    return place


def main_part(package: Package, usual: str) -> str:
    """Return the part that a document begins with: ``usual``, else where its relations point.

    ISO/IEC 29500-2, 8.3: the package itself has a relation to it, whatever it is called.
    """
    if package.has(usual):
        return usual
    for node in elements(package.chunks("_rels/.rels"), "Relationship"):
        if node.get("Type").endswith("/officeDocument"):
            return beside("", node.get("Target"))
    return usual


def described(package: Package, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the title, author, date and language that the document tells."""
    properties: dict[str, str] = {}
    for part in _ABOUT:
        for node in elements(package.chunks(part), *_PROPERTIES):
            properties.setdefault(_PROPERTIES[node.name], node.words())
    return Draft(
        content=draft.content,
        title=properties.get("title") or draft.title or file_name,
        author=properties.get("author") or draft.author,
        published_at=iso_date(properties.get("date", "")) or draft.published_at,
        language=properties.get("language") or draft.language,
        description=properties.get("description") or draft.description,
        site_name=draft.site_name,
        notes=draft.notes,
    )


# Where Office and OpenDocument keep what a document says about itself.
_ABOUT = ("docProps/core.xml", "meta.xml")
_PROPERTIES = {
    "title": "title",
    "initial-creator": "author",
    "creation-date": "date",
    "creator": "author",
    "created": "date",
    "language": "language",
    "description": "description",
    "subject": "description",
}
