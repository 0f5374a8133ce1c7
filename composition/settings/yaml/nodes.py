"""A YAML text, read into nodes that know their lines. Whatever it holds, it stays small.

Built from the parser's events with a stack of our own, so that no nesting can exhaust Python's.
An alias points to the node it names; only what is read of a document is ever counted out.
"""

import json
from typing import TypeAlias

import msgspec
import yaml
from returns.result import Failure, Result, Success

_TAG = "tag:yaml.org,2002:"
_RESOLVER = yaml.resolver.Resolver()
_READER = yaml.constructor.SafeConstructor()
_READERS = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": _READER.construct_yaml_bool,
    f"{_TAG}int": _READER.construct_yaml_int,
    f"{_TAG}float": _READER.construct_yaml_float,
}
# A date is a text to us, and so are the two signs that YAML gives a meaning of their own.
_TEXTS = ("", "!", f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value", f"{_TAG}merge")


def read_scalar(text: str, tag: str | None, *, plain: bool) -> Result[object, str]:
    """Return what a scalar means: None, a yes or no, a number or a text.

    >>> [read_scalar("no", None, plain=plain).unwrap() for plain in (True, False)]
    [False, 'no']
    """
    kind = tag or ""
    if kind == "" and plain:
        # Its types leave this out.
        kind = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    if kind in _TEXTS:
        return Success(text)
    if kind not in _READERS:
        return Failure(f"has a tag {tag!r} that means nothing here")
    try:
        return Success(_READERS[kind](yaml.ScalarNode(kind, text)))
    except (ValueError, KeyError, OverflowError):
        # It looks like a number and is none, such as 0b_ or one of five thousand digits.
        return Success(text)


def write_scalar(value: str | float | tuple[str | int, ...]) -> str:
    """Return a value as it stands in a YAML file, on one line: bare when that means the same.

    >>> write_scalar("lumen"), write_scalar("no"), write_scalar("a: b #c"), write_scalar((20, "a"))
    ('lumen', '"no"', '"a: b #c"', '[20, a]')
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_scalar, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _is_bare(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in quoted)


def _is_bare(text: str) -> bool:
    # Narrower than YAML, so that it holds in a list in brackets, too.
    safe = bool(text) and all(c.isascii() and (c.isalnum() or c in "_-./+=@") for c in text)
    return safe and text[0].isalnum() and read_scalar(text, None, plain=True) == Success(text)


def _escaped(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004


# A YAML text, read into nodes that know their lines. Whatever it holds, it stays small.

MAX_NODES = 50_000
MAX_YAML_DEPTH = 60
_PLAIN_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ScalarNode(msgspec.Struct, frozen=True, kw_only=True):
    """A single value: what it means, and how it is spelled."""

    line: int | None
    text: str
    value: object


class ListNode(msgspec.Struct, frozen=True, kw_only=True):
    """A list."""

    line: int | None
    items: "tuple[Node, ...]"


class BlockNode(msgspec.Struct, frozen=True, kw_only=True):
    """A mapping, with every key as it was written, also one that is there twice."""

    line: int | None
    items: "tuple[tuple[ScalarNode, Node], ...]"


Node: TypeAlias = ScalarNode | ListNode | BlockNode


class YamlProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a text is no document of ours; ``line`` where that is known."""

    reason: str
    line: int | None = None


class _Open(msgspec.Struct):
    """A list or mapping that is still being read."""

    event: yaml.CollectionStartEvent
    children: list[Node]


def read_document(text: str) -> Result[Node | None, YamlProblem]:
    """Read one document; None when the text holds nothing but blanks and comments."""
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reason = builder.take(event)
            if reason is not None:
                return Failure(YamlProblem(reason=reason, line=_within(_line(event), text)))
    except yaml.MarkedYAMLError as error:
        return Failure(_invalid(error, text))
    except (yaml.YAMLError, ValueError):
        return Failure(YamlProblem(reason="is not valid YAML"))
    return Success(builder.root)


class _Builder:
    """Puts nodes together. ``take`` returns why an event is refused; None when it is not."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._count = 0
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}

    def take(self, event: yaml.Event) -> str | None:
        self._count += 1
        if self._count > MAX_NODES:
            return f"holds more than {MAX_NODES} values"
        if isinstance(event, yaml.DocumentStartEvent):
            return None if self.root is None else "holds more than one document"
        if isinstance(event, yaml.CollectionStartEvent):
            return self._open(event)
        if isinstance(event, yaml.CollectionEndEvent):
            return self._close()
        if isinstance(event, yaml.AliasEvent):
            return self._point(event)
        return self._read(event) if isinstance(event, yaml.ScalarEvent) else None

    def _open(self, event: yaml.CollectionStartEvent) -> str | None:
        if event.tag not in _PLAIN_TAGS:
            return f"has a tag {event.tag!r} that means nothing here"
        self._stack.append(_Open(event, []))
        return (
            f"is nested more than {MAX_YAML_DEPTH} levels deep"
            if len(self._stack) > MAX_YAML_DEPTH
            else None
        )

    def _close(self) -> str | None:
        opened = self._stack.pop()
        line, anchor = _line(opened.event), opened.event.anchor
        if isinstance(opened.event, yaml.SequenceStartEvent):
            return self._add(ListNode(line=line, items=tuple(opened.children)), anchor)
        pairs = list(zip(opened.children[::2], opened.children[1::2], strict=True))
        items = tuple((key, value) for key, value in pairs if isinstance(key, ScalarNode))
        if len(items) < len(pairs):
            return "has a key that is not a text"
        return self._add(BlockNode(line=line, items=items), anchor)

    def _point(self, event: yaml.AliasEvent) -> str | None:
        # What is not finished is not known yet, so no node can hold itself.
        node = self._anchors.get(event.anchor or "")
        if node is None:
            return f"points to {event.anchor!r}, which is not there"
        return self._add(node, None)

    def _read(self, event: yaml.ScalarEvent) -> str | None:
        value = read_scalar(event.value, event.tag, plain=event.implicit[0])
        if isinstance(value, Failure):
            return str(value.failure())
        scalar = ScalarNode(line=_line(event), text=event.value, value=value.unwrap())
        return self._add(scalar, event.anchor)

    def _add(self, node: Node, anchor: str | None) -> str | None:
        """Put a finished node where it belongs, which is never refused."""
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self.root = node
        return None


def _invalid(error: yaml.MarkedYAMLError, text: str) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    line = _within(None if mark is None else mark.line + 1, text)
    detail = f" ({error.problem})" if error.problem else ""
    return YamlProblem(reason=f"is not valid YAML{detail}", line=line)


def _within(line: int | None, text: str) -> int | None:
    """Return a line of the text: the parser puts its end one line too far."""
    return None if line is None else min(line, text.rstrip().count("\n") + 1)


def _line(event: yaml.Event) -> int | None:
    mark = event.start_mark
    return None if mark is None else mark.line + 1
