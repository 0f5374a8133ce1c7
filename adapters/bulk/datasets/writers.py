"""Rows into files, with every setting that moves a byte named, so that a new default moves none."""

from collections.abc import Sequence
from functools import cached_property
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, Protocol, Self, TypeAlias, get_args

import msgspec

OutputFormat: TypeAlias = Literal["parquet", "jsonl"]
# Columns whose values repeat, and those that readers skip row groups by.
_REPEATING: Final = frozenset({"source", "content_type", "language", "error", "status", "kept"})
_MEASURED: Final = frozenset({"row", "status", "language", "error"})


class RowWriter(Protocol):
    """Writes groups of rows to a stream; the file is whole when it is left."""

    def __enter__(self) -> Self:
        """Begin the file."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the file."""
        ...

    def write(self, rows: Sequence[msgspec.Struct]) -> None:
        """Write one group."""
        ...


def make_writer(form: OutputFormat, stream: BinaryIO, shape: type[msgspec.Struct]) -> RowWriter:
    """Return the writer of a format, for rows of one type."""
    return ParquetRows(stream, shape) if form == "parquet" else JsonRows(stream)


def load_writer(form: OutputFormat) -> None:
    """Load what writes a format; without it the first group of rows does."""
    if form == "parquet":
        _arrow()


class JsonRows:
    """One JSON object a line, its keys in the order of the columns."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write to ``stream``."""
        self._stream = stream
        self._encoder = msgspec.json.Encoder()

    def __enter__(self) -> Self:
        """Begin with nothing."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End without a word."""

    def write(self, rows: Sequence[msgspec.Struct]) -> None:
        """Write one line for each."""
        self._stream.write(self._encoder.encode_lines(rows))


class ParquetRows:
    """Parquet: one row group for each group of rows."""

    def __init__(self, stream: BinaryIO, shape: type[msgspec.Struct]) -> None:
        """Write to ``stream``; the fields of ``shape`` are the columns."""
        self._stream, self._shape = stream, shape

    def __enter__(self) -> Self:
        """Begin the file with its first group: what writes it may not be loaded yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what ends the file."""
        self._file.close()

    def write(self, rows: Sequence[msgspec.Struct]) -> None:
        """Write one row group, whose table is one chunk: other chunks are other bytes."""
        values = [msgspec.structs.asdict(row) for row in rows]
        self._file.write_table(_arrow().Table.from_pylist(values, self._schema))

    @cached_property
    def _schema(self) -> Any:  # noqa: ANN401  pyarrow has no types
        return _schema(_arrow(), self._shape)

    @cached_property
    def _file(self) -> Any:  # noqa: ANN401
        names = self._schema.names
        return _arrow().parquet.ParquetWriter(
            self._stream,
            self._schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=3,
            use_dictionary=[name for name in names if name in _REPEATING],
            write_statistics=[name for name in names if name in _MEASURED],
            write_page_checksum=True,
            data_page_size=1 << 20,
            write_batch_size=1024,
            store_schema=True,
        )


def _arrow() -> Any:  # noqa: ANN401
    import pyarrow.parquet  # noqa: PLC0415  an extra, and a tenth of a second

    return pyarrow


def _schema(arrow: Any, shape: type[msgspec.Struct]) -> Any:  # noqa: ANN401  pyarrow has no types
    kinds = {str: arrow.string(), int: arrow.int64(), bool: arrow.bool_(), float: arrow.float64()}
    fields = []
    for field in msgspec.structs.fields(shape):
        types = get_args(field.type) or (field.type,)
        fields.append(arrow.field(field.name, kinds[types[0]], nullable=type(None) in types))
    return arrow.schema(fields)
