"""Content codings, undone piece by piece and never past a limit."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable

import httpx
import pytest
from hypothesis import example, given, settings, strategies as st

from webseam.adapters.http.body import MAX_STEP_BYTES, decode_chunks, parse_codings, read_body
from webseam.adapters.http.error_mapping import BodyTooLarge
from webseam.composition.features.testing.faulty_server import body_faults as bombs

TEXT = b"The quick brown fox jumps over the lazy dog. " * 20
GZIPPED = gzip.compress(TEXT, mtime=0)  # each process that shares the tests must name them alike


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


async def each(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def undo(chunks: Iterable[bytes], *codings: str) -> bytes:
    async def main() -> bytes:
        return b"".join([piece async for piece in decode_chunks(each(chunks), codings)])

    return asyncio.run(main())


def read(body: bytes, coding: str, limit: int) -> bytes:
    class Stream(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for start in range(0, len(body), 1 << 16):
                yield body[start : start + (1 << 16)]

    response = httpx.Response(200, headers={"content-encoding": coding}, stream=Stream())
    return asyncio.run(read_body(response, limit))


PACKED = {
    "gzip": GZIPPED,
    "gzip in two members": gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]),
    "gzip with padding": GZIPPED + bytes(10),
    "deflate": zlib.compress(TEXT),
    "deflate without wrapper": raw_deflate(TEXT),
    "deflate with a tail": zlib.compress(TEXT) + b"tail",
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100_000])
@pytest.mark.parametrize(("name", "packed"), PACKED.items(), ids=PACKED)
def test_however_a_body_is_cut_into_pieces_it_is_the_same(
    name: str, packed: bytes, size: int
) -> None:
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]

    assert undo(pieces, name.partition(" ")[0]) == TEXT


@settings(deadline=None)
@given(st.integers(0, 400))
@example(1)
@example(258)
def test_a_body_around_the_size_of_a_step_is_whole(extra: int) -> None:
    data = bytes(MAX_STEP_BYTES + extra)

    assert undo([gzip.compress(data)], "gzip") == data
    assert undo([zlib.compress(data)], "deflate") == data
    assert undo([raw_deflate(data)], "deflate") == data


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_no_body_is_no_body(coding: str) -> None:
    assert undo([], coding) == b""


@pytest.mark.parametrize(
    ("packed", "coding"),
    [
        (GZIPPED[:-1], "gzip"),
        (GZIPPED[:5], "gzip"),
        (GZIPPED + GZIPPED[:20], "gzip"),
        (zlib.compress(TEXT)[:-1], "deflate"),
        (raw_deflate(TEXT)[:-1], "deflate"),
        (b"x", "deflate"),
    ],
)
def test_a_body_that_is_cut_short_is_refused(packed: bytes, coding: str) -> None:
    with pytest.raises(httpx.DecodingError, match="cut short"):
        undo([packed], coding)


@pytest.mark.parametrize(
    ("packed", "coding"),
    [
        (TEXT, "gzip"),
        (b"\xff\xff" + TEXT, "deflate"),
        (GZIPPED + b"garbage", "gzip"),
        (GZIPPED[:-8] + bytes(8), "gzip"),
        (zlib.compress(TEXT)[:-4] + bytes(4), "deflate"),
    ],
)
def test_a_body_that_is_corrupt_is_refused(packed: bytes, coding: str) -> None:
    with pytest.raises(httpx.DecodingError, match="corrupt"):
        undo([packed], coding)


def test_two_codings_are_undone_in_reverse() -> None:
    packed = gzip.compress(zlib.compress(TEXT))

    assert undo([packed], *parse_codings(["deflate, GZIP"])) == TEXT


def test_codings_are_named_over_all_header_lines_and_identity_is_none() -> None:
    assert parse_codings(["identity", "x-gzip", ""]) == ["gzip"]


@pytest.mark.parametrize("values", [["gzip, gzip, gzip"], ["gzip"] * 3])
def test_more_than_two_codings_are_refused(values: list[str]) -> None:
    with pytest.raises(httpx.DecodingError, match="more than 2"):
        parse_codings(values)


@pytest.mark.parametrize("coding", ["br", "zstd", "rot13", "compress"])
def test_a_coding_that_was_not_offered_is_refused(coding: str) -> None:
    with pytest.raises(httpx.DecodingError, match="not offered"):
        undo([TEXT], coding)


# -- limits


@pytest.mark.parametrize(
    ("bomb", "coding"),
    [
        (bombs.gzip_zeros(64), "gzip"),
        (bombs.gzip_zeros(64, layers=2), "gzip, gzip"),
        (bombs.deflate_zeros(64), "deflate"),
    ],
    ids=["gzip", "gzip in gzip", "deflate"],
)
def test_a_bomb_stops_at_the_limit_and_takes_little_memory(bomb: bytes, coding: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLarge) as caught:
            read(bomb, coding, 2 << 20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (caught.value.what, caught.value.limit) == ("decoded", 2 << 20)
    assert peak < 6 << 20


def test_compressed_body_over_the_limit_is_refused() -> None:
    with pytest.raises(BodyTooLarge) as caught:
        read(bombs.gzip_zeros(64), "gzip", 10_000)

    assert (caught.value.what, caught.value.limit) == ("body", 10_000)


@pytest.mark.parametrize("length", ["11", "99999999999999999999999999"])
def test_a_declared_length_past_the_limit_is_refused_before_anything_is_read(length: str) -> None:
    class Unread(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield pytest.fail("it was read")

    response = httpx.Response(200, headers={"content-length": length}, stream=Unread())

    with pytest.raises(BodyTooLarge):
        asyncio.run(read_body(response, 10))


def test_a_body_of_exactly_the_limit_is_read() -> None:
    assert read(b"x" * 10, "identity", 10) == b"x" * 10
    with pytest.raises(BodyTooLarge):
        read(b"x" * 11, "identity", 10)
