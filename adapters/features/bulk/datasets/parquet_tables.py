"""Read columns of Parquet files in batches."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.
# ruff: noqa: ANN401
# pyarrow has no types.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Final, TypeAlias

from returns.result import Failure, Result, Success

from webseam.ports.bulk import BulkItem
from webseam.ports.errors import InvalidQuery, InvalidUrl, SourceUnreadable, WebError

_BATCH_ROWS: Final = 64
# Read large row groups in pieces: a group may exceed the memory.
_READ_BYTES: Final = 1 << 20
_DEFAULT_COLUMN: Final = "url"
_DAMAGED_ROW: Final = SourceUnreadable(reason="this stretch of the table is damaged")
_MAX_PARKED_READERS: Final = 4
# Reuse a reader if it must skip at most this many times the requested rows.
_MAX_SKIP_FACTOR: Final = 64


def parquet_column_names(path: Path) -> Result[tuple[str, ...], WebError]:
    """Return the names of a file's columns, or an error."""
    return _open_file(path).map(lambda file: tuple(file.schema_arrow.names))


def count_parquet_rows(path: Path) -> Result[int, WebError]:
    """Return how many rows a file has, or an error."""
    return _open_file(path).map(lambda file: int(file.metadata.num_rows))


def find_table_column(column: str, names: Sequence[str]) -> str | None:
    """Return the spelling of a column in any case; None if there is none or several.

    >>> find_table_column("url", ["URL", "Html"]), find_table_column("url", ["URL", "Url"])
    ('URL', None)
    """
    if column in names:
        return column
    alike = [name for name in names if name.lower() == column.lower()]
    return alike[0] if len(alike) == 1 else None


def check_table_column(path: Path, column: str, option: str) -> WebError | None:
    """Return an error if a column is missing, else None; ``option`` is the flag to name another."""
    names = parquet_column_names(path)
    if isinstance(names, Failure):
        error: WebError = names.failure()
        return error
    if find_table_column(column, names.unwrap()) is not None:
        return None
    listed = f"its columns: {', '.join(names.unwrap())}; name the one to take with {option}"
    reason = f"{path} has no column {column!r}; {listed}"
    return InvalidQuery(field="column", reason=reason)


def read_column_urls(path: Path, column: str) -> Iterator[str | WebError]:
    """Yield the URLs of a column, or an error for an empty or damaged cell."""
    (name,) = _column_spellings(path, [column])
    for row in _read_rows(path, [name], 0):
        text = _DAMAGED_ROW if row is None else (_cell_text(row[name]) or "").strip()
        yield text or InvalidUrl(reason="the cell is empty")


def read_parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every row with all columns; raises ``OSError`` if the file is damaged."""
    for row in _read_rows(path, None, 0):
        if row is None:
            raise OSError(None, f"{path} is damaged")
        yield row


def read_table_pages(
    path: Path, columns: tuple[str, str | None], start: int, source: str
) -> Iterator[BulkItem]:
    """Yield the pages of a column from a row on, each with its URL, by default from ``url``."""
    content, address = columns
    names = parquet_column_names(path).value_or(())
    default = None if find_table_column(_DEFAULT_COLUMN, names) is None else _DEFAULT_COLUMN
    url_column = address or default
    chosen = _column_spellings(path, [content] if url_column is None else [content, url_column])
    for number, row in enumerate(_read_rows(path, chosen, start), start):
        if row is None:
            yield BulkItem(source=source, offset=number, error=_DAMAGED_ROW)
        else:
            cells = [row.get(name) for name in chosen]
            yield _cell_item(source, number, cells[0], cells[1] if len(cells) > 1 else None)


def _column_spellings(path: Path, columns: Sequence[str]) -> list[str]:
    names = parquet_column_names(path).value_or(())
    return [find_table_column(column, names) or column for column in columns]


def _cell_item(source: str, number: int, content: object, address: object) -> BulkItem:
    url = _cell_text(address)
    if isinstance(content, str):
        body, kind = content.encode("utf-8", "surrogatepass"), "text/html; charset=utf-8"
    elif isinstance(content, bytes):
        body, kind = content, ""
    else:
        error = SourceUnreadable(reason="the cell holds neither text nor bytes")
        return BulkItem(source=source, offset=number, url=url, error=error)
    return BulkItem(
        source=source, offset=number, url=url, final_url=url, content_type=kind, body=body
    )


def _cell_text(value: object) -> str | None:
    """Return a cell as text; some tools write text as bytes."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return value if isinstance(value, str) else None


def _read_rows(
    path: Path, columns: list[str] | None, start: int
) -> Iterator[dict[str, Any] | None]:
    """Yield rows from ``start`` on, None for a damaged one; earlier groups are not read.

    Raises ``OSError`` if the file is missing, its disk fails, or it is not a table.
    """
    import pyarrow.parquet  # an extra

    try:
        file = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES)
    # The footer, which has the layout, is damaged or missing.
    except ValueError as error:
        raise OSError(None, f"{path} is damaged") from error
    with file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if first + size > start:
                rows = _read_row_group(file, group, size, columns)
                yield from islice(rows, max(0, start - first), None)
            first += size


def _read_row_group(
    file: Any,  # pyarrow has no types
    group: int,
    size: int,
    columns: list[str] | None,
) -> Iterator[dict[str, Any] | None]:
    """Yield the rows of a group; None for every row from the damaged one on."""
    batches = file.iter_batches(batch_size=_BATCH_ROWS, row_groups=[group], columns=columns)
    count = 0
    try:
        for batch in batches:
            yield from _batch_rows(batch)
            count += batch.num_rows
    # pyarrow raises ValueError, or OSError without an errno if the file was readable but damaged.
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
    yield from repeat(None, size - count)


def _batch_rows(batch: Any) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except UnicodeDecodeError:
        # A text column may have invalid UTF-8.
        names = batch.schema.names
        return [
            {name: _cell_value(batch.column(name)[at]) for name in names}
            for at in range(batch.num_rows)
        ]
    return rows


def _cell_value(value: Any) -> object:
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return value.as_buffer().to_pybytes() if hasattr(value, "as_buffer") else None


def _open_file(path: Path) -> Result[Any, WebError]:
    import pyarrow.parquet

    try:
        return Success(pyarrow.parquet.ParquetFile(path))
    # pyarrow raises ValueError and OSError subclasses.
    except (OSError, ValueError) as error:
        reason = f"{path} is not a readable Parquet file ({type(error).__name__})"
        return Failure(SourceUnreadable(reason=reason))


PageColumns: TypeAlias = tuple[str, str | None]
ReadPages: TypeAlias = Callable[[Path, PageColumns, int, str], Iterator[BulkItem]]


class TableCursors:
    """The parked readers of a run, which continue where a shard ended; one shard uses each."""

    def __init__(self, read: ReadPages = read_table_pages) -> None:
        """Start without readers."""
        self._read = read
        self._parked: list[tuple[object, int, Iterator[BulkItem]]] = []

    def read_pages(
        self, path: Path, columns: PageColumns, rows: range, source: str
    ) -> Iterator[BulkItem]:
        """Yield the pages in some rows of a table; raises ``OSError``."""
        stat = path.stat()
        key = (path, columns, source, stat.st_size, stat.st_mtime_ns)
        parked = self._take_near_reader(key, rows)
        start, pages = parked or (rows.start, self._read(path, columns, rows.start, source))
        yield from islice(pages, rows.start - start, rows.stop - start)
        self._parked = [*self._parked, (key, rows.stop, pages)][-_MAX_PARKED_READERS:]

    def _take_near_reader(self, key: object, rows: range) -> tuple[int, Iterator[BulkItem]] | None:
        """Take the closest reader before some rows; None if none is near."""
        first_row = rows.start - _MAX_SKIP_FACTOR * len(rows)
        alike = (parked for parked in self._parked if parked[0] == key)
        candidates = [parked for parked in alike if first_row <= parked[1] <= rows.start]
        if not candidates:
            return None
        best = max(candidates, key=lambda parked: parked[1])
        self._parked.remove(best)
        return best[1], best[2]
