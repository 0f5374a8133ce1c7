"""Recognise the inputs of a run and compute their identity."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters import folder_files
from webseam.adapters.features.bulk.datasets.file_names import display_file_name, is_text_name
from webseam.ports.errors import InvalidQuery, WebError

from ...wiring.typed_addresses import typed_url

PLAN: Final = "_plan.json"
# Every report begins with this, so a run that reads the folder can skip it.
REPORT_HEAD: Final = "<!doctype html><html lang=en><meta charset=utf-8><title>webseam bulk</title>"
_REPORT_HEAD_BYTES: Final = REPORT_HEAD.encode()
_PAGE_SOURCE_KINDS = frozenset({"warc", "folder", "file"})
_DIGEST_END_BYTES = 1024 * 1024


def source_input_files(
    folder: Path,
    run_folder: Path,
    on_skip: folder_files.OnSkip = lambda _path, _reason: None,
    on_closed: Callable[[], None] = lambda: None,
) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order.

    Files of runs are skipped, also those in ``run_folder``, the folder of the current run.
    ``on_closed`` is called for each unreadable folder below. Raises ``OSError`` when ``folder``
    itself is unreadable.
    """
    is_of_run = _make_run_folder_test(folder, run_folder.resolve())

    def report_skip(path: Path, reason: folder_files.SkipReason) -> None:
        if not is_of_run(path.parent):
            on_skip(path, reason)

    for path in folder_files.find_documents(
        folder,
        folder_files.Admission(),
        report_skip,
        _make_closed_folder_handler(folder, on_closed),
    ):
        if not is_of_run(path.parent) and not _is_report(path):
            yield path


def _make_closed_folder_handler(top: Path, on_closed: Callable[[], None]) -> folder_files.OnClosed:
    def skip_closed_folder(path: Path, error: OSError) -> None:
        if path == top:
            raise error
        on_closed()

    return skip_closed_folder


def _make_run_folder_test(top: Path, run_folder: Path) -> Callable[[Path], bool]:
    @lru_cache(maxsize=1000)
    def is_of_run(path: Path) -> bool:
        if path == top:
            return False
        is_run = (path / PLAN).is_file() or path.resolve() == run_folder
        return is_run or is_of_run(path.parent)

    return is_of_run


def _is_report(path: Path) -> bool:
    if not path.name.lower().endswith((".html", ".htm", ".xhtml")):
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_REPORT_HEAD_BYTES)) == _REPORT_HEAD_BYTES
    except OSError:
        return False


SourceKind: TypeAlias = Literal[
    "warc", "folder", "file", "parquet", "text", "csv", "tsv", "jsonl", "stdin", "site", "url"
]
_LIST_KINDS_BY_ENDING: dict[str, SourceKind] = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".txt": "text",
    ".urls": "text", ".list": "text",
}  # fmt: skip
_KINDS_BY_ENDING: dict[str, SourceKind] = {
    ".warc": "warc",
    ".warc.gz": "warc",
    ".warc.zst": "warc",
    ".parquet": "parquet",
    **_LIST_KINDS_BY_ENDING,
    **{f"{ending}.gz": kind for ending, kind in _LIST_KINDS_BY_ENDING.items()},
    ".xml": "site",
    ".xml.gz": "site",
    ".rss": "site",
    ".atom": "site",
}


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One input: its kind, and its name as it was typed."""

    kind: SourceKind
    name: str

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.name)

    @property
    def is_remote(self) -> bool:
        """Whether it is a URL."""
        return _is_url(self.name)


def recognise_source(typed: str) -> Result[Source, WebError]:
    """Return the kind of an input, by its URL or its file's ending."""
    if not is_text_name(typed):
        hint = "percent-encode an address, rename a file"
        return _refuse_input(f"{display_file_name(typed)} is not written in UTF-8; {hint}")
    if typed == "-":
        return Success(Source(kind="stdin", name=typed))
    for prefix in ("sitemap:", "feed:"):
        if typed.startswith(prefix):
            return _recognise_site_list(typed.removeprefix(prefix))
    if _is_url(typed):
        return Success(_url_source(typed))
    # A misspelt list is no host, as in urls.txt.
    is_list_name = "/" not in typed and _source_kind_by_ending(typed) is not None
    url = None if is_list_name else typed_url(typed)
    return _file_source(typed) if url is None else Success(_url_source(url))


def _recognise_site_list(text: str) -> Result[Source, WebError]:
    try:
        exists = _is_url(text) or Path(text).is_file()
    except OSError as error:
        return _refuse_unopened(text, error)
    if exists:
        return Success(Source(kind="site", name=text))
    return _refuse_input(f"there is no file or address {text!r}")


def _url_source(text: str) -> Source:
    # Not urlsplit: it raises for a malformed URL, and the row of the URL reports that.
    path = text.partition("#")[0].partition("?")[0]
    return Source(kind="site" if _source_kind_by_ending(path) == "site" else "url", name=text)


def _is_url(text: str) -> bool:
    return text[:8].lower().startswith(("http://", "https://"))


def _file_source(text: str) -> Result[Source, WebError]:
    path = Path(text)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError as error:
        return _refuse_unopened(text, error)
    if is_folder:
        return Success(Source(kind="folder", name=text))
    if not is_file:
        return _refuse_input(f"there is no file, folder or address {text!r}")
    is_document = path.name.rpartition(".")[2].lower() in folder_files.DOCUMENT_ENDINGS
    kind = _source_kind_by_ending(path.name) or ("file" if is_document else None)
    if kind is not None:
        return Success(Source(kind=kind, name=text))
    others = (
        ending
        for ending in _KINDS_BY_ENDING
        if ending.removesuffix(".gz") not in _LIST_KINDS_BY_ENDING
    )
    endings, lists = ", ".join(others), ", ".join(_LIST_KINDS_BY_ENDING)
    return _refuse_input(
        f"{text!r} has no known ending ({endings}; {lists}, these also as .gz) and is no page"
    )


def source_identity(source: Source, run_folder: Path) -> list[object]:
    """Return what identifies a source for a run in ``run_folder``; raises ``OSError``."""
    if source.is_remote or source.kind == "stdin":
        return [source.kind, source.name]
    if source.kind == "folder":
        return [source.kind, source.name, *_folder_listing_digest(source.path, run_folder)]
    return [source.kind, source.name, source.path.stat().st_size, _source_ends_digest(source.path)]


def _source_ends_digest(path: Path) -> str:
    """Return a digest of a file's first and last MiB; different files rarely share both."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        digest.update(stream.read(_DIGEST_END_BYTES))
        if (size := path.stat().st_size) > _DIGEST_END_BYTES:
            stream.seek(max(_DIGEST_END_BYTES, size - _DIGEST_END_BYTES))
            digest.update(stream.read(_DIGEST_END_BYTES))
    return digest.hexdigest()


def source_bytes_to_read(sources: Iterable[Source]) -> int:
    """Return the bytes of the sources that hold pages, without reading them."""
    files = (source.path for source in sources if source.kind in _PAGE_SOURCE_KINDS)
    return sum(path.stat().st_size for path in files)


def _folder_listing_digest(folder: Path, run_folder: Path) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for path in source_input_files(folder, run_folder):
        count += 1
        size = path.stat().st_size if path.exists() else -1
        digest.update(os.fsencode(path.relative_to(folder).as_posix()) + f"\0{size}\n".encode())
    return count, digest.hexdigest()


def _source_kind_by_ending(name: str) -> SourceKind | None:
    lower = name.lower()
    return next((kind for ending, kind in _KINDS_BY_ENDING.items() if lower.endswith(ending)), None)


def _refuse_unopened(text: str, error: OSError) -> Failure[WebError]:
    return _refuse_input(f"{text[:100]!r} cannot be opened: {(error.strerror or '').lower()}")


def _refuse_input(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="input", reason=reason))
