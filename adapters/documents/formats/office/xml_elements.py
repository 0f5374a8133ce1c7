"""The XML of a part, streamed: the elements asked for, one small tree after the other.

A document type declaration ends it at once, so there are no entities to expand or to load. Where
formats have one by their standard, it may name a DTD, which is not loaded, and files that are no
text; entities by the names of characters are these. Of books it may also declare short texts.
"""

import re
from collections.abc import Container, Iterable, Iterator
from html import unescape
from html.entities import html5
from typing import Final, Protocol
from xml.parsers import expat

from .package import BrokenFileError, Package, TooLargeError

# ISO 8879 has names of its own for Greek letters (ISOgrk1), which HTML has not.
_GREEK_NAMES: Final = (
    "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr"
    " khgr psgr ohgr"
)
_GREEK: Final = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρςστυφχψω", strict=True))


def named_character(name: str) -> str:
    """Return a character by its name; a name that nobody knows stays as it was written.

    >>> named_character("mdash"), named_character("bgr"), named_character("OHgr")
    ('—', 'β', 'Ω')
    >>> named_character("chapter1")
    '&chapter1;'
    """
    known = html5.get(f"{name};") or _GREEK.get(name)
    if known is None and name.lower() in _GREEK:
        return _GREEK[name.lower()].upper()
    return f"&{name};" if known is None else known


# XML that is not well-formed, read on from where the parser gave up: tags are taken as they come.

# Nothing is looked at twice, and an attribute begins behind a blank or a quote: a name may be as
# long as the file.
_TOKEN: Final = re.compile(r"<(/?)([^\s<>/=!?]{1,200}+)([^<>]*+)>|<[^<>]*+>?|([^<]+)")
_ATTRIBUTE: Final = re.compile(
    r"""(?<![^\s"'])([^\s=<>/"']{1,200}+)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')"""
)


class XmlHandler(Protocol):
    """Takes what is found in XML, as a parser hands it over."""

    def start(self, name: str, attributes: dict[str, str], /) -> None:
        """Begin an element."""
        ...

    def end(self, name: str, /) -> None:
        """End an element."""
        ...

    def text(self, text: str, /) -> None:
        """Take some text."""
        ...


def unread_rest(parsed: bytes, stop_offset: int) -> bytes:
    """Return what was not read: from the tag on in which a parser gave up, or from its place on.

    >>> unread_rest(b"<a><b/ ></a>", 6), unread_rest(b"<a>x&y</a>", 4)
    (b'<b/ ></a>', b'&y</a>')
    """
    tag = parsed.rfind(b"<", 0, stop_offset)
    return parsed[tag if tag > parsed.rfind(b">", 0, stop_offset) else stop_offset :]


def read_rest(rest: bytes, taker: XmlHandler) -> Iterator[None]:
    """Hand over what is in the rest, with a stop behind each tag."""
    for found in _TOKEN.finditer(rest.decode("utf-8", "replace")):
        closing, name, inner, text = found.groups()
        if text:
            taker.text(unescape(text))
        elif name:
            local = name.rpartition(":")[2]
            if closing:
                taker.end(local)
            else:
                taker.start(local, dict(_attributes(inner)))
                if inner.rstrip().endswith("/"):
                    taker.end(local)
            yield


def _attributes(inner: str) -> Iterator[tuple[str, str]]:
    for found in _ATTRIBUTE.finditer(inner):
        yield found[1].rpartition(":")[2], unescape(found[2] or found[3] or "")


# The XML of a part, streamed: the elements asked for, one small tree after the other.

_MAX_ELEMENT_DEPTH: Final = 200
_MAX_NODES: Final = 300_000
# As far as a text goes in which entities are written out.
_MAX_LETTERS: Final = 8_000_000
_MAX_ENTITY_CHARS: Final = 200
_PREDEFINED: Final = frozenset({"lt", "gt", "amp", "quot", "apos"})
# Where a shape is drawn, point by point: a map has a hundred thousand of them.
_OUTLINE: Final = "custGeom"
# The last two for an encoding that the parser cannot take, or that nobody knows.
UNREADABLE: Final = (expat.ExpatError, ValueError, LookupError)


class XmlNode:
    """An element: its name and attributes without prefixes, and what is inside, in order.

    ``size`` is the number of elements that an outermost one is made of.
    """

    __slots__ = ("attributes", "children", "name", "size")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        """Start with nothing inside."""
        self.name = name
        self.attributes = attributes
        self.children: list[XmlNode | str] = []
        self.size = 1

    def get(self, attribute: str) -> str:
        """Return an attribute, empty when there is none."""
        return self.attributes.get(attribute, "")

    def nodes(self, *names: str) -> Iterator["XmlNode"]:
        """Yield the elements right inside, of these names or all."""
        for child in self.children:
            if isinstance(child, XmlNode) and (not names or child.name in names):
                yield child

    def first(self, *path: str) -> "XmlNode | None":
        """Follow a path of names, taking the first of each."""
        node: XmlNode | None = self
        for name in path:
            node = next(node.nodes(name), None) if node else None
        return node

    def walk(self) -> Iterator["XmlNode"]:
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
        self,
        wanted: Container[str],
        marks: Container[str] = (),
        *,
        doctype: bool = False,
        entities: bool = False,
    ) -> None:
        self._wanted = wanted
        self._marks = marks
        self._takes_doctype = doctype
        self._takes_entities = entities
        self._letters = 0
        self._open: list[XmlNode] = []
        self._depth = 0
        self._count = 0
        self._passed = 0
        self._names: dict[str, str] = {}
        self.done: list[XmlNode] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._counted if entities else self.text
        if doctype:
            # Nothing is loaded: it only makes unknown entities no errors.
            self.parser.UseForeignDTD(True)  # noqa: FBT003  it takes no keyword
            self.parser.SkippedEntityHandler = self._character

    def _doctype(self, *_: object) -> None:
        if not self._takes_doctype:
            raise BrokenFileError

    def _entity(self, name: str, is_parameter: int, value: str | None, *_: object) -> None:
        """Take what is never loaded; a text only where it can hold no other one."""
        if value is None or name in _PREDEFINED:
            return
        is_plain = len(value) <= _MAX_ENTITY_CHARS and not {*"&<%"} & {*value}
        if is_parameter or not (self._takes_entities and is_plain):
            raise BrokenFileError

    def _character(self, name: str, is_parameter: int) -> None:
        if not is_parameter:
            self.text(named_character(name))

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        local = self._local(name)
        if local == _OUTLINE:
            self._pass_over()
            return
        self._depth += 1
        if not self._open and local not in self._wanted:
            if local in self._marks:
                self.done.append(XmlNode(local, self._named(attributes)))
            return
        self._count += 1
        if self._depth > _MAX_ELEMENT_DEPTH or self._count > _MAX_NODES:
            raise TooLargeError
        node = XmlNode(local, self._named(attributes))
        if self._open:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _pass_over(self) -> None:
        """Take nothing until the element that has begun ends."""
        self._passed = 1
        self.parser.StartElementHandler = self._deeper
        self.parser.EndElementHandler = self._higher

    def _deeper(self, _name: str, _attributes: dict[str, str]) -> None:
        self._passed += 1

    def _higher(self, _name: str) -> None:
        self._passed -= 1
        if not self._passed:
            self.parser.StartElementHandler = self.start
            self.parser.EndElementHandler = self._end

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

    def end(self, name: str) -> None:
        """End an element that may not be the innermost, or may not be there."""
        if not self._open:
            self._depth -= 1
        elif any(node.name == name for node in self._open):
            while self._open and self._open[-1].name != name:
                self._end(name)
            self._end(name)

    def taken(self) -> list[XmlNode]:
        """Return the trees that are finished, each once."""
        done, self.done = self.done, []
        return done

    def end_all(self) -> None:
        """End all that was never ended."""
        while self._open:
            self._end("")

    def _counted(self, text: str) -> None:
        self._letters += len(text)
        if self._letters > _MAX_LETTERS:
            raise TooLargeError
        self.text(text)

    def text(self, text: str) -> None:
        """Take some text."""
        if self._open:
            self._open[-1].children.append(text)


def parse_elements(
    chunks: Iterable[bytes], *names: str, element_names: Container[str] = (), doctype: bool = False
) -> Iterator[XmlNode]:
    """Yield the outermost elements of these names, each when it is whole.

    Of those in ``element_names`` only the beginning is given, empty, and what is inside follows. A
    document type declaration without an entity is no error with ``doctype``. Stop asking and
    nothing more is unpacked or parsed.
    """
    builder = _Builder(frozenset(names), element_names, doctype=doctype)
    begun = False
    for chunk in _gathered(chunks, builder):
        begun = True
        _feed(builder, chunk)
        yield from builder.taken()
    if begun:
        _feed(builder, b"", last=True)


def _gathered(chunks: Iterable[bytes], builder: _Builder) -> Iterator[bytes]:
    """Yield chunks, several as one while a tag is not whole: the parser reads it anew each time."""
    held: list[bytes] = []
    fed = size = awaited = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= awaited:
            yield b"".join(held)
            fed += size
            held, size, awaited = [], 0, fed - builder.parser.CurrentByteIndex
    if held:
        yield b"".join(held)


def _feed(builder: _Builder, chunk: bytes, *, last: bool = False) -> None:
    try:
        builder.parser.Parse(chunk, last)
    except UNREADABLE as error:
        raise BrokenFileError from error


def part_elements(
    package: Package,
    part: str,
    *names: str,
    element_names: Container[str] = (),
    entities: bool = False,
) -> Iterator[XmlNode]:
    """Yield the outermost elements of a part, as ``parse_elements`` does.

    Where it is not well-formed or cannot be unpacked to its end, what can be told is given, and the
    package is marked as damaged. With ``entities`` it may have a document type.
    """
    builder = _Builder(frozenset(names), element_names, doctype=entities, entities=entities)
    chunks = _gathered(_unpacked(package, part), builder)
    former, chunk, fed = b"", next(chunks, b""), 0
    while chunk:
        try:
            builder.parser.Parse(chunk)
        except UNREADABLE:
            place = builder.parser.ErrorByteIndex - fed + len(former)
            rest = unread_rest(former + chunk, max(place, 0)) + b"".join(chunks)
            yield from _mended(builder, rest, package)
            return
        yield from builder.taken()
        former, fed = chunk, fed + len(chunk)
        chunk = next(chunks, b"")
    if fed and not _is_whole(builder):
        yield from _mended(builder, b"", package)


def _unpacked(package: Package, part: str) -> Iterator[bytes]:
    try:
        yield from package.chunks(part)
    except BrokenFileError:
        package.is_damaged = True


def _is_whole(builder: _Builder) -> bool:
    try:
        _feed(builder, b"", last=True)
    except BrokenFileError:
        return False
    return True


def _mended(builder: _Builder, rest: bytes, package: Package) -> Iterator[XmlNode]:
    package.is_damaged = True
    # The parser keeps text back until it is told not to.
    builder.parser.buffer_text = False
    for _ in read_rest(rest, builder):
        yield from builder.taken()
    builder.end_all()
    yield from builder.taken()
