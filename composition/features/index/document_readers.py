"""Readers of pages and files for the index, with one event loop for all threads."""

import asyncio
import errno
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Self, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters import folder_files
from webseam.adapters.features.index.documents import IndexDocument, document_digest
from webseam.adapters.features.index.ingestion import IngestItem, SkippedDocument
from webseam.adapters.pages.detection import media_type_of_name
from webseam.adapters.pages.workers.pool import Workers
from webseam.adapters.timer import asyncio_timer
from webseam.adapters.values.dates import iso_date
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract
from webseam.kernel.text.redaction import has_secret_text
from webseam.kernel.urls.spelling import canonical_url, is_web_url
from webseam.ports.dates import leading_iso_date
from webseam.ports.errors import EmptyContent, SourceUnreadable, WebError
from webseam.ports.pages import ReadPage
from webseam.ports.targets import tidy_url
from webseam.ports.web import WebExtractResult

from ...doors.client.loop_thread import wait_for_loop_outcome
from ...planning.open_backends import OpenBackend
from ...wiring.backend_choice import choose_backend
from ...wiring.backend_rows import Root

PageReader: TypeAlias = Callable[[str], Result[WebExtractResult, WebError]]
Convert: TypeAlias = Callable[[bytes, str], Result[ReadPage, WebError]]
# These formats have their title in the front matter or the first lines.
_read_markdown = partial(folder_files.read_markdown, read_date=iso_date)
_TextReader: TypeAlias = Callable[[bytes, str], Result[folder_files.DocumentText, SourceUnreadable]]
_TEXT_READERS: dict[str, _TextReader] = {
    **dict.fromkeys(("md", "markdown", "mdx"), _read_markdown),
    **dict.fromkeys(("txt", "text", "rst"), folder_files.read_text),
}
_FIRST_READ_BYTES = 64 * 1024
_GONE_ERRNOS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NO_TEXT_ERROR = SourceUnreadable(reason="it has no text")
# Reasons of EmptyContent that mean there is no text.
_NO_TEXT_REASONS = ("no_body", "no_text", "needs_browser")
_DEFAULT_ADMISSION = folder_files.Admission()
_DATE_FIELDS = ("published_at", "published", "published_date", "date")


class ReaderDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The readers of web pages and files; ``secrets`` admits text that looks like a secret."""

    read_page: PageReader
    convert: Convert
    secrets: bool = False


def index_location(typed: str) -> str:
    """Return the stored form of a location: an absolute path or a canonical URL."""
    from ...wiring.typed_addresses import typed_url  # noqa: PLC0415  a search of the index does not need it

    if (url := typed_url(typed)) is not None:
        return canonical_url(url)
    if folder_files.is_web_address(typed):
        return canonical_url(typed) if is_web_url(tidy_url(typed)) else typed
    path = folder_files.file_path(typed) or _normalise_document_path(Path(typed).absolute())
    return folder_files.path_text(path)


def _normalise_document_path(path: Path) -> Path:
    """Return a path without ``..``, so that a folder has one spelling."""
    if ".." not in path.parts:
        return path
    direct = Path(os.path.normpath(path))
    try:
        # After a symbolic link, ``..`` leads to the parent of its target.
        return direct if direct.samefile(path) else path.resolve()
    except OSError:
        return direct


def _ignore_path(path: Path, reason: object) -> None:
    """Do nothing."""
    del path, reason


def items_of_location(
    location: str,
    admission: folder_files.Admission = _DEFAULT_ADMISSION,
    on_skip: folder_files.OnSkip = _ignore_path,
    on_closed: folder_files.OnClosed = _ignore_path,
) -> Iterator[IngestItem]:
    """Yield what a location holds: a page, a file, or every document in a folder."""
    if folder_files.is_web_address(location):
        yield IngestItem(location=location, url=location, source=location)
        return
    for path in folder_files.find_documents(
        folder_files.path_from_text(location), admission, on_skip, on_closed
    ):
        yield IngestItem(
            location=folder_files.path_text(path), url=folder_files.file_url(path), source=location
        )


def index_items(
    locations: Iterable[str],
    admission: folder_files.Admission = _DEFAULT_ADMISSION,
    on_skip: folder_files.OnSkip = _ignore_path,
    on_closed: folder_files.OnClosed = _ignore_path,
) -> list[IngestItem]:
    """Return the items of several locations, each once."""
    items: dict[str, IngestItem] = {}
    for location in locations:
        for item in items_of_location(location, admission, on_skip, on_closed):
            items[item.url] = item
    return list(items.values())


def read_index_item(
    item: IngestItem, known_digest: bytes | None, readers: ReaderDeps
) -> Result[IndexDocument | SkippedDocument | None, WebError]:
    """Read one item; None when its content is the same as before.

    A file that cannot be opened is a failure; a file without usable text is skipped with an error.
    """
    path = folder_files.file_path(item.url)
    if path is None:
        page = readers.read_page(item.url)
        if isinstance(page, Failure):
            return page
        document = page_index_document(page.unwrap())
        return Success(document) if document.text.strip() else Failure(_NO_TEXT_ERROR)
    return _read_file(item, known_digest, path, readers)


def page_index_document(page: WebExtractResult) -> IndexDocument:
    """Return a page that was read as a document for the index."""
    dates = (page.metadata.get(name) for name in _DATE_FIELDS)
    published = next(
        (date for text in dates if (date := leading_iso_date(_text_or_none(text)))), None
    )
    return IndexDocument(
        url=canonical_url(page.url),
        title=page.title,
        text=page.content,
        published=published,
        language=_text_or_none(page.metadata.get("language")),
    )


def _read_file(
    item: IngestItem, known_digest: bytes | None, path: Path, readers: ReaderDeps
) -> Result[IndexDocument | SkippedDocument | None, WebError]:
    content_or_error = _read_document_bytes(path)
    if isinstance(content_or_error, Failure):
        return content_or_error
    content = content_or_error.unwrap()
    if isinstance(content, SkippedDocument):
        return Success(content)
    content_digest = document_digest(content)
    if content_digest == known_digest:
        return Success(None)
    reading = _accept_document_text(_read_document_text(content, path, readers), readers)
    if isinstance(reading, SkippedDocument):
        return Success(reading)
    return Success(
        IndexDocument(
            url=item.url,
            location=item.location,
            source=item.source,
            title=reading.title,
            text=reading.text,
            published=reading.published,
            language=reading.language,
            digest=content_digest,
        )
    )


def _accept_document_text(
    outcome: Result[folder_files.DocumentText, WebError], readers: ReaderDeps
) -> folder_files.DocumentText | SkippedDocument:
    """Return the text, or a skip for a secret, an empty or an unreadable file."""
    if isinstance(outcome, Failure):
        error = outcome.failure()
        is_empty = isinstance(error, EmptyContent) and error.reason in _NO_TEXT_REASONS
        return SkippedDocument(reason="empty" if is_empty else "unreadable", error=error)
    reading = outcome.unwrap()
    if not readers.secrets and has_secret_text(reading.text):
        return SkippedDocument(reason="secrets")
    return (
        reading if reading.text.strip() else SkippedDocument(reason="empty", error=_NO_TEXT_ERROR)
    )


def _read_document_text(
    content: bytes, path: Path, readers: ReaderDeps
) -> Result[folder_files.DocumentText, WebError]:
    reader = _TEXT_READERS.get(path.suffix[1:].lower())
    if reader is not None:
        return reader(content, path.name).alt(lambda error: error)
    return readers.convert(content, path.name).map(
        lambda page: folder_files.DocumentText(
            title=page.title or path.name,
            text=page.content,
            published=leading_iso_date(page.published_at),
            language=page.language,
        )
    )


def _read_document_bytes(path: Path) -> Result[bytes | SkippedDocument, WebError]:
    try:
        with folder_files.open_regular_file(path) as file:
            content = file.read(_FIRST_READ_BYTES)
            # A huge read allocates a huge buffer, and most files are small.
            if len(content) == _FIRST_READ_BYTES:
                content += file.read(folder_files.MAX_FILE_BYTES + 1 - _FIRST_READ_BYTES)
    except OSError as error:
        refused = file_open_error(error)
        if error.errno not in _GONE_ERRNOS:
            return Failure(refused)
        return Success(SkippedDocument(reason="gone", error=refused))
    if len(content) > folder_files.MAX_FILE_BYTES:
        huge = SourceUnreadable(reason=f"it is larger than {folder_files.MAX_FILE_BYTES >> 20} MiB")
        return Success(SkippedDocument(reason="unreadable", error=huge))
    return Success(content)


def file_open_error(error: OSError) -> SourceUnreadable:
    """Return the error of a file that the system does not open."""
    return SourceUnreadable(reason=(error.strerror or "it cannot be read").lower())


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


Value = TypeVar("Value")


class IndexReader:
    """Reads pages and converts files, from any thread; starts backend and workers on demand."""

    def __init__(self, root: Root) -> None:
        """Read with the backend that the settings choose, where the policy allows."""
        self._root = root
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._workers = Workers()
        self._backend: OpenBackend | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._backend is not None:
            self._run_on_loop(self._backend.aclose())
        self._workers.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def read_page(self, url: str) -> Result[WebExtractResult, WebError]:
        """Read a page of the web."""
        return self._run_on_loop(self._extract_page(url))

    def convert(self, content: bytes, name: str) -> Result[ReadPage, WebError]:
        """Convert a file that is not plain text, by what its name and its bytes say it is."""
        kind, url = media_type_of_name(name), quote(name, errors="replace")
        return self._run_on_loop(self._workers.convert(content, kind, url))

    async def _extract_page(self, url: str) -> Result[WebExtractResult, WebError]:
        if self._backend is None:
            chosen = choose_backend("extract", self._root, cached=False)
            if isinstance(chosen, Failure):
                return chosen
            self._backend = chosen.unwrap().backend
        deps = WebDeps(
            backend=self._backend,
            policy=self._root.policy,
            deadline=self._root.settings.deadline,
            timer=asyncio_timer,
        )
        return await web_extract(url, deps)

    def _run_on_loop(self, work: Coroutine[object, object, Value]) -> Value:
        return wait_for_loop_outcome(asyncio.run_coroutine_threadsafe(work, self._loop))
