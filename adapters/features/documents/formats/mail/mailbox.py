"""Files of messages: a mailbox, and MHTML, a web page saved as one message."""

import re
from collections.abc import Iterator
from email.message import Message
from typing import Final

from returns.result import Failure

from webseam.ports.errors import ParseFailed

from ..draft import Cut, Draft, Losses, PageResult, Source, corrupt_failure, finish_draft
from ..embedded_html import HtmlReader
from ..office.package import TooLargeError
from . import outlook

_FROM_LINE_PATTERN: Final = re.compile(rb"^From [^\n]{1,200}\d\d:\d\d[^\n]{0,60}\n", re.MULTILINE)
_MAX_MESSAGES: Final = 1_000
_MAX_MAILBOX_CHARS: Final = 4_000_000
# MHTML holds a page and its pictures; only the page is read.
_PAGE_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})


def read_mailbox(source: Source) -> PageResult:
    """Return the messages, each under its subject; a single message is read as mail."""
    messages = _FROM_LINE_PATTERN.split(source.body)[1:]
    if len(messages) <= 1:
        return outlook.read_mail(source)
    losses = Losses()
    texts = list(_sections(messages, losses))
    if not any(texts):
        return corrupt_failure("it is not a whole mailbox")
    cuts = [*losses.cuts]
    if lost := sum(not text for text in texts):
        cuts.append(Cut("damaged", f"messages that could not be read: {lost:,}"))
    if len(texts) < len(messages):
        note = f"only the first {len(texts):,} of {len(messages):,} messages"
        cuts.append(Cut("messages", note))
    content = "\n\n".join(text for text in texts if text)
    return finish_draft(
        Draft(content=content, title=source.file_name, cuts=tuple(cuts), parts=tuple(losses.parts))
    )


def _sections(messages: list[bytes], losses: Losses) -> Iterator[str]:
    size = 0
    for message in messages[:_MAX_MESSAGES]:
        text = _message_section(message, losses)
        size += len(text)
        if size > _MAX_MAILBOX_CHARS:
            return
        yield text


def _message_section(raw: bytes, losses: Losses) -> str:
    """Return a message under its subject; empty where it cannot be parsed."""
    try:
        # Mailboxes escape a line of text that begins with "From ".
        message = outlook.parse_mail(raw.replace(b"\n>From ", b"\nFrom "))
        return outlook.mail_section(message, losses)
    except (TooLargeError, RecursionError, *outlook.MAIL_ERRORS):
        return ""


def read_mhtml_archive(source: Source, read_html: HtmlReader) -> PageResult:
    """Read the saved page under the URL from which it was saved."""
    try:
        message = outlook.parse_mail(source.body)
        parts = outlook.mail_leaf_parts(message)
        pages = [part for part in parts if part.get_content_type() in _PAGE_TYPES]
        start = str(message.get_param("start", ""))
    except (TooLargeError, RecursionError):
        return Failure(ParseFailed(reason="too_complex", detail="it has too many parts"))
    except outlook.MAIL_ERRORS:
        return corrupt_failure("it is not a whole saved page")
    page = next((part for part in pages if start and part.get("Content-ID") == start), None)
    page = page or (pages[0] if pages else None)
    if page is None:
        return corrupt_failure("there is no page in it")
    url = (
        _saved_page_url(page) or _saved_page_url(message, "Snapshot-Content-Location") or source.url
    )
    return read_html(
        outlook.decode_mail_payload(page), url, content_type=str(page.get("Content-Type", ""))
    )


def _saved_page_url(part: Message, name: str = "Content-Location") -> str:
    address = str(part.get(name, "")).strip()
    return address if address.startswith(("http://", "https://")) else ""


READERS: Final = {"mailbox": read_mailbox}
