"""Where pages are written to: one file for all, or a folder with a file for each."""

import hashlib
import os
import re
from pathlib import Path
from tempfile import TemporaryFile

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.stores.text_files import os_error_reason
from ...ports.errors import InvalidQuery, StoreFailed
from .screen.formats import Format

OUTPUT_FLAG = "--output"
# What is still to be read stands here, ready for ``webseam extract -``.
FAILED_URLS_FILE = "failed.txt"
_SUFFIXES: dict[Format, str] = {
    "markdown": ".md",
    "text": ".txt",
    "json": ".json",
    "html": ".html",
}
# What a file's name asks for where --format says nothing; any other name means markdown.
_FORMS: dict[str, Format] = {
    ".txt": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".html": "html",
}
_MAX_FILE_NAME_CHARS = 80
_ODD = re.compile(r"[^A-Za-z0-9.]+")


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a folder; ``force`` replaces what is there."""

    path: Path
    folder: bool
    form: Format
    force: bool = False

    def file_of(self, url: str) -> Path:
        """Return the file of a page in the folder."""
        return self.path / page_name(url, _SUFFIXES[self.form])

    def has(self, url: str) -> bool:
        """Tell whether a page is there already, and is to stay."""
        return self.folder and not self.force and self.file_of(url).exists()


def read_destination(
    path_text: str | None, form: Format | None, *, force: bool
) -> Result[Destination | None, InvalidQuery]:
    """Return where to write to, None for standard output, or why it cannot be there."""
    if path_text is None:
        return Success(None)
    path = Path(path_text)
    folder = path_text.endswith(("/", os.sep)) or path.is_dir()
    wanted = form or ("markdown" if folder else _FORMS.get(path.suffix.lower(), "markdown"))
    if folder and wanted not in _SUFFIXES:
        reason = f"a folder has a file for each page, and {wanted} is one file for all"
        return Failure(InvalidQuery(field=OUTPUT_FLAG, reason=reason))
    if folder and path.exists() and not path.is_dir():
        return Failure(InvalidQuery(field=OUTPUT_FLAG, reason=f"{path_text!r} is no folder"))
    if not folder and path.exists() and not force:
        return Failure(
            InvalidQuery(field=OUTPUT_FLAG, reason=f"{path_text!r} is there; --force replaces it")
        )
    unwritable = _unwritable(path if folder else path.parent)
    if unwritable is not None:
        reason = f"{path_text!r} cannot be written: {unwritable}"
        return Failure(InvalidQuery(field=OUTPUT_FLAG, reason=reason))
    return Success(Destination(path=path, folder=folder, form=wanted, force=force))


def _unwritable(folder: Path) -> str | None:
    """Return why nothing can be written into a folder; it need not be there yet.

    Pages may cost money: this is known before the first is asked for.
    """
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    try:
        with TemporaryFile(dir=there):
            return None
    except OSError as error:
        return os_error_reason(error)


def page_name(url: str, suffix: str) -> str:
    """Return a name that any file system takes, and that no other page has.

    >>> page_name("https://tides.example/ports/brest?day=1", ".md")
    'tides.example-ports-brest-day-1-2bfc1f1e.md'
    """
    spelled = _ODD.sub("-", url.partition("://")[2] or url).strip("-.")[:_MAX_FILE_NAME_CHARS]
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{spelled.rstrip('-.') or 'page'}-{digest}{suffix}"


def write_whole(path: Path, text: str) -> Result[None, StoreFailed]:
    """Write a file whole or not at all; its folder is made when it is needed."""
    unfinished = path.with_name(f".webseam-{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_text(text, encoding="utf-8", errors="replace", newline="")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        return Failure(StoreFailed(store=str(path), reason=os_error_reason(error)))
    return Success(None)
