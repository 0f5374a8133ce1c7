"""Read the data that a script holds: literals of JavaScript, which JSON is a part of.

Nothing is run: a name is what the function around it was called with, and a call is what it was
given. Linear in length.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

# Nothing is looked at twice: what one part has taken, it keeps.
_BLANK: Final = re.compile(r"(?:\s++|/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+)*+")
_STRING: Final = re.compile(
    r"""\"((?:[^"\\]++|\\.)*+)\"|'((?:[^'\\]++|\\.)*+)'|`((?:[^`\\$]++|\\.)*+)`""", re.DOTALL
)
_WORD: Final = re.compile(r"[A-Za-z_$][\w$.]*")
_NUMBER: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ESCAPE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_SIGNS: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "",
    "\n": "",
}
_QUOTES: Final = frozenset("\"'`")
_KNOWN: Final = {"true": True, "false": False, "!0": True, "!1": False}
_ASSIGNED: Final = re.compile(
    r"[\w$\])]\s*=\s*(?=JSON\.parse\s*\(|[{\[])|\bkit\.start\([^{]{0,80}(?=\{)"
)
_WRAPPED: Final = re.compile(r"__NUXT__\s*=\s*\(?\s*function\s*\(([\w$,\s]{0,20000})\)\s*\{")
_CALLED: Final = re.compile(r"[;\s]*\}\s*\)?\s*(?=\()")
_DECODER: Final = json.JSONDecoder(strict=False)
_MAX_LITERAL_DEPTH: Final = 60
_MAX_VALUES: Final = 100_000
_MAX_TRIED_STARTS: Final = 40


class _NoDataError(ValueError):
    """Raised inside this module for what is no data."""


class Literals:
    """A reader of the scripts of one page; of all of them it reads only so many values."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES

    def of(self, script: str) -> Iterator[object]:
        """Yield what a script assigns, as far as it is data."""
        wrapped = _WRAPPED.search(script)
        if wrapped is not None:
            yield self._called(script, wrapped)
            return
        place = 0
        for _ in range(_MAX_TRIED_STARTS):
            found = _ASSIGNED.search(script, place)
            if found is None:
                return
            value, place = self.at(script, found.end())
            yield value

    def at(
        self, text: str, place: int, names: Mapping[str, object] | None = None
    ) -> tuple[object, int]:
        """Return the value that begins at a place, and where it ends; nothing where it is none."""
        try:
            return _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            reader = _Reader(text, place, names or {}, self._left)
        try:
            return reader.value(0), reader.place
        except _NoDataError:
            return None, place
        finally:
            self._left = reader.left

    def _called(self, script: str, wrapped: re.Match[str]) -> object:
        """Return what a function returns, with the names that it was called with."""
        start = script.find("return", wrapped.end()) + len("return")
        _, end = self.at(script, start)
        call = _CALLED.match(script, end)
        # What is given stands between brackets, as an array does.
        given = None if call is None else self.at(f"${script[call.end() :]}", 0)[0]
        called = given if isinstance(given, list) else []
        names = dict(zip(map(str.strip, wrapped[1].split(",")), called, strict=False))
        return self.at(script, start, names)[0]


class _Reader:
    """A place in a script, and the names that it knows."""

    def __init__(self, text: str, place: int, names: Mapping[str, object], left: int) -> None:
        self._text = text
        self.place = place
        self.left = left
        self._names = names

    def value(self, depth: int) -> object:
        self.left -= 1
        if depth > _MAX_LITERAL_DEPTH or self.left < 0:
            raise _NoDataError
        sign = self._next()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self.listed("[", "]", depth)
        if sign in _QUOTES:
            return self._string()
        return self._plain(depth)

    def _next(self) -> str:
        blank = _BLANK.match(self._text, self.place)
        self.place = blank.end() if blank else self.place
        return self._text[self.place : self.place + 1]

    def _take(self, sign: str) -> bool:
        taken = self._next() == sign
        self.place += taken
        return taken

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self.place)
        if found is None:
            raise _NoDataError
        self.place = found.end()
        return found

    def _string(self) -> str:
        found = self._match(_STRING)
        return _unescaped(next(part for part in found.groups() if part is not None))

    def _object(self, depth: int) -> dict[str, object]:
        self._take("{")
        told: dict[str, object] = {}
        while not self._take("}"):
            key = self._string() if self._next() in _QUOTES else self._match(_KEY)[0]
            if not self._take(":"):
                raise _NoDataError
            told[key] = self.value(depth + 1)
            if not self._take(",") and self._next() != "}":
                raise _NoDataError
        return told

    def listed(self, first: str, last: str, depth: int) -> list[object]:
        if not self._take(first):
            raise _NoDataError
        told: list[object] = []
        while not self._take(last):
            # A hole between two commas is nothing.
            told.append(None if self._next() == "," else self.value(depth + 1))
            if not self._take(",") and self._next() != last:
                raise _NoDataError
        return told

    def _plain(self, depth: int) -> object:
        if (short := self._text[self.place : self.place + 2]) in _KNOWN:
            self.place += 2
            return _KNOWN[short]
        if (number := _NUMBER.match(self._text, self.place)) is not None:
            self.place = number.end()
            return number[0]
        word = self._match(_WORD)[0]
        if word in {"function", "class", "async"}:
            raise _NoDataError
        if word in {"new", "void"}:
            return self.value(depth + 1)
        if self._next() == "(":
            return _given(word, self.listed("(", ")", depth + 1))
        return _KNOWN.get(word, self._names.get(word))


_KEY: Final = re.compile(r"[\w$]+")


def _given(name: str, values: list[object]) -> object:
    """Return what a call was given: of a text that is JSON what that says."""
    if name == "$":
        return values
    first = values[0] if values else None
    if name == "decodeURIComponent" and isinstance(first, str):
        return unquote(first)
    if name == "JSON.parse" and isinstance(first, str):
        try:
            return _DECODER.decode(first)
        except (ValueError, RecursionError):
            return None
    return first


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_sign, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sign(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _LAST else ""
    return _SIGNS.get(found[4], found[4])


_LAST: Final = 0x10FFFF
