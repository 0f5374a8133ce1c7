"""The container that Office programs before 2007 keep their documents in."""

import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from ...pages.detection.media import Kind
from .detection.charset import code_page_codec
from .draft import Draft
from .office.package import BrokenFileError

COMPOUND_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER: Final = 512
_ENTRY: Final = 128
_FREE: Final = 0xFFFFFFFA  # from here on a number is no sector
_HEADER_FAT_SECTORS: Final = 109
_ROOT, _STREAM, _STORAGE = 5, 2, 1
_NONE: Final = 0xFFFFFFFF
_MAX_DIRECTORY_ENTRIES: Final = 20_000


class CompoundFile:
    """The streams of a file, by their paths; nothing is read before it is asked for."""

    def __init__(self, body: bytes) -> None:
        """Read the tables and the directory; anything but a whole file is ``BrokenFileError``."""
        if not body.startswith(COMPOUND_MAGIC) or len(body) < _HEADER:
            raise BrokenFileError
        self._body = body
        self._sector = 1 << min(struct.unpack_from("<H", body, 30)[0], 12)
        (first_directory,) = struct.unpack_from("<I", body, 48)
        self._cutoff, first_small = struct.unpack_from("<II", body, 56)
        self._table = self._sector_table()
        self._small_table = _numbers(self._chain(first_small))
        self._entries = self._directory(self._chain(first_directory))
        root = next((each for each in self._entries.values() if each[0] == _ROOT), None)
        self._small = self._chain(root[1]) if root else b""
        self.paths: Mapping[str, int] = self._paths()

    def stream(self, path: str) -> bytes:
        """Return the bytes of a stream; none when there is no such stream."""
        entry = self._entries.get(self.paths.get(path, -1))
        if entry is None:
            return b""
        _, start, size, *_ = entry
        content = self._chain(start) if size >= self._cutoff else self._small_chain(start)
        return content[:size]

    def size(self, path: str) -> int:
        """Return how long a stream says it is."""
        entry = self._entries.get(self.paths.get(path, -1))
        return entry[2] if entry else 0

    def _sector_table(self) -> tuple[int, ...]:
        places = list(struct.unpack_from(f"<{_HEADER_FAT_SECTORS}I", self._body, 76))
        (following,) = struct.unpack_from("<I", self._body, 68)
        seen: set[int] = set()
        while following < _FREE and following not in seen:
            seen.add(following)
            *more, following = _numbers(self._at(following)) or (_NONE,)
            places += more
        # A table has a number for each sector: what it has more of would only lead in circles.
        sectors = len(self._body) // self._sector + 1
        most = sectors * 4 // self._sector + 1
        real = [place for place in places if place < _FREE][:most]
        return _numbers(b"".join(self._at(place) for place in real))[:sectors]

    def _at(self, sector: int) -> bytes:
        begin = (sector + 1) * self._sector
        return self._body[begin : begin + self._sector]

    def _chain(self, sector: int) -> bytes:
        pieces: list[bytes] = []
        for _ in range(len(self._table)):
            if sector >= len(self._table):
                break
            pieces.append(self._at(sector))
            sector = self._table[sector]
        return b"".join(pieces)

    def _small_chain(self, sector: int) -> bytes:
        pieces: list[bytes] = []
        for _ in range(len(self._small_table)):
            if sector >= len(self._small_table):
                break
            pieces.append(self._small[sector * 64 : sector * 64 + 64])
            sector = self._small_table[sector]
        return b"".join(pieces)

    def _directory(self, raw: bytes) -> dict[int, tuple[int, int, int, str, int, int, int]]:
        """Return each entry: kind, first sector, size, name, and its neighbours and child."""
        entries: dict[int, tuple[int, int, int, str, int, int, int]] = {}
        for number in range(min(len(raw) // _ENTRY, _MAX_DIRECTORY_ENTRIES)):
            entry = raw[number * _ENTRY : (number + 1) * _ENTRY]
            length, kind = struct.unpack_from("<HB", entry, 64)
            left, right, child = struct.unpack_from("<III", entry, 68)
            start, size = struct.unpack_from("<II", entry, 116)
            name = entry[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            entries[number] = (kind, start, size, name, left, right, child)
        return entries

    def _paths(self) -> dict[str, int]:
        """Return the number of each stream by its path; every entry is visited once."""
        paths: dict[str, int] = {}
        seen: set[int] = set()
        root = self._entries.get(0)
        waiting = [(root[6], "")] if root else []
        while waiting:
            number, above = waiting.pop()
            entry = self._entries.get(number)
            if entry is None or number in seen:
                continue
            seen.add(number)
            kind, _, _, name, left, right, child = entry
            waiting += [(left, above), (right, above)]
            if kind == _STREAM:
                paths[above + name] = number
            elif kind == _STORAGE:
                waiting.append((child, f"{above}{name}/"))
        return paths


def _numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"<{len(raw) // 4}I", raw)


# Which document a compound file holds.

# What a document of any Office program is kept in when it wants a password, [MS-OFFCRYPTO] 2.3.
LOCKED: Final = "encryptedpackage"
# By the names in lower case, as some programs write them in capitals. A presentation or a text may
# hold a workbook, so they come first; "book" is that of Excel 5 and 95.
_KINDS: Final[dict[str, Kind]] = {
    "worddocument": "doc",
    "powerpoint document": "ppt",
    "workbook": "xls",
    "book": "xls",
    LOCKED: "xls",
}


def compound_kind(body: bytes) -> Kind | None:
    """Return which document of Office a compound file is, None when it is another or broken."""
    try:
        names = {path.lower() for path in CompoundFile(body).paths}
    except (BrokenFileError, struct.error):
        return None
    return next((kind for name, kind in _KINDS.items() if name in names), None)


# What a document in a compound file says of itself: its title, its author, when it was made.

_SUMMARY_STREAM: Final = "\x05SummaryInformation"
_SECTION: Final = 44
_CODE_PAGE, _TITLE, _SUBJECT, _AUTHOR, _MADE = 1, 2, 3, 4, 12
_TEXT, _WIDE, _TIME = 30, 31, 64
_UTF_16: Final = 1200
_MAX_PROPERTIES: Final = 100
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_DEFAULT_CODEC: Final = "cp1252"


def add_summary_properties(file: CompoundFile, draft: Draft, file_name: str) -> Draft:
    """Return the draft with what the file tells of itself; broken or no telling changes nothing."""
    try:
        told = _values(file.stream(_SUMMARY_STREAM))
    except struct.error:
        told = {}
    return msgspec.structs.replace(
        draft,
        title=told.get(_TITLE) or draft.title or file_name,
        author=told.get(_AUTHOR, ""),
        description=told.get(_SUBJECT, ""),
        published_at=told.get(_MADE) or None,
    )


def _values(raw: bytes) -> dict[int, str]:
    if not raw:
        return {}
    (start,) = struct.unpack_from("<I", raw, _SECTION)
    (count,) = struct.unpack_from("<I", raw, start + 4)
    places = dict(
        struct.unpack_from("<II", raw, start + 8 + 8 * number)
        for number in range(min(count, _MAX_PROPERTIES))
    )
    page = raw[start + places[_CODE_PAGE] :] if _CODE_PAGE in places else b""
    codec = _codec(page)
    return {
        name: _value(raw[start + place :], codec).strip()
        for name, place in places.items()
        if name in (_TITLE, _SUBJECT, _AUTHOR, _MADE)
    }


def _value(raw: bytes, codec: str) -> str:
    sort, size = struct.unpack_from("<II", raw)
    if sort == _TIME:
        return _moment(struct.unpack_from("<Q", raw, 4)[0])
    if sort == _WIDE:
        return raw[8 : 8 + 2 * size].decode("utf-16-le", "replace").partition("\0")[0]
    return raw[8 : 8 + size].decode(codec, "replace").partition("\0")[0] if sort == _TEXT else ""


def _moment(tenths: int) -> str:
    """Return a time of tenths of microseconds since 1601; empty for none."""
    try:
        return (_EPOCH + timedelta(microseconds=tenths // 10)).isoformat() if tenths else ""
    except OverflowError:
        return ""


def _codec(raw: bytes) -> str:
    """Return the codec of a code page, as a value says it."""
    number = int.from_bytes(raw[4:6], "little")
    return "utf-16-le" if number == _UTF_16 else code_page_codec(number) or _DEFAULT_CODEC
