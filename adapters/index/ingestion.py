"""Taking documents in: read by several threads, written by one, reported when they are kept.

SQLite lets go of Python's lock while it writes, so the next batch is read while one is written. A
batch is small enough to be quick and large enough to be cheap; whoever kills us loses no more than
two.
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

from ...ports.errors import WebError
from ..folder_files import SkipReason
from ..stores.sqlite import StoreError
from ..threads import DaemonThreads
from .documents import IndexDocument, Prepared, prepare_document
from .store import DocumentIndex
from .updates import Change

Outcome: TypeAlias = Literal["added", "updated", "unchanged", "skipped", "failed"]

_WINDOW = 32
# Conversions run in processes and pages come over the network, so there are more than processors.
_READERS = min(32, (os.cpu_count() or 1) + 4)
_BATCH_PASSAGES = 2000
_BATCH_SECONDS = 0.5
_TIDY_AFTER_PASSAGES = 2000


class IngestItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something to take in: where it is, the URL it will have, and what the user asked for."""

    location: str
    url: str
    source: str


class IngestResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an item; ``skipped`` has a reason, and some reasons an error."""

    item: IngestItem
    outcome: Outcome
    passages: int = 0
    error: WebError | None = None
    reason: SkipReason | None = None


class SkippedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for a document that is not taken in: a secret, or one that has no text for us."""

    reason: SkipReason
    error: WebError | None = None


# Reads one item. None means that its content is what the given digest stands for.
ReadItem: TypeAlias = Callable[
    [IngestItem, bytes | None], Result[IndexDocument | SkippedDocument | None, WebError]
]


class _Read(msgspec.Struct, frozen=True, kw_only=True):
    item: IngestItem
    found: Result[Prepared | SkippedDocument | None, WebError]


def ingest(
    index: DocumentIndex,
    items: Iterable[IngestItem],
    read_item: ReadItem,
    report: Callable[[IngestResult], None],
) -> Result[None, StoreError]:
    """Add every item to the index. ``report`` is called for each, after it is kept for good.

    An item that cannot be read is reported and does not hold up the others. Only trouble with the
    index itself ends the work early.
    """
    wanted = list(items)
    # Before anything is written: the index is busy from then on, and reading must not wait for it.
    known = index.digests([item.url for item in wanted])
    if isinstance(known, Failure):
        return known
    added = 0
    with (
        DaemonThreads(_READERS, "webseam-read") as readers,
        DaemonThreads(1, "webseam-write") as writer,
    ):
        reads = _reads(wanted, partial(_read, read_item=read_item, digests=known.unwrap()), readers)
        for done in _written(index, _batches(reads), writer):
            if isinstance(done, Failure):
                return done
            for outcome in done.unwrap():
                added += outcome.passages
                report(outcome)
    return index.tidy() if added >= _TIDY_AFTER_PASSAGES else Success(None)


def _reads(
    items: Iterable[IngestItem], task: Callable[[IngestItem], _Read], readers: DaemonThreads
) -> Iterator[_Read]:
    """Read in order, always some items ahead."""
    ahead = deque[Future[_Read]]()
    for item in items:
        ahead.append(readers.submit(partial(task, item)))
        if len(ahead) > _WINDOW:
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


def _written(
    index: DocumentIndex, batches: Iterable[Sequence[_Read]], writer: DaemonThreads
) -> Iterator[Result[list[IngestResult], StoreError]]:
    """Write each batch while the next one is read."""
    writing: Future[Result[list[IngestResult], StoreError]] | None = None
    for batch in batches:
        if writing is not None:
            yield writing.result()
        writing = writer.submit(partial(_write, index, batch))
    if writing is not None:
        yield writing.result()


def _read(item: IngestItem, read_item: ReadItem, digests: dict[str, bytes]) -> _Read:
    prepared = read_item(item, digests.get(item.url)).map(
        lambda document: (
            prepare_document(document) if isinstance(document, IndexDocument) else document
        )
    )
    return _Read(item=item, found=prepared)


def _batches(results: Iterable[_Read]) -> Iterator[Sequence[_Read]]:
    batch: list[_Read] = []
    passages = 0
    began = time.monotonic()
    for result in results:
        batch.append(result)
        passages += _passages(result)
        if passages >= _BATCH_PASSAGES or time.monotonic() - began >= _BATCH_SECONDS:
            yield batch
            batch, passages, began = [], 0, time.monotonic()
    if batch:
        yield batch


def _write(index: DocumentIndex, batch: Sequence[_Read]) -> Result[list[IngestResult], StoreError]:
    prepared = [document for document in map(_prepared, batch) if document is not None]
    written = index.put(prepared) if prepared else Success(())
    if isinstance(written, Failure):
        return written
    changes = iter(written.unwrap())
    return Success([_taken(result, changes) for result in batch])


def _taken(result: _Read, changes: Iterator[Change]) -> IngestResult:
    if isinstance(result.found, Failure):
        return IngestResult(item=result.item, outcome="failed", error=result.found.failure())
    found = result.found.unwrap()
    if isinstance(found, SkippedDocument):
        return IngestResult(
            item=result.item, outcome="skipped", reason=found.reason, error=found.error
        )
    outcome = "unchanged" if found is None else next(changes)
    return IngestResult(item=result.item, outcome=outcome, passages=_passages(result))


def _prepared(result: _Read) -> Prepared | None:
    document = result.found.value_or(None)
    return document if isinstance(document, Prepared) else None


def _passages(result: _Read) -> int:
    prepared = _prepared(result)
    return len(prepared.passages) if prepared else 0
