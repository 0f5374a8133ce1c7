"""Outlook's own messages, ``.msg``: a compound file with a stream for each property.

[MS-OXMSG] and [MS-OXPROPS] (read 2026-11-15). The container is read by ourselves, in a hundred
lines: the package for it (olefile) has had no release since 2023.
"""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Iterator
from datetime import datetime
from email import policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from typing import Final

from returns.result import Failure

from webseam.adapters.pages.safe_text import one_line
from webseam.adapters.values.dates import mail_moment
from webseam.ports.errors import ParseFailed
from webseam.ports.pages import PagePart
from webseam.ports.text import disarm_pictures

from ..charset import decode_source
from ..compound import CompoundFile, filetime_moment
from ..draft import Draft, Losses, PageResult, Source, corrupt_failure, finish_draft
from ..embedded_html import html_to_markdown
from ..office.package import BrokenFileError, TooLargeError

_MAX_MIME_PARTS: Final = 2_000
_MAX_MESSAGE_BYTES: Final = 32 * 1024 * 1024
# The parser takes a microsecond a line, and time quadratic in the encoded words of a header.
_MAX_HEAD_BYTES: Final = 1_000_000
_MAX_HEADER_CHARS: Final = 120_000
_HEAD_END_PATTERN: Final = re.compile(rb"\n\r?\n")
# The standard library raises these on malformed headers and bodies.
MAIL_ERRORS: Final = (
    MessageError, ValueError, LookupError, TypeError, IndexError, AttributeError, OverflowError,
)  # fmt: skip


def parse_mail(body: bytes) -> Message:
    """Parse a message; the compat32 policy keeps headers unchanged and never fails on them."""
    is_endless = len(body) > _MAX_HEAD_BYTES and not _HEAD_END_PATTERN.search(
        body, 0, _MAX_HEAD_BYTES
    )
    if is_endless or body.count(b"\n--") > _MAX_MIME_PARTS:
        raise TooLargeError
    return BytesParser(policy=policy.compat32).parsebytes(
        body[:_MAX_MESSAGE_BYTES].removeprefix(codecs.BOM_UTF8)
    )


def mail_header_text(message: Message, name: str) -> str:
    """Return a header as text, also one in raw UTF-8 (RFC 6532); empty when there is none."""
    values = (value for key, value in message.raw_items() if key.lower() == name.lower())
    raw = next(values, "")
    sent = raw.encode("utf-8", "surrogateescape")
    return decode_mail_header(decode_source(Source(body=sent)) if sent else "")


def decode_mail_header(text: str) -> str:
    """Return a header with its encoded words decoded (RFC 2047).

    >>> decode_mail_header("=?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?big5?b?pKSk5Q==?=")
    'Grüße from 中文'
    """
    try:
        pieces = decode_header(text[:_MAX_HEADER_CHARS])
    except MAIL_ERRORS:
        return text
    return "".join(_decode_header_piece(piece, charset) for piece, charset in pieces)


def _decode_header_piece(piece: bytes | str, charset: str | None) -> str:
    # A confined worker can import no codec, so use those of browsers, which are built in.
    if isinstance(piece, str):
        return piece
    content_type = f"charset={charset}" if charset else ""
    return decode_source(Source(body=piece, content_type=content_type))


def mail_leaf_parts(message: Message) -> Iterator[Message]:
    """Yield the parts with content; an attached message is one part."""
    if not message.is_multipart() or message.get_content_maintype() == "message":
        yield message
        return
    for part in message.get_payload():
        if isinstance(part, Message):
            yield from mail_leaf_parts(part)


def decode_mail_payload(part: Message) -> bytes:
    """Return the bytes of a part, without their transfer encoding."""
    try:
        content = part.get_payload(decode=True)
    except MAIL_ERRORS:
        return b""
    return content if isinstance(content, bytes) else b""


def mail_part_text(part: Message) -> str:
    """Return the text of a part, decoded by its charset."""
    return decode_source(
        Source(body=decode_mail_payload(part), content_type=str(part.get("Content-Type", "")))
    )


def mail_attachment_name(part: Message) -> str:
    """Return the file name of an attachment; empty for a part that is shown."""
    try:
        name = part.get_filename()
    except MAIL_ERRORS:
        return ""
    return decode_mail_header(name) if name else ""


_SHOWN_HEADERS: Final = ("From", "To", "Cc", "Date")
_MAX_HEADER_LINE_CHARS: Final = 40_000
MAX_MESSAGE_DEPTH: Final = 3
_DEPTH_NOTE: Final = f"only the first {MAX_MESSAGE_DEPTH} levels of messages inside messages"
# Show the HTML form only where it has this many times the words of the plain text.
_MIN_HTML_GAIN: Final = 1.5


def read_mail(source: Source) -> PageResult:
    """Return a message as markdown: its head, its text, and its attachments as a list."""
    try:
        message = parse_mail(source.body)
        subject = one_line(mail_header_text(message, "Subject"))
        moment = mail_moment(mail_header_text(message, "Date"))
        losses = Losses()
        draft = Draft(
            content=mail_to_markdown(message, losses),
            title=subject or source.file_name,
            author=one_line(mail_header_text(message, "From")),
            published_at=moment.isoformat() if moment else None,
            cuts=losses.cuts,
            parts=tuple(losses.parts),
        )
    except (TooLargeError, RecursionError):
        return Failure(ParseFailed(reason="too_complex", detail="it has too many parts"))
    except MAIL_ERRORS:
        return corrupt_failure("it is not a whole message")
    return finish_draft(draft)


def mail_head_lines(fields: list[tuple[str, str]]) -> str:
    """Return the fields that have a value, a line each."""
    lines = ((name, one_line(value, _MAX_HEADER_LINE_CHARS)) for name, value in fields)
    return "\n".join(f"- {name}: {disarm_pictures(value)}" for name, value in lines if value)


def mail_attachment_lines(files: list[tuple[str, str, int]]) -> str:
    """Return attachments as a section; empty when there are none."""
    lines = [
        f"- {disarm_pictures(one_line(name)) or '(no name)'} ({kind}, {size:,} bytes)"
        for name, kind, size in files
    ]
    return "\n".join(["## Attachments", "", *lines]) if lines else ""


def best_mail_text(plain: str, html: str, losses: Losses) -> str:
    """Return the plain text, or the HTML as markdown where that has many more words."""
    parts: list[PagePart] = []
    rich = html_to_markdown(html, parts=parts) if html.strip() else ""
    shown = disarm_pictures(plain.replace("\r\n", "\n")).strip()
    if len(rich.split()) <= _MIN_HTML_GAIN * len(shown.split()):
        return shown
    losses.parts += parts
    return rich


def mail_to_markdown(message: Message, losses: Losses, depth: int = 0) -> str:
    """Return a message with its headers, its attachments and the messages in it."""
    plain: list[str] = []
    html: list[str] = []
    files: list[tuple[str, str, int]] = []
    inside: list[str] = []
    for part in mail_leaf_parts(message):
        kind, name = part.get_content_type(), mail_attachment_name(part)
        if part.is_multipart():
            inside += _forwarded_sections(part, losses, depth)
        elif name or kind not in ("text/plain", "text/html"):
            files.append((name, kind, len(decode_mail_payload(part))))
        else:
            (plain if kind == "text/plain" else html).append(mail_part_text(part))
    head = mail_head_lines([(name, mail_header_text(message, name)) for name in _SHOWN_HEADERS])
    text = best_mail_text("\n\n".join(plain), "\n".join(html), losses)
    return "\n\n".join(filter(None, (head, text, *inside, mail_attachment_lines(files))))


def _forwarded_sections(part: Message, losses: Losses, depth: int) -> list[str]:
    """Return the messages inside one, each under its subject."""
    messages = [inner for inner in part.get_payload() if isinstance(inner, Message)]
    if messages and depth >= MAX_MESSAGE_DEPTH:
        losses.add_cut("depth", _DEPTH_NOTE)
        return []
    return [mail_section(inner, losses, depth + 1) for inner in messages]


def mail_section(message: Message, losses: Losses, depth: int = 0) -> str:
    """Return a message under its subject."""
    subject = disarm_pictures(one_line(mail_header_text(message, "Subject"))) or "Message"
    return f"## {subject}\n\n{mail_to_markdown(message, losses, depth)}"


_PROPERTY_STREAM_PREFIX: Final = "__substg1.0_"
_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER, _ADDRESS, _SMTP = "0C1A", "0C1F", "5D01"
_TO, _COPY = "0E04", "0E03"
_FILE_NAMES: Final = ("3707", "3704", "3001")
_MEDIA_TYPE, _CONTENT, _MESSAGE = "370E", "37010102", "3701000D"
_PROPERTIES_STREAM: Final = "__properties_version1.0"
_SENT_PROPERTIES: Final = (0x0039, 0x0E06)
# Bytes before the properties of a message, before those of an attached one, and of a property.
_TOP_HEAD, _INNER_HEAD, _PROPERTY_BYTES = 32, 24, 16
_FILETIME_TYPE: Final = 0x0040
_ATTACHMENT_PATTERN: Final = re.compile(r"(__attach_version1\.0_#[0-9A-Fa-f]{8}/)")


def is_outlook(body: bytes) -> bool:
    """Tell whether a compound file is a message: no other file has a stream of this name."""
    return _PROPERTIES_STREAM.encode("utf-16-le") in body


def read_outlook(source: Source) -> PageResult:
    """Return a message as markdown, in the same shape as ``.eml`` files."""
    try:
        file = CompoundFile(source.body)
    except (BrokenFileError, struct.error, MemoryError):
        return corrupt_failure("it is not a whole Outlook message")
    sent, losses = _outlook_sent_at(file), Losses()
    return finish_draft(
        Draft(
            content=_outlook_to_markdown(file, losses),
            title=one_line(_outlook_text(file, _SUBJECT)) or source.file_name,
            author=_outlook_sender(file),
            published_at=sent.isoformat() if sent else None,
            cuts=losses.cuts,
            parts=tuple(losses.parts),
        )
    )


def _outlook_to_markdown(
    file: CompoundFile, losses: Losses, folder: str = "", depth: int = 0
) -> str:
    """Return the headers, text and attachments of a message, and the messages in it."""
    sent = _outlook_sent_at(file, folder)
    fields = [
        ("From", _outlook_sender(file, folder)),
        ("To", _outlook_text(file, _TO, folder)),
        ("Cc", _outlook_text(file, _COPY, folder)),
        ("Date", sent.isoformat(sep=" ") if sent else ""),
    ]
    raw = file.read_stream(f"{folder}{_PROPERTY_STREAM_PREFIX}{_HTML}0102")
    html = _outlook_text(file, _HTML, folder) or decode_source(Source(body=raw))
    inside, files = _outlook_attachments(file, losses, folder, depth)
    text = best_mail_text(_outlook_text(file, _BODY, folder), html, losses)
    pieces = (mail_head_lines(fields), text, *inside, mail_attachment_lines(files))
    return "\n\n".join(piece for piece in pieces if piece)


def _outlook_text(file: CompoundFile, name: str, folder: str = "") -> str:
    """Return a property as text: UTF-16, or bytes of an older Outlook."""
    wide, narrow = (
        file.read_stream(f"{folder}{_PROPERTY_STREAM_PREFIX}{name}{kind}")
        for kind in ("001F", "001E")
    )
    text = wide.decode("utf-16-le", "replace") or decode_source(Source(body=narrow))
    return text.rstrip("\x00")


def _outlook_sender(file: CompoundFile, folder: str = "") -> str:
    name = _outlook_text(file, _SENDER, folder)
    address = _outlook_text(file, _SMTP, folder) or _outlook_text(file, _ADDRESS, folder)
    return f"{name} <{address}>" if name and "@" in address and name != address else name or address


def _outlook_sent_at(file: CompoundFile, folder: str = "") -> datetime | None:
    """Return when a message was sent, from its FILETIME property; None where it has none."""
    raw = file.read_stream(f"{folder}{_PROPERTIES_STREAM}")[_INNER_HEAD if folder else _TOP_HEAD :]
    times = {}
    for offset in range(0, len(raw) - _PROPERTY_BYTES + 1, _PROPERTY_BYTES):
        kind, name, _, value = struct.unpack_from("<HHIQ", raw, offset)
        if kind == _FILETIME_TYPE:
            times[name] = value - value % 10_000_000
    return filetime_moment(next((times[name] for name in _SENT_PROPERTIES if times.get(name)), 0))


def _outlook_attachments(
    file: CompoundFile, losses: Losses, folder: str, depth: int
) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Return the attached messages, each under its subject, and the other attachments."""
    matches = (
        _ATTACHMENT_PATTERN.match(key, len(folder)) for key in file.paths if key.startswith(folder)
    )
    folders = sorted({f"{folder}{match[1]}" for match in matches if match})
    inside, files = [], []
    for attachment in folders:
        inner = f"{attachment}{_PROPERTY_STREAM_PREFIX}{_MESSAGE}/"
        names = (_outlook_text(file, name, attachment) for name in _FILE_NAMES)
        name = next((name for name in names if name), "")
        is_message = f"{inner}{_PROPERTIES_STREAM}" in file.paths
        if is_message and depth >= MAX_MESSAGE_DEPTH:
            losses.add_cut("depth", _DEPTH_NOTE)
        if is_message and depth < MAX_MESSAGE_DEPTH:
            subject = one_line(_outlook_text(file, _SUBJECT, inner)) or one_line(name) or "Message"
            text = _outlook_to_markdown(file, losses, inner, depth + 1)
            inside.append(f"## {disarm_pictures(subject)}\n\n{text}")
        else:
            kind = _outlook_text(file, _MEDIA_TYPE, attachment) or "application/octet-stream"
            size = file.stream_size(f"{attachment}{_PROPERTY_STREAM_PREFIX}{_CONTENT}")
            files.append((name, kind, size))
    return inside, files


READERS: Final = {"mail": read_mail, "outlook": read_outlook}
