"""Tables of others: the columns of Parquet files, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Final, TypeAlias

from returns.result import Failure, Result, Success

from ....ports.bulk import BulkItem
from ....ports.errors import InvalidQuery, InvalidUrl, SourceUnreadable, WebError

_BATCH: Final = 64
# A large group is read in pieces: its bytes may be more than there is memory.
_READ_BYTES: Final = 1 << 20
_URL: Final = "url"
_DAMAGED: Final = SourceUnreadable(reason="this stretch of the table is damaged")


def column_names(path: Path) -> Result[tuple[str, ...], WebError]:
    """Return the names of a file's columns."""
    return _opened(path).map(lambda file: tuple(file.schema_arrow.names))


def count_rows(path: Path) -> Result[int, WebError]:
    """Return how many rows a file has."""
    return _opened(path).map(lambda file: int(file.metadata.num_rows))


def find_column(column: str, names: Sequence[str]) -> str | None:
    """Return how a column is written, in whatever case; None where there is none, or several.

    >>> find_column("url", ["URL", "Html"]), find_column("url", ["URL", "Url"])
    ('URL', None)
    """
    if column in names:
        return column
    alike = [name for name in names if name.lower() == column.lower()]
    return alike[0] if len(alike) == 1 else None


def missing_column(path: Path, column: str, option: str) -> WebError | None:
    """Return why a column cannot be had, None when it is there; ``option`` names another."""
    names = column_names(path)
    if isinstance(names, Failure):
        error: WebError = names.failure()
        return error
    if find_column(column, names.unwrap()) is not None:
        return None
    known = ", ".join(names.unwrap())
    reason = (
        f"{path} has no column {column!r}; its columns: {known}; name the one to take with {option}"
    )
    return InvalidQuery(field="column", reason=reason)


def read_urls(path: Path, column: str) -> Iterator[str | WebError]:
    """Yield the addresses of a column, or why a cell holds none, as a table of text tells it."""
    (spelt,) = _spelt(path, [column])
    for row in _rows(path, [spelt], 0):
        text = _DAMAGED if row is None else (_text(row[spelt]) or "").strip()
        yield text or InvalidUrl(reason="the cell is empty")


def read_all_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every row of a file with all its columns; raises ``OSError`` where it is damaged."""
    for row in _rows(path, None, 0):
        yield _whole(row, path)


def _whole(row: dict[str, Any] | None, path: Path) -> dict[str, Any]:
    if row is None:
        raise OSError(None, f"{path} is damaged")
    return row


def read_table_pages(
    path: Path, columns: tuple[str, str | None], start: int, source: str
) -> Iterator[BulkItem]:
    """Yield the pages that stand in a column, each with the URL beside it, from a row on.

    Where nobody names the column of the URLs, it is ``url``, if there is one.
    """
    content, address = columns
    known = column_names(path).value_or(())
    usual = None if find_column(_URL, known) is None else _URL
    wanted = _spelt(path, [name for name in (content, address or usual) if name is not None])
    for number, row in enumerate(_rows(path, wanted, start), start):
        if row is None:
            yield BulkItem(source=source, offset=number, error=_DAMAGED)
        else:
            cells = [row.get(name) for name in wanted]
            yield _page(source, number, cells[0], cells[1] if len(cells) > 1 else None)


def _spelt(path: Path, columns: Sequence[str]) -> list[str]:
    names = column_names(path).value_or(())
    return [find_column(column, names) or column for column in columns]


def _page(source: str, number: int, content: object, address: object) -> BulkItem:
    url = _text(address)
    if isinstance(content, str):
        body = content.encode("utf-8", "surrogatepass")
        kind = "text/html; charset=utf-8"
    elif isinstance(content, bytes):
        body, kind = content, ""
    else:
        error = SourceUnreadable(reason="the cell holds neither text nor bytes")
        return BulkItem(source=source, offset=number, url=url, error=error)
    return BulkItem(
        source=source, offset=number, url=url, final_url=url, content_type=kind, body=body
    )


def _text(value: object) -> str | None:
    """Return a cell as text: some tools write texts as bytes."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return value if isinstance(value, str) else None


def _rows(path: Path, columns: list[str] | None, start: int) -> Iterator[dict[str, Any] | None]:
    """Yield rows from ``start`` on, None for one that is damaged; groups before are not read.

    Raises ``OSError`` where the file is gone, its disk fails, or it is no table.
    """
    import pyarrow.parquet  # noqa: PLC0415  an extra

    try:
        file = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES)
    # Its end, which tells what is where, is damaged or not there.
    except ValueError as error:
        raise OSError(None, f"{path} is damaged") from error
    with file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if first + size > start:
                rows = _group_rows(file, group, size, columns)
                yield from islice(rows, max(0, start - first), None)
            first += size


def _group_rows(
    file: Any,  # noqa: ANN401  pyarrow has no types
    group: int,
    size: int,
    columns: list[str] | None,
) -> Iterator[dict[str, Any] | None]:
    """Yield the rows of a group, None for those from where it is damaged on."""
    batches = file.iter_batches(batch_size=_BATCH, row_groups=[group], columns=columns)
    count = 0
    try:
        for batch in batches:
            yield from _cells(batch)
            count += batch.num_rows
    # pyarrow's own are ValueError, or OSError without a number where no file failed.
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
    yield from repeat(None, size - count)


def _cells(batch: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except UnicodeDecodeError:
        # A column of text need not hold any.
        names = batch.schema.names
        return [
            {name: _cell(batch.column(name)[at]) for name in names} for at in range(batch.num_rows)
        ]
    return rows


def _cell(value: Any) -> object:  # noqa: ANN401
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return value.as_buffer().to_pybytes() if hasattr(value, "as_buffer") else None


def _opened(path: Path) -> Result[Any, WebError]:
    import pyarrow.parquet  # noqa: PLC0415

    try:
        return Success(pyarrow.parquet.ParquetFile(path))
    # pyarrow's own are ValueError and OSError, among others.
    except (OSError, ValueError) as error:
        reason = f"{path} is no Parquet file that can be read ({type(error).__name__})"
        return Failure(SourceUnreadable(reason=reason))


# Readers of tables that stand where one shard ended, so that the next one goes on from there.

Columns: TypeAlias = tuple[str, str | None]
Read: TypeAlias = Callable[[Path, Columns, int, str], Iterator[BulkItem]]
_MAX_PARKED_READERS: Final = 4
# A reader is worth going on with for so many times what is wanted of it.
_FARTHEST: Final = 64


class TableCursors:
    """The readers of a run; each is used by one shard at a time."""

    def __init__(self, read: Read = read_table_pages) -> None:
        """Open nothing yet."""
        self._read = read
        self._parked: list[tuple[object, int, Iterator[BulkItem]]] = []

    def pages(self, path: Path, columns: Columns, rows: range, source: str) -> Iterator[BulkItem]:
        """Yield the pages that stand in some rows of a table; raises ``OSError``."""
        changed = path.stat()
        key = (path, columns, source, changed.st_size, changed.st_mtime_ns)
        place, pages = self._nearest(key, rows) or (
            rows.start,
            self._read(path, columns, rows.start, source),
        )
        yield from islice(pages, rows.start - place, rows.stop - place)
        self._parked = [*self._parked, (key, rows.stop, pages)][-_MAX_PARKED_READERS:]

    def _nearest(self, key: object, rows: range) -> tuple[int, Iterator[BulkItem]] | None:
        """Take the reader that stands closest before some rows, None where none is near."""
        reach = rows.start - _FARTHEST * len(rows)
        near = [each for each in self._parked if each[0] == key and reach <= each[1] <= rows.start]
        if not near:
            return None
        best = max(near, key=lambda each: each[1])
        self._parked.remove(best)
        return best[1], best[2]
