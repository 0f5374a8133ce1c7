"""Set one value in a JSON text with comments in place; every other byte stays."""

from __future__ import annotations

import json
import re

import msgspec
from returns.result import Failure, Result, Success

BY_HAND_REASON = "cannot be changed safely; please edit the file by hand"
_BLANK_PATTERN = re.compile(
    r"(?:[ \t\r\n\ufeff]|//[^\n]*+|/\*.*?(?:\*/|(?P<open>\Z)))*+", re.DOTALL
)
_STRING_PATTERN = re.compile(r'(?<!\\)"(?:[^"\\\x00-\x1f]|\\.)*+"')
_LITERAL_PATTERN = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_SAME_LINE_PATTERN = re.compile(r"([ \t]*+(?://[^\r]*+)?)\r?")
_MAX_JSON_DEPTH = 200


class _Value(msgspec.Struct, frozen=True):
    """The span and meaning of a value and, for an object, its members."""

    start: int
    end: int
    meaning: object
    members: dict[str, _Value] = {}
    # The offset after the last member, where its comma is or belongs.
    last: int = 0
    has_comma: bool = False


class _ParseError(Exception):
    """The text is not JSON with comments."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0

    def read_document(self) -> _Value:
        value = self._read_value(0)
        self._skip_blanks()
        if self._offset < len(self._text):
            raise _ParseError
        return value

    def _read_value(self, depth: int) -> _Value:
        self._skip_blanks()
        start = self._offset
        if depth > _MAX_JSON_DEPTH:
            raise _ParseError
        if self._take_sign("{"):
            return self._read_object(start, depth)
        if self._take_sign("["):
            return self._read_array(start, depth)
        text = self._take_pattern(_STRING_PATTERN) or self._take_pattern(_LITERAL_PATTERN)
        if text is None:
            raise _ParseError
        return _Value(start, self._offset, _decode_json_token(text))

    def _read_object(self, start: int, depth: int) -> _Value:
        members: dict[str, _Value] = {}
        last, has_comma = self._offset, True
        while not self._take_sign("}"):
            if not has_comma:
                raise _ParseError
            name = self._take_pattern(_STRING_PATTERN)
            if name is None or not self._take_sign(":"):
                raise _ParseError
            members[str(_decode_json_token(name))] = value = self._read_value(depth + 1)
            last, has_comma = value.end, self._take_sign(",")
        meaning = {name: value.meaning for name, value in members.items()}
        return _Value(start, self._offset, meaning, members, last, has_comma and bool(members))

    def _read_array(self, start: int, depth: int) -> _Value:
        values: list[object] = []
        has_comma = True
        while not self._take_sign("]"):
            if not has_comma:
                raise _ParseError
            values.append(self._read_value(depth + 1).meaning)
            has_comma = self._take_sign(",")
        return _Value(start, self._offset, values)

    def _skip_blanks(self) -> None:
        match = _BLANK_PATTERN.match(self._text, self._offset)
        if match is None or match["open"] is not None:
            raise _ParseError
        self._offset = match.end()

    def _take_sign(self, sign: str) -> bool:
        self._skip_blanks()
        is_match = self._text.startswith(sign, self._offset)
        self._offset += is_match
        return is_match

    def _take_pattern(self, pattern: re.Pattern[str]) -> str | None:
        self._skip_blanks()
        match = pattern.match(self._text, self._offset)
        if match is None:
            return None
        self._offset = match.end()
        return match[0]


def _decode_json_token(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _ParseError from error


def read_jsonc(text: str) -> Result[object, str]:
    """Return the value of a text; an empty text is an empty object."""
    return _read_document_value(text).map(lambda value: value.meaning)


def _read_document_value(text: str) -> Result[_Value, str]:
    if not text.strip("\ufeff \t\r\n"):
        return Success(_Value(len(text), len(text), {}))
    try:
        return Success(_Reader(text).read_document())
    except _ParseError:
        return Failure("is not JSON")


def set_jsonc(text: str, path: tuple[str, ...], value: object) -> Result[str, str]:
    r"""Return ``text`` with ``value`` at ``path``, or why that is not possible.

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
    before = _read_document_value(text)
    if isinstance(before, Failure):
        return before
    root = before.unwrap()
    if not isinstance(root.meaning, dict):
        return Failure("does not hold settings")
    if root.start == root.end:
        return Success(json.dumps(_nest_json(path, value), indent=2, ensure_ascii=False) + "\n")
    changed = _edit_text(text, root, path, value)
    if changed is None:
        return Failure(BY_HAND_REASON)
    after = read_jsonc(changed).value_or(None)
    is_expected = after == _with_json_value(root.meaning, path, value)
    return Success(changed) if is_expected else Failure(BY_HAND_REASON)


def _edit_text(text: str, target: _Value, path: tuple[str, ...], value: object) -> str | None:
    depth = 0
    while path and path[0] in target.members:
        target, path, depth = target.members[path[0]], path[1:], depth + 1
    match = re.search(r"\{[^{\n]*+\n([ \t]++)\S", text)
    step = "  " if match is None else match[1]
    newline = "\r\n" if "\r\n" in text else "\n"
    if not path:
        text_value = _indented_json(value, step * depth, step, newline)
        return text[: target.start] + text_value + text[target.end :]
    if not isinstance(target.meaning, dict):
        return None
    indent = step * (depth + 1)
    body = _indented_json(_nest_json(path[1:], value), indent, step, newline)
    member = f"{json.dumps(path[0])}: {body}"
    if target.members:
        end = text.index(",", target.last) + 1 if target.has_comma else target.last
        comma = "" if target.has_comma else ","
        # A comment on the same line belongs to the previous member.
        line, line_break, _ = text[end:].partition("\n")
        same_line = _SAME_LINE_PATTERN.fullmatch(line) if line_break else None
        offset = end if same_line is None else end + same_line.end(1)
        return f"{text[:end]}{comma}{text[end:offset]}{newline}{indent}{member}{text[offset:]}"
    offset = target.start + 1
    rest = text[offset : target.end - 1].strip()
    tail = f"{newline}{indent}{rest}" if rest else ""
    closing = f"{newline}{step * depth}{text[target.end - 1 :]}"
    return f"{text[:offset]}{tail}{newline}{indent}{member}{closing}"


def _indented_json(value: object, lead: str, step: str, newline: str) -> str:
    lines = json.dumps(value, indent=step, ensure_ascii=False).split("\n")
    return f"{newline}{lead}".join(lines)


def _nest_json(path: tuple[str, ...], value: object) -> object:
    for name in reversed(path):
        value = {name: value}
    return value


def _with_json_value(document: object, path: tuple[str, ...], value: object) -> object:
    block = dict(document) if isinstance(document, dict) else {}
    block[path[0]] = _with_json_value(block.get(path[0]), path[1:], value) if path[1:] else value
    return block
