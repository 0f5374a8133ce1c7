"""Read a YAML text into nodes that know their lines, within size limits.

The parser's events are collected on our own stack, so deep nesting cannot exhaust Python's. An
alias points to its node, so only the parts that are read get expanded.
"""

import json
from typing import TypeAlias

import msgspec
import yaml
from returns.result import Failure, Result, Success

_TAG = "tag:yaml.org,2002:"
_RESOLVER = yaml.resolver.Resolver()
_SCALAR_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_SCALAR_READERS = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": _SCALAR_CONSTRUCTOR.construct_yaml_bool,
    f"{_TAG}int": _SCALAR_CONSTRUCTOR.construct_yaml_int,
    f"{_TAG}float": _SCALAR_CONSTRUCTOR.construct_yaml_float,
}
# Dates and the YAML 1.1 signs ``=`` and ``<<`` are plain texts here.
_TEXT_TAGS = ("", "!", f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value", f"{_TAG}merge")
MAX_NODES = 50_000
MAX_DEPTH = 60
_COLLECTION_TAGS = (None, "!", f"{_TAG}map", f"{_TAG}seq")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml_scalar(text: str, tag: str | None, *, plain: bool) -> Result[object, str]:
    """Return the value of a scalar: None, a boolean, a number or a text.

    >>> [read_yaml_scalar("no", None, plain=plain).unwrap() for plain in (True, False)]
    [False, 'no']
    """
    kind = tag or ""
    if kind == "" and plain:
        # The type stubs lack this method.
        kind = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    if kind in _TEXT_TAGS:
        return Success(text)
    if kind not in _SCALAR_READERS:
        return Failure(f"has a tag {tag!r} that means nothing here")
    try:
        return Success(_SCALAR_READERS[kind](yaml.ScalarNode(kind, text)))
    except (ValueError, KeyError, OverflowError):
        # It only looks like a number, such as 0b_ or one of five thousand digits.
        return Success(text)


def write_yaml_scalar(value: str | float | tuple[str | int, ...]) -> str:
    """Return a value as one line of YAML; unquoted when that means the same.

    >>> [write_yaml_scalar(value) for value in ("lumen", "no", "a: b #c", (20, "a"))]
    ['lumen', '"no"', '"a: b #c"', '[20, a]']
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_yaml_scalar, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _is_bare_text(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else _escape_letter(letter) for letter in quoted)


def _is_bare_text(text: str) -> bool:
    # Stricter than YAML, so that the text also fits into a list in brackets.
    safe = bool(text) and all(c.isascii() and (c.isalnum() or c in "_-./+=@") for c in text)
    return safe and text[0].isalnum() and read_yaml_scalar(text, None, plain=True) == Success(text)


def _escape_letter(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004  four digits


class ScalarNode(msgspec.Struct, frozen=True, kw_only=True):
    """A single value and its spelling."""

    line: int | None
    text: str
    value: object


class ListNode(msgspec.Struct, frozen=True, kw_only=True):
    """A list."""

    line: int | None
    items: "tuple[Node, ...]"


class BlockNode(msgspec.Struct, frozen=True, kw_only=True):
    """A mapping with every key as written, duplicates included."""

    line: int | None
    items: "tuple[tuple[ScalarNode, Node], ...]"


Node: TypeAlias = ScalarNode | ListNode | BlockNode


class YamlProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a text is not accepted; ``line`` where it is known."""

    reason: str
    line: int | None = None


class _OpenNode(msgspec.Struct):
    event: yaml.CollectionStartEvent
    children: list[Node]


def read_yaml_document(text: str) -> Result[Node | None, YamlProblem]:
    """Read one document; None for a text of blanks and comments."""
    builder = _NodeBuilder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if (reason := builder.take_event(event)) is not None:
                line = _clamp_line(_event_line(event), text)
                return Failure(YamlProblem(reason=reason, line=line))
    except yaml.MarkedYAMLError as error:
        return Failure(_syntax_problem(error, text))
    except (yaml.YAMLError, ValueError):
        return Failure(YamlProblem(reason="is not valid YAML"))
    return Success(builder.root)


class _NodeBuilder:
    """Builds nodes from events. ``take_event`` returns why an event is refused, or None."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._event_count = 0
        self._stack: list[_OpenNode] = []
        self._anchors: dict[str, Node] = {}

    def take_event(self, event: yaml.Event) -> str | None:
        self._event_count += 1
        if self._event_count > MAX_NODES:
            return f"holds more than {MAX_NODES} values"
        if isinstance(event, yaml.DocumentStartEvent):
            return None if self.root is None else "holds more than one document"
        if isinstance(event, yaml.CollectionStartEvent):
            return self._open_collection(event)
        if isinstance(event, yaml.CollectionEndEvent):
            return self._close_collection()
        if isinstance(event, yaml.AliasEvent):
            return self._resolve_alias(event)
        return self._read_scalar_event(event) if isinstance(event, yaml.ScalarEvent) else None

    def _open_collection(self, event: yaml.CollectionStartEvent) -> str | None:
        if event.tag not in _COLLECTION_TAGS:
            return f"has a tag {event.tag!r} that means nothing here"
        self._stack.append(_OpenNode(event, []))
        is_too_deep = len(self._stack) > MAX_DEPTH
        return f"is nested more than {MAX_DEPTH} levels deep" if is_too_deep else None

    def _close_collection(self) -> str | None:
        closed = self._stack.pop()
        line, anchor = _event_line(closed.event), closed.event.anchor
        if isinstance(closed.event, yaml.SequenceStartEvent):
            return self._attach_node(ListNode(line=line, items=tuple(closed.children)), anchor)
        pairs = list(zip(closed.children[::2], closed.children[1::2], strict=True))
        items = tuple((key, value) for key, value in pairs if isinstance(key, ScalarNode))
        if len(items) < len(pairs):
            return "has a key that is not a text"
        return self._attach_node(BlockNode(line=line, items=items), anchor)

    def _resolve_alias(self, event: yaml.AliasEvent) -> str | None:
        # An open node has no anchor yet, so no node can contain itself.
        if (node := self._anchors.get(event.anchor or "")) is None:
            return f"points to {event.anchor!r}, which is not there"
        return self._attach_node(node, None)

    def _read_scalar_event(self, event: yaml.ScalarEvent) -> str | None:
        value = read_yaml_scalar(event.value, event.tag, plain=event.implicit[0])
        if isinstance(value, Failure):
            return str(value.failure())
        scalar = ScalarNode(line=_event_line(event), text=event.value, value=value.unwrap())
        return self._attach_node(scalar, event.anchor)

    def _attach_node(self, node: Node, anchor: str | None) -> str | None:
        """Attach a finished node to its parent; always return None."""
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self.root = node
        return None


def _syntax_problem(error: yaml.MarkedYAMLError, text: str) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    line = _clamp_line(None if mark is None else mark.line + 1, text)
    detail = f" ({error.problem})" if error.problem else ""
    return YamlProblem(reason=f"is not valid YAML{detail}", line=line)


def _clamp_line(line: int | None, text: str) -> int | None:
    """Return a line inside the text: the parser can point one line past its end."""
    return None if line is None else min(line, text.rstrip().count("\n") + 1)


def _event_line(event: yaml.Event) -> int | None:
    mark = event.start_mark
    return None if mark is None else mark.line + 1
