"""The container that Office programs before 2007 keep their documents in."""

import struct
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from webseam.adapters.pages.detection import Kind

from .charset import code_page_codec
from .draft import Draft, PageResult, Source, corrupt_failure, encrypted_failure, finish_draft
from .office.package import BrokenFileError, EncryptedError

COMPOUND_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER_BYTES: Final = 512
_ENTRY_BYTES: Final = 128
_MAX_REGULAR_SECTOR: Final = 0xFFFFFFFA  # from here on a number is no sector
_HEADER_DIFAT_ENTRIES: Final = 109
_ROOT_ENTRY, _STREAM_ENTRY, _STORAGE_ENTRY = 5, 2, 1
_NO_SECTOR: Final = 0xFFFFFFFF
_MAX_DIRECTORY_ENTRIES: Final = 20_000
# The stream of an Office document that is encrypted with a password, [MS-OFFCRYPTO] 2.3.
ENCRYPTED_PACKAGE_STREAM: Final = "encryptedpackage"
# Names in lower case, because some programs write them in capitals. Presentations and texts may
# embed a workbook, so they come first; Excel 5 and 95 use "book".
_STREAM_KINDS: Final[dict[str, Kind]] = {
    "worddocument": "doc", "powerpoint document": "ppt", "workbook": "xls", "book": "xls",
    ENCRYPTED_PACKAGE_STREAM: "xls",
}  # fmt: skip
_SECTION_OFFSET: Final = 44
_CODE_PAGE, _TITLE, _SUBJECT, _AUTHOR, _CREATED = 1, 2, 3, 4, 12
_VT_LPSTR, _VT_LPWSTR, _VT_FILETIME = 30, 31, 64
_UTF_16_CODE_PAGE: Final = 1200
_MAX_PROPERTIES: Final = 100
_FILETIME_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_DEFAULT_CODEC: Final = "cp1252"


class CompoundFile:
    """The streams of a compound file by their paths; a stream is read when it is requested."""

    def __init__(self, body: bytes) -> None:
        """Read the sector tables and the directory; a damaged file raises ``BrokenFileError``."""
        if not body.startswith(COMPOUND_MAGIC) or len(body) < _HEADER_BYTES:
            raise BrokenFileError
        self._body = body
        self._sector_bytes = 1 << min(struct.unpack_from("<H", body, 30)[0], 12)
        (first_directory,) = struct.unpack_from("<I", body, 48)
        self._mini_stream_cutoff, first_small = struct.unpack_from("<II", body, 56)
        self._fat = self._read_fat()
        self._mini_fat = _sector_numbers(self._read_sector_chain(first_small))
        self._entries = self._read_directory(self._read_sector_chain(first_directory))
        root = next((entry for entry in self._entries.values() if entry[0] == _ROOT_ENTRY), None)
        self._mini_stream = self._read_sector_chain(root[1]) if root else b""
        self.paths: Mapping[str, int] = self._collect_stream_paths()

    def read_stream(self, path: str) -> bytes:
        """Return the bytes of a stream; empty when there is no such stream."""
        entry = self._entries.get(self.paths.get(path, -1))
        if entry is None:
            return b""
        _, start, size, *_ = entry
        if size >= self._mini_stream_cutoff:
            return self._read_sector_chain(start)[:size]
        offsets = (64 * sector for sector in _follow_chain(self._mini_fat, start))
        return b"".join(self._mini_stream[offset : offset + 64] for offset in offsets)[:size]

    def stream_size(self, path: str) -> int:
        """Return the size of a stream that the directory declares."""
        entry = self._entries.get(self.paths.get(path, -1))
        return entry[2] if entry else 0

    def _read_fat(self) -> tuple[int, ...]:
        candidates = list(struct.unpack_from(f"<{_HEADER_DIFAT_ENTRIES}I", self._body, 76))
        (following,) = struct.unpack_from("<I", self._body, 68)
        visited: set[int] = set()
        while following < _MAX_REGULAR_SECTOR and following not in visited:
            visited.add(following)
            sectors = _sector_numbers(self._read_sector(following))
            *more, following = sectors or (_NO_SECTOR,)
            candidates += more
        # A table has one number per sector; further numbers could only form cycles.
        sector_count = len(self._body) // self._sector_bytes + 1
        max_sectors = sector_count * 4 // self._sector_bytes + 1
        used = [sector for sector in candidates if sector < _MAX_REGULAR_SECTOR][:max_sectors]
        table = _sector_numbers(b"".join(map(self._read_sector, used)))
        return table[:sector_count]

    def _read_sector(self, sector: int) -> bytes:
        begin = (sector + 1) * self._sector_bytes
        return self._body[begin : begin + self._sector_bytes]

    def _read_sector_chain(self, sector: int) -> bytes:
        sectors = _follow_chain(self._fat, sector)
        return b"".join(map(self._read_sector, sectors))

    def _read_directory(self, raw: bytes) -> dict[int, tuple[int, int, int, str, int, int, int]]:
        """Return entries: kind, first sector, size, name, left and right sibling, child."""
        entries: dict[int, tuple[int, int, int, str, int, int, int]] = {}
        for number in range(min(len(raw) // _ENTRY_BYTES, _MAX_DIRECTORY_ENTRIES)):
            entry = raw[number * _ENTRY_BYTES : (number + 1) * _ENTRY_BYTES]
            length, kind = struct.unpack_from("<HB", entry, 64)
            left, right, child = struct.unpack_from("<III", entry, 68)
            start, size = struct.unpack_from("<II", entry, 116)
            name = entry[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            entries[number] = (kind, start, size, name, left, right, child)
        return entries

    def _collect_stream_paths(self) -> dict[str, int]:
        """Return the entry number of each stream by its path; visit every entry once."""
        paths: dict[str, int] = {}
        visited: set[int] = set()
        root = self._entries.get(0)
        waiting = [(root[6], "")] if root else []
        while waiting:
            number, folder = waiting.pop()
            entry = self._entries.get(number)
            if entry is None or number in visited:
                continue
            visited.add(number)
            kind, _, _, name, left, right, child = entry
            waiting += [(left, folder), (right, folder)]
            if kind == _STREAM_ENTRY:
                paths[folder + name] = number
            elif kind == _STORAGE_ENTRY:
                waiting.append((child, f"{folder}{name}/"))
        return paths


def _sector_numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"<{len(raw) // 4}I", raw)


def _follow_chain(chain: tuple[int, ...], sector: int) -> Iterator[int]:
    for _ in chain:
        if sector >= len(chain):
            return
        yield sector
        sector = chain[sector]


def compound_kind(body: bytes) -> Kind | None:
    """Return which Office document a compound file is, None for another or a broken one."""
    try:
        names = {path.lower() for path in CompoundFile(body).paths}
    except (BrokenFileError, struct.error):
        return None
    return next((kind for name, kind in _STREAM_KINDS.items() if name in names), None)


def read_compound_document(
    source: Source, make_draft: Callable[[CompoundFile], Draft], program: str
) -> PageResult:
    """Return the document of an Office program, with the file's summary."""
    try:
        file = CompoundFile(source.body)
        draft = add_summary_properties(file, make_draft(file), source.file_name)
    except EncryptedError:
        return encrypted_failure()
    except (BrokenFileError, struct.error, IndexError, MemoryError):
        return corrupt_failure(f"it is not a whole file of {program}")
    return finish_draft(draft)


def add_summary_properties(file: CompoundFile, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the file's summary; a missing or broken summary changes nothing."""
    try:
        values = _summary_properties(file.read_stream("\x05SummaryInformation"))
    except struct.error:
        values = {}
    return msgspec.structs.replace(
        draft,
        title=values.get(_TITLE) or draft.title or file_name,
        author=values.get(_AUTHOR, ""),
        description=values.get(_SUBJECT, ""),
        published_at=values.get(_CREATED) or None,
    )


def _summary_properties(raw: bytes) -> dict[int, str]:
    if not raw:
        return {}
    (start,) = struct.unpack_from("<I", raw, _SECTION_OFFSET)
    (count,) = struct.unpack_from("<I", raw, start + 4)
    offsets = dict(
        struct.unpack_from("<II", raw, start + 8 + 8 * number)
        for number in range(min(count, _MAX_PROPERTIES))
    )
    codec = _summary_codec(raw[start + offsets[_CODE_PAGE] :] if _CODE_PAGE in offsets else b"")
    return {
        name: _summary_value(raw[start + offset :], codec).strip()
        for name, offset in offsets.items()
        if name in (_TITLE, _SUBJECT, _AUTHOR, _CREATED)
    }


def _summary_value(raw: bytes, codec: str) -> str:
    value_type, size = struct.unpack_from("<II", raw)
    if value_type == _VT_FILETIME:
        moment = filetime_moment(struct.unpack_from("<Q", raw, 4)[0])
        return moment.isoformat() if moment else ""
    if value_type == _VT_LPWSTR:
        return raw[8 : 8 + 2 * size].decode("utf-16-le", "replace").partition("\0")[0]
    text = raw[8 : 8 + size] if value_type == _VT_LPSTR else b""
    return text.decode(codec, "replace").partition("\0")[0]


def filetime_moment(tenths: int) -> datetime | None:
    """Return a FILETIME, in tenths of microseconds since 1601; None for 0 or past all calendars."""
    try:
        return _FILETIME_EPOCH + timedelta(microseconds=tenths // 10) if tenths else None
    except OverflowError:
        return None


def _summary_codec(raw: bytes) -> str:
    """Return the codec of the code page that a property value holds."""
    number = int.from_bytes(raw[4:6], "little")
    return "utf-16-le" if number == _UTF_16_CODE_PAGE else code_page_codec(number) or _DEFAULT_CODEC
