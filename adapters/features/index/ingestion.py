"""Add documents: several threads read, one writes, and each is reported after its commit.

SQLite releases the GIL while it writes, so the next batch is read during a write. A killed process
loses at most two batches.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError

from ...folder_files import SkipReason
from ...stores.sqlite import StoreError
from ...threads import DaemonThreads
from .documents import IndexDocument, PreparedDocument, prepare_document
from .store import DocumentIndex
from .updates import Change

IngestOutcome: TypeAlias = Literal["added", "updated", "unchanged", "skipped", "failed"]

_MAX_ITEMS_AHEAD = 32
# More readers than processors: conversions run in processes, and pages come over the network.
_READER_THREADS = min(32, (os.cpu_count() or 1) + 4)
_BATCH_PASSAGES = 2000
_BATCH_SECONDS = 0.5
_TIDY_AFTER_PASSAGES = 2000


class IngestItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item to add: its location, its URL in the index, and the source that the user named."""

    location: str
    url: str
    source: str


class IngestResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an item; ``skipped`` has a reason, and some reasons have an error."""

    item: IngestItem
    outcome: IngestOutcome
    passages: int = 0
    error: WebError | None = None
    reason: SkipReason | None = None


class SkippedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document that is not added: a secret file, or one without text."""

    reason: SkipReason
    error: WebError | None = None


# Reads an item. None means that its content still has the given digest.
ReadItem: TypeAlias = Callable[
    [IngestItem, bytes | None], Result[IndexDocument | SkippedDocument | None, WebError]
]


class _PreparedItem(msgspec.Struct, frozen=True, kw_only=True):
    item: IngestItem
    document: Result[PreparedDocument | SkippedDocument | None, WebError]


def ingest_items(
    index: DocumentIndex,
    items: Iterable[IngestItem],
    read_item: ReadItem,
    report: Callable[[IngestResult], None],
) -> Result[None, StoreError]:
    """Add every item to the index. ``report`` is called for each, after it is committed.

    An item that cannot be read is reported, and the others are still added. Only an error of the
    index itself ends the work early.
    """
    all_items = list(items)
    # Read the digests first: once writing begins, the index is busy and readers would wait for it.
    digests = index.digests([item.url for item in all_items])
    if isinstance(digests, Failure):
        return digests
    added = 0
    with (
        DaemonThreads(_READER_THREADS, "webseam-read") as readers,
        DaemonThreads(1, "webseam-write") as writer,
    ):
        reads = _read_items_ahead(
            all_items,
            partial(_prepare_item, read_item=read_item, digests=digests.unwrap()),
            readers,
        )
        for written in _write_behind(index, _batches(reads), writer):
            if isinstance(written, Failure):
                return written
            for result in written.unwrap():
                added += result.passages
                report(result)
    if added >= _TIDY_AFTER_PASSAGES:
        index.release_space()
    return Success(None)


def _read_items_ahead(
    items: Iterable[IngestItem], task: Callable[[IngestItem], _PreparedItem], readers: DaemonThreads
) -> Iterator[_PreparedItem]:
    """Yield read items in order, reading some items ahead."""
    ahead = deque[Future[_PreparedItem]]()
    for item in items:
        ahead.append(readers.submit(partial(task, item)))
        if len(ahead) > _MAX_ITEMS_AHEAD:
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


def _write_behind(
    index: DocumentIndex, batches: Iterable[Sequence[_PreparedItem]], writer: DaemonThreads
) -> Iterator[Result[list[IngestResult], StoreError]]:
    """Write each batch while the next one is read, and yield the results."""
    writing: Future[Result[list[IngestResult], StoreError]] | None = None
    for batch in batches:
        if writing is not None:
            yield writing.result()
        writing = writer.submit(partial(_write_batch, index, batch))
    if writing is not None:
        yield writing.result()


def _prepare_item(
    item: IngestItem, read_item: ReadItem, digests: dict[str, bytes]
) -> _PreparedItem:
    prepared = read_item(item, digests.get(item.url)).map(
        lambda document: (
            prepare_document(document) if isinstance(document, IndexDocument) else document
        )
    )
    return _PreparedItem(item=item, document=prepared)


def _batches(results: Iterable[_PreparedItem]) -> Iterator[Sequence[_PreparedItem]]:
    batch: list[_PreparedItem] = []
    passages = 0
    began = time.monotonic()
    for result in results:
        batch.append(result)
        passages += _passage_count(result)
        if passages >= _BATCH_PASSAGES or time.monotonic() - began >= _BATCH_SECONDS:
            yield batch
            batch, passages, began = [], 0, time.monotonic()
    if batch:
        yield batch


def _write_batch(
    index: DocumentIndex, batch: Sequence[_PreparedItem]
) -> Result[list[IngestResult], StoreError]:
    prepared = [document for document in map(_prepared_document, batch) if document is not None]
    written = index.put(prepared) if prepared else Success(())
    if isinstance(written, Failure):
        return written
    changes = iter(written.unwrap())
    return Success([_item_result(result, changes) for result in batch])


def _item_result(result: _PreparedItem, changes: Iterator[Change]) -> IngestResult:
    if isinstance(result.document, Failure):
        return IngestResult(item=result.item, outcome="failed", error=result.document.failure())
    document = result.document.unwrap()
    if isinstance(document, SkippedDocument):
        return IngestResult(
            item=result.item, outcome="skipped", reason=document.reason, error=document.error
        )
    outcome = "unchanged" if document is None else next(changes)
    return IngestResult(item=result.item, outcome=outcome, passages=_passage_count(result))


def _prepared_document(result: _PreparedItem) -> PreparedDocument | None:
    document = result.document.value_or(None)
    return document if isinstance(document, PreparedDocument) else None


def _passage_count(result: _PreparedItem) -> int:
    prepared = _prepared_document(result)
    return len(prepared.passages) if prepared else 0
