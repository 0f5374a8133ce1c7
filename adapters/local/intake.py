"""Taking documents in: read by several threads, written by one, reported when they are kept.

SQLite lets go of Python's lock while it writes, so reading and writing overlap. A batch is small
enough to be quick and large enough to be cheap; whoever kills us loses no more than one.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ..stores.blueprint import StoreError
from .documents import Document, Prepared, prepare
from .index import LocalIndex

Outcome: TypeAlias = Literal["added", "updated", "unchanged", "failed"]

_WINDOW = 32
_BATCH_PASSAGES = 2000
_BATCH_SECONDS = 0.5
_MANY_PASSAGES = 2000


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """Something to take in: where it is, the URL it will have, and what the user asked for."""

    location: str
    url: str
    source: str


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an item."""

    item: Item
    outcome: Outcome
    passages: int = 0
    error: WebError | None = None


# Reads one item. None means that its content is what the given digest stands for.
ReadItem: TypeAlias = Callable[[Item, bytes | None], Result[Document | None, WebError]]


class _Read(msgspec.Struct, frozen=True, kw_only=True):
    item: Item
    found: Result[Prepared | None, WebError]


def take_in(
    index: LocalIndex,
    items: Iterable[Item],
    read: ReadItem,
    report: Callable[[Taken], None],
) -> Result[None, StoreError]:
    """Add every item to the index. ``report`` is called for each, after it is kept for good.

    An item that cannot be read is reported and does not hold up the others. Only trouble with the
    index itself ends the work early.
    """
    added = 0
    with ThreadPoolExecutor(thread_name_prefix="webseam-read") as threads:
        for batch in _batches(_reads(index, items, read, threads)):
            written = batch.bind(lambda results: _write(index, results, report))
            if isinstance(written, Failure):
                threads.shutdown(cancel_futures=True)
                return written
            added += sum(map(_passages, batch.unwrap()))
    return index.tidy() if added >= _MANY_PASSAGES else Success(None)


def _reads(
    index: LocalIndex, items: Iterable[Item], read: ReadItem, threads: ThreadPoolExecutor
) -> Iterator[Result[_Read, StoreError]]:
    """Read in order, always some items ahead; trouble with the index is the last that comes."""
    rest, ahead = iter(items), deque[Future[_Read]]()
    while True:
        window = list(islice(rest, _WINDOW)) if len(ahead) <= _WINDOW else []
        if window:
            known = index.digests([item.url for item in window])
            if isinstance(known, Failure):
                yield known
                return
            task = partial(_read, read=read, digests=known.unwrap())
            ahead.extend(threads.submit(task, item) for item in window)
        if not ahead:
            return
        yield Success(ahead.popleft().result())


def _read(item: Item, read: ReadItem, digests: dict[str, bytes]) -> _Read:
    found = read(item, digests.get(item.url)).map(
        lambda document: prepare(document) if document else None
    )
    return _Read(item=item, found=found)


def _batches(
    results: Iterator[Result[_Read, StoreError]],
) -> Iterator[Result[Sequence[_Read], StoreError]]:
    batch: list[_Read] = []
    passages = 0
    began = time.monotonic()
    for result in results:
        if isinstance(result, Failure):
            yield Success(batch)
            yield result
            return
        batch.append(result.unwrap())
        passages += _passages(batch[-1])
        if passages >= _BATCH_PASSAGES or time.monotonic() - began >= _BATCH_SECONDS:
            yield Success(batch)
            batch, passages, began = [], 0, time.monotonic()
    yield Success(batch)


def _write(
    index: LocalIndex, batch: Sequence[_Read], report: Callable[[Taken], None]
) -> Result[None, StoreError]:
    prepared = [found for found in map(_prepared, batch) if found is not None]
    written = index.put(prepared) if prepared else Success(())
    if isinstance(written, Failure):
        return written
    changes = iter(written.unwrap())
    for result in batch:
        if isinstance(result.found, Failure):
            error = result.found.failure()
            report(Taken(item=result.item, outcome="failed", error=error))
        else:
            outcome: Outcome = next(changes) if result.found.unwrap() else "unchanged"
            report(Taken(item=result.item, outcome=outcome, passages=_passages(result)))
    return Success(None)


def _prepared(result: _Read) -> Prepared | None:
    return result.found.value_or(None)


def _passages(result: _Read) -> int:
    prepared = _prepared(result)
    return len(prepared.passages) if prepared else 0
