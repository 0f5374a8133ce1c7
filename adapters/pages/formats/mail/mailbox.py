"""A mailbox, ``.mbox``: messages one after the other, each behind a line that begins with "From ".

RFC 4155
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...safe_text import one_line
from ..draft import Draft, Source, corrupt_error, finish_page
from ..markdown_writing import disarm_pictures
from ..office.package import TooLargeError
from .message import message_markdown, read_mail
from .mime_parts import BROKEN, header_text, parse_message

_BEGINS: Final = re.compile(rb"^From [^\n]{1,200}\d\d:\d\d[^\n]{0,60}\n", re.MULTILINE)
_MAX_MESSAGES: Final = 1_000
_MAX_MAILBOX_CHARS: Final = 4_000_000


def read_mailbox(source: Source) -> Result[ReadPage, WebError]:
    """Return the messages, each under its subject; one alone is read as a message."""
    messages = _BEGINS.split(source.body)[1:]
    if len(messages) <= 1:
        return read_mail(source)
    texts = list(_sections(messages))
    if not any(texts):
        return corrupt_error("it is not a whole mailbox")
    notes = []
    if lost := sum(not text for text in texts):
        notes.append(f"messages that could not be read: {lost:,}")
    if len(texts) < len(messages):
        notes.append(f"only the first {len(texts):,} of {len(messages):,} messages")
    content = "\n\n".join(text for text in texts if text)
    return finish_page(Draft(content=content, title=source.file_name, notes=tuple(notes)))


def _sections(messages: list[bytes]) -> Iterator[str]:
    """Yield messages as long as there is room."""
    size = 0
    for message in messages[:_MAX_MESSAGES]:
        text = _section(message)
        size += len(text)
        if size > _MAX_MAILBOX_CHARS:
            return
        yield text


def _section(raw: bytes) -> str:
    """Return a message under its subject; nothing where it is none."""
    try:
        # A line of its text that begins as the next message would was marked.
        message = parse_message(raw.replace(b"\n>From ", b"\nFrom "))
        subject = disarm_pictures(one_line(header_text(message, "Subject"))) or "Message"
        return f"## {subject}\n\n{message_markdown(message)}"
    except (TooLargeError, RecursionError, *BROKEN):
        return ""
