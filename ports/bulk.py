"""Define bulk runs: a shard of the input, one input, and its row."""

from typing import Any, Literal, TypeAlias

import msgspec

from .errors import WebError
from .usage import UsageStatement

ShardKind: TypeAlias = Literal["files", "urls", "warc", "parquet"]


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the input: where it begins, and how many rows it has.

    It is a descriptor without pages; the worker opens the source. ``first`` is the number of its
    first row. ``offset`` counts bytes in a WARC file or a list, rows in a table.
    """

    number: int
    kind: ShardKind
    source: str
    offset: int
    first: int
    rows: int

    @property
    def name(self) -> str:
        """The name of its files, without their ending."""
        return f"part-{self.number:06}"


class BulkItem(msgspec.Struct, frozen=True, kw_only=True):
    """One input: a body to convert, or an error.

    ``url`` is the requested URL, ``final_url`` the one that served the body. ``record_id`` and
    ``fetched_at`` come from a WARC file, ``robots`` from ``X-Robots-Tag``, other ``statements``
    about use from headers and robots.txt. ``same_page`` is the URL of an earlier input of a crawl
    that is the same page. ``truncated`` is why the file has only the beginning of the body.
    ``look`` is the second look at a page in markdown: its HTML, or the error.
    """

    source: str
    offset: int
    url: str | None = None
    final_url: str | None = None
    status: int | None = None
    content_type: str = ""
    fetched_at: str | None = None
    record_id: str | None = None
    robots: tuple[str, ...] = ()
    statements: tuple[UsageStatement, ...] = ()
    same_page: str | None = None
    truncated: str | None = None
    body: bytes = b""
    error: WebError | None = None
    look: "BulkItem | None" = None


class BulkRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The row of one input: a page, or a typed error. It is the same in every run.

    ``error`` is the error's kind and ``error_json`` all of it. ``metadata``, ``receipt`` and
    ``quality`` are JSON with sorted keys; ``language`` is the detected language, and ``compressed``
    the most relevant passages, if requested. With a schema, ``data`` has the ``values`` that the
    page proves, their ``basis`` and what is ``refused`` as JSON, and an ``error``.
    """

    row: int
    source: str
    offset: int
    url: str | None
    final_url: str | None
    status: int | None
    content_type: str
    fetched_at: str | None
    title: str | None
    content: str | None
    compressed: str | None
    language: str | None
    metadata: str
    body_bytes: int
    body_sha256: str | None
    content_sha256: str | None
    quality: str | None
    kept: bool | None
    receipt: str
    error: str | None
    error_json: str | None
    data: dict[str, Any] | None = None
