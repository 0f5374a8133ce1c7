"""Write rows to files. Every option that changes bytes is set, so new defaults change none."""

# ruff: noqa: ANN401
# pyarrow has no types.

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, BinaryIO, Final, Literal, TypeAlias, get_args

import msgspec

from webseam.ports.data import DataSchema

OutputFormat: TypeAlias = Literal["parquet", "jsonl"]
# Columns with repeated values, and columns that readers use to skip row groups.
_DICTIONARY_COLUMNS = frozenset({"source", "content_type", "language", "error", "status", "kept"})
_DATA_COLUMN: Final = "data"
_STATISTICS_COLUMNS: Final = frozenset({"row", "status", "language", "error"})


def make_row_writer(
    form: OutputFormat,
    stream: BinaryIO,
    shape: type[msgspec.Struct],
    wanted: DataSchema | None = None,
) -> RowWriter:
    """Return the writer of a format for rows of one type; its end completes the file.

    Only with a schema of what is ``wanted`` of each page the rows have a column ``data``.
    """
    return ParquetRows(stream, shape, wanted) if form == "parquet" else JsonRows(stream)


def load_row_writer(form: OutputFormat) -> None:
    """Import the writer of a format now; otherwise the first group of rows does."""
    if form == "parquet":
        _import_pyarrow()


class JsonRows(AbstractContextManager["JsonRows"]):
    """One JSON object a line, with keys in the order of the columns."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write to ``stream``."""
        self._stream = stream
        self._encoder = msgspec.json.Encoder()

    def __exit__(self, *raised: object) -> None:
        """Do nothing; the file needs no footer."""

    def write(self, rows: Sequence[msgspec.Struct]) -> None:
        """Write one line for each row."""
        self._stream.write(self._encoder.encode_lines(rows))


class ParquetRows(AbstractContextManager["ParquetRows"]):
    """Parquet with one row group for each group of rows.

    The first group begins the file, because pyarrow may not be loaded before.
    """

    def __init__(
        self, stream: BinaryIO, shape: type[msgspec.Struct], wanted: DataSchema | None = None
    ) -> None:
        """Write to ``stream``; the fields of ``shape`` are the columns."""
        self._stream, self._shape, self._wanted = stream, shape, wanted

    def __exit__(self, *raised: object) -> None:
        """Write the footer."""
        self._parquet_file.close()

    def write(self, rows: Sequence[msgspec.Struct]) -> None:
        """Write one row group from a table of one chunk: other chunks give other bytes."""
        values = [msgspec.structs.asdict(row) for row in rows]
        self._parquet_file.write_table(
            _import_pyarrow().Table.from_pylist(values, self._row_schema)
        )

    @cached_property
    def _row_schema(self) -> Any:  # pyarrow has no types
        return _arrow_schema(_import_pyarrow(), self._shape, self._wanted)

    @cached_property
    def _parquet_file(self) -> Any:
        names = self._row_schema.names
        return _import_pyarrow().parquet.ParquetWriter(
            self._stream,
            self._row_schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=3,
            use_dictionary=[name for name in names if name in _DICTIONARY_COLUMNS],
            write_statistics=[name for name in names if name in _STATISTICS_COLUMNS],
            write_page_checksum=True,
            data_page_size=1 << 20,
            write_batch_size=1024,
            store_schema=True,
        )


RowWriter: TypeAlias = JsonRows | ParquetRows


def _import_pyarrow() -> Any:
    import pyarrow.parquet  # noqa: PLC0415  an extra, and a tenth of a second

    return pyarrow


def _arrow_schema(  # pyarrow has no types
    arrow: Any,
    shape: type[msgspec.Struct],
    wanted: DataSchema | None,
) -> Any:
    kinds = {str: arrow.string(), int: arrow.int64(), bool: arrow.bool_(), float: arrow.float64()}
    fields = []
    for field in msgspec.structs.fields(shape):
        if field.name == _DATA_COLUMN:
            fields += [] if wanted is None else [_data_field(arrow, wanted)]
            continue
        types = get_args(field.type) or (field.type,)
        fields.append(arrow.field(field.name, kinds[types[0]], nullable=type(None) in types))
    return arrow.schema(fields)


def _data_field(arrow: Any, wanted: DataSchema) -> Any:  # as above
    """Return the column of the values of a page: a struct of them, and texts about them."""
    nested: dict[str, Any] = {}
    for field in wanted.fields:
        *outer, last = field.name.split(".")
        holder = nested
        for name in outer:
            holder = holder.setdefault(name, {})
        kind = arrow.string()
        if field.kind == "number":
            kind = arrow.int64() if field.whole else arrow.float64()
        holder[last] = arrow.list_(kind) if field.many else kind
    texts = [arrow.field(name, arrow.string()) for name in ("basis", "refused", "error")]
    values = arrow.field("values", _struct_type(arrow, nested))
    return arrow.field(_DATA_COLUMN, arrow.struct([values, *texts]))


def _struct_type(arrow: Any, nested: Any) -> Any:  # as above
    if not isinstance(nested, dict):
        return nested
    return arrow.struct([arrow.field(name, _struct_type(arrow, it)) for name, it in nested.items()])
