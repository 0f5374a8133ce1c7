"""The XML of a part, streamed: the requested elements, one small tree after the other.

A document type declaration is an error, so no entity is expanded or loaded. Where a standard
requires a declaration, it may name a DTD, which is not loaded; entities with names of characters
become these. In books it may also declare short texts.
"""

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import Final
from xml.parsers import expat

from .package import BrokenFileError, Package, TooLargeError

# The names of Greek letters in ISO 8879 (ISOgrk1), which HTML lacks.
_GREEK_NAMES: Final = (
    "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr"
    " khgr psgr ohgr"
)
_GREEK_LETTERS: Final = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρςστυφχψω", strict=True))
# These patterns read XML that is not well-formed, from the byte where the parser stopped. They do
# not backtrack, and an attribute begins after a blank or a quote: a name may be very long.
_TOKEN_PATTERN: Final = re.compile(r"<(/?)([^\s<>/=!?]{1,200}+)([^<>]*+)>|<[^<>]*+>?|([^<]+)")
_ATTRIBUTE_PATTERN: Final = re.compile(
    r"""(?<![^\s"'])([^\s=<>/"']{1,200}+)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')"""
)
_MAX_ELEMENT_DEPTH: Final = 200
_MAX_NODES: Final = 300_000
# The limit of a text in which entities are expanded.
_MAX_EXPANDED_CHARS: Final = 8_000_000
_MAX_ENTITY_CHARS: Final = 200
_PREDEFINED_ENTITIES: Final = frozenset({"lt", "gt", "amp", "quot", "apos"})
# The outline of a shape: a map has a hundred thousand points, so skip it.
_GEOMETRY_ELEMENT: Final = "custGeom"
# expat raises the last two for an encoding that it does not support.
XML_ERRORS: Final = (expat.ExpatError, ValueError, LookupError)


def xml_named_character(name: str) -> str:
    """Return a character by its name; an unknown name stays an entity.

    >>> xml_named_character("mdash")
    '—'
    >>> xml_named_character("bgr")
    'β'
    >>> xml_named_character("OHgr")
    'Ω'
    >>> xml_named_character("chapter1")
    '&chapter1;'
    """
    character = html5.get(f"{name};") or _GREEK_LETTERS.get(name)
    if character is None and name.lower() in _GREEK_LETTERS:
        return _GREEK_LETTERS[name.lower()].upper()
    return f"&{name};" if character is None else character


def unread_xml_rest(parsed: bytes, stop_offset: int) -> bytes:
    """Return the unread bytes: from the tag in which a parser stopped, or from its offset.

    >>> unread_xml_rest(b"<a><b/ ></a>", 6)
    b'<b/ ></a>'
    >>> unread_xml_rest(b"<a>x&y</a>", 4)
    b'&y</a>'
    """
    tag = parsed.rfind(b"<", 0, stop_offset)
    return parsed[tag if tag > parsed.rfind(b">", 0, stop_offset) else stop_offset :]


def read_xml_rest(rest: bytes, builder: "_TreeBuilder") -> Iterator[None]:
    """Send the tags and texts of the rest to a builder; yield after each tag."""
    for match in _TOKEN_PATTERN.finditer(rest.decode("utf-8", "replace")):
        closing, name, inner, text = match.groups()
        if text:
            builder.add_text(unescape(text))
        elif name:
            local = name.rpartition(":")[2]
            if not closing:
                builder.start_element(local, dict(_tag_attributes(inner)))
            if closing or inner.rstrip().endswith("/"):
                builder.end_element(local)
            yield


def _tag_attributes(inner: str) -> Iterator[tuple[str, str]]:
    for match in _ATTRIBUTE_PATTERN.finditer(inner):
        yield match[1].rpartition(":")[2], unescape(match[2] or match[3] or "")


class XmlNode:
    """An element: its name and attributes without prefixes, and its children in order.

    ``size`` of an outermost element is the number of elements in it.
    """

    __slots__ = ("attributes", "children", "name", "size")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[XmlNode | str] = []
        self.size = 1

    def attribute(self, name: str) -> str:
        """Return an attribute, empty when there is none."""
        return self.attributes.get(name, "")

    def elements(self, *names: str) -> Iterator["XmlNode"]:
        """Yield the child elements, those with these names or all."""
        for child in self.children:
            if isinstance(child, XmlNode) and (not names or child.name in names):
                yield child

    def find(self, *path: str) -> "XmlNode | None":
        """Follow a path of names to the first element of each; None where one is missing."""
        node: XmlNode | None = self
        for name in path:
            node = next(node.elements(name), None) if node else None
        return node

    def subtree(self, *names: str) -> Iterator["XmlNode"]:
        """Yield this element and its descendants in order, those with these names or all."""
        if not names or self.name in names:
            yield self
        for child in self.elements():
            yield from child.subtree(*names)

    def inner_text(self) -> str:
        """Return all text inside."""
        return "".join(
            child if isinstance(child, str) else child.inner_text() for child in self.children
        )


class _TreeBuilder:
    """Turns expat's calls into finished trees."""

    def __init__(
        self, names: Container[str], marks: Container[str], *, doctype: bool, entities: bool = False
    ) -> None:
        self._requested, self._empty_elements = names, marks
        self._takes_doctype, self._takes_entities = doctype, entities
        self._text_chars = 0
        self._open: list[XmlNode] = []
        self._depth = 0
        self._count = 0
        self._skipped_depth = 0
        self.done: list[XmlNode] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._on_doctype
        self.parser.EntityDeclHandler = self._on_entity
        self.parser.StartElementHandler = self.start_element
        self.parser.EndElementHandler = self._end_innermost_element
        add_text = self._add_counted_text if entities else self.add_text
        self.parser.CharacterDataHandler = add_text
        if doctype:
            # This loads nothing; it makes unknown entities no errors.
            self.parser.UseForeignDTD(True)  # noqa: FBT003  it takes no keyword
            self.parser.SkippedEntityHandler = self._on_skipped_entity

    def _on_doctype(self, *_: object) -> None:
        if not self._takes_doctype:
            raise BrokenFileError

    def _on_entity(self, name: str, is_parameter: int, value: str | None, *_: object) -> None:
        """Allow external entities, which are never loaded, and short texts without markup."""
        if value is None or name in _PREDEFINED_ENTITIES:
            return
        is_plain = len(value) <= _MAX_ENTITY_CHARS and not {*"&<%"} & {*value}
        if is_parameter or not (self._takes_entities and is_plain):
            raise BrokenFileError

    def _on_skipped_entity(self, name: str, is_parameter: int) -> None:
        if not is_parameter:
            self.add_text(xml_named_character(name))

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        local = _local_name(name)
        if local == _GEOMETRY_ELEMENT:
            # Ignore events until the current element ends.
            self._skipped_depth = 1
            self.parser.StartElementHandler = self._on_skipped_start
            self.parser.EndElementHandler = self._on_skipped_end
            return
        self._depth += 1
        if not self._open and local not in self._requested:
            if local in self._empty_elements:
                self.done.append(XmlNode(local, self._local_attributes(attributes)))
            return
        self._count += 1
        if self._depth > _MAX_ELEMENT_DEPTH or self._count > _MAX_NODES:
            raise TooLargeError
        node = XmlNode(local, self._local_attributes(attributes))
        if self._open:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _on_skipped_start(self, _name: str, _attributes: dict[str, str]) -> None:
        self._skipped_depth += 1

    def _on_skipped_end(self, _name: str) -> None:
        self._skipped_depth -= 1
        if not self._skipped_depth:
            self.parser.StartElementHandler = self.start_element
            self.parser.EndElementHandler = self._end_innermost_element

    def _local_attributes(self, attributes: dict[str, str]) -> dict[str, str]:
        return {_local_name(key): value for key, value in attributes.items()}

    def _end_innermost_element(self, _name: str) -> None:
        self._depth -= 1
        if self._open:
            node = self._open.pop()
            if not self._open:
                node.size = self._count
                self.done.append(node)
                self._count = 0

    def end_element(self, name: str) -> None:
        """End an element that may not be the innermost, or may not be open."""
        if not self._open:
            self._depth -= 1
        elif any(node.name == name for node in self._open):
            while self._open and self._open[-1].name != name:
                self._end_innermost_element(name)
            self._end_innermost_element(name)

    def take_finished_trees(self) -> list[XmlNode]:
        done, self.done = self.done, []
        return done

    def end_open_elements(self) -> None:
        while self._open:
            self._end_innermost_element("")

    def _add_counted_text(self, text: str) -> None:
        self._text_chars += len(text)
        if self._text_chars > _MAX_EXPANDED_CHARS:
            raise TooLargeError
        self.add_text(text)

    def add_text(self, text: str) -> None:
        if self._open:
            self._open[-1].children.append(text)


def parse_xml_elements(
    chunks: Iterable[bytes], *names: str, element_names: Container[str] = (), doctype: bool = False
) -> Iterator[XmlNode]:
    """Yield the outermost elements with these names, each when it is complete.

    Elements in ``element_names`` come at their start and without children. With ``doctype`` a
    document type declaration without entities is no error. Parsing is lazy.
    """
    builder = _TreeBuilder(frozenset(names), element_names, doctype=doctype)
    for _ in parse_xml_chunks(builder.parser, _gather_chunks(chunks, builder)):
        yield from builder.take_finished_trees()


def _gather_chunks(chunks: Iterable[bytes], builder: _TreeBuilder) -> Iterator[bytes]:
    """Yield chunks, joined while a tag is incomplete: the parser rereads it with each chunk."""
    buffer: list[bytes] = []
    fed = size = min_bytes = 0
    for chunk in chunks:
        buffer.append(chunk)
        size += len(chunk)
        if size >= min_bytes:
            yield b"".join(buffer)
            fed += size
            buffer, size, min_bytes = [], 0, fed - builder.parser.CurrentByteIndex
    if buffer:
        yield b"".join(buffer)


def parse_xml_chunks(parser: expat.XMLParserType, chunks: Iterable[bytes]) -> Iterator[None]:
    """Parse chunks and yield after each; raise ``BrokenFileError`` where they are not XML."""
    has_content = False
    for chunk in chunks:
        has_content = True
        feed_xml_parser(parser, chunk)
        yield
    if has_content:
        feed_xml_parser(parser, b"", last=True)


def feed_xml_parser(parser: expat.XMLParserType, chunk: bytes, *, last: bool = False) -> None:
    """Parse a chunk; raise ``BrokenFileError`` where it is not well-formed."""
    try:
        parser.Parse(chunk, last)
    except XML_ERRORS as error:
        raise BrokenFileError from error


def part_elements(
    package: Package,
    part: str,
    *names: str,
    element_names: Container[str] = (),
    entities: bool = False,
) -> Iterator[XmlNode]:
    """Yield the outermost elements of a part, as ``parse_xml_elements`` does.

    Of a part that is not well-formed or not complete, yield what can be read, and mark the package
    as damaged. With ``entities`` the part may have a document type declaration.
    """
    builder = _TreeBuilder(frozenset(names), element_names, doctype=entities, entities=entities)
    chunks = _gather_chunks(_part_chunks(package, part), builder)
    previous, chunk, fed = b"", next(chunks, b""), 0
    while chunk:
        try:
            builder.parser.Parse(chunk)
        except XML_ERRORS:
            offset = builder.parser.ErrorByteIndex - fed + len(previous)
            rest = unread_xml_rest(previous + chunk, max(offset, 0)) + b"".join(chunks)
            yield from _read_damaged_rest(builder, rest, package)
            return
        yield from builder.take_finished_trees()
        previous, fed = chunk, fed + len(chunk)
        chunk = next(chunks, b"")
    if fed:
        try:
            feed_xml_parser(builder.parser, b"", last=True)
        except BrokenFileError:
            yield from _read_damaged_rest(builder, b"", package)


def _part_chunks(package: Package, part: str) -> Iterator[bytes]:
    try:
        yield from package.part_chunks(part)
    except BrokenFileError:
        package.is_damaged = True


def _read_damaged_rest(builder: _TreeBuilder, rest: bytes, package: Package) -> Iterator[XmlNode]:
    package.is_damaged = True
    # Switching this off flushes the text that the parser has buffered.
    builder.parser.buffer_text = False
    for _ in read_xml_rest(rest, builder):
        yield from builder.take_finished_trees()
    builder.end_open_elements()
    yield from builder.take_finished_trees()


@lru_cache(maxsize=1_000)
def _local_name(name: str) -> str:
    """Return a name without its namespace; the elements of a name share one text."""
    return name.rpartition(" ")[2]
