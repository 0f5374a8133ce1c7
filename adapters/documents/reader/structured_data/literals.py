"""Read data in scripts: JavaScript literals, which include JSON.

Nothing is run: a name stands for the argument of the function around it, and a call for its
argument. Linear in length.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

# Possessive quantifiers: no text is scanned twice.
_BLANK_PATTERN: Final = re.compile(r"(?:\s++|/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+)*+")
_STRING_PATTERN: Final = re.compile(
    r"""\"((?:[^"\\]++|\\.)*+)\"|'((?:[^'\\]++|\\.)*+)'|`((?:[^`\\$]++|\\.)*+)`""", re.DOTALL
)
_NAME_PATTERN: Final = re.compile(r"[A-Za-z_$][\w$.]*")
_NUMBER_PATTERN: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ESCAPE_PATTERN: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_ESCAPED_CHARS: Final = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "", "\n": "",
}  # fmt: skip
_QUOTES: Final = frozenset("\"'`")
_CONSTANT_VALUES: Final = {"true": True, "false": False, "!0": True, "!1": False}
_ASSIGNMENT_PATTERN: Final = re.compile(
    r"[\w$\])]\s*=\s*(?=JSON\.parse\s*\(|[{\[])|\bkit\.start\([^{]{0,80}(?=\{)"
)
_NUXT_PATTERN: Final = re.compile(r"__NUXT__\s*=\s*\(?\s*function\s*\(([\w$,\s]{0,20000})\)\s*\{")
_CALL_PATTERN: Final = re.compile(r"[;\s]*\}\s*\)?\s*(?=\()")
_JSON_DECODER: Final = json.JSONDecoder(strict=False)
_MAX_LITERAL_DEPTH: Final = 60
_MAX_VALUES: Final = 100_000
_MAX_TRIED_STARTS: Final = 40


class _NoDataError(ValueError):
    """Raised inside this module where a script has no literal."""


class Literals:
    """A reader of one page's scripts, with one limit of values for all of them."""

    def __init__(self) -> None:
        self._remaining_values = _MAX_VALUES

    def read_assigned_literals(self, script: str) -> Iterator[object]:
        """Yield the literals that a script assigns."""
        function = _NUXT_PATTERN.search(script)
        if function is not None:
            yield self._read_nuxt_function(script, function)
            return
        offset = 0
        for _ in range(_MAX_TRIED_STARTS):
            match = _ASSIGNMENT_PATTERN.search(script, offset)
            if match is None:
                return
            value, offset = self.read_literal(script, match.end())
            yield value

    def read_literal(
        self, text: str, offset: int, names: Mapping[str, object] | None = None
    ) -> tuple[object, int]:
        """Return the value at an offset and its end; None where there is no literal."""
        try:
            return _JSON_DECODER.raw_decode(text, offset)
        except (ValueError, RecursionError):
            reader = _LiteralReader(text, offset, names or {}, self._remaining_values)
        try:
            return reader.read_js_value(0), reader.offset
        except _NoDataError:
            return None, offset
        finally:
            self._remaining_values = reader.left

    def _read_nuxt_function(self, script: str, function: re.Match[str]) -> object:
        """Return a function's result, with its parameters replaced by the arguments."""
        start = script.find("return", function.end()) + len("return")
        _, end = self.read_literal(script, start)
        call = _CALL_PATTERN.match(script, end)
        # Read the arguments like an array: "$(...)" returns the list of values.
        arguments = None if call is None else self.read_literal(f"${script[call.end() :]}", 0)[0]
        values = arguments if isinstance(arguments, list) else []
        names = dict(zip(map(str.strip, function[1].split(",")), values, strict=False))
        return self.read_literal(script, start, names)[0]


class _LiteralReader:
    """A position in a script, and the values of names."""

    def __init__(self, text: str, offset: int, names: Mapping[str, object], left: int) -> None:
        self._text = text
        self.offset = offset
        self.left = left
        self._names = names

    def read_js_value(self, depth: int) -> object:
        self.left -= 1
        if depth > _MAX_LITERAL_DEPTH or self.left < 0:
            raise _NoDataError
        char = self._next_script_char()
        if char == "{":
            return self._read_js_object(depth)
        if char == "[":
            return self.read_js_list("[", "]", depth)
        if char in _QUOTES:
            return self._read_js_string()
        return self._read_js_plain_value(depth)

    def _next_script_char(self) -> str:
        blank = _BLANK_PATTERN.match(self._text, self.offset)
        self.offset = blank.end() if blank else self.offset
        return self._text[self.offset : self.offset + 1]

    def _take_script_char(self, char: str) -> bool:
        is_next = self._next_script_char() == char
        self.offset += is_next
        return is_next

    def _match_script_token(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self.offset)
        if match is None:
            raise _NoDataError
        self.offset = match.end()
        return match

    def _read_js_string(self) -> str:
        match = self._match_script_token(_STRING_PATTERN)
        return _unescape_js_string(next(part for part in match.groups() if part is not None))

    def _read_js_object(self, depth: int) -> dict[str, object]:
        self._take_script_char("{")
        values: dict[str, object] = {}
        while not self._take_script_char("}"):
            key = (
                self._read_js_string()
                if self._next_script_char() in _QUOTES
                else self._match_script_token(_KEY_PATTERN)[0]
            )
            if not self._take_script_char(":"):
                raise _NoDataError
            values[key] = self.read_js_value(depth + 1)
            if not self._take_script_char(",") and self._next_script_char() != "}":
                raise _NoDataError
        return values

    def read_js_list(self, first: str, last: str, depth: int) -> list[object]:
        if not self._take_script_char(first):
            raise _NoDataError
        values: list[object] = []
        while not self._take_script_char(last):
            # A hole between two commas is None.
            values.append(
                None if self._next_script_char() == "," else self.read_js_value(depth + 1)
            )
            if not self._take_script_char(",") and self._next_script_char() != last:
                raise _NoDataError
        return values

    def _read_js_plain_value(self, depth: int) -> object:
        if (two_chars := self._text[self.offset : self.offset + 2]) in _CONSTANT_VALUES:
            self.offset += 2
            return _CONSTANT_VALUES[two_chars]
        if (number := _NUMBER_PATTERN.match(self._text, self.offset)) is not None:
            self.offset = number.end()
            return number[0]
        name = self._match_script_token(_NAME_PATTERN)[0]
        if name in {"function", "class", "async"}:
            raise _NoDataError
        if name in {"new", "void"}:
            return self.read_js_value(depth + 1)
        if self._next_script_char() == "(":
            return _js_call_argument(name, self.read_js_list("(", ")", depth + 1))
        return _CONSTANT_VALUES.get(name, self._names.get(name))


_KEY_PATTERN: Final = re.compile(r"[\w$]+")


def _js_call_argument(name: str, values: list[object]) -> object:
    """Return the first argument of a call; decoded for JSON.parse and decodeURIComponent."""
    if name == "$":
        return values
    first = values[0] if values else None
    if name == "decodeURIComponent" and isinstance(first, str):
        return unquote(first)
    if name == "JSON.parse" and isinstance(first, str):
        try:
            return _JSON_DECODER.decode(first)
        except (ValueError, RecursionError):
            return None
    return first


def _unescape_js_string(text: str) -> str:
    if "\\" not in text:
        return text
    text_plain = _ESCAPE_PATTERN.sub(_unescape_js_char, text)
    return text_plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape_js_char(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _MAX_CODE_POINT else ""
    return _ESCAPED_CHARS.get(match[4], match[4])


_MAX_CODE_POINT: Final = 0x10FFFF
