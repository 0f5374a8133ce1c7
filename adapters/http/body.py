"""Reading a body: never more than the limit, on the wire or after decompression."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

import httpx

from .decoding import decode_chunks, parse_codings
from .exceptions import BodyTooLarge
from .responses import WireBody, header_lines


async def read_body(
    response: httpx.Response,
    limit: int,
    *,
    wire: int | None = None,
    pace: Callable[[int], Awaitable[None]] | None = None,
) -> bytes:
    """Return the decompressed body of a streamed response, at most ``limit`` bytes of it.

    ``wire`` is the limit before decompression, the same one if it is not given. ``pace`` is
    awaited with the size so far after each piece.
    """
    most = limit if wire is None else wire
    codings = _codings(response, most)
    # Without a coding the body is what came off the wire, and is counted once.
    limit = limit if codings else min(limit, most)
    if pace is None and not codings and isinstance(response.stream, WireBody):
        whole = response.stream.take_rest()
        if whole is not None:
            return _within(whole, limit)
    chunks = decode_chunks(_counted(response, most), codings) if codings else _pieces(response)
    pieces: list[bytes] = []
    size = 0
    async for piece in chunks:
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(limit, "decoded" if codings else "body")
        pieces.append(piece)
        if pace is not None:
            await pace(size)
    return b"".join(pieces)


async def read_pieces(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the decompressed body as it comes; more than ``limit`` bytes is ``BodyTooLarge``."""
    codings = parse_codings(response.headers.get_list("content-encoding"))
    size = 0
    async for piece in decode_chunks(_counted(response, limit), codings):
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(limit, "decoded")
        yield piece


async def read_start(response: httpx.Response, max_bytes: int, *, wire: int) -> bytes:
    """Return the first ``max_bytes`` bytes of the decompressed body, or all of it if it is shorter.

    ``wire`` is the limit before decompression: a long body may come to very few bytes.
    """
    codings = parse_codings(response.headers.get_list("content-encoding"))
    start = bytearray()
    async for piece in decode_chunks(_counted(response, wire), codings):
        start += piece
        if len(start) >= max_bytes:
            break
    return bytes(start[:max_bytes])


def _codings(response: httpx.Response, most: int) -> list[str]:
    """Return the codings to undo; refuse a body that is announced as too large."""
    encodings: list[str] = []
    for name, value in header_lines(response):
        if name == b"content-length" and value.isdigit() and int(value[:20]) > most:
            raise BodyTooLarge(most)
        if name == b"content-encoding":
            encodings.append(value.decode("latin-1"))
    return parse_codings(encodings) if encodings else encodings


def _within(whole: bytes, limit: int) -> bytes:
    if len(whole) > limit:
        raise BodyTooLarge(limit)
    return whole


async def _counted(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the bytes as they come off the wire, up to the limit."""
    wire_bytes = 0
    async for chunk in _pieces(response):
        wire_bytes += len(chunk)
        if wire_bytes > limit:
            raise BodyTooLarge(limit)
        yield chunk


def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    # The stream and not aiter_raw: that one refuses an answer whose body is already in memory,
    # as httpx.MockTransport gives it. What is in memory is counted and decoded all the same.
    return aiter(cast("httpx.AsyncByteStream", response.stream))
