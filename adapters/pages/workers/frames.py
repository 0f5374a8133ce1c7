"""What goes over the pipes: a length, then msgpack. Never pickle: one side read a hostile page."""

from typing import Final, Protocol

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage

READY: Final = b"\x06"
MOST_BYTES: Final = 128 * 1024 * 1024
_LENGTH: Final = 4
# msgpack's marks of a list of three, and of bytes whose length takes four.
_THREE: Final = b"\x93"
_BYTES: Final = b"\xc6"


_NOTHING: Final = ParseFailed(reason="crashed", detail="the worker gave no answer")


class ConversionJob(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One body to convert."""

    body: bytes
    content_type: str
    url: str


class ConversionAnswer(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What came of it. ``spent`` asks for a fresh worker, because this one has grown."""

    page: ReadPage | None = None
    error: WebError | None = None
    spent: bool = False

    @property
    def result(self) -> Result[ReadPage, WebError]:
        """The page, or the error."""
        return Failure(self.error or _NOTHING) if self.page is None else Success(self.page)


class Readable(Protocol):
    """A blocking stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer only at the end."""
        ...


_ENCODER: Final = msgspec.msgpack.Encoder()
JOBS: Final = msgspec.msgpack.Decoder(ConversionJob)
ANSWERS: Final = msgspec.msgpack.Decoder(ConversionAnswer)


def job_frame(job: ConversionJob) -> tuple[bytes, bytes, bytes]:
    """Return a job with its length in front, in pieces of which the body is one: it is not copied.

    >>> JOBS.decode(b"".join(job_frame(ConversionJob(body=b"<p>", content_type="", url="u")))[4:])
    ConversionJob(body=b'<p>', content_type='', url='u')
    """
    head = _THREE + _BYTES + len(job.body).to_bytes(_LENGTH, "big")
    tail = _ENCODER.encode(job.content_type) + _ENCODER.encode(job.url)
    size = len(head) + len(job.body) + len(tail)
    return size.to_bytes(_LENGTH, "big") + head, job.body, tail


def framed(message: ConversionAnswer) -> bytearray:
    """Return a message with its length in front."""
    frame = bytearray(_LENGTH)
    _ENCODER.encode_into(message, frame, _LENGTH)
    frame[:_LENGTH] = (len(frame) - _LENGTH).to_bytes(_LENGTH, "big")
    return frame


def read_frame(stream: Readable) -> bytes | None:
    """Return the next message, None when the stream ends before it is whole."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    size = int.from_bytes(head, "big")
    if size > MOST_BYTES:
        return None
    packed = stream.read(size)
    return packed if len(packed) == size else None
