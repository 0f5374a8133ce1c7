"""Binary frames: what is whole is read, what is corrupt or cut short is a typed failure."""

import struct
import zlib

import pytest
from returns.result import Failure, Success

from webseam.adapters.features.models.aws import MAX_FRAME_BYTES, EventStreamFrames
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.ports import BadEncoding, ConnectionLost, ResponseTooLarge

from .frames import event, exception, frame, text_header

HELLO = event("messageStart", {"role": "assistant"})
HELLO_EVENT = StreamEvent(name="messageStart", data='{"role":"assistant"}')


def test_events_come_out_as_they_went_in() -> None:
    frames = EventStreamFrames()

    assert frames.feed(HELLO + event("messageStop", {})) == Success(
        [HELLO_EVENT, StreamEvent(name="messageStop", data="{}")]
    )
    assert frames.finish() == Success(())


def test_an_exception_is_marked_as_a_failure() -> None:
    error = text_header(":message-type", "error") + text_header(":error-code", "500")

    framed = EventStreamFrames().feed(exception("throttlingException", "slow") + frame(error, b""))

    assert framed == Success(
        [
            StreamEvent(name="throttlingException", data='{"message":"slow"}', failed=True),
            StreamEvent(name="500", data="", failed=True),
        ]
    )


def test_headers_of_every_other_type_are_passed_over() -> None:
    sizes = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
    others = b"".join(b"\x01x" + bytes([kind]) + bytes(size) for kind, size in sizes.items())
    blob = b"\x01y\x06\x00\x03abc"

    framed = EventStreamFrames().feed(frame(others + blob + text_header(":event-type", "e"), b"{}"))

    assert framed == Success([StreamEvent(name="e", data="{}")])


def test_the_part_of_a_frame_waits_for_the_rest() -> None:
    frames = EventStreamFrames()

    assert frames.feed(HELLO[:9]) == Success([])
    assert frames.feed(HELLO[9:20]) == Success([])
    assert frames.feed(HELLO[20:]) == Success([HELLO_EVENT])


def test_a_stream_cut_inside_a_frame_is_a_lost_connection() -> None:
    frames = EventStreamFrames()
    frames.feed(HELLO[:-1])

    assert frames.finish() == Failure(ConnectionLost())


def test_the_events_before_a_corrupt_frame_still_count() -> None:
    frames = EventStreamFrames()
    broken = bytearray(HELLO)
    broken[-6] ^= 1
    failure = Failure(BadEncoding(reason="the checksum of a frame does not match"))

    assert frames.feed(HELLO + bytes(broken) + HELLO) == Success([HELLO_EVENT])
    assert frames.feed(HELLO) == failure
    assert frames.finish() == failure


def test_a_broken_prelude_is_seen_before_its_length_is_believed() -> None:
    broken = b"\xff\xff" + HELLO[2:12]

    assert EventStreamFrames().feed(broken) == Failure(
        BadEncoding(reason="the checksum of a frame's prelude does not match")
    )


@pytest.mark.parametrize(
    ("total", "headers", "failure"),
    [
        (MAX_FRAME_BYTES + 1, 0, ResponseTooLarge(what="body", limit=MAX_FRAME_BYTES)),
        (2**20, 128 * 1024 + 1, ResponseTooLarge(what="body", limit=MAX_FRAME_BYTES)),
        (15, 0, BadEncoding(reason="the lengths in a frame contradict each other")),
        (20, 5, BadEncoding(reason="the lengths in a frame contradict each other")),
    ],
)
def test_lengths_that_cannot_be_are_refused_at_once(
    total: int, headers: int, failure: object
) -> None:
    lengths = struct.pack("!II", total, headers)

    framed = EventStreamFrames().feed(lengths + struct.pack("!I", zlib.crc32(lengths)))

    assert framed == Failure(failure)


@pytest.mark.parametrize(
    ("headers", "payload"),
    [
        (b"\x09short", b""),
        (b"\x01x", b""),
        (b"\x01x\x07\x00", b""),
        (b"\x01x\x07\x00\x09abc", b""),
        (b"\x01x\x2a", b""),
        (b"\x01x\x07\x00\x01\xff", b""),
        (b"\x01\xff\x07\x00\x01x", b""),
        (b"", b"\xff"),
    ],
)
def test_a_frame_that_cannot_be_read_is_a_failure(headers: bytes, payload: bytes) -> None:
    assert EventStreamFrames().feed(frame(headers, payload)) == Failure(
        BadEncoding(reason="a frame has unreadable headers or text")
    )
