"""Documents in folders: how to find them, their URLs in results, and the text of text files."""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias
from urllib.parse import unquote

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.dates import leading_iso_date
from webseam.ports.errors import SourceUnreadable
from webseam.ports.targets import FILE_HOST

from .held_files import is_held_store

DOCUMENT_ENDINGS = (
    "md", "markdown", "mdx", "txt", "text", "rst", "html", "htm", "xhtml", "pdf", "docx", "docm",
    "dotx", "doc", "pptx", "pptm", "ppsx", "ppt", "pps", "xlsx", "xlsm", "xlsb", "xls", "ipynb",
    "epub", "odt", "ott", "ods", "odp", "fodt", "fods", "fodp", "rtf", "eml", "msg",
    "mht", "mhtml", "vtt", "srt", "nxml", "fb2", "dita", "mbox", "ics", "vcf", "opml", "ass",
    "ttml", "org", "adoc",
)  # fmt: skip
_ESCAPED_BYTE_PATTERN = re.compile(r"\\x([89a-f][0-9a-f])")
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__", "site-packages"))
# Private keys, credential stores, settings with keys. Names that a chapter of a manual may also
# have (secrets, tokens) count only with the ending of a data file.
_SECRET_NAME_PATTERN = re.compile(
    r"\.env(\..+)?|.+\.env|[._]netrc|\.pgpass|\.pypirc|\.npmrc|\.git-credentials|\.?htpasswd"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\.(?!pub$).+)?"
    r"|.+\.(pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|ovpn)"
    r"|(passwords?|passwd|(recovery|backup)[-_ ]?codes?|private[-_ ]?keys?)(\.[a-z]+)?"
    r"|(credentials?|secrets?|tokens?|api[-_ ]?keys?|service[-_ ]?account[^.]*)"
    r"(\.(txt|text|json|ya?ml|toml|ini|cfg|conf|csv|xlsx))?",
    re.IGNORECASE,
)

SkipReason: TypeAlias = Literal[
    "links", "special", "secrets", "kinds", "empty", "gone", "unreadable"
]
OnSkip: TypeAlias = Callable[[Path, SkipReason], None]
OnClosed: TypeAlias = Callable[[Path, OSError], None]
FILE_SITE = f"http://{FILE_HOST}"
MAX_FILE_BYTES = 64 * 1024 * 1024
_MAX_TITLE_CHARS = 200
_SNIFFED_BYTES = 8192
_FRONT_MATTER_PATTERN = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)
_FRONT_MATTER_FIELD_PATTERN = re.compile(
    r"^(title|date|published|lang|language)[ \t]*+:[ \t]*+"
    r"(?:\"(.*)\"[ \t]*\r?$|'(.*)'[ \t]*\r?$|(.*\S))?",
    re.MULTILINE,
)
_HEADING_PATTERN = re.compile(r"^ {0,3}#[ \t]++(.*[^\s#])", re.MULTILINE)


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """What a user allows to be read: links out of the folder, and files that look like secrets."""

    links: bool = False
    secrets: bool = False


def find_documents(
    path: Path,
    admission: Admission,
    on_skip: OnSkip,
    on_closed: OnClosed = lambda _path, _error: None,
) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order; a file is its own document.

    Hidden files and folders are left out. ``on_skip`` gets links that lead out of the folder, pipes
    and devices, files named like secrets, and files of other kinds; ``on_closed`` gets each folder
    that cannot be listed.
    """
    if not path.is_dir():
        if admission.secrets or not has_secret_name(path.name):
            yield path
        else:
            on_skip(path, "secrets")
        return
    root = path.resolve()

    def report_closed(error: OSError) -> None:
        on_closed(Path(error.filename), error)

    for file in _walk_folder_files(path, root, admission, on_skip, report_closed):
        reason = _document_skip_reason(file, root, admission)
        if reason is None:
            yield file
        else:
            on_skip(file, reason)


def _walk_folder_files(
    path: Path,
    root: Path,
    admission: Admission,
    on_skip: OnSkip,
    on_error: Callable[[OSError], None],
) -> Iterator[Path]:
    """Walk the folders, each once: links may form a cycle."""
    visited: set[Path] = set()
    for folder, folders, files in os.walk(path, onerror=on_error, followlinks=admission.links):
        real_folder = Path(folder).resolve()
        if real_folder in visited:
            folders.clear()
            continue
        visited.add(real_folder)
        folders[:] = sorted(name for name in folders if _is_visible_name(name))
        if not admission.links:
            paths = (Path(folder, name) for name in folders)
            for link in (path for path in paths if _is_link_out_of_folder(path, root)):
                on_skip(link, "links")
        yield from (Path(folder, name) for name in sorted(files) if _is_visible_name(name))


def _document_skip_reason(path: Path, root: Path, admission: Admission) -> SkipReason | None:
    if path.name.rpartition(".")[2].lower() not in DOCUMENT_ENDINGS:
        return "kinds"
    if not admission.links and _is_link_out_of_folder(path, root):
        return "links"
    if _is_special_file(path):
        return "special"
    return "secrets" if has_secret_name(path.name) and not admission.secrets else None


def has_secret_name(name: str) -> bool:
    """Tell whether a file has the name of a private key or a credential store.

    >>> [has_secret_name(name) for name in ("id_rsa", "id_rsa.pub", "secrets.md", ".env.local")]
    [True, False, False, True]
    """
    return _SECRET_NAME_PATTERN.fullmatch(name) is not None


def _is_link_out_of_folder(path: Path, root: Path) -> bool:
    try:
        return path.is_symlink() and not path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        # No permission, or a cycle: reading the file reports the error.
        return False


def _is_special_file(path: Path) -> bool:
    """Tell whether a path is something other than a file; without permission to look, False."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file; raise OSError for anything else: a pipe or a device may never end."""
    # Check before opening, because opening can affect a device, and after, because the file may
    # have been replaced. O_NONBLOCK: opening a pipe would block.
    status = path.stat()
    _check_regular_file(status)
    if is_held_store(status):
        raise OSError(errno.EBUSY, "it is a store that webseam has open")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _check_regular_file(os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


def _check_regular_file(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _is_visible_name(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED_FOLDERS


def file_url(path: Path) -> str:
    """Return the URL that a file has in results.

    >>> file_url(Path("/notes/to do.md"))
    'http://file.localhost/notes/to%20do.md'
    """
    return FILE_SITE + path.absolute().as_uri().removeprefix("file://")


def file_path(url: str) -> Path | None:
    """Return the file of a URL that ``file_url`` made; None for a web page.

    >>> str(file_path("http://file.localhost/notes/to%20do.md"))
    '/notes/to do.md'
    """
    if not url.startswith(f"{FILE_SITE}/"):
        return None
    path = unquote(url.removeprefix(FILE_SITE), "utf-8", "surrogateescape")
    # A Windows path such as /C:/notes has no slash before the drive letter.
    return Path(path[1:] if path[2:3] == ":" else path)


def path_text(path: Path) -> str:
    r"""Return a path as text that can be stored; bytes that are not UTF-8 become hex escapes.

    >>> print(path_text(Path("/notes/caf\udce9.md")))
    /notes/caf\xe9.md
    """
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def path_from_text(text: str) -> Path:
    r"""Return the path that ``path_text`` wrote; an existing path with this very name wins.

    >>> path_from_text(r"/notes/caf\xe9.md") == Path("/notes/caf\udce9.md")
    True
    """
    raw = _ESCAPED_BYTE_PATTERN.sub(lambda match: chr(0xDC00 + int(match[1], 16)), text)
    return Path(text if os.path.lexists(text) else raw)


def is_web_address(text: str) -> bool:
    """Tell whether a text is the address of a web page, not of a file."""
    return text.strip().lower().startswith(("http://", "https://")) and file_path(text) is None


class DocumentText(msgspec.Struct, frozen=True, kw_only=True):
    """A document's text in markdown, and the metadata that it states."""

    title: str
    text: str
    published: str | None = None
    language: str | None = None


# Takes a text and a language tag; returns the ISO date in it, or None.
ReadDate: TypeAlias = Callable[[str, str], str | None]


def read_text(content: bytes, name: str) -> Result[DocumentText, SourceUnreadable]:
    """Read plain text; the title is the first line if that is short, else the file's name."""
    decoded = decode_text(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    first_line = text.lstrip().partition("\n")[0].strip()
    title = first_line if 0 < len(first_line) <= _MAX_TITLE_CHARS else name
    return Success(DocumentText(title=title, text=text))


def read_markdown(
    content: bytes, name: str, read_date: ReadDate | None = None
) -> Result[DocumentText, SourceUnreadable]:
    """Read markdown with title, date and language from its front matter, or its first heading.

    ``read_date`` parses a date in the document's language.
    """
    decoded = decode_text(content)
    if isinstance(decoded, Failure):
        return decoded
    text = decoded.unwrap()
    front = _FRONT_MATTER_PATTERN.match(text)
    written = _FRONT_MATTER_FIELD_PATTERN.findall(front[1]) if front else ()
    fields = {name: "".join(forms) for name, *forms in written}
    body = text[front.end() :] if front else text
    heading = _HEADING_PATTERN.search(body)
    title = fields.get("title") or (heading[1] if heading else name)
    language = fields.get("language") or fields.get("lang")
    stated_date = fields.get("date") or fields.get("published") or ""
    parsed = leading_iso_date(read_date(stated_date, language or "")) if read_date else None
    published = leading_iso_date(stated_date) or parsed
    return Success(DocumentText(title=title, text=body, published=published, language=language))


def decode_text(content: bytes) -> Result[str, SourceUnreadable]:
    """Return the text of a file; NUL bytes mean binary, unless it has a UTF-16 mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Success(content.decode("utf-16", "replace"))
    if b"\x00" in content[:_SNIFFED_BYTES]:
        return Failure(SourceUnreadable(reason="it is not text"))
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Success(content.decode("cp1252", "replace"))
