"""WARC files: every response and resource is an input, and so is every stretch that is unreadable.

fastwarc gives a record that was cut off as if it were whole (1.1.0, seen 2026-11-15): it is an
input with an error, as is a stretch between records that cannot be read.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

import msgspec
from returns.result import Failure

from ....ports.bulk import BulkItem
from ....ports.errors import ResponseTooLarge, SourceUnreadable, WebError
from .body_decoding import decode_body
from .lengths import takes_in_others
from .record_offsets import MAX_HEAD_BYTES, PACKED, RecordOffset, record_offsets

ASKED: Final = "Webseam-Asked"
HOP: Final = "Webseam-Hop"
SAME_PAGE: Final = "Webseam-Same-Page"
# What was not fetched for the row it stands in: it came before, for another or in another run.
COPY: Final = "Webseam-Copy"
# Pages whose bodies are elsewhere, and texts that were made of pages.
SKIPPED: Final = ("revisit", "conversion")
OnSkip: TypeAlias = Callable[[str], None]
ERROR_TYPE: Final = "application/x-webseam-error+json"
MAX_BODY_BYTES: Final = 20 * 1024 * 1024
_MARK_BYTES: Final = 4
_DICTIONARY: Final = b"\x5d\x2a\x4d\x18"
_UNREADABLE: Final = "no record can be read here"
_MISFIT: Final = "its head tells another length than it has"
_TAKES_IN: Final = f"{_MISFIT}, and takes in records after it"
# No pages, though they are resources or responses: wget's log and arguments, what Heritrix looked
# up, what Browsertrix notes about a page and its pictures of it.
_OF_THE_WRITER: Final = (
    "metadata:", "dns:", "whois:",
    "urn:pageinfo:", "urn:text:", "urn:view:", "urn:thumbnail:", "urn:fullpage:",
)  # fmt: skip
_ROBOTS_HEADER: Final = "X-Robots-Tag"
_ERRORS: Final = msgspec.json.Decoder(WebError)


def input_offsets(path: Path, on_skip: OnSkip = lambda _kind: None) -> Iterator[int]:
    """Yield where each input begins; raises ``OSError`` when the file cannot be opened.

    Records that stand for pages and are no input are told to ``on_skip`` by what they are.
    """
    with path.open("rb") as stream:
        for place in (place for place in record_offsets(stream, 0) if not place.misfit):
            if place.record is None or _is_input(place.record):
                yield place.offset
            else:
                _tell_skipped(place.record, on_skip)


def _tell_skipped(record: Any, on_skip: OnSkip) -> None:  # noqa: ANN401
    kind = (record.headers.get("WARC-Type") or "").lower()
    # Ours are questions about pages that follow.
    if kind in SKIPPED and record.headers.get(HOP) is None:
        on_skip(kind)


def can_begin(path: Path, offset: int) -> bool:
    """Tell whether a reader may begin there.

    A file packed as one piece has no such place, nor has one that begins with the dictionary which
    its records are packed with, as WARC files of zstd may (IIPC, read 2026-11-17).
    """
    with path.open("rb") as stream:
        start = stream.read(_MARK_BYTES)
        if start == _DICTIONARY:
            return False
        if not start.startswith(PACKED):
            return True
        stream.seek(offset)
        return stream.read(_MARK_BYTES).startswith(PACKED)


def read_inputs(path: Path, offset: int, source: str) -> Iterator[BulkItem]:
    """Yield the inputs from ``offset`` on, in the order of the file."""
    with path.open("rb") as stream:
        yield from read_stream_inputs(stream, offset, source)


def fetched_bytes(stream: BinaryIO) -> int:
    """Return how many bytes of bodies were fetched for a file of ours: copies were not."""
    own = (
        place.record
        for place in record_offsets(stream, 0)
        if place.record is not None and place.record.headers.get(COPY) is None
    )
    return sum(len(_item(record, "").body) for record in own if _is_input(record))


def read_input_records(path: Path) -> Iterator[tuple[BulkItem, bytes]]:
    """Yield the inputs of a file of ours, each with all its records as they stand there.

    The last of them is the input's own. Who wrote the file is left out.
    """
    with path.open("rb") as stream, path.open("rb") as content:
        begin, item = -1, None
        for place in record_offsets(stream, 0):
            if item is not None:
                yield item, content.read(place.offset - begin)
                begin, item = -1, None
            if not _is_info(place.record):
                begin = content.seek(place.offset) if begin < 0 else begin
                item = _at(place, "")
        if item is not None:
            yield item, content.read()


def _is_info(record: Any) -> bool:  # noqa: ANN401
    from fastwarc.warc import WarcRecordType  # noqa: PLC0415

    return record is not None and record.record_type == WarcRecordType.warcinfo


def read_stream_inputs(stream: BinaryIO, offset: int, source: str) -> Iterator[BulkItem]:
    """Yield the inputs of a stream; likewise."""
    last: BulkItem | None = None
    for place in record_offsets(stream, offset):
        if place.misfit:
            last = None if last is None else _misfit(last)
            continue
        if last is not None:
            yield last
        last = _at(place, source)
    if last is not None:
        yield last


def _at(place: RecordOffset, source: str) -> BulkItem | None:
    if place.record is None:
        error = SourceUnreadable(reason=_UNREADABLE)
        return BulkItem(source=source, offset=place.offset, error=error)
    return _item(place.record, source) if _is_input(place.record) else None


def _misfit(item: BulkItem, reason: str = _MISFIT) -> BulkItem:
    error = SourceUnreadable(reason=reason)
    return msgspec.structs.replace(item, status=None, body=b"", error=error)


def _is_input(record: Any) -> bool:  # noqa: ANN401  fastwarc has no types
    from fastwarc.warc import WarcRecordType  # noqa: PLC0415

    kind, headers = record.record_type, record.headers
    if headers.get("Content-Length") is None:
        # Its head was cut off, and with it what it is.
        return True
    if kind in (WarcRecordType.response, WarcRecordType.resource):
        is_page = not (_target(headers) or "").lower().startswith(_OF_THE_WRITER)
        return is_page and headers.get(HOP) is None
    is_ours: bool = headers.get("Content-Type") == ERROR_TYPE
    return is_ours and kind == WarcRecordType.metadata


def _target(headers: Any) -> str | None:  # noqa: ANN401
    """Return the address of a record; wget puts it in angle brackets, as WARC 1.0 has it."""
    address: str | None = headers.get("WARC-Target-URI")
    if address is not None and address[:1] == "<" and address[-1:] == ">":
        return address[1:-1]
    return address


def _item(record: Any, source: str) -> BulkItem:  # noqa: ANN401
    headers = record.headers
    final_url = _target(headers)
    item = BulkItem(
        source=source,
        offset=record.stream_pos,
        url=headers.get(ASKED) or final_url,
        final_url=final_url,
        fetched_at=headers.get("WARC-Date"),
        record_id=headers.get("WARC-Record-ID"),
        content_type=headers.get("Content-Type") or "",
        same_page=headers.get(SAME_PAGE),
        truncated=headers.get("WARC-Truncated"),
    )
    if headers.get("Content-Length") is None:
        return _broken(item, "its head is cut off")
    length = record.content_length
    if length > MAX_BODY_BYTES + MAX_HEAD_BYTES:
        large = ResponseTooLarge(what="body", limit=MAX_BODY_BYTES)
        return msgspec.structs.replace(item, error=large)
    try:
        record.freeze()
        if record.content_length != length:
            return _broken(item, f"{record.content_length:,} of {length:,} bytes are there")
        return _filled(item, record)
    # What it raises on a head or an encoding that is not what it says.
    except (OSError, ValueError, EOFError) as error:
        return _broken(item, type(error).__name__)


def _filled(item: BulkItem, record: Any) -> BulkItem:  # noqa: ANN401
    from fastwarc.warc import WarcRecordType  # noqa: PLC0415

    if record.record_type == WarcRecordType.metadata:
        error = _decoded(record.reader.read())
        # A record has to name an address, an input need not.
        url = record.headers.get(ASKED) or None
        return msgspec.structs.replace(item, url=url, content_type="", final_url=None, error=error)
    if record.record_type == WarcRecordType.response:
        # Some writers leave out the content type by which fastwarc knows an HTTP answer.
        record.is_http = record.is_http or (item.final_url or "").lower().startswith("http")
        # Not by fastwarc: it gives a body that was cut off as if whole, and an error of its own
        # decoders ends the file (1.1.0, seen 2026-11-15).
        record.parse_http(auto_decode="none", quirks_mode=True, max_header_len=MAX_HEAD_BYTES)
        head = record.http_headers
        if head is None or not (head.status_line or "").startswith("HTTP/"):
            return _broken(item, "it has no HTTP head")
        kind = head.get("Content-Type") or ""
        robots = tuple(head.get_multiple(_ROBOTS_HEADER))
        item = msgspec.structs.replace(
            item, status=head.status_code, content_type=kind, robots=robots
        )
        length = head.get("Content-Length")
        transfer, codings = (head.get(f"{each}-Encoding") or "" for each in ("Transfer", "Content"))
    else:
        length, transfer, codings = None, "", ""
    content = record.reader.read()
    if takes_in_others(content, length, _digests(record.headers)):
        return _misfit(item, _TAKES_IN)
    body = decode_body(content, transfer, codings, MAX_BODY_BYTES)
    if isinstance(body, Failure):
        return msgspec.structs.replace(item, error=body.failure())
    return msgspec.structs.replace(item, body=body.unwrap())


def _digests(headers: Any) -> list[str | None]:  # noqa: ANN401
    return [headers.get(f"WARC-{what}-Digest") for what in ("Payload", "Block")]


def _decoded(content: bytes) -> WebError:
    try:
        error: WebError = _ERRORS.decode(content)
    except (msgspec.DecodeError, ValueError):
        return SourceUnreadable(reason="a failure that is not written as one")
    return error


def _broken(item: BulkItem, reason: str) -> BulkItem:
    return msgspec.structs.replace(item, error=SourceUnreadable(reason=reason))


class ValidatedPage(NamedTuple):
    """A page that its server can be asked about: has it changed? And where its record is."""

    url: str
    final_url: str
    etag: str
    modified: str
    offset: int
    length: int


def validated_pages(path: Path) -> Iterator[ValidatedPage]:
    """Yield the pages of a file that have an ETag or a date, with where their records lie."""
    with path.open("rb") as stream:
        open_page: ValidatedPage | None = None
        for place in record_offsets(stream, 0):
            # What cannot be read may begin inside of the page.
            if open_page is not None and place.record is not None:
                yield open_page._replace(length=place.offset - open_page.offset)
            open_page = None if place.record is None else _validated(place.record)
        if open_page is not None:
            yield open_page._replace(length=stream.seek(0, 2) - open_page.offset)


def _validated(record: Any) -> ValidatedPage | None:  # noqa: ANN401
    from fastwarc.warc import WarcRecordType  # noqa: PLC0415

    if record.record_type != WarcRecordType.response or not _is_input(record):
        return None
    url, final_url = record.headers.get(ASKED), _target(record.headers)
    try:
        record.parse_http()
    except (OSError, ValueError):
        return None
    head = record.http_headers
    etag, modified = (head.get(name) or "" for name in ("ETag", "Last-Modified"))
    # A mark is of its crawl.
    is_marked = record.headers.get(SAME_PAGE) is not None
    if url is None or final_url is None or is_marked or not (etag or modified):
        return None
    return ValidatedPage(url, final_url, etag, modified, record.stream_pos, 0)
