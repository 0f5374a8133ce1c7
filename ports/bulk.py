"""Many pages at once: a shard of the input, one input of it, and the row that comes of it."""

from typing import Literal, TypeAlias

import msgspec

from .errors import WebError

ShardKind: TypeAlias = Literal["files", "urls", "warc", "parquet"]


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the input: where it begins, and how many rows come of it.

    It is a descriptor and holds no page: whoever works on it opens the source. ``first`` is the
    number of its first row. ``offset`` counts bytes in a WARC file or a list, rows in a table.
    """

    number: int
    kind: ShardKind
    source: str
    offset: int
    first: int
    rows: int

    @property
    def name(self) -> str:
        """What its files are called, before their ending."""
        return f"part-{self.number:06}"


class BulkItem(msgspec.Struct, frozen=True, kw_only=True):
    """One input: a body to convert, or the error that stands in its place.

    ``url`` is as asked for, ``final_url`` where the body came from; ``record_id`` and
    ``fetched_at`` are what a WARC file says, ``robots`` what its answer has as ``X-Robots-Tag``,
    ``same_page`` the URL of an earlier input of a crawl that is the same page, and ``truncated``
    why whoever wrote the file kept only the beginning of the body.
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
    same_page: str | None = None
    truncated: str | None = None
    body: bytes = b""
    error: WebError | None = None


class BulkRow(msgspec.Struct, frozen=True, kw_only=True):
    """What comes of one input: a page, or a typed error. Nothing in it differs between runs.

    ``error`` is the error's kind and ``error_json`` all of it. ``metadata``, ``receipt`` and
    ``quality`` are JSON, their keys in order; ``language`` is what the text is written in, and
    ``compressed`` the passages of it that matter most, where they were asked for.
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
