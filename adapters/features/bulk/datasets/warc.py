"""Read WARC files: responses, resources and unreadable stretches are inputs.

fastwarc returns a truncated record as if it were complete (1.1.0, seen 2026-11-15). Here it is an
input with an error, like an unreadable stretch between records.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.
# ruff: noqa: ANN401
# fastwarc has no types.

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

import msgspec
from returns.result import Failure

from webseam.ports.bulk import BulkItem
from webseam.ports.errors import ResponseTooLarge, SourceUnreadable, WebError
from webseam.ports.usage import USAGE_HEADERS, UsageStatement

from .body_decoding import decode_warc_body
from .record_lengths import has_swallowed_records
from .record_offsets import MAX_HEAD_BYTES, PACKED_RECORD_STARTS, RecordOffset, warc_record_offsets

ASKED_FIELD: Final = "Webseam-Asked"
HOP_FIELD: Final = "Webseam-Hop"
SAME_PAGE_FIELD: Final = "Webseam-Same-Page"
# A line of robots.txt about the use of the page, as it was when the page was fetched.
ROBOTS_USAGE_FIELD: Final = "Webseam-Robots-Usage"
# Marks a page that was not fetched for its row, but before: for another row or in another run.
COPY_FIELD: Final = "Webseam-Copy"
# Marks the records of a second look, after those of the page.
LOOK_FIELD: Final = "Webseam-Second-Look"
# Records of pages whose bodies are elsewhere, and of texts derived from pages.
SKIPPED_RECORD_TYPES: Final = ("revisit", "conversion")
OnSkip: TypeAlias = Callable[[str], None]
ERROR_TYPE: Final = "application/x-webseam-error+json"
MAX_BODY_BYTES: Final = 20 * 1024 * 1024
_MAGIC_BYTES: Final = 4
_ZSTD_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
_LENGTH_REASON: Final = "its head states a wrong length"
_LATER_RECORDS_REASON: Final = f"{_LENGTH_REASON} that includes later records"
# Resources or responses that are not pages: wget's log and arguments, DNS and whois lookups of
# Heritrix, notes and pictures of Browsertrix.
_NON_PAGE_PREFIXES: Final = (
    "metadata:", "dns:", "whois:",
    "urn:pageinfo:", "urn:text:", "urn:view:", "urn:thumbnail:", "urn:fullpage:",
)  # fmt: skip
_ROBOTS_HEADER: Final = "X-Robots-Tag"
_ERROR_DECODER: Final = msgspec.json.Decoder(WebError)


def warc_input_offsets(path: Path, on_skip: OnSkip = lambda _kind: None) -> Iterator[int]:
    """Yield the offset of each input; raises ``OSError`` if the file cannot be opened.

    ``on_skip`` receives the type of each record that stands for a page but is not an input.
    """
    with path.open("rb") as stream:
        for entry in (
            entry for entry in warc_record_offsets(stream, 0) if not entry.has_wrong_length
        ):
            if entry.record is None or _is_input(entry.record):
                yield entry.offset
                continue
            kind = (entry.record.headers.get("WARC-Type") or "").lower()
            # webseam's own are conditional requests for pages that follow.
            if kind in SKIPPED_RECORD_TYPES and entry.record.headers.get(HOP_FIELD) is None:
                on_skip(kind)


def can_begin_warc_at(path: Path, offset: int) -> bool:
    """Tell whether a reader may begin at an offset.

    It cannot in a file packed as one piece, nor in one that begins with the dictionary of its
    records, as zstd WARC files may (IIPC, read 2026-11-17).
    """
    with path.open("rb") as stream:
        start = stream.read(_MAGIC_BYTES)
        if start == _ZSTD_DICTIONARY_MAGIC:
            return False
        if not start.startswith(PACKED_RECORD_STARTS):
            return True
        stream.seek(offset)
        return stream.read(_MAGIC_BYTES).startswith(PACKED_RECORD_STARTS)


def read_warc_inputs(path: Path, offset: int, source: str) -> Iterator[BulkItem]:
    """Yield the inputs from ``offset`` on, in the order of the file."""
    with path.open("rb") as stream:
        yield from read_warc_stream_inputs(stream, offset, source)


def fetched_body_bytes(stream: BinaryIO) -> int:
    """Return how many bytes of bodies were fetched for a webseam file, without copies."""
    records = (entry.record for entry in warc_record_offsets(stream, 0) if entry.record is not None)
    fetched = (record for record in records if record.headers.get(COPY_FIELD) is None)
    return sum(len(_record_item(record, "").body) for record in fetched if _is_input(record))


def read_warc_input_records(path: Path) -> Iterator[tuple[BulkItem, bytes]]:
    """Yield the inputs of a webseam file, each with the bytes of all its records."""
    with path.open("rb") as stream, path.open("rb") as content:
        begin, item = -1, None
        for entry in warc_record_offsets(stream, 0):
            if item is not None and not _is_second_look(entry):
                yield item, content.read(entry.offset - begin)
                begin, item = -1, None
            if item is None and not _is_warcinfo(entry.record):
                begin = content.seek(entry.offset) if begin < 0 else begin
                item = _entry_item(entry, "")
        if item is not None:
            yield item, content.read()


def _is_warcinfo(record: Any) -> bool:
    from fastwarc.warc import WarcRecordType

    return record is not None and record.record_type == WarcRecordType.warcinfo


def read_warc_stream_inputs(stream: BinaryIO, offset: int, source: str) -> Iterator[BulkItem]:
    """Yield the inputs of a stream, like ``read_warc_inputs``."""
    last: BulkItem | None = None
    for entry in warc_record_offsets(stream, offset):
        if entry.has_wrong_length:
            last = None if last is None else _wrong_length_item(last)
            continue
        if last is not None and _is_second_look(entry):
            is_request = entry.record.headers.get("WARC-Type") == "request"
            look = None if is_request else _record_item(entry.record, source)
            last = msgspec.structs.replace(last, look=look)
            continue
        if last is not None:
            yield last
        last = _entry_item(entry, source)
    if last is not None:
        yield last


def _is_second_look(entry: RecordOffset) -> bool:
    return entry.record is not None and entry.record.headers.get(LOOK_FIELD) is not None


def _entry_item(entry: RecordOffset, source: str) -> BulkItem | None:
    if entry.record is None:
        error = SourceUnreadable(reason="no record can be read here")
        return BulkItem(source=source, offset=entry.offset, error=error)
    return _record_item(entry.record, source) if _is_input(entry.record) else None


def _wrong_length_item(item: BulkItem, reason: str = _LENGTH_REASON) -> BulkItem:
    error = SourceUnreadable(reason=reason)
    return msgspec.structs.replace(item, status=None, body=b"", error=error)


def _is_input(record: Any) -> bool:  # fastwarc has no types
    from fastwarc.warc import WarcRecordType

    kind, headers = record.record_type, record.headers
    if headers.get("Content-Length") is None:
        # A truncated head does not say what the record is.
        return True
    if kind in (WarcRecordType.response, WarcRecordType.resource):
        is_page = not (_record_url(headers) or "").lower().startswith(_NON_PAGE_PREFIXES)
        return is_page and headers.get(HOP_FIELD) is None and headers.get(LOOK_FIELD) is None
    is_ours: bool = headers.get("Content-Type") == ERROR_TYPE and headers.get(LOOK_FIELD) is None
    return is_ours and kind == WarcRecordType.metadata


def _record_url(headers: Any) -> str | None:
    """Return the URL of a record; wget puts it in angle brackets, as WARC 1.0 specifies."""
    address: str | None = headers.get("WARC-Target-URI")
    if address is not None and address[:1] == "<" and address[-1:] == ">":
        return address[1:-1]
    return address


def _record_item(record: Any, source: str) -> BulkItem:
    headers = record.headers
    final_url = _record_url(headers)
    item = BulkItem(
        source=source,
        offset=record.stream_pos,
        url=headers.get(ASKED_FIELD) or final_url,
        final_url=final_url,
        fetched_at=headers.get("WARC-Date"),
        record_id=headers.get("WARC-Record-ID"),
        content_type=headers.get("Content-Type") or "",
        same_page=headers.get(SAME_PAGE_FIELD),
        truncated=headers.get("WARC-Truncated"),
    )
    if headers.get("Content-Length") is None:
        return _bad_item(item, "its head is cut off")
    length = record.content_length
    if length > MAX_BODY_BYTES + MAX_HEAD_BYTES:
        large = ResponseTooLarge(what="body", limit=MAX_BODY_BYTES)
        return msgspec.structs.replace(item, error=large)
    try:
        record.freeze()
        if record.content_length != length:
            return _bad_item(item, f"{record.content_length:,} of {length:,} bytes are there")
        return _fill_item(item, record)
    # fastwarc raises these for a head or an encoding that is not what it claims.
    except (OSError, ValueError, EOFError) as error:
        return _bad_item(item, type(error).__name__)


def _fill_item(item: BulkItem, record: Any) -> BulkItem:
    from fastwarc.warc import WarcRecordType

    if record.record_type == WarcRecordType.metadata:
        error = _decode_error(record.reader.read())
        # A record must have an address, an input need not.
        url = record.headers.get(ASKED_FIELD) or None
        return msgspec.structs.replace(item, url=url, content_type="", final_url=None, error=error)
    if record.record_type == WarcRecordType.response:
        # Some writers omit the content type by which fastwarc recognises an HTTP response.
        record.is_http = record.is_http or (item.final_url or "").lower().startswith("http")
        # Do not decode with fastwarc: it returns a truncated body as complete, and an error of its
        # decoders ends the file (1.1.0, seen 2026-11-15).
        record.parse_http(auto_decode="none", quirks_mode=True, max_header_len=MAX_HEAD_BYTES)
        head = record.http_headers
        if head is None or not (head.status_line or "").startswith("HTTP/"):
            return _bad_item(item, "it has no HTTP head")
        item = msgspec.structs.replace(
            item,
            status=head.status_code,
            content_type=head.get("Content-Type") or "",
            robots=tuple(head.get_multiple(_ROBOTS_HEADER)),
            statements=tuple(_usage_statements(record.headers, head)),
        )
        length = head.get("Content-Length")
        transfer, codings = (head.get(f"{name}-Encoding") or "" for name in ("Transfer", "Content"))
    else:
        length, transfer, codings = None, "", ""
    content = record.reader.read()
    digests = [record.headers.get(f"WARC-{part}-Digest") for part in ("Payload", "Block")]
    if has_swallowed_records(content, length, digests):
        return _wrong_length_item(item, _LATER_RECORDS_REASON)
    body = decode_warc_body(content, transfer, codings, MAX_BODY_BYTES)
    if isinstance(body, Failure):
        return msgspec.structs.replace(item, error=body.failure())
    return msgspec.structs.replace(item, body=body.unwrap())


def _usage_statements(fields: Any, head: Any) -> Iterator[UsageStatement]:
    for name in USAGE_HEADERS:
        if name != _ROBOTS_HEADER.lower() and (values := head.get_multiple(name)):
            yield UsageStatement("header", name, ", ".join(values))
    for line in fields.get_multiple(ROBOTS_USAGE_FIELD):
        name, _, value = line.partition(": ")
        yield UsageStatement("robots.txt", name, value)


def _decode_error(content: bytes) -> WebError:
    try:
        error: WebError = _ERROR_DECODER.decode(content)
    except (msgspec.DecodeError, ValueError):
        return SourceUnreadable(reason="the record of the failure is damaged")
    return error


def _bad_item(item: BulkItem, reason: str) -> BulkItem:
    return msgspec.structs.replace(item, error=SourceUnreadable(reason=reason))


class ValidatedPage(NamedTuple):
    """A page with a validator for a conditional request, and the span of its record."""

    url: str
    final_url: str
    etag: str
    modified: str
    offset: int
    length: int


def validated_warc_pages(path: Path) -> Iterator[ValidatedPage]:
    """Yield the pages of a file that have an ETag or a date, with the spans of their records."""
    with path.open("rb") as stream:
        open_page: ValidatedPage | None = None
        for entry in warc_record_offsets(stream, 0):
            # An unreadable stretch may begin inside the page.
            if open_page is not None and entry.record is not None:
                yield open_page._replace(length=entry.offset - open_page.offset)
            open_page = None if entry.record is None else _validated_page(entry.record)
        if open_page is not None:
            yield open_page._replace(length=stream.seek(0, 2) - open_page.offset)


def _validated_page(record: Any) -> ValidatedPage | None:
    from fastwarc.warc import WarcRecordType

    if record.record_type != WarcRecordType.response or not _is_input(record):
        return None
    url, final_url = record.headers.get(ASKED_FIELD), _record_url(record.headers)
    try:
        record.parse_http()
    except (OSError, ValueError):
        return None
    head = record.http_headers
    etag, modified = (head.get(name) or "" for name in ("ETag", "Last-Modified"))
    # A mark is only valid in its own crawl.
    is_marked = record.headers.get(SAME_PAGE_FIELD) is not None
    if url is None or final_url is None or is_marked or not (etag or modified):
        return None
    return ValidatedPage(url, final_url, etag, modified, record.stream_pos, 0)
