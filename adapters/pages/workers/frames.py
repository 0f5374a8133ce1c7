"""What goes over the pipes: a length, then msgpack. Never pickle: one side read a hostile page."""

from typing import Final, Protocol

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage

READY: Final = b"\x06"
MAX_FRAME_BYTES: Final = 128 * 1024 * 1024
_LENGTH_PREFIX_BYTES: Final = 4
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
JOB_DECODER: Final = msgspec.msgpack.Decoder(ConversionJob)
ANSWER_DECODER: Final = msgspec.msgpack.Decoder(ConversionAnswer)


def job_frame(job: ConversionJob) -> tuple[bytes, bytes, bytes]:
    """Return a job with its length in front, in pieces of which the body is one: it is not copied.

    >>> job = ConversionJob(body=b"<p>", content_type="", url="u")
    >>> JOB_DECODER.decode(b"".join(job_frame(job))[4:])
    ConversionJob(body=b'<p>', content_type='', url='u')
    """
    head = _THREE + _BYTES + len(job.body).to_bytes(_LENGTH_PREFIX_BYTES, "big")
    tail = _ENCODER.encode(job.content_type) + _ENCODER.encode(job.url)
    size = len(head) + len(job.body) + len(tail)
    return size.to_bytes(_LENGTH_PREFIX_BYTES, "big") + head, job.body, tail


def frame_message(message: ConversionAnswer) -> bytearray:
    """Return a message with its length in front."""
    frame = bytearray(_LENGTH_PREFIX_BYTES)
    _ENCODER.encode_into(message, frame, _LENGTH_PREFIX_BYTES)
    frame[:_LENGTH_PREFIX_BYTES] = (len(frame) - _LENGTH_PREFIX_BYTES).to_bytes(
        _LENGTH_PREFIX_BYTES, "big"
    )
    return frame


def read_frame(stream: Readable) -> bytes | None:
    """Return the next message, None when the stream ends before it is whole."""
    head = stream.read(_LENGTH_PREFIX_BYTES)
    if len(head) < _LENGTH_PREFIX_BYTES:
        return None
    size = int.from_bytes(head, "big")
    if size > MAX_FRAME_BYTES:
        return None
    packed = stream.read(size)
    return packed if len(packed) == size else None
