"""Content codings, undone in steps of bounded size, so that a bomb stops at the reader's limit.

httpx inflates a whole network read at once: 2 KB of a nested gzip become a gigabyte in memory.
Here each stage hands on at most ``STEP`` bytes at a time.
"""

import zlib
from collections.abc import AsyncIterator, Iterable, Iterator

import httpx

ACCEPT_ENCODING = "gzip, deflate"
MAX_CODINGS = 2
STEP = 64 * 1024

_GZIP, _ZLIB, _RAW = 31, 15, -15


def codings_of(values: Iterable[str]) -> list[str]:
    """Return the codings to undo, in the order of undoing, over all header lines."""
    named = [coding.strip().lower() for value in values for coding in value.split(",")]
    codings = [coding.removeprefix("x-") for coding in named if coding not in ("", "identity")]
    if len(codings) > MAX_CODINGS:
        message = f"more than {MAX_CODINGS} content codings"
        raise httpx.DecodingError(message)
    return codings[::-1]


def decoded(chunks: AsyncIterator[bytes], codings: Iterable[str]) -> AsyncIterator[bytes]:
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

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                # Concatenated gzip members are one body; zero bytes after the last are padding.
                data = data.lstrip(b"\0") if self._window == _GZIP else b""
                if not data:
                    return
                self._stream = zlib.decompressobj(self._window)
            piece = self._step(data)
            data = self._stream.unconsumed_tail or self._stream.unused_data
            if piece:
                yield piece

    def finish(self) -> None:
        if self._begun and not self._stream.eof:
            message = "the compressed body was cut short"
            raise httpx.DecodingError(message)

    def _step(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, STEP)
        except zlib.error as error:
            if self._begun or self._window != _ZLIB:
                message = "the compressed body is corrupt"
                raise httpx.DecodingError(message) from error
            # "deflate" should be a zlib stream; some servers send the bare one.
            self._window = _RAW
            self._stream = zlib.decompressobj(_RAW)
            return self._step(data)
        self._begun = True
        return piece
