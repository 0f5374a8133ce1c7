"""WARC records of what was fetched (ISO 28500, WARC 1.1), a gzip member each.

A body is kept as it was decoded; the headers of its encoding are kept under ``X-Crawl-``, as Common
Crawl has it (2026-11-15). An input that gave no page is a ``metadata`` record with its error.
"""

from __future__ import annotations

import gzip
import uuid
from datetime import UTC, datetime
from typing import Final

import msgspec

from ...ports.errors import WebError
from ...ports.targets import MAX_URL_CHARACTERS
from ..datasets.warc import ASKED, ERROR_TYPE, HOP
from .polite import Hop, PageVisit

_LEVEL: Final = 6
_RECODED: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_REQUEST: Final = "application/http;msgtype=request"
_RESPONSE: Final = "application/http;msgtype=response"


def records_of(url: str, visit: PageVisit, at: float) -> bytes:
    """Return the records of one input; ``at`` is when it was over."""
    is_page = visit.error is None and visit.onward is None
    last = len(visit.hops) - 1 if is_page else len(visit.hops)
    records = [_exchange(url, hop, is_hop=place < last) for place, hop in enumerate(visit.hops)]
    if visit.error is not None:
        records.append(failure_record(url, visit.error, at))
    return b"".join(records)


def failure_record(url: str, error: WebError, at: float) -> bytes:
    """Return the record of an input that gave no page."""
    fields = [("WARC-Target-URI", _plain(url) or "about:blank"), (ASKED, _line(url))]
    block = msgspec.json.encode(error, order="sorted")
    return _record("metadata", fields, ERROR_TYPE, block, at)


def _exchange(url: str, hop: Hop, *, is_hop: bool) -> bytes:
    fields = [("WARC-Target-URI", hop.url), (ASKED, _line(url))]
    if is_hop:
        fields.append((HOP, "1"))
    return _record("request", fields, _REQUEST, hop.request, hop.at) + _record(
        "response", fields, _RESPONSE, _answer(hop), hop.at
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
    name = uuid.uuid4()
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{name}>",
        f"WARC-Date: {date}",
        *(f"{field}: {value}" for field, value in fields),
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
        "",
        "",
    ]
    head = "\r\n".join(lines).encode("utf-8", "replace")
    return packed(head + block + b"\r\n\r\n")


def packed(record: bytes) -> bytes:
    """Return a record as a gzip member, the same every time."""
    return gzip.compress(record, _LEVEL, mtime=0)


def _line(url: str) -> str:
    """Return an address as it was typed, on one line, as far as a head has room for it."""
    return " ".join(url.split())[:MAX_URL_CHARACTERS]


def _plain(url: str) -> str:
    """Return an address without blanks, whatever was typed; likewise."""
    return "".join(url.split())[:MAX_URL_CHARACTERS]
