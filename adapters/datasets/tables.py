"""Tables of others: the columns of Parquet files, a batch at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from returns.result import Failure, Result, Success

from ...ports.bulk import BulkItem
from ...ports.errors import InvalidQuery, SourceUnreadable, WebError

_BATCH = 64


def columns_of(path: Path) -> Result[tuple[str, ...], WebError]:
    """Return the names of a file's columns."""
    return _opened(path).map(lambda file: tuple(file.schema_arrow.names))


def rows_of(path: Path) -> Result[int, WebError]:
    """Return how many rows a file has."""
    return _opened(path).map(lambda file: int(file.metadata.num_rows))


def missing_column(path: Path, column: str) -> WebError | None:
    """Return why a column cannot be had, None when it is there."""
    names = columns_of(path)
    if isinstance(names, Failure):
        error: WebError = names.failure()
        return error
    if column in names.unwrap():
        return None
    known = ", ".join(names.unwrap())
    return InvalidQuery(field="column", reason=f"{path} has no column {column!r}; it has {known}")


def texts_of(path: Path, column: str, start: int = 0) -> Iterator[object]:
    """Yield the values of a column from row ``start`` on; raises what pyarrow raises."""
    for row in _rows(path, [column], start):
        yield row[column]


def all_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every row of a file with all its columns; raises what pyarrow raises."""
    yield from _rows(path, None, 0)


def pages_of(
    path: Path, columns: tuple[str, str | None], start: int, source: str
) -> Iterator[BulkItem]:
    """Yield the pages that stand in a column, each with the URL beside it, from a row on."""
    content, address = columns
    wanted = [content] if address is None else [content, address]
    for number, row in enumerate(_rows(path, wanted, start), start):
        yield _page(source, number, row[content], None if address is None else row[address])


def _page(source: str, number: int, content: object, address: object) -> BulkItem:
    url = address if isinstance(address, str) else None
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


def _rows(path: Path, columns: list[str] | None, start: int) -> Iterator[dict[str, Any]]:
    """Yield rows from ``start`` on; row groups before it are not read."""
    import pyarrow.parquet  # noqa: PLC0415  an extra

    with pyarrow.parquet.ParquetFile(path) as file:
        first = 0
        groups: list[int] = []
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if groups or first + size > start:
                groups.append(group)
            else:
                first += size
        skipped = start - first
        batches = file.iter_batches(batch_size=_BATCH, row_groups=groups, columns=columns)
        for batch in batches:
            rows = batch.to_pylist()
            yield from rows[skipped:]
            skipped = max(0, skipped - len(rows))


def _opened(path: Path) -> Result[Any, WebError]:
    import pyarrow.parquet  # noqa: PLC0415

    try:
        return Success(pyarrow.parquet.ParquetFile(path))
    # pyarrow's own are ValueError and OSError, among others.
    except (OSError, ValueError) as error:
        reason = f"{path} is no Parquet file that can be read ({type(error).__name__})"
        return Failure(SourceUnreadable(reason=reason))
