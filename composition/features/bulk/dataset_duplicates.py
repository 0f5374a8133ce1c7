"""Find duplicate and near-duplicate pages in a second pass over a finished run.

Keys are sorted on disk, so memory holds duplicates only and the order of shards does not matter.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets.atomic_files import open_atomic_file
from webseam.adapters.features.bulk.datasets.minhash import has_known_signature, minhash_signature
from webseam.adapters.features.bulk.datasets.parquet_tables import read_parquet_rows
from webseam.adapters.features.bulk.datasets.writers import OutputFormat, make_row_writer
from webseam.kernel.features.bulk.near_duplicates import (
    PERMUTATION_COUNT,
    DuplicateGroups,
    signature_bands,
    text_shingles,
)
from webseam.ports.bulk import BulkRow
from webseam.ports.errors import InvalidQuery, NotConfigured, StoreFailed, WebError
from webseam.ports.errors.error_fields import PAGES_READER

from .manifest import DUPLICATES, load_run_summary, read_written_shards
from .options import missing_bulk_extra
from .plan import PAGE_NOUN, load_run_plan

PartRow = TypeVar("PartRow")
_WRITE_BATCH_ROWS: Final = 1000
_SELECT_EXACT_KEYS: Final = "SELECT key, row FROM exact ORDER BY key, row"
_SELECT_BAND_KEYS: Final = "SELECT key, row FROM bands ORDER BY key, row"


def check_rows_folder(folder: Path) -> WebError | None:
    """Return why a folder has no rows of pages, or None."""
    if (plan := load_run_plan(folder)) is None:
        return InvalidQuery(field="folder", reason=f"{folder} holds no run")
    if plan.noun != PAGE_NOUN:
        return InvalidQuery(field="folder", reason=f"{folder} holds answers to searches, no pages")
    if lost := read_written_shards(folder).lost:
        reason = f"{lost[0]} is missing or damaged; the command that began the run writes it again"
        return InvalidQuery(field="folder", reason=reason)
    return None


def read_dataset_rows(folder: Path) -> Iterator[BulkRow]:
    """Yield the rows of a folder in order; raises ``OSError``, also for a damaged part."""
    for path in _part_paths(folder):
        yield from read_part_rows(path, BulkRow)


def _part_paths(folder: Path) -> list[Path]:
    return sorted((*folder.glob("part-*.parquet"), *folder.glob("part-*.jsonl")))


def read_part_rows(path: Path, shape: type[PartRow]) -> Iterator[PartRow]:
    """Yield the rows of one part as ``shape``; raises ``OSError``, also for a damaged part."""
    if path.suffix == ".parquet":
        for row in read_parquet_rows(path):
            yield msgspec.convert(row, shape)
        return
    decoder = msgspec.json.Decoder(shape)
    with path.open("rb") as lines:
        for line in lines:
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, ValueError) as error:
                raise OSError(None, f"{path} is damaged") from error


def first_row_error(folder: Path) -> WebError | None:
    """Return the error of the first failed row, with its URL; None when there is none."""
    with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
        parts = (read_part_rows(path, _RowOutcome) for path in _part_paths(folder))
        for row in chain.from_iterable(parts):
            if row.error_json is not None:
                error: WebError = msgspec.json.decode(row.error_json, type=WebError)
                url, reader = error.url or row.url, error.backend or PAGES_READER
                return msgspec.structs.replace(error, url=url, backend=reader)
    return None


class _RowOutcome(msgspec.Struct, frozen=True):
    """The columns that rows of pages and of searches share."""

    url: str | None = None
    error_json: str | None = None


class DuplicateRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that duplicates an earlier one, exactly or nearly."""

    row: int
    duplicate_of: int | None
    near_duplicate_of: int | None


class DuplicateCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of compared rows, of duplicates and of near duplicates."""

    pages: int
    exact: int
    near: int


def write_duplicates(folder: Path) -> Result[DuplicateCounts, WebError]:
    """Write ``duplicates`` beside the rows of a folder, or return an error."""
    refusal = missing_bulk_extra() or _check_finished_run(folder)
    if refusal is not None:
        return Failure(refusal)
    try:
        return Success(_write_duplicate_rows(folder))
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Failure(StoreFailed(store="the run", reason=reason))


def _write_duplicate_rows(folder: Path) -> DuplicateCounts:
    keys = folder / "_duplicates.sqlite"
    keys.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(keys, isolation_level=None)) as table:
            pages = _fill_duplicate_keys(table, folder)
            exact = DuplicateGroups(_duplicate_pairs(table, _SELECT_EXACT_KEYS))
            near = DuplicateGroups(_duplicate_pairs(table, _SELECT_BAND_KEYS))
    finally:
        keys.unlink(missing_ok=True)
    form: OutputFormat = "parquet" if any(folder.glob("part-*.parquet")) else "jsonl"
    rows = sorted({*exact.duplicate_rows(), *near.duplicate_rows()})
    path = folder / f"{DUPLICATES}.{form}"
    with open_atomic_file(path) as file, make_row_writer(form, file, DuplicateRow) as writer:
        for start in range(0, len(rows), _WRITE_BATCH_ROWS):
            batch = rows[start : start + _WRITE_BATCH_ROWS]
            writer.write([_make_duplicate_row(row, exact, near) for row in batch])
    return DuplicateCounts(
        pages=pages, exact=len(exact.duplicate_rows()), near=len(near.duplicate_rows())
    )


def _check_finished_run(folder: Path) -> WebError | None:
    if load_run_summary(folder) is None:
        return InvalidQuery(field="folder", reason=f"{folder} holds no finished run")
    if (refusal := check_rows_folder(folder)) is not None:
        return refusal
    if not has_known_signature(PERMUTATION_COUNT):
        return NotConfigured(
            reason="This version of rensa computes other hashes than the known version",
            remedy="Run: pip install 'webseam[bulk]'",
        )
    return None


def _fill_duplicate_keys(table: sqlite3.Connection, folder: Path) -> int:
    table.execute("PRAGMA journal_mode = OFF")
    table.execute("CREATE TABLE exact (key BLOB, row INTEGER)")
    table.execute("CREATE TABLE bands (key BLOB, row INTEGER)")
    table.execute("BEGIN")
    pages = 0
    for row in read_dataset_rows(folder):
        if row.content is None or row.content_sha256 is None:
            continue
        pages += 1
        table.execute("INSERT INTO exact VALUES (?, ?)", (row.content_sha256, row.row))
        signature = minhash_signature(text_shingles(row.content), PERMUTATION_COUNT)
        bands = [(key, row.row) for key in signature_bands(signature)]
        table.executemany("INSERT INTO bands VALUES (?, ?)", bands)
    table.execute("COMMIT")
    return pages


def _duplicate_pairs(table: sqlite3.Connection, query: str) -> Iterator[tuple[int, int]]:
    """Yield each row that shares a key, with the first row of that key."""
    previous_key, first_row = b"", 0
    for key, row in table.execute(query):
        if key == previous_key:
            yield first_row, row
        else:
            previous_key, first_row = key, row


def _make_duplicate_row(row: int, exact: DuplicateGroups, near: DuplicateGroups) -> DuplicateRow:
    exact_first, near_first = exact.first_row(row), near.first_row(row)
    return DuplicateRow(
        row=row,
        duplicate_of=None if exact_first == row else exact_first,
        near_duplicate_of=None if near_first == row else near_first,
    )
