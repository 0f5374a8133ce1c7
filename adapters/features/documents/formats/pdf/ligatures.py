r"""Ligatures, for which PDFium returns a code instead of letters.

TeX names a ligature after its letters (``f_f_i``, ``T_h``), in the font's table of differences.
PDFium does not know these names and returns the code, which is a control character.
"""

# ruff: noqa: ANN401
# pypdfium2 has no types.

import ctypes
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
from typing import Any, Final

from .character_index import CharacterIndex

# Without 2, which PDFium returns for a hyphen at the end of a line.
_UNKNOWN_CODE_PATTERN: Final = re.compile("[\x03-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]")
_OBJECT_STREAM_PATTERN: Final = re.compile(rb"/ObjStm\b")
_SHADING_PATTERN: Final = re.compile(rb"/PatternType\s*2")
_DIFFERENCES_PATTERN: Final = re.compile(rb"/Differences\s*\[")
_ENTRY_PATTERN: Final = re.compile(rb"/([^\s/\[\]<>()]{1,60})|(\d{1,3})")
_FONT_PATTERN: Final = re.compile(rb"/BaseFont\s*/([^\s/\[\]<>()]{1,100})")
# The prefix of an embedded subset of a font; PDFium returns it or not.
_SUBSET_PREFIX_PATTERN: Final = re.compile(rb"[A-Z]{6}\+")
_ENCODING_PATTERN: Final = re.compile(rb"/Encoding\s+(\d{1,8})\s+\d{1,5}\s+R")
_OBJECT_PATTERN: Final = re.compile(rb"\b(\d{1,8})\s+\d{1,5}\s+obj\b")
_LIGATURE_NAME_PATTERN: Final = re.compile(rb"[A-Za-z](?:_[A-Za-z])+")
_FONT_RECORD_PATTERN: Final = re.compile(rb"/(?:Differences|BaseFont)\b")
_OFFSETS_PATTERN: Final = re.compile(rb"\s*(?:\d{1,10}\s+)+")
_MAX_UNPACKED_BYTES: Final = 16 * 1024 * 1024
_MAX_STREAMS: Final = 500
_MAX_FONT_RECORDS: Final = 2000
_SEARCH_BYTES: Final = 2000
_MAX_OBJECT_BYTES: Final = 10_000
_FONT_NAME_BYTES: Final = 128
# A private character stands for the letters of a ligature until the page has been laid out.
_FIRST_PLACEHOLDER: Final = 0xF0000


class Ligatures:
    """The ligatures of one document; its fonts are read when the first code occurs."""

    def __init__(self, body: bytes, raw: Any) -> None:  # PDFium's names have no types
        self._body, self._raw = body, raw
        self._fonts: dict[bytes, dict[int, str]] | None = None
        self._placeholders: dict[str, int] = {}
        self.unknown_letters = 0

    def mark_ligatures(self, text: str, page: Any, characters: CharacterIndex) -> str:
        """Return the text with placeholders for known ligatures; its length stays the same."""
        return _UNKNOWN_CODE_PATTERN.sub(
            lambda match: self._ligature_placeholder(
                match[0], characters.find(match.start()), page
            ),
            text,
        )

    def spell_ligatures(self, content: str) -> str:
        """Return laid-out text with the letters of ligatures, without unknown codes.

        Return nothing where most of a page is unknown codes.
        """
        letters = {code: letters for letters, code in self._placeholders.items()}
        shown, unknown_letters = _UNKNOWN_CODE_PATTERN.subn("", content.translate(letters))
        self.unknown_letters += unknown_letters
        return shown if not unknown_letters or len("".join(shown.split())) > unknown_letters else ""

    def _ligature_placeholder(self, code: str, index: int, page: Any) -> str:
        if self._fonts is None:
            self._fonts = _ligatures_by_font(self._body)
        letters = self._fonts.get(self._font_name(index, page), {}).get(ord(code))
        if letters is None:
            return code
        next_code = _FIRST_PLACEHOLDER + len(self._placeholders)
        return chr(self._placeholders.setdefault(letters, next_code))

    def _font_name(self, index: int, page: Any) -> bytes:
        raw = self._raw
        written = raw.FPDFText_GetTextObject(page, index)
        font = raw.FPDFTextObj_GetFont(written) if written else None
        name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        if font:
            raw.FPDFFont_GetBaseFontName(font, name, _FONT_NAME_BYTES)
        return _SUBSET_PREFIX_PATTERN.sub(b"", name.value, count=1)


def _ligatures_by_font(body: bytes) -> dict[bytes, dict[int, str]]:
    """Return the letters of ligatures by font name and code.

    A font may have several tables, and PDFium does not say which one a letter uses, so a code with
    different letters is left out.
    """
    tables: dict[int, dict[int, str]] = {}
    named: dict[bytes, set[int]] = defaultdict(set)
    packed = chain.from_iterable(map(_stream_objects, _unpack_object_streams(body)))
    for number, content in (*_loose_objects(body), *packed):
        font, encoding = _FONT_PATTERN.search(content), _ENCODING_PATTERN.search(content)
        table = _DIFFERENCES_PATTERN.search(content)
        if table:
            tables[number] = _ligature_codes(content[table.end() :].partition(b"]")[0])
        if font:
            name = _SUBSET_PREFIX_PATTERN.sub(b"", font[1], count=1)
            named[name].add(int(encoding[1]) if encoding else number)
    return {
        name: _unambiguous_ligatures(tables.get(table_number, {}) for table_number in numbers)
        for name, numbers in named.items()
    }


def _unambiguous_ligatures(tables: Iterable[dict[int, str]]) -> dict[int, str]:
    letters_by_code: dict[int, set[str]] = defaultdict(set)
    for table in tables:
        for code, letters in table.items():
            letters_by_code[code].add(letters)
    return {code: letters.pop() for code, letters in letters_by_code.items() if len(letters) == 1}


def _ligature_codes(table: bytes) -> dict[int, str]:
    signs: dict[int, str] = {}
    code = 0
    for name, number in _ENTRY_PATTERN.findall(table):
        if number:
            code = int(number)
        else:
            if _LIGATURE_NAME_PATTERN.fullmatch(name):
                signs[code] = name.replace(b"_", b"").decode("ascii")
            code += 1
    return signs


def _loose_objects(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the unpacked objects that describe fonts, with their numbers."""
    for record in islice(_FONT_RECORD_PATTERN.finditer(body), _MAX_FONT_RECORDS):
        begin = max(record.start() - _SEARCH_BYTES, 0)
        objects = list(_OBJECT_PATTERN.finditer(body, begin, record.start()))
        if objects:
            end = body.find(b"endobj", record.end(), record.end() + _MAX_OBJECT_BYTES)
            yield int(objects[-1][1]), body[objects[-1].end() : max(end, record.end())]


def may_have_shadings(body: bytes) -> bool:
    """Tell whether a document may fill shapes with patterns of shades; an encrypted one may."""
    parts = (body, *_unpack_object_streams(body))
    return b"/Encrypt" in body or any(map(_SHADING_PATTERN.search, parts))


def _unpack_object_streams(body: bytes) -> Iterator[bytes]:
    left = _MAX_UNPACKED_BYTES
    for mark in islice(_OBJECT_STREAM_PATTERN.finditer(body), _MAX_STREAMS):
        start = body.find(b"stream", mark.end(), mark.end() + _SEARCH_BYTES)
        end = body.find(b"endstream", start)
        packed = body[start:end].removeprefix(b"stream").lstrip(b"\r\n") if start > 0 else b""
        unpacked = _inflate_stream(packed, left) if left > 0 else b""
        left -= len(unpacked)
        yield unpacked


def _inflate_stream(packed: bytes, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, max_bytes)
    except zlib.error:
        return b""


def _stream_objects(unpacked: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the objects of one stream that describe fonts; it begins with all their offsets."""
    head = _OFFSETS_PATTERN.match(unpacked, 0, _MAX_OBJECT_BYTES)
    numbers = [int(number) for number in head[0].split()] if head else []
    first = len(head[0]) if head else 0
    # Sort by offset, so that objects do not overlap.
    offsets = (first + offset for offset in numbers[1::2])
    objects = sorted(zip(offsets, numbers[::2], strict=False))
    for (start, number), end in zip_longest(objects, [offset for offset, _ in objects[1:]]):
        content = unpacked[start:end]
        if _FONT_RECORD_PATTERN.search(content):
            yield number, content[:_MAX_OBJECT_BYTES]
