"""Files: which documents a folder holds, where they stand in results, what is in those of text."""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias
from urllib.parse import unquote

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import SourceUnreadable
from ..ports.targets import FILE_HOST
from .secret_files import has_secret_name

DOCUMENT_ENDINGS = (
    "md", "markdown", "mdx", "txt", "text", "rst", "html", "htm", "xhtml", "pdf", "docx", "docm",
    "dotx", "doc", "pptx", "pptm", "ppsx", "ppt", "pps", "xlsx", "xlsm", "xlsb", "xls", "ipynb",
    "epub", "odt", "ott", "ods", "odp", "fodt", "fods", "fodp", "rtf", "eml", "msg",
    "mht", "mhtml", "vtt", "srt", "nxml", "fb2", "dita", "mbox", "ics", "vcf", "opml", "ass",
    "ttml", "org", "adoc",
)  # fmt: skip
_RAW_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))


SkipReason: TypeAlias = Literal[
    "links", "special", "secrets", "kinds", "empty", "gone", "unreadable"
]
OnSkip: TypeAlias = Callable[[Path, SkipReason], None]
OnClosed: TypeAlias = Callable[[Path, OSError], None]


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """What a user allows: links that lead out of the folder, and files that look like secrets."""

    links: bool = False
    secrets: bool = False


def _pass_over(path: Path, error: OSError) -> None:
    """Tell nobody."""
    del path, error


def find_documents(
    path: Path, admission: Admission, on_skip: OnSkip, on_closed: OnClosed = _pass_over
) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order; a file is its own document.

    Hidden files and folders are left out. A link that leads out of the folder, what is no file (a
    pipe, a device), what is called like a secret, and files of other kinds are told to ``on_skip``;
    a folder that cannot be looked into to ``on_closed``.
    """
    if not path.is_dir():
        if admission.secrets or not has_secret_name(path.name):
            yield path
        else:
            on_skip(path, "secrets")
        return
    top = path.resolve()

    def tell(error: OSError) -> None:
        on_closed(Path(error.filename), error)

    for name in _names_below(path, top, admission, on_skip, tell):
        reason = _reason_to_skip(name, top, admission)
        if reason is None:
            yield name
        else:
            on_skip(name, reason)


def _names_below(
    path: Path,
    top: Path,
    admission: Admission,
    on_skip: OnSkip,
    on_error: Callable[[OSError], None],
) -> Iterator[Path]:
    """Walk through the folders, through each once: links may lead in circles."""
    seen: set[Path] = set()
    for folder, folders, files in os.walk(path, onerror=on_error, followlinks=admission.links):
        real = Path(folder).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if _is_seen(name))
        if not admission.links:
            for away in (
                Path(folder, name) for name in folders if _leads_out(Path(folder, name), top)
            ):
                on_skip(away, "links")
        yield from (Path(folder, name) for name in sorted(files) if _is_seen(name))


def _reason_to_skip(path: Path, top: Path, admission: Admission) -> SkipReason | None:
    if not _is_document(path.name):
        return "kinds"
    if not admission.links and _leads_out(path, top):
        return "links"
    if _is_special(path):
        return "special"
    return "secrets" if has_secret_name(path.name) and not admission.secrets else None


def _leads_out(path: Path, top: Path) -> bool:
    try:
        return path.is_symlink() and not path.resolve().is_relative_to(top)
    except (OSError, RuntimeError):
        # It may not be looked at, or leads in a circle: to read it will tell.
        return False


def _is_special(path: Path) -> bool:
    """Tell whether something is there that is no file; what may not be looked at may be one."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def open_file(path: Path) -> BinaryIO:
    """Open a regular file. Raises OSError for all else: a pipe or a device may never end."""
    # Looked at before it is opened, which may already do something to a device, and after: it
    # may have been changed. Without waiting, as a pipe would otherwise have us do.
    _check_regular(path.stat())
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _check_regular(os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


def _check_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _is_document(name: str) -> bool:
    return name.rpartition(".")[2].lower() in DOCUMENT_ENDINGS


def _is_seen(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED


# Files as places on the web.

FILE_SITE = f"http://{FILE_HOST}"


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


def path_text(path: Path) -> str:
    r"""Return a path as text that can be kept: bytes of it that are no UTF-8 as numbers.

    >>> print(path_text(Path("/notes/caf\udce9.md")))
    /notes/caf\xe9.md
    """
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def path_from_text(text: str) -> Path:
    r"""Return the path that such a text stands for; one that is really spelt so comes first.

    >>> path_from_text(r"/notes/caf\xe9.md") == Path("/notes/caf\udce9.md")
    True
    """
    raw = _RAW_BYTE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), text)
    return Path(text if os.path.lexists(text) else raw)


def is_web_address(text: str) -> bool:
    """Tell whether a user means a page of the web, not a file."""
    return text.lower().startswith(("http://", "https://")) and file_path(text) is None


MAX_FILE_BYTES = 64 * 1024 * 1024
_MAX_TITLE_CHARS = 200
_SNIFFED = 8192


class DocumentText(msgspec.Struct, frozen=True, kw_only=True):
    """A document's text in markdown, and what it says about itself."""

    title: str
    text: str
    published: str | None = None
    language: str | None = None


# A date in a text, in the language of a tag.
ReadDate: TypeAlias = Callable[[str, str], str | None]
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)
_FIELD = re.compile(
    r"^(title|date|published|lang|language)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*\r?$", re.MULTILINE
)
_FIRST_HEADING = re.compile(r"^ {0,3}#[ \t]+(.+?)[ \t#]*\r?$", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def read_text(content: bytes, name: str) -> Result[DocumentText, SourceUnreadable]:
    """Read plain text: its title is its first line if that is short, else the file's name."""
    decoded = decode_text(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    first = text.lstrip().partition("\n")[0].strip()
    title = first if 0 < len(first) <= _MAX_TITLE_CHARS else name
    return Success(DocumentText(title=title, text=text))


def read_markdown(
    content: bytes, name: str, read_date: ReadDate | None = None
) -> Result[DocumentText, SourceUnreadable]:
    """Read markdown: title, date and language are in its front matter, or its first heading.

    ``read_date`` reads a date as people of a language write it.
    """
    decoded = decode_text(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    front = _FRONT_MATTER.match(text)
    fields = dict(_FIELD.findall(front[1])) if front else {}
    body = text[front.end() :] if front else text
    heading = _FIRST_HEADING.search(body)
    title = fields.get("title") or (heading[1] if heading else name)
    language = fields.get("language") or fields.get("lang")
    written = fields.get("date") or fields.get("published") or ""
    read = leading_day(read_date(written, language or "")) if read_date else None
    published = leading_day(written) or read
    return Success(DocumentText(title=title, text=body, published=published, language=language))


def decode_text(content: bytes) -> Result[str, SourceUnreadable]:
    """Return the text of a file; what holds NUL bytes is no text, but UTF-16 by its mark is."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Success(content.decode("utf-16", "replace"))
    if b"\x00" in content[:_SNIFFED]:
        return Failure(SourceUnreadable(reason="it is not text"))
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Success(content.decode("cp1252", "replace"))


def leading_day(text: str | None) -> str | None:
    """Return the day that a date or time begins with, if it is one.

    >>> leading_day("2026-01-31T10:00:00Z"), leading_day("soon"), leading_day("2026-13-01")
    ('2026-01-31', None, None)
    """
    match = _DAY.match(text or "")
    try:
        return date.fromisoformat(match[0]).isoformat() if match else None
    except ValueError:
        return None
