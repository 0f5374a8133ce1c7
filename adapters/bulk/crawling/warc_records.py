"""WARC records of what was fetched (ISO 28500, WARC 1.1), a gzip member each.

A body is kept as it was decoded; the headers of its encoding are kept under ``X-Crawl-``, as Common
Crawl has it (2026-11-15). An input that gave no page is a ``metadata`` record with its error.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from ....ports.errors import WebError
from ....ports.targets import MAX_URL_CHARS
from ..datasets.warc import ASKED, COPY, ERROR_TYPE, HOP
from ..datasets.whole_files import atomic_file

if TYPE_CHECKING:
    from ...pages.fetch.visit import Headers
    from .polite_fetcher import Hop, PageVisit


_LEVEL: Final = 6
_BLANK_LINE: Final = b"\r\n\r\n"
_RECORD_END: Final = b"\r\n\r\n"
_RECODED: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})
# What a page that has not changed keeps of before, and what is of one connection (RFC 9111, 3.2).
_NOT_FRESH: Final = _RECODED | {
    "connection", "content-range", "content-type", "keep-alive", "proxy-authenticate",
    "proxy-connection", "te", "trailer", "upgrade",
}  # fmt: skip
_NOT_MODIFIED: Final = 304
_UNCHANGED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REQUEST: Final = "application/http;msgtype=request"
_RESPONSE: Final = "application/http;msgtype=response"
_ANY_GZIP: Final = 31
_MAX_HEAD_BYTES: Final = 16_384
_OF_FIRST: Final = re.compile(rb"\r\nWARC-Record-ID: <urn:uuid:(\S+)>\r\nWARC-Date: (\S+)\r\n")
_VERSION: Final = {
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}


def visit_records(
    url: str, visit: PageVisit, finished_at: float, *, is_copy: bool = False
) -> bytes:
    """Return the records of one input; ``finished_at`` is when it was over.

    A page ``is_copy`` that came before, for another input.
    """
    is_page = visit.error is None and visit.onward is None
    last = len(visit.hops) - 1 if is_page else len(visit.hops)
    copied = [(COPY, "1")] if is_copy else []
    records = [
        _exchange(url, hop, [(HOP, "1")] if place < last else copied)
        for place, hop in enumerate(visit.hops)
    ]
    if visit.error is not None:
        records.append(failure_record(url, visit.error, finished_at))
    return b"".join(records)


def failure_record(url: str, error: WebError, finished_at: float) -> bytes:
    """Return the record of an input that gave no page."""
    fields = [("WARC-Target-URI", _plain(url) or "about:blank"), (ASKED, _line(url))]
    block = msgspec.json.encode(error, order="sorted")
    return _record("metadata", fields, ERROR_TYPE, block, finished_at)


def info_record(first: bytes, name: str, notes: Mapping[str, str]) -> bytes:
    """Return what stands first in a file: who wrote it, and how. ``first`` is the record after it.

    Its name and date are that one's: whoever puts the same records together writes the same bytes.
    """
    head = zlib.decompressobj(_ANY_GZIP).decompress(first, _MAX_HEAD_BYTES)
    known = _OF_FIRST.search(head)
    if known is None:
        return b""
    lines = (f"{field}: {_line(value)}\r\n" for field, value in {**notes, **_VERSION}.items())
    own = uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {known[1].decode()}")
    fields = [("WARC-Filename", name), ("Content-Type", "application/warc-fields")]
    block = "".join(lines).encode("utf-8", "replace")
    return _named_record(("warcinfo", own, known[2].decode()), fields, block)


def unchanged_records(url: str, visit: PageVisit, record: bytes, *, is_new: bool) -> bytes:
    """Return the records of an input whose page is as the one in ``record``; raises ``OSError``.

    The question whether it has changed stands before it where that ``is_new``, and its headers are
    those of the answer.
    """
    asked = [_exchange(url, hop, [(HOP, "1")]) for hop in visit.hops] if is_new else []
    fresh = tuple(header for hop in visit.hops for header in hop.headers)
    return b"".join((*asked, _copied_record(record, url, fresh)))


def _copied_record(record: bytes, url: str, fresh: Headers) -> bytes:
    """Return the record of a page as that of another input, as whose URL ``url`` was typed."""
    head, _, content = _unpacked(record).partition(_BLANK_LINE)
    first, headers, body = _parted(content)
    lines = [
        first,
        *(f"{name}: {value}" for name, value in refresh_headers(headers, fresh)),
        "",
        "",
    ]
    block = "\r\n".join(lines).encode("latin-1", "replace") + body
    own = {
        # One of its own: the page may stand in several rows.
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        ASKED: _line(url),
        COPY: "1",
        "WARC-Block-Digest": _digest(block),
        "Content-Length": str(len(block)),
    }
    names = tuple(f"{name}:".encode() for name in own)
    kept = [line for line in head.split(b"\r\n") if not line.startswith(names)]
    new = [f"{name}: {value}".encode("utf-8", "replace") for name, value in own.items()]
    return gzip_member(b"\r\n".join((*kept, *new)) + _BLANK_LINE + block + _RECORD_END)


def refresh_headers(stored: Headers, fresh: Headers) -> Headers:
    """Return the headers of a page that has not changed, by those it was found so with."""
    new = tuple((name, value) for name, value in fresh if name.lower() not in _NOT_FRESH)
    names = {name.lower() for name, _ in new}
    return (*(each for each in stored if each[0].lower() not in names), *new)


def read_stored_answer(record: bytes) -> tuple[int, Headers, bytes]:
    """Return the answer that a record of ours keeps: status, headers, body.

    Raises ``OSError`` where the record is damaged.
    """
    _, _, content = _unpacked(record).partition(_BLANK_LINE)
    first, headers, body = _parted(content)
    own = tuple(each for each in headers if each[0].lower() not in _RECODED)
    return int(first.split()[1]), own, body


def _parted(content: bytes) -> tuple[str, Headers, bytes]:
    """Return the first line, the headers and the body of an answer of ours."""
    head, _, body = content.removesuffix(_RECORD_END).partition(_BLANK_LINE)
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return first, tuple((name, value) for name, _, value in fields), body


def _unpacked(record: bytes) -> bytes:
    try:
        return gzip.decompress(record)
    except (EOFError, OSError, zlib.error) as error:
        raise OSError(None, "a page of the former run is damaged") from error


def _exchange(url: str, hop: Hop, marks: list[tuple[str, str]]) -> bytes:
    fields = [("WARC-Target-URI", hop.url), (ASKED, _line(url)), *marks]
    if hop.status == _NOT_MODIFIED:
        kind, about = "revisit", ("WARC-Profile", _UNCHANGED)
    else:
        kind, about = "response", ("WARC-Payload-Digest", _digest(hop.body))
    return _record("request", fields, _REQUEST, hop.request, hop.at) + _record(
        kind, [*fields, about], _RESPONSE, _answer(hop), hop.at
    )


def _answer(hop: Hop) -> bytes:
    lines = [f"HTTP/1.1 {hop.status} "]
    for name, value in hop.headers:
        field = f"X-Crawl-{name}" if name.lower() in _RECODED else name
        lines.append(f"{field}: {value}")
    lines += [f"Content-Length: {len(hop.body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace") + hop.body


def _record(
    kind: str, fields: list[tuple[str, str]], content_type: str, block: bytes, at: float
) -> bytes:
    date = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # By chance: the same page at the same second may stand in two rows.
    return _named_record(
        (kind, uuid.uuid4(), date), [*fields, ("Content-Type", content_type)], block
    )


def _named_record(
    name: tuple[str, uuid.UUID, str], fields: list[tuple[str, str]], block: bytes
) -> bytes:
    kind, own, date = name
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{own}>",
        f"WARC-Date: {date}",
        *(f"{field}: {value}" for field, value in fields),
        f"WARC-Block-Digest: {_digest(block)}",
        f"Content-Length: {len(block)}",
        "",
        "",
    ]
    head = "\r\n".join(lines).encode("utf-8", "replace")
    return gzip_member(head + block + b"\r\n\r\n")


def _digest(content: bytes) -> str:
    """Return a digest as tools for WARC write and compare it: to find copies, not forgeries."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{b32encode(digest).decode()}"


def gzip_member(record: bytes) -> bytes:
    """Return a record as a gzip member, the same every time."""
    return gzip.compress(record, _LEVEL, mtime=0)


def _line(url: str) -> str:
    """Return an address as it was typed, on one line, as far as a head has room for it."""
    return " ".join(url.split())[:MAX_URL_CHARS]


def _plain(url: str) -> str:
    """Return an address without blanks, whatever was typed; likewise."""
    return "".join(url.split())[:MAX_URL_CHARS]


# Marks on records of a WARC file of ours, when all of it is known; the others stay as they are.

_GZIP: Final = 31
_READ_BYTES: Final = 1 << 16


def mark_records(path: Path, field: str, marks_by_offset: Mapping[int, str]) -> None:
    """Give the records at some places one more field each; raises ``OSError``."""
    with path.open("rb") as source, atomic_file(path) as target:
        for place in sorted(marks_by_offset):
            _copy(source, target, place - source.tell())
            head, blank, block = _member(source).partition(b"\r\n\r\n")
            mark = f"\r\n{field}: {' '.join(marks_by_offset[place].split())}".encode()
            target.write(gzip_member(head + mark + blank + block))
        _copy(source, target, path.stat().st_size - source.tell())


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _READ_BYTES))):
        target.write(piece)
        size -= len(piece)


def _member(source: BinaryIO) -> bytes:
    """Return the record that begins here, and stand where it ends."""
    unpacking = zlib.decompressobj(_GZIP)
    pieces: list[bytes] = []
    while not unpacking.eof and (piece := source.read(_READ_BYTES)):
        pieces.append(unpacking.decompress(piece))
    source.seek(-len(unpacking.unused_data), 1)
    return b"".join(pieces)
