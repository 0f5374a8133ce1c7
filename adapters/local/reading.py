"""Text and markdown files: what is in them, and what they say about themselves."""

import re
from datetime import date

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import SourceUnreadable

MOST_BYTES = 64 * 1024 * 1024
_LONGEST_TITLE = 200
_SNIFFED = 8192


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A document's text in markdown, and what it says about itself."""

    title: str
    text: str
    published: str | None = None


_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)
_FIELD = re.compile(
    r"^(title|date|published)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*\r?$", re.MULTILINE
)
_FIRST_HEADING = re.compile(r"^ {0,3}#[ \t]+(.+?)[ \t#]*\r?$", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def read_text(content: bytes, name: str) -> Result[Reading, SourceUnreadable]:
    """Read plain text: its title is its first line if that is short, else the file's name."""
    decoded = decode(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    first = text.lstrip().partition("\n")[0].strip()
    title = first if 0 < len(first) <= _LONGEST_TITLE else name
    return Success(Reading(title=title, text=text))


def read_markdown(content: bytes, name: str) -> Result[Reading, SourceUnreadable]:
    """Read markdown: its title and date are in its front matter, or its first heading."""
    decoded = decode(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    front = _FRONT_MATTER.match(text)
    fields = dict(_FIELD.findall(front[1])) if front else {}
    body = text[front.end() :] if front else text
    heading = _FIRST_HEADING.search(body)
    title = fields.get("title") or (heading[1] if heading else name)
    published = day(fields.get("date") or fields.get("published"))
    return Success(Reading(title=title, text=body, published=published))


def decode(content: bytes) -> Result[str, SourceUnreadable]:
    """Return the text of a file; what holds NUL bytes is no text, but UTF-16 by its mark is."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Success(content.decode("utf-16", "replace"))
    if b"\x00" in content[:_SNIFFED]:
        return Failure(SourceUnreadable(reason="it is not text"))
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Success(content.decode("cp1252", "replace"))


def day(text: str | None) -> str | None:
    """Return the day that a date or time begins with, if it is one.

    >>> day("2026-01-31T10:00:00Z"), day("soon"), day("2026-13-01")
    ('2026-01-31', None, None)
    """
    found = _DAY.match(text or "")
    try:
        return date.fromisoformat(found[0]).isoformat() if found else None
    except ValueError:
        return None
