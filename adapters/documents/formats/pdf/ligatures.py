r"""Letters that a font has as one sign, and that PDFium tells by their number alone.

TeX calls such a sign by the names of its letters (``f_f_i``, ``T_h``), in the font's table of
differences. PDFium knows no such names and gives the number for a letter: a sign that no text has.
"""

import ctypes
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from typing import Any, Final

# But a hyphen at the end of a line, which PDFium tells as 2.
NUMBERS: Final = re.compile("[\x03-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]")
_PACK: Final = re.compile(rb"/ObjStm\b")
_TABLE: Final = re.compile(rb"/Differences\s*\[")
_ENTRY: Final = re.compile(rb"/([^\s/\[\]<>()]{1,60})|(\d{1,3})")
_FONT: Final = re.compile(rb"/BaseFont\s*/([^\s/\[\]<>()]{1,100})")
# Before the name of a font of which a part is in the file; PDFium tells it or not.
_PART: Final = re.compile(rb"[A-Z]{6}\+")
_ENCODING: Final = re.compile(rb"/Encoding\s+(\d{1,8})\s+\d{1,5}\s+R")
_OBJECT: Final = re.compile(rb"\b(\d{1,8})\s+\d{1,5}\s+obj\b")
_JOINED: Final = re.compile(rb"[A-Za-z](?:_[A-Za-z])+")
_TELLING: Final = re.compile(rb"/(?:Differences|BaseFont)\b")
_HEAD: Final = re.compile(rb"\s*(?:\d{1,10}\s+)+")
_MAX_UNPACKED_BYTES: Final = 16 * 1024 * 1024
_MAX_STREAMS: Final = 500
_MAX_FONT_RECORDS: Final = 2000
_AROUND: Final = 2000
_MAX_OBJECT_BYTES: Final = 10_000
_NAME: Final = 128
# Planes that no letter is in: one sign stands for all letters until the page has been laid out.
_FIRST_PLACEHOLDER: Final = 0xF0000


class Ligatures:
    """The signs of one document; its fonts are looked at when one is met."""

    def __init__(self, body: bytes, raw: Any) -> None:  # noqa: ANN401  PDFium's names have no types
        """Have nothing looked at yet."""
        self._body, self._raw = body, raw
        self._fonts: dict[bytes, dict[int, str]] | None = None
        self._spelled: dict[str, int] = {}
        self.untold = 0

    def told(self, text: str, page: Any) -> str:  # noqa: ANN401
        """Return the text, as long as it was, with signs of ours for those that are known."""
        return NUMBERS.sub(lambda found: self._sign(found, page), text)

    def spelled(self, content: str) -> str:
        """Return what was laid out with the letters for each sign, without those nobody tells.

        Nothing where that is most of a page: what is left of it says nothing.
        """
        letters = {place: letters for letters, place in self._spelled.items()}
        shown, untold = NUMBERS.subn("", content.translate(letters) if letters else content)
        self.untold += untold
        return shown if not untold or len("".join(shown.split())) > untold else ""

    def _sign(self, found: re.Match[str], page: Any) -> str:  # noqa: ANN401
        if self._fonts is None:
            self._fonts = _joined_letters(self._body)
        letters = self._fonts.get(self._font(found.start(), page), {}).get(ord(found[0]))
        if letters is None:
            return found[0]
        return chr(self._spelled.setdefault(letters, _FIRST_PLACEHOLDER + len(self._spelled)))

    def _font(self, place: int, page: Any) -> bytes:  # noqa: ANN401
        raw = self._raw
        index = raw.FPDFText_GetCharIndexFromTextIndex(page, place)
        written = raw.FPDFText_GetTextObject(page, index)
        font = raw.FPDFTextObj_GetFont(written) if written else None
        name = ctypes.create_string_buffer(_NAME)
        if font:
            raw.FPDFFont_GetBaseFontName(font, name, _NAME)
        return _PART.sub(b"", name.value, count=1)


def _joined_letters(body: bytes) -> dict[bytes, dict[int, str]]:
    """Return by the names of fonts what their signs for several letters stand for.

    A font may be there with several tables, and PDFium does not say which one a letter is of: a
    number that stands for one thing here and for another there is left out.
    """
    tables: dict[int, dict[int, str]] = {}
    named: dict[bytes, set[int]] = defaultdict(set)
    for number, content in (*_loose(body), *_packed(body)):
        font, encoding = _FONT.search(content), _ENCODING.search(content)
        table = _TABLE.search(content)
        if table:
            tables[number] = _signs(content[table.end() :].partition(b"]")[0])
        if font:
            name = _PART.sub(b"", font[1], count=1)
            named[name].add(int(encoding[1]) if encoding else number)
    return {name: _agreed(tables.get(each, {}) for each in some) for name, some in named.items()}


def _agreed(tables: Iterable[dict[int, str]]) -> dict[int, str]:
    said: dict[int, set[str]] = defaultdict(set)
    for table in tables:
        for place, letters in table.items():
            said[place].add(letters)
    return {place: letters.pop() for place, letters in said.items() if len(letters) == 1}


def _signs(table: bytes) -> dict[int, str]:
    signs: dict[int, str] = {}
    place = 0
    for name, number in _ENTRY.findall(table):
        if number:
            place = int(number)
        else:
            if _JOINED.fullmatch(name):
                signs[place] = name.replace(b"_", b"").decode("ascii")
            place += 1
    return signs


def _loose(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the objects of a file that tell of fonts, with their numbers."""
    for told in islice(_TELLING.finditer(body), _MAX_FONT_RECORDS):
        begun = list(_OBJECT.finditer(body, max(told.start() - _AROUND, 0), told.start()))
        if begun:
            end = body.find(b"endobj", told.end(), told.end() + _MAX_OBJECT_BYTES)
            yield int(begun[-1][1]), body[begun[-1].end() : max(end, told.end())]


def _packed(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield those that are packed together with others."""
    left = _MAX_UNPACKED_BYTES
    for mark in islice(_PACK.finditer(body), _MAX_STREAMS):
        start = body.find(b"stream", mark.end(), mark.end() + _AROUND)
        end = body.find(b"endstream", start)
        packed = body[start:end].removeprefix(b"stream").lstrip(b"\r\n") if start > 0 else b""
        unpacked = _unpacked(packed, left) if left > 0 else b""
        left -= len(unpacked)
        yield from _inside(unpacked)


def _unpacked(packed: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return b""


def _inside(unpacked: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the objects of one pack: their numbers and places come first."""
    head = _HEAD.match(unpacked, 0, _MAX_OBJECT_BYTES)
    told = [int(number) for number in head[0].split()] if head else []
    first = len(head[0]) if head else 0
    # In order, so that none is in another.
    places = (first + place for place in told[1::2])
    objects = sorted(zip(places, told[::2], strict=False))
    for (start, number), end in zip_longest(objects, [place for place, _ in objects[1:]]):
        content = unpacked[start:end]
        if _TELLING.search(content):
            yield number, content[:_MAX_OBJECT_BYTES]
