"""One value set in a JSON text that may hold comments, in place: every other byte stays."""

from __future__ import annotations

import json
import re

import msgspec
from returns.result import Failure, Result, Success

BY_HAND = "cannot be changed safely; please edit the file by hand"
_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BARE = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_SAME_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r?\n)")
_MAX_JSON_DEPTH = 200


class _Value(msgspec.Struct, frozen=True):
    """Where a value stands, what it means, and, of an object, where its members are."""

    start: int
    end: int
    meaning: object
    members: dict[str, _Value] = {}
    # Behind the last member: where its comma is, or would be.
    last: int = 0
    has_comma: bool = False


class _Unreadable(Exception):  # noqa: N818  it says what the text is
    """The text is no JSON with comments."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> _Value:
        value = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise _Unreadable
        return value

    def _value(self, depth: int) -> _Value:
        self._skip()
        start = self._at
        if depth > _MAX_JSON_DEPTH:
            raise _Unreadable
        if self._takes("{"):
            return self._object(start, depth)
        if self._takes("["):
            return self._array(start, depth)
        text = self._match(_TEXT) or self._match(_BARE)
        if text is None:
            raise _Unreadable
        return _Value(start, self._at, _meaning(text))

    def _object(self, start: int, depth: int) -> _Value:
        members: dict[str, _Value] = {}
        last, comma = self._at, True
        while not self._takes("}"):
            if not comma:
                raise _Unreadable
            name = self._match(_TEXT)
            if name is None or not self._takes(":"):
                raise _Unreadable
            members[str(_meaning(name))] = value = self._value(depth + 1)
            last, comma = value.end, self._takes(",")
        meaning = {name: value.meaning for name, value in members.items()}
        return _Value(start, self._at, meaning, members, last, comma and bool(members))

    def _array(self, start: int, depth: int) -> _Value:
        values: list[object] = []
        comma = True
        while not self._takes("]"):
            if not comma:
                raise _Unreadable
            values.append(self._value(depth + 1).meaning)
            comma = self._takes(",")
        return _Value(start, self._at, values)

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = self._at if match is None else match.end()

    def _takes(self, sign: str) -> bool:
        self._skip()
        matches = self._text.startswith(sign, self._at)
        self._at += matches
        return matches

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        self._skip()
        match = pattern.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]


def _meaning(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _Unreadable from error


def read_jsonc(text: str) -> Result[object, str]:
    """Return what a text means; an empty one is an empty object."""
    return _read(text).map(lambda value: value.meaning)


def _read(text: str) -> Result[_Value, str]:
    if not text.strip("\ufeff \t\r\n"):
        return Success(_Value(len(text), len(text), {}))
    try:
        return Success(_Reader(text).whole())
    except _Unreadable:
        return Failure("is not JSON")


def set_jsonc(text: str, path: tuple[str, ...], value: object) -> Result[str, str]:
    r"""Return ``text`` with ``value`` at ``path``, or why that cannot be done.

    >>> print(set_jsonc('{\n  // mine\n  "a": 1\n}\n', ("b",), {"c": 2}).unwrap())
    {
      // mine
      "a": 1,
      "b": {
        "c": 2
      }
    }
    <BLANKLINE>
    """
    before = _read(text)
    if isinstance(before, Failure):
        return before
    root = before.unwrap()
    if not isinstance(root.meaning, dict):
        return Failure("does not hold settings")
    if root.start == root.end:
        return Success(json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n")
    changed = _changed(text, root, path, value)
    if changed is None:
        return Failure(BY_HAND)
    after = read_jsonc(changed).value_or(None)
    fine = after == _merged(root.meaning, path, value)
    return Success(changed) if fine else Failure(BY_HAND)


def _changed(text: str, place: _Value, path: tuple[str, ...], value: object) -> str | None:
    depth = 0
    while path and path[0] in place.members:
        place, path, depth = place.members[path[0]], path[1:], depth + 1
    step = _step(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not path:
        written = _written(value, step * depth, step, newline)
        return text[: place.start] + written + text[place.end :]
    if not isinstance(place.meaning, dict):
        return None
    inside = step * (depth + 1)
    body = _written(_nested(path[1:], value), inside, step, newline)
    member = f"{json.dumps(path[0])}: {body}"
    if place.members:
        end = text.index(",", place.last) + 1 if place.has_comma else place.last
        comma = "" if place.has_comma else ","
        # A comment on the same line belongs to the member before.
        same_line = _SAME_LINE.match(text, end)
        at = end if same_line is None else same_line.end()
        return f"{text[:end]}{comma}{text[end:at]}{newline}{inside}{member}{text[at:]}"
    at = place.start + 1
    rest = text[at : place.end - 1].strip()
    tail = f"{newline}{inside}{rest}" if rest else ""
    return (
        f"{text[:at]}{tail}{newline}{inside}{member}{newline}{step * depth}{text[place.end - 1 :]}"
    )


def _written(value: object, lead: str, step: str, newline: str) -> str:
    lines = json.dumps(value, indent=step, ensure_ascii=False).split("\n")
    return f"{newline}{lead}".join(lines)


def _step(text: str) -> str:
    """Return what the text is indented by."""
    match = re.search(r"\{[^\n]*\n([ \t]+)\S", text)
    return "  " if match is None else match[1]


def _nested(path: tuple[str, ...], value: object) -> object:
    for name in reversed(path):
        value = {name: value}
    return value


def _merged(whole: object, path: tuple[str, ...], value: object) -> object:
    block = dict(whole) if isinstance(whole, dict) else {}
    block[path[0]] = _merged(block.get(path[0]), path[1:], value) if path[1:] else value
    return block
