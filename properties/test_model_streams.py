"""Streams: however the bytes or the words are cut, the same comes out."""

import re

from hypothesis import example, given, strategies as st

from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.server_sent_events import ServerSentEvents
from webseam.adapters.values.think_tags import ThinkSplitter, split_thinking


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def events_of(parts: list[bytes]) -> list[StreamEvent]:
    reader = ServerSentEvents()
    events = [event for part in parts for event in reader.feed(part).unwrap()]
    return [*events, *reader.finish().unwrap()]


fragments = st.sampled_from(
    [b"data: a", b"data:b", b"event: e", b": hm", b"id: 1", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"\xc3\xa9", b"data", b" "]
)  # fmt: skip


@given(st.lists(fragments).map(b"".join), st.lists(st.integers(0, 500)))
@example(b"data: a\r\n\r\ndata: b\r\n\r\n", [8])
@example(b"\xef\xbb\xbfdata: a\n\n", [1, 2])
def test_any_split_of_a_stream_gives_the_same_events(data: bytes, cuts: list[int]) -> None:
    assert events_of(pieces(data, cuts)) == events_of([data])


@given(st.binary(), st.lists(st.integers(0, 500)))
def test_any_bytes_are_read_without_an_exception(data: bytes, cuts: list[int]) -> None:
    assert events_of(pieces(data, cuts)) == events_of([data])


words = st.lists(
    st.sampled_from(["<think>", "</think>", "<", "/", "think>", " ", "\n", "a", "b"])
).map("".join)


@given(words, st.lists(st.integers(0, 50)))
@example("<think>a</think> b", [3, 9, 12])
def test_any_split_of_an_answer_gives_the_same_text_and_thoughts(
    content: str, cuts: list[int]
) -> None:
    splitter = ThinkSplitter()
    parts = [splitter.feed(part.decode()) for part in pieces(content.encode(), cuts)]
    parts.append(splitter.finish())

    assert tuple(map("".join, zip(*parts, strict=True))) == split_thinking(content)


def letters(text: str) -> str:
    return re.sub(r"<think>|</think>|\s", "", text)


@given(words)
@example("<think><</think>think>")
def test_no_letter_of_an_answer_is_lost_between_text_and_thoughts(content: str) -> None:
    text, thoughts = split_thinking(content)

    # Each by itself: side by side, the end of one and the start of the other may look like a mark.
    assert letters(thoughts) + letters(text) == letters(content)
