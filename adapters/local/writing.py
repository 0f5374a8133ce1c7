"""Documents into and out of the tables. Every function runs inside the caller's transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from ..stores.fetching import fetch
from .documents import Prepared
from .ledger import Ledger, Old
from .listing import digests

Change: TypeAlias = Literal["added", "updated", "unchanged"]

_BATCH_PASSAGES = 2000


def put_all(
    connection: sqlite3.Connection, documents: Iterable[Prepared], now: float
) -> tuple[Change, ...]:
    """Store documents, each in place of the one with the same URL, unless that is the same."""
    return tuple(change for batch in _batches(documents) for change in _put(connection, batch, now))


def delete_all(connection: sqlite3.Connection, urls: Sequence[str]) -> int:
    """Take documents out, with their passages and the terms of those; return how many."""
    return _exchange(connection, urls, (), 0.0)


def _batches(documents: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    """Yield some documents at a time: no more are in memory than these."""
    batch: list[Prepared] = []
    passages = 0
    for document in documents:
        batch.append(document)
        passages += len(document.passages)
        if passages >= _BATCH_PASSAGES:
            yield batch
            batch, passages = [], 0
    yield batch


def _put(connection: sqlite3.Connection, batch: list[Prepared], now: float) -> list[Change]:
    latest = digests(connection, [prepared.document.url for prepared in batch])
    replaced = list(latest)
    changes: list[Change] = []
    new: dict[str, Prepared] = {}
    for prepared in batch:
        url, digest = prepared.document.url, prepared.document.digest
        known = latest.get(url)
        changes.append("added" if known is None else "unchanged" if known == digest else "updated")
        if known != digest:
            new[url], latest[url] = prepared, digest
    _exchange(connection, [url for url in replaced if url in new], new.values(), now)
    return changes


def _exchange(
    connection: sqlite3.Connection, urls: Sequence[str], new: Iterable[Prepared], now: float
) -> int:
    ledger = Ledger(connection)
    old = fetch(
        connection,
        "SELECT id, passages FROM documents WHERE url IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(urls).decode(),),
        Old,
    )
    for document in old:
        ledger.take(document)
    for prepared in new:
        ledger.add(prepared, now)
    ledger.settle()
    return len(old)
