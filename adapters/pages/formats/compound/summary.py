"""What a document in a compound file says of itself: its title, its author, when it was made.

[MS-OLEPS] 2.21 (read 2026-11-16): a list of numbered values, texts in the code page that one names.
"""

import struct
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from ..detection.charset import code_page_codec
from ..draft import Draft
from .compound_file import CompoundFile

_STREAM: Final = "\x05SummaryInformation"
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
        told = _values(file.stream(_STREAM))
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
