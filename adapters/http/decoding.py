"""Content codings, undone in steps of bounded size, so that a bomb stops at the reader's limit.

httpx inflates a whole network read at once: 2 KB of a nested gzip become a gigabyte in memory.
Here each stage hands on at most ``MAX_STEP_BYTES`` bytes at a time.
"""

import zlib
from collections.abc import AsyncIterator, Iterable, Iterator

import httpx

ACCEPT_ENCODING = "gzip, deflate"
MAX_CODINGS = 2
MAX_STEP_BYTES = 64 * 1024

_GZIP, _ZLIB, _RAW = 31, 15, -15


def parse_codings(values: Iterable[str]) -> list[str]:
    """Return the codings to undo, in the order of undoing, over all header lines."""
    named = [coding.strip().lower() for value in values for coding in value.split(",")]
    # RFC 9110, 8.4.1: "x-gzip" is another name of "gzip"; old servers use "x-deflate" likewise.
    codings = [coding.removeprefix("x-") for coding in named if coding not in ("", "identity")]
    if len(codings) > MAX_CODINGS:
        message = f"more than {MAX_CODINGS} content codings"
        raise httpx.DecodingError(message)
    return codings[::-1]


def decode_chunks(chunks: AsyncIterator[bytes], codings: Iterable[str]) -> AsyncIterator[bytes]:
    """Undo ``codings`` one after another."""
    for coding in codings:
        if coding not in ("gzip", "deflate"):
            message = "a content coding that was not offered"
            raise httpx.DecodingError(message)
        chunks = _inflate(chunks, _GZIP if coding == "gzip" else _ZLIB)
    return chunks


async def _inflate(chunks: AsyncIterator[bytes], window: int) -> AsyncIterator[bytes]:
    inflater = _Inflater(window)
    async for chunk in chunks:
        for piece in inflater.feed(chunk):
            yield piece
    inflater.finish()


class _Inflater:
    """One gzip or deflate stream, with the two liberties that servers take."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)
        self._begun = False
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        data = self._with_head(data)
        more = bool(data)
        while more:
            if self._stream.eof:
                data = self._next_member(data)
                if not data:
                    return
            piece = self._step(data)
            data = self._stream.unconsumed_tail or self._stream.unused_data
            # A full piece may have left output behind although all input is used up.
            more = bool(data) or len(piece) == MAX_STEP_BYTES
            if piece:
                yield piece

    def finish(self) -> None:
        if self._head or (self._begun and not self._stream.eof):
            message = "the compressed body was cut short"
            raise httpx.DecodingError(message)

    def _with_head(self, data: bytes) -> bytes:
        """Hold back a first byte that comes alone: it takes two to know a zlib stream."""
        data = self._head + data
        alone = len(data) == 1 and self._window == _ZLIB and not self._begun
        self._head = data if alone else b""
        return b"" if alone else data

    def _next_member(self, data: bytes) -> bytes:
        """Go on to the next gzip member: RFC 1952, 2.2; zero bytes after the last are padding."""
        data = data.lstrip(b"\0") if self._window == _GZIP else b""
        if data:
            self._stream = zlib.decompressobj(self._window)
        return data

    def _step(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, MAX_STEP_BYTES)
        except zlib.error as error:
            if self._begun or self._window != _ZLIB:
                message = "the compressed body is corrupt"
                raise httpx.DecodingError(message) from error
            # "deflate" is a zlib stream; some servers send the bare one (RFC 9110, 8.4.1.2, note).
            self._window = _RAW
            self._stream = zlib.decompressobj(_RAW)
            return self._step(data)
        self._begun = True
        return piece
