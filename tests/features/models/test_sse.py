"""Server-sent events, by the standard and by what servers make of it."""

import pytest

from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.server_sent_events import (
    MAX_EVENT_BYTES,
    ServerSentEvents,
)
from webseam.ports import ResponseTooLarge


def events_of(data: bytes) -> list[StreamEvent]:
    reader = ServerSentEvents()
    return [*reader.feed(data).unwrap(), *reader.finish().unwrap()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_of_the_standard_is_one(end: bytes) -> None:
    data = end.join([b"event: e", b"data: a", b"data:  b", b"", b"data: c", b"", b""])

    assert events_of(data) == [StreamEvent(name="e", data="a\n b"), StreamEvent(data="c")]


def test_comments_ids_and_a_byte_order_mark_are_left_out() -> None:
    data = b"\xef\xbb\xbf: keep-alive\n\nid: 7\nretry: 10\ndata: a\n\n"

    assert events_of(data) == [StreamEvent(data="a")]


def test_an_event_without_data_is_none() -> None:
    assert events_of(b"event: ping\n\n") == []


def test_a_last_event_counts_without_its_blank_line() -> None:
    assert events_of(b"data: a\n\ndata: b") == [StreamEvent(data="a"), StreamEvent(data="b")]


def test_bad_utf_8_does_not_stop_the_stream() -> None:
    assert events_of(b"data: \xff\n\n") == [StreamEvent(data="\ufffd")]


def test_an_event_without_end_is_refused() -> None:
    reader = ServerSentEvents()

    fed = reader.feed(b"data: " + b"x" * MAX_EVENT_BYTES)

    assert fed.failure() == ResponseTooLarge(what="body", limit=MAX_EVENT_BYTES)


def test_a_byte_order_mark_may_come_in_halves() -> None:
    reader = ServerSentEvents()
    fed = [reader.feed(piece).unwrap() for piece in (b"\xef", b"\xbb", b"\xbfdata: a\r\n\r\n")]

    assert [list(events) for events in fed] == [[], [], [StreamEvent(data="a")]]


def test_a_carriage_return_and_the_line_feed_of_the_next_piece_are_one_line_end() -> None:
    reader = ServerSentEvents()
    fed = [reader.feed(piece).unwrap() for piece in (b"data: a\r", b"\n\r", b"\ndata: b\n\n")]

    assert [list(events) for events in fed] == [
        [],
        [StreamEvent(data="a")],
        [StreamEvent(data="b")],
    ]
