"""Inputs as they are typed: what each of them is, and how it is known again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.bulk.datasets.file_names import display_file_name, is_text_name
from ....adapters.folder_files import (
    DOCUMENT_ENDINGS,
    Admission,
    OnClosed,
    OnSkip,
    SkipReason,
    find_documents,
)
from ....ports.errors import InvalidQuery, WebError

PLAN: Final = "_plan.json"
# How every report begins, so that it is known among pages.
REPORT_HEAD: Final = "<!doctype html><html lang=en><meta charset=utf-8><title>webseam bulk</title>"
_REPORT: Final = REPORT_HEAD.encode()
_FOLDERS_ENDINGS: Final = (".html", ".htm", ".xhtml")


def input_files(
    folder: Path,
    run_folder: Path,
    on_skip: OnSkip = lambda _path, _reason: None,
    on_closed: Callable[[], None] = lambda: None,
) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order.

    ``run_folder`` is where the run writes that asks; ``on_closed`` is called for each folder below
    that cannot be looked into. Raises ``OSError`` where that is the folder itself.
    """
    is_of_run = _left_by_runs(folder, run_folder.resolve())

    def tell(path: Path, reason: SkipReason) -> None:
        if not is_of_run(path.parent):
            on_skip(path, reason)

    for path in find_documents(folder, Admission(), tell, _below(folder, on_closed)):
        if not is_of_run(path.parent) and not _is_report(path):
            yield path


def _below(top: Path, on_closed: Callable[[], None]) -> OnClosed:
    def pass_over(path: Path, error: OSError) -> None:
        if path == top:
            raise error
        on_closed()

    return pass_over


def _left_by_runs(top: Path, own: Path) -> Callable[[Path], bool]:
    @lru_cache(maxsize=1000)
    def is_of_run(place: Path) -> bool:
        if place == top:
            return False
        is_run = (place / PLAN).is_file() or place.resolve() == own
        return is_run or is_of_run(place.parent)

    return is_of_run


def _is_report(path: Path) -> bool:
    if not path.name.lower().endswith(_FOLDERS_ENDINGS):
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_REPORT)) == _REPORT
    except OSError:
        return False


# Inputs as they are typed: what each of them is, and how it is known again.

SourceKind: TypeAlias = Literal[
    "warc", "folder", "file", "parquet", "text", "csv", "tsv", "jsonl", "stdin", "site", "url"
]
_LISTS: dict[str, SourceKind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "text",
    ".urls": "text",
    ".list": "text",
}
_ENDINGS: dict[str, SourceKind] = {
    ".warc": "warc",
    ".warc.gz": "warc",
    ".warc.zst": "warc",
    ".parquet": "parquet",
    **_LISTS,
    **{f"{ending}.gz": kind for ending, kind in _LISTS.items()},
    ".xml": "site",
    ".xml.gz": "site",
    ".rss": "site",
    ".atom": "site",
}
_SITE = ("sitemap:", "feed:")
_PAGES = frozenset({"warc", "folder", "file"})
_END = 1024 * 1024


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One input: what it is, and its name as it was typed."""

    kind: SourceKind
    name: str

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.name)

    @property
    def is_remote(self) -> bool:
        """Whether it is an address."""
        return _is_address(self.name)


def recognise_source(typed: str) -> Result[Source, WebError]:
    """Return what an input is: by its address, else by its file's ending."""
    if not is_text_name(typed):
        shown = display_file_name(typed)
        return _refuse(f"{shown} is not written in UTF-8; percent-encode an address, rename a file")
    if typed == "-":
        return Success(Source(kind="stdin", name=typed))
    for prefix in _SITE:
        if typed.startswith(prefix):
            return _recognise_list(typed.removeprefix(prefix))
    return Success(_recognise_address(typed)) if _is_address(typed) else _recognise_file(typed)


def _recognise_list(word: str) -> Result[Source, WebError]:
    try:
        is_there = _is_address(word) or Path(word).is_file()
    except OSError as error:
        return _unopened(word, error)
    if is_there:
        return Success(Source(kind="site", name=word))
    return _refuse(f"there is no file or address {word!r}")


def _recognise_address(word: str) -> Source:
    # Not by urlsplit, which raises for what is no address: that is for its row to say.
    path = word.partition("#")[0].partition("?")[0]
    return Source(kind="site" if _ending(path) == "site" else "url", name=word)


def _is_address(word: str) -> bool:
    return word[:8].lower().startswith(("http://", "https://"))


def _recognise_file(word: str) -> Result[Source, WebError]:
    path = Path(word)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError as error:
        return _unopened(word, error)
    if is_folder:
        return Success(Source(kind="folder", name=word))
    if not is_file:
        return _refuse(f"there is no file, folder or address {word!r}")
    kind = _ending(path.name) or ("file" if _is_document(path) else None)
    if kind is not None:
        return Success(Source(kind=kind, name=word))
    endings = ", ".join(ending for ending in _ENDINGS if ending.removesuffix(".gz") not in _LISTS)
    lists = ", ".join(_LISTS)
    return _refuse(
        f"{word!r} is of no kind that is known: {endings}, {lists} (these also as .gz), a page or "
        "a folder"
    )


def source_identity(source: Source, run_folder: Path) -> list[object]:
    """Return the identity of a source for a run in ``run_folder``. Raises ``OSError``."""
    if source.is_remote or source.kind == "stdin":
        return [source.kind, source.name]
    if source.kind == "folder":
        return [source.kind, source.name, *_listing(source.path, run_folder)]
    return [source.kind, source.name, source.path.stat().st_size, _ends_digest(source.path)]


def _ends_digest(path: Path) -> str:
    """Return the digest of a file's beginning and end: another file is hardly the same in both."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        digest.update(stream.read(_END))
        size = path.stat().st_size
        if size > _END:
            stream.seek(max(_END, size - _END))
            digest.update(stream.read(_END))
    return digest.hexdigest()


def size_to_read(sources: Iterable[Source]) -> int:
    """Return how many bytes are pages already, as far as that is told without reading them."""
    files = (source.path for source in sources if source.kind in _PAGES)
    return sum(path.stat().st_size for path in files)


def _listing(folder: Path, own: Path) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for path in input_files(folder, own):
        count += 1
        size = path.stat().st_size if path.exists() else -1
        digest.update(os.fsencode(path.relative_to(folder).as_posix()) + f"\0{size}\n".encode())
    return count, digest.hexdigest()


def _ending(name: str) -> SourceKind | None:
    lower = name.lower()
    return next((kind for ending, kind in _ENDINGS.items() if lower.endswith(ending)), None)


def _is_document(path: Path) -> bool:
    return path.name.rpartition(".")[2].lower() in DOCUMENT_ENDINGS


def _unopened(word: str, error: OSError) -> Failure[WebError]:
    return _refuse(f"{word[:100]!r} cannot be opened: {(error.strerror or '').lower()}")


def _refuse(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="input", reason=reason))
