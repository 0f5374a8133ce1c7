"""The binary event stream: any split gives the same events, any bytes give a result."""

import itertools
from collections.abc import Sequence

from hypothesis import given, strategies as st
from returns.result import Failure, Result

from tests.features.models.frames import frame, text_header
from webseam.adapters.features.models.aws import EventStreamFrames
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.ports import WebError


def frames() -> st.SearchStrategy[bytes]:
    names = st.sampled_from([":event-type", ":exception-type", ":message-type", "other"])
    headers = st.lists(st.builds(text_header, names, st.text(max_size=8)), max_size=3)
    payloads = st.one_of(st.text(max_size=30).map(str.encode), st.binary(max_size=10))
    return st.builds(lambda parts, payload: frame(b"".join(parts), payload), headers, payloads)


def streams() -> st.SearchStrategy[bytes]:
    """Whole ones, with some of them damaged or cut."""
    whole = st.lists(frames(), max_size=5).map(b"".join)
    damaged = st.builds(_damaged, whole, st.integers(0, 400), st.integers(1, 255))
    cut = st.builds(lambda data, end: data[:end], whole, st.integers(0, 200))
    return st.one_of(whole, damaged, cut, st.binary(max_size=60))


def _damaged(data: bytes, at: int, mask: int) -> bytes:
    if not data:
        return data
    at %= len(data)
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def read(pieces: Sequence[bytes]) -> tuple[list[StreamEvent], WebError | None]:
    """Read as the client does: up to the first failure."""
    reader = EventStreamFrames()
    events: list[StreamEvent] = []
    for piece in pieces:
        deltas: Result[Sequence[StreamEvent], WebError] = reader.feed(piece)
        if isinstance(deltas, Failure):
            return events, deltas.failure()
        events += deltas.unwrap()
    last = reader.finish()
    return events, last.failure() if isinstance(last, Failure) else None


@given(data=streams(), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_any_split_of_the_bytes_gives_the_same_events(data: bytes, cuts: list[int]) -> None:
    bounds = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in itertools.pairwise(bounds)]

    assert read(pieces) == read([data])


@given(data=streams())
def test_byte_by_byte_is_a_split_like_any_other(data: bytes) -> None:
    assert read([bytes([byte]) for byte in data]) == read([data])


@given(whole=frames(), at=st.integers(0, 400), mask=st.integers(1, 255))
def test_a_damaged_frame_is_never_an_event(whole: bytes, at: int, mask: int) -> None:
    events, failure = read([_damaged(whole, at, mask)])

    assert events == []
    assert failure is not None
