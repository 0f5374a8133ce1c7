"""Outlook's own messages, ``.msg``: a compound file with a stream for each property.

[MS-OXMSG] and [MS-OXPROPS] (read 2026-11-15). The container is read by ourselves, in a hundred
lines: the package for it (olefile) has had no release since 2023.
"""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, timedelta
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...safe_text import one_line
from ..compound.compound_file import CompoundFile
from ..detection.charset import decode_source
from ..draft import Draft, Source, corrupt_error, finish_page
from ..markdown_writing import disarm_pictures
from ..office.package import BrokenFileError
from .message import MAX_MESSAGE_DEPTH, attachment_lines, best_text, head_lines

_PROPERTY: Final = "__substg1.0_"
_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER, _ADDRESS, _SMTP = "0C1A", "0C1F", "5D01"
_TO, _COPY = "0E04", "0E03"
_FILE_NAMES: Final = ("3707", "3704", "3001")
_MEDIA_TYPE, _CONTENT, _MESSAGE = "370E", "37010102", "3701000D"
_PROPERTIES: Final = "__properties_version1.0"
_SENT: Final = (0x0039, 0x0E06)
# In bytes, as far as the properties of a message, of one that is attached, and each of them.
_TOP_HEAD, _INNER_HEAD, _LINE = 32, 24, 16
_TIME: Final = 0x0040
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_ATTACHMENT: Final = re.compile(r"(__attach_version1\.0_#[0-9A-Fa-f]{8}/)")


def is_outlook(body: bytes) -> bool:
    """Tell whether a compound file is a message: what is in it is named as in no other."""
    return _PROPERTIES.encode("utf-16-le") in body


def read_outlook(source: Source) -> Result[ReadPage, WebError]:
    """Return a message as markdown, as ``.eml`` files are."""
    try:
        file = CompoundFile(source.body)
    except (BrokenFileError, struct.error, MemoryError):
        return corrupt_error("it is not a whole Outlook message")
    sent = _sent(file)
    return finish_page(
        Draft(
            content=_content(file),
            title=one_line(_text(file, _SUBJECT)) or source.file_name,
            author=_sender(file),
            published_at=sent.isoformat() if sent else None,
        )
    )


def _content(file: CompoundFile, above: str = "", depth: int = 0) -> str:
    """Return the head, the text and the attachments of a message, and the messages in it."""
    sent = _sent(file, above)
    fields = [
        ("From", _sender(file, above)),
        ("To", _text(file, _TO, above)),
        ("Cc", _text(file, _COPY, above)),
        ("Date", sent.isoformat(sep=" ") if sent else ""),
    ]
    raw = file.stream(f"{above}{_PROPERTY}{_HTML}0102")
    html = _text(file, _HTML, above) or decode_source(Source(body=raw))
    inside, files = _attached(file, above, depth)
    text = best_text(_text(file, _BODY, above), html)
    pieces = (head_lines(fields), text, *inside, attachment_lines(files))
    return "\n\n".join(piece for piece in pieces if piece)


def _text(file: CompoundFile, name: str, above: str = "") -> str:
    """Return a property as text: UTF-16, or bytes of an older Outlook."""
    wide = file.stream(f"{above}{_PROPERTY}{name}001F")
    if wide:
        return wide.decode("utf-16-le", "replace").rstrip("\x00")
    return decode_source(Source(body=file.stream(f"{above}{_PROPERTY}{name}001E"))).rstrip("\x00")


def _sender(file: CompoundFile, above: str = "") -> str:
    name = _text(file, _SENDER, above)
    address = _text(file, _SMTP, above) or _text(file, _ADDRESS, above)
    return f"{name} <{address}>" if name and "@" in address and name != address else name or address


def _sent(file: CompoundFile, above: str = "") -> datetime | None:
    """Return when it was sent: tenths of microseconds since 1601, in the list of small values."""
    raw = file.stream(f"{above}{_PROPERTIES}")[_INNER_HEAD if above else _TOP_HEAD :]
    times = {}
    for at in range(0, len(raw) - _LINE + 1, _LINE):
        kind, name, _, value = struct.unpack_from("<HHIQ", raw, at)
        if kind == _TIME and value:
            times[name] = value
    value = next((times[name] for name in _SENT if name in times), None)
    try:
        whole = timedelta(seconds=value // 10_000_000) if value else None
        return _EPOCH + whole if whole else None
    except OverflowError:
        return None


def _attached(
    file: CompoundFile, above: str, depth: int
) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Return the messages that are attached, each under its subject, and all other files."""
    found = (_ATTACHMENT.match(path, len(above)) for path in file.paths if path.startswith(above))
    places = sorted({f"{above}{each[1]}" for each in found if each})
    inside, files = [], []
    for place in places:
        inner = f"{place}{_PROPERTY}{_MESSAGE}/"
        names = (_text(file, name, place) for name in _FILE_NAMES)
        name = next((name for name in names if name), "")
        if depth < MAX_MESSAGE_DEPTH and f"{inner}{_PROPERTIES}" in file.paths:
            subject = one_line(_text(file, _SUBJECT, inner)) or one_line(name) or "Message"
            inside.append(f"## {disarm_pictures(subject)}\n\n{_content(file, inner, depth + 1)}")
        else:
            kind = _text(file, _MEDIA_TYPE, place) or "application/octet-stream"
            files.append((name, kind, file.size(f"{place}{_PROPERTY}{_CONTENT}")))
    return inside, files
