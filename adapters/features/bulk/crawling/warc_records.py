"""Write WARC records of fetched pages (ISO 28500, WARC 1.1), one gzip member each.

Bodies are stored decoded; the headers of their encoding are stored with the prefix ``X-Crawl-``, as
Common Crawl does (2026-11-15). An input without a page is a ``metadata`` record with its error.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from webseam.ports.errors import WebError
from webseam.ports.targets import MAX_URL_CHARS

from ..datasets.atomic_files import open_atomic_file
from ..datasets.warc import (
    ASKED_FIELD,
    COPY_FIELD,
    ERROR_TYPE,
    HOP_FIELD,
    LOOK_FIELD,
    ROBOTS_USAGE_FIELD,
)

if TYPE_CHECKING:
    from webseam.adapters.pages.fetch.user_headers import Headers

    from .polite_fetcher import Hop, PageVisit


_GZIP_LEVEL: Final = 6
_BLANK_LINE: Final = b"\r\n\r\n"
_RECORD_END: Final = b"\r\n\r\n"
_CODING_HEADERS: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})
# Headers that a 304 does not update, and those of a single connection (RFC 9111, 3.2).
_FIXED_HEADERS: Final = _CODING_HEADERS | {
    "connection", "content-range", "content-type", "keep-alive", "proxy-authenticate",
    "proxy-connection", "te", "trailer", "upgrade",
}  # fmt: skip
_NOT_MODIFIED: Final = 304
_NOT_MODIFIED_PROFILE: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REQUEST_TYPE: Final = "application/http;msgtype=request"
_RESPONSE_TYPE: Final = "application/http;msgtype=response"
_GZIP_WINDOW_BITS: Final = 31
_MAX_HEAD_BYTES: Final = 16_384
_ID_AND_DATE_PATTERN: Final = re.compile(
    rb"\r\nWARC-Record-ID: <urn:uuid:(\S+)>\r\nWARC-Date: (\S+)\r\n"
)
_INFO_FIELDS: Final = {
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}
_READ_BYTES: Final = 1 << 16


def visit_warc_records(
    url: str, visit: PageVisit, finished_at: float, *, is_copy: bool = False
) -> bytes:
    """Return the records of one input; ``is_copy`` marks a page that another input fetched."""
    is_page = visit.error is None and visit.onward is None
    last = len(visit.hops) - 1 if is_page else len(visit.hops)
    copy_mark = [(COPY_FIELD, "1")] if is_copy else []
    records = [
        _exchange_records(url, hop, [(HOP_FIELD, "1")] if index < last else copy_mark)
        for index, hop in enumerate(visit.hops)
    ]
    if visit.error is not None:
        records.append(warc_failure_record(url, visit.error, finished_at))
    marks = [(LOOK_FIELD, "1")]
    if visit.look is not None:
        records.append(_exchange_records(url, visit.look, marks))
    if visit.look_error is not None:
        records.append(warc_failure_record(url, visit.look_error, finished_at, marks))
    return b"".join(records)


def warc_failure_record(
    url: str, error: WebError, finished_at: float, marks: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Return the record of an input without a page."""
    name = "".join(url.split())[:MAX_URL_CHARS] or "about:blank"
    fields = [("WARC-Target-URI", name), (ASKED_FIELD, _url_line(url)), *marks]
    block = msgspec.json.encode(error, order="sorted")
    return _make_record("metadata", fields, ERROR_TYPE, block, finished_at)


def warc_info_record(first: bytes, name: str, notes: Mapping[str, str]) -> bytes:
    """Return the warcinfo record of a file; ``first`` is the record after it.

    Its id and date derive from that record, so the same records always give the same bytes.
    """
    head = zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(first, _MAX_HEAD_BYTES)
    match = _ID_AND_DATE_PATTERN.search(head)
    if match is None:
        return b""
    all_notes = {**notes, **_INFO_FIELDS}.items()
    lines = (f"{field}: {_url_line(value)}\r\n" for field, value in all_notes)
    record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {match[1].decode()}")
    fields = [("WARC-Filename", name), ("Content-Type", "application/warc-fields")]
    block = "".join(lines).encode("utf-8", "replace")
    return _make_record_with_id(("warcinfo", record_id, match[2].decode()), fields, block)


def unchanged_warc_records(url: str, visit: PageVisit, record: bytes, *, is_new: bool) -> bytes:
    """Return the records of an input whose page equals the one in ``record``; raises ``OSError``.

    The conditional request precedes it if it ``is_new``; the headers are updated from its response.
    """
    requests = (
        [_exchange_records(url, hop, [(HOP_FIELD, "1")]) for hop in visit.hops] if is_new else []
    )
    fresh = tuple(header for hop in visit.hops for header in hop.headers)
    return b"".join((*requests, _copy_record(record, url, fresh)))


def _copy_record(record: bytes, url: str, fresh: Headers) -> bytes:
    """Return the record of a page as that of another input with the URL ``url``."""
    head, _, content = _unpack_record(record).partition(_BLANK_LINE)
    first, headers, body = _split_answer(content)
    lines = [first, *(f"{name}: {value}" for name, value in refresh_stored_headers(headers, fresh))]
    block = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body
    new_fields = {
        # A new id, because the page may be in several rows.
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        ASKED_FIELD: _url_line(url),
        COPY_FIELD: "1",
        "WARC-Block-Digest": _sha1_digest(block),
        "Content-Length": str(len(block)),
    }
    names = tuple(f"{name}:".encode() for name in new_fields)
    old_lines = [line for line in head.split(b"\r\n") if not line.startswith(names)]
    added = [f"{name}: {value}".encode("utf-8", "replace") for name, value in new_fields.items()]
    return warc_gzip_member(b"\r\n".join((*old_lines, *added)) + _BLANK_LINE + block + _RECORD_END)


def refresh_stored_headers(stored: Headers, fresh: Headers) -> Headers:
    """Return the headers of an unchanged page, updated by those of the 304 response."""
    new = tuple((name, value) for name, value in fresh if name.lower() not in _FIXED_HEADERS)
    names = {name.lower() for name, _ in new}
    return (*(header for header in stored if header[0].lower() not in names), *new)


def read_warc_answer(record: bytes) -> tuple[int, Headers, bytes]:
    """Return status, headers and body of a stored response; raises ``OSError`` if damaged."""
    _, _, content = _unpack_record(record).partition(_BLANK_LINE)
    first, headers, body = _split_answer(content)
    answer_headers = tuple(header for header in headers if header[0].lower() not in _CODING_HEADERS)
    return int(first.split()[1]), answer_headers, body


def _split_answer(content: bytes) -> tuple[str, Headers, bytes]:
    head, _, body = content.removesuffix(_RECORD_END).partition(_BLANK_LINE)
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return first, tuple((name, value) for name, _, value in fields), body


def _unpack_record(record: bytes) -> bytes:
    try:
        return gzip.decompress(record)
    except (EOFError, OSError, zlib.error) as error:
        raise OSError(None, "a page of the former run is damaged") from error


def _exchange_records(url: str, hop: Hop, marks: list[tuple[str, str]]) -> bytes:
    fields = [("WARC-Target-URI", hop.url), (ASKED_FIELD, _url_line(url)), *marks]
    fields += [(ROBOTS_USAGE_FIELD, f"{one.name}: {one.value}") for one in hop.statements]
    if hop.status == _NOT_MODIFIED:
        kind, detail = "revisit", ("WARC-Profile", _NOT_MODIFIED_PROFILE)
    else:
        kind, detail = "response", ("WARC-Payload-Digest", _sha1_digest(hop.body))
    lines = [f"HTTP/1.1 {hop.status} "]
    for name, value in hop.headers:
        prefix = "X-Crawl-" if name.lower() in _CODING_HEADERS else ""
        lines.append(f"{prefix}{name}: {value}")
    lines += [f"Content-Length: {len(hop.body)}", "", ""]
    block = "\r\n".join(lines).encode("latin-1", "replace") + hop.body
    request = _make_record("request", fields, _REQUEST_TYPE, hop.request, hop.at)
    return request + _make_record(kind, [*fields, detail], _RESPONSE_TYPE, block, hop.at)


def _make_record(
    kind: str, fields: list[tuple[str, str]], content_type: str, block: bytes, at: float
) -> bytes:
    date = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # A random id: the same page of the same second may be in two rows.
    fields = [*fields, ("Content-Type", content_type)]
    return _make_record_with_id((kind, uuid.uuid4(), date), fields, block)


def _make_record_with_id(
    name: tuple[str, uuid.UUID, str], fields: list[tuple[str, str]], block: bytes
) -> bytes:
    kind, record_id, date = name
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{record_id}>",
        f"WARC-Date: {date}",
        *(f"{field}: {value}" for field, value in fields),
        f"WARC-Block-Digest: {_sha1_digest(block)}",
        f"Content-Length: {len(block)}",
        "",
        "",
    ]
    head = "\r\n".join(lines).encode("utf-8", "replace")
    return warc_gzip_member(head + block + b"\r\n\r\n")


def _sha1_digest(content: bytes) -> str:
    """Return a SHA-1 digest as WARC tools write it: to find copies, not forgeries."""
    return f"sha1:{b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()}"


def warc_gzip_member(record: bytes) -> bytes:
    """Return a record as a gzip member without a timestamp."""
    return gzip.compress(record, _GZIP_LEVEL, mtime=0)


def _url_line(url: str) -> str:
    """Return a URL as typed, on one line, truncated to the URL limit."""
    return " ".join(url.split())[:MAX_URL_CHARS]


def mark_warc_records(path: Path, field: str, marks_by_offset: Mapping[int, str]) -> None:
    """Add a field to the records of a finished file at some offsets; raises ``OSError``."""
    with path.open("rb") as source, open_atomic_file(path) as target:
        for offset in sorted(marks_by_offset):
            _copy_bytes(source, target, offset - source.tell())
            head, blank, block = _read_member(source).partition(b"\r\n\r\n")
            mark = f"\r\n{field}: {' '.join(marks_by_offset[offset].split())}".encode()
            target.write(warc_gzip_member(head + mark + blank + block))
        _copy_bytes(source, target, path.stat().st_size - source.tell())


def _copy_bytes(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _READ_BYTES))):
        target.write(piece)
        size -= len(piece)


def _read_member(source: BinaryIO) -> bytes:
    decompressor = zlib.decompressobj(_GZIP_WINDOW_BITS)
    pieces: list[bytes] = []
    while not decompressor.eof and (piece := source.read(_READ_BYTES)):
        pieces.append(decompressor.decompress(piece))
    source.seek(-len(decompressor.unused_data), 1)
    return b"".join(pieces)
