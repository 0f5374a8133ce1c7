"""What MIME messages are made of, read with the standard library's parser, which loads nothing."""

import codecs
import re
from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from typing import Final

from ..detection.charset import decode_source
from ..draft import Source
from ..office.package import TooLargeError

_MAX_MIME_PARTS: Final = 2_000
_MAX_MESSAGE_BYTES: Final = 32 * 1024 * 1024
# The parser takes a microsecond a line, and the square of the encoded words of a header.
_MAX_HEAD_BYTES: Final = 1_000_000
_MAX_HEADER_CHARS: Final = 120_000
_HEAD_ENDS: Final = re.compile(rb"\n\r?\n")
# What the standard library raises on headers and bodies that are not what they say.
BROKEN: Final = (
    MessageError, ValueError, LookupError, TypeError, IndexError, AttributeError, OverflowError,
)  # fmt: skip


def parse_message(body: bytes) -> Message:
    """Parse a message; the older policy keeps headers as they are, and does not choke on them."""
    is_endless = len(body) > _MAX_HEAD_BYTES and not _HEAD_ENDS.search(body, 0, _MAX_HEAD_BYTES)
    if is_endless or body.count(b"\n--") > _MAX_MIME_PARTS:
        raise TooLargeError
    return BytesParser(policy=policy.compat32).parsebytes(
        body[:_MAX_MESSAGE_BYTES].removeprefix(codecs.BOM_UTF8)
    )


def header_text(message: Message, name: str) -> str:
    """Return a header as text, also where its letters were sent as they are (RFC 6532).

    Empty when there is none.
    """
    found = (value for key, value in message.raw_items() if key.lower() == name.lower())
    raw = next(found, "")
    sent = raw.encode("utf-8", "surrogateescape")
    return plain_header(decode_source(Source(body=sent)) if sent else "")


def plain_header(text: str) -> str:
    """Return a header without the encoding it travelled in (RFC 2047).

    >>> plain_header("=?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?big5?b?pKSk5Q==?=")
    'Grüße from 中文'
    """
    try:
        pieces = decode_header(text[:_MAX_HEADER_CHARS])
    except BROKEN:
        return text
    return "".join(_decoded_piece(piece, charset) for piece, charset in pieces)


def _decoded_piece(piece: bytes | str, charset: str | None) -> str:
    # By the codecs that browsers have: a worker is shut in and could load no other.
    if isinstance(piece, str):
        return piece
    content_type = f"charset={charset}" if charset else ""
    return decode_source(Source(body=piece, content_type=content_type))


def leaf_parts(message: Message) -> Iterator[Message]:
    """Yield the parts that hold something: no containers, and not what is inside a message."""
    if not message.is_multipart():
        yield message
        return
    if message.get_content_maintype() == "message":
        yield message
        return
    for part in message.get_payload():
        if isinstance(part, Message):
            yield from leaf_parts(part)


def decoded_payload(part: Message) -> bytes:
    """Return the bytes of a part, without their transfer encoding."""
    try:
        content = part.get_payload(decode=True)
    except BROKEN:
        return b""
    return content if isinstance(content, bytes) else b""


def part_text(part: Message) -> str:
    """Return the words of a part, by the charset it names."""
    return decode_source(
        Source(body=decoded_payload(part), content_type=str(part.get("Content-Type", "")))
    )


def file_name(part: Message) -> str:
    """Return what an attachment is called; empty for a part that is shown."""
    try:
        name = part.get_filename()
    except BROKEN:
        return ""
    return plain_header(name) if name else ""
