"""A message: who wrote to whom, what, and what was attached."""

from __future__ import annotations

from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from returns.result import Failure, Result

from .....ports.errors import ParseFailed, WebError
from .....ports.pages import ReadPage
from ...safe_text import one_line
from ..draft import Draft, Source, corrupt_error, finish_page
from ..embedded_html import whole_markdown
from ..markdown_writing import disarm_pictures
from ..office.package import TooLargeError
from .mime_parts import (
    BROKEN,
    decoded_payload,
    file_name,
    header_text,
    leaf_parts,
    parse_message,
    part_text,
)

_SHOWN: Final = ("From", "To", "Cc", "Date")
_MAX_HEADER_LINE_CHARS: Final = 40_000
MAX_MESSAGE_DEPTH: Final = 3
# The other form of a message has to say so much more to be shown in place of the plain one.
_RICHER: Final = 1.5


def read_mail(source: Source) -> Result[ReadPage, WebError]:
    """Return a message as markdown: its head, its text, and its attachments as a list."""
    try:
        message = parse_message(source.body)
        subject = one_line(header_text(message, "Subject"))
        draft = Draft(
            content=message_markdown(message),
            title=subject or source.file_name,
            author=one_line(header_text(message, "From")),
            published_at=_day(message),
        )
    except (TooLargeError, RecursionError):
        return Failure(ParseFailed(reason="too_complex", detail="it has too many parts"))
    except BROKEN:
        return corrupt_error("it is not a whole message")
    return finish_page(draft)


def head_lines(fields: list[tuple[str, str]]) -> str:
    """Return who wrote to whom and when, a line each; what is not there has none."""
    lines = ((name, one_line(value, _MAX_HEADER_LINE_CHARS)) for name, value in fields)
    return "\n".join(f"- {name}: {disarm_pictures(value)}" for name, value in lines if value)


def attachment_lines(files: list[tuple[str, str, int]]) -> str:
    """Return attachments as a section; empty when there are none."""
    lines = [
        f"- {disarm_pictures(one_line(name)) or '(no name)'} ({kind}, {size:,} bytes)"
        for name, kind, size in files
    ]
    return "\n".join(["## Attachments", "", *lines]) if lines else ""


def best_text(plain: str, html: str) -> str:
    """Return the plain text, or what the HTML says where that is much more."""
    rich = whole_markdown(html) if html.strip() else ""
    shown = disarm_pictures(plain.replace("\r\n", "\n")).strip()
    return rich if len(rich.split()) > _RICHER * len(shown.split()) else shown


def message_markdown(message: Message, depth: int = 0) -> str:
    """Return a message with its head, its attachments, and the messages in it."""
    plain: list[str] = []
    html: list[str] = []
    files: list[tuple[str, str, int]] = []
    inside: list[str] = []
    for part in leaf_parts(message):
        kind, name = part.get_content_type(), file_name(part)
        if part.is_multipart():
            inside += _forwarded(part, depth)
        elif name or kind not in ("text/plain", "text/html"):
            files.append((name, kind, len(decoded_payload(part))))
        else:
            (plain if kind == "text/plain" else html).append(part_text(part))
    head = head_lines([(name, header_text(message, name)) for name in _SHOWN])
    text = best_text("\n\n".join(plain), "\n".join(html))
    return "\n\n".join(piece for piece in (head, text, *inside, attachment_lines(files)) if piece)


def _forwarded(part: Message, depth: int) -> list[str]:
    """Return the messages inside one, each under its subject."""
    messages = [each for each in part.get_payload() if isinstance(each, Message)]
    if depth >= MAX_MESSAGE_DEPTH:
        return []
    return [
        f"## {disarm_pictures(one_line(header_text(each, 'Subject'))) or 'Message'}"
        f"\n\n{message_markdown(each, depth + 1)}"
        for each in messages
    ]


def _day(message: Message) -> str | None:
    try:
        return parsedate_to_datetime(str(message.get("Date", ""))).isoformat()
    except BROKEN:
        return None
