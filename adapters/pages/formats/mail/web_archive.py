"""MHTML: a page and its pictures, saved as one message. Only the page is read.

RFC 2557: the root of ``multipart/related`` is the part that ``start`` names, else the first.
"""

from __future__ import annotations

from email.message import Message
from typing import Final

from returns.result import Failure, Result

from .....ports.errors import ParseFailed, WebError
from .....ports.pages import ReadPage
from ..draft import Source, corrupt_error
from ..embedded_html import HtmlReader
from ..office.package import TooLargeError
from .mime_parts import BROKEN, decoded_payload, leaf_parts, parse_message

_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


def read_web_archive(source: Source, read_html: HtmlReader) -> Result[ReadPage, WebError]:
    """Read the page that was saved, under the address it was saved from."""
    try:
        message = parse_message(source.body)
        pages = [part for part in leaf_parts(message) if part.get_content_type() in _PAGES]
        start = str(message.get_param("start", ""))
    except (TooLargeError, RecursionError):
        return Failure(ParseFailed(reason="too_complex", detail="it has too many parts"))
    except BROKEN:
        return corrupt_error("it is not a whole saved page")
    page = next((part for part in pages if start and part.get("Content-ID") == start), None)
    page = page or (pages[0] if pages else None)
    if page is None:
        return corrupt_error("there is no page in it")
    url = _address(page) or _address(message, "Snapshot-Content-Location") or source.url
    return read_html(decoded_payload(page), url, content_type=str(page.get("Content-Type", "")))


def _address(part: Message, name: str = "Content-Location") -> str:
    address = str(part.get(name, "")).strip()
    return address if address.startswith(("http://", "https://")) else ""
