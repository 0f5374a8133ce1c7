"""A YAML text, read into nodes that know their lines. Whatever it holds, it stays small.

Built from the parser's events with a stack of our own, so that no nesting can exhaust Python's.
An alias points to the node it names; only what is read of a document is ever counted out.
"""

from typing import TypeAlias

import msgspec
import yaml
from returns.result import Failure, Result, Success

from .scalars import read_scalar

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
