"""Text and markdown files: what is in them, and what they say about themselves."""

import os
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import SourceUnreadable

DOCUMENT_ENDINGS = (
    "md", "markdown", "mdx", "txt", "text", "rst", "html", "htm", "xhtml", "pdf", "docx", "pptx",
    "xlsx", "ipynb",
)  # fmt: skip
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))


def documents_in(path: Path) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order; a file is its own document.

    Hidden files and folders are left out, and so is what a link to a folder leads to.
    """
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if _is_seen(name))
        for name in sorted(files):
            if _is_seen(name) and name.rpartition(".")[2].lower() in DOCUMENT_ENDINGS:
                yield Path(folder, name)


def _is_seen(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED


# Files as places on the web: each has an http URL, because every result row must have one.

FILE_SITE = "http://file.localhost"


def file_url(path: Path) -> str:
    """Return the URL under which a file stands in results.

    >>> file_url(Path("/notes/to do.md"))
    'http://file.localhost/notes/to%20do.md'
    """
    return FILE_SITE + path.absolute().as_uri().removeprefix("file://")


def file_path(url: str) -> Path | None:
    """Return the file that a URL stands for; None when it is a page of the web.

    >>> str(file_path("http://file.localhost/notes/to%20do.md"))
    '/notes/to do.md'
    """
    if not url.startswith(f"{FILE_SITE}/"):
        return None
    path = unquote(url.removeprefix(FILE_SITE), "utf-8", "surrogateescape")
    # A drive letter, as in /C:/notes, has no slash in front of it.
    return Path(path[1:] if path[2:3] == ":" else path)


def is_web_address(text: str) -> bool:
    """Tell whether a user means a page of the web, not a file."""
    return text.lower().startswith(("http://", "https://")) and file_path(text) is None


MOST_BYTES = 64 * 1024 * 1024
_LONGEST_TITLE = 200
_SNIFFED = 8192


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A document's text in markdown, and what it says about itself."""

    title: str
    text: str
    published: str | None = None
    language: str | None = None


_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)
_FIELD = re.compile(
    r"^(title|date|published|lang|language)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*\r?$", re.MULTILINE
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
    """Read markdown: title, date and language are in its front matter, or its first heading."""
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
    language = fields.get("language") or fields.get("lang")
    return Success(Reading(title=title, text=body, published=published, language=language))


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
    match = _DAY.match(text or "")
    try:
        return date.fromisoformat(match[0]).isoformat() if match else None
    except ValueError:
        return None
