"""The rows of a run, read back one group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from ....adapters.datasets.parquet_tables import read_all_rows
from ....ports.bulk import BulkRow
from ....ports.errors import InvalidQuery, WebError
from ....ports.errors.error_fields import PAGES_READER
from ..inputs.plan import PAGE, load_plan
from .manifest import read_standing

_ROW = msgspec.json.Decoder(BulkRow)


def check_rows_folder(folder: Path) -> WebError | None:
    """Return why a folder has no rows of pages, None when it has, or will have."""
    plan = load_plan(folder)
    if plan is None:
        return InvalidQuery(field="folder", reason=f"{folder} holds no run")
    if plan.noun != PAGE:
        return InvalidQuery(field="folder", reason=f"{folder} holds answers to searches, no pages")
    lost = read_standing(folder).lost
    if lost:
        reason = f"{lost[0]} is missing or damaged; the command that began the run writes it again"
        return InvalidQuery(field="folder", reason=reason)
    return None


def read_rows(folder: Path) -> Iterator[BulkRow]:
    """Yield the rows of a folder in their order; raises ``OSError``, also where one is damaged."""
    for path in _parts(folder):
        yield from read_part_rows(path)


def _parts(folder: Path) -> list[Path]:
    return sorted((*folder.glob("part-*.parquet"), *folder.glob("part-*.jsonl")))


def read_part_rows(path: Path) -> Iterator[BulkRow]:
    """Yield the rows of one part; likewise."""
    if path.suffix == ".parquet":
        for row in read_all_rows(path):
            yield msgspec.convert(row, BulkRow)
        return
    with path.open("rb") as lines:
        for line in lines:
            try:
                yield _ROW.decode(line)
            except (msgspec.DecodeError, ValueError) as error:
                raise OSError(None, f"{path} is damaged") from error


def first_failure(folder: Path) -> WebError | None:
    """Return why the first row that failed did, and whose it is; None where none can be told."""
    with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
        for row in (row for path in _parts(folder) for row in _outcomes_in(path)):
            if row.error_json is not None:
                error: WebError = msgspec.json.decode(row.error_json, type=WebError)
                url, reader = error.url or row.url, error.backend or PAGES_READER
                return msgspec.structs.replace(error, url=url, backend=reader)
    return None


class _Outcome(msgspec.Struct, frozen=True):
    """What rows of pages and of searches have in common."""

    url: str | None = None
    error_json: str | None = None


def _outcomes_in(path: Path) -> Iterator[_Outcome]:
    if path.suffix == ".parquet":
        yield from (msgspec.convert(row, _Outcome) for row in read_all_rows(path))
        return
    with path.open("rb") as lines:
        yield from (msgspec.json.decode(line, type=_Outcome) for line in lines)
