"""The worker's own side: read a job, convert it, write the answer, until the pipe ends.

Started as ``python -P -c ...``, never forked. What it must not do, it cannot: the operating system
ends it when it takes too much time or memory, no key of the parent is in its environment, and once
everything is loaded it opens no file, no socket and no program any more.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import BinaryIO, Final, Protocol, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage
from .sandbox import confine, preload_modules

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


# What the operating system keeps a worker from: too much time on the processor, too much memory.

_GROWN = 4
if sys.platform == "win32":  # pragma: no cover  the tests run where there are limits

    class Restraints:
        """Nothing to be had here."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Take what the others take."""

        def __enter__(self) -> None:
            """Begin a conversion."""

        def __exit__(self, *_: object) -> None:
            """End it."""

        def has_grown(self) -> bool:
            """Say no: replacing after a number of conversions has to do."""
            return False

else:
    import os
    import resource
    import signal
    from contextlib import suppress

    _STATM = "/proc/self/statm"
    _STATM_BYTES = 128
    # What a worker needs none of: dumps, files, programs, locked memory, message queues.
    _NOTHING_OF = ("CORE", "FSIZE", "NPROC", "MEMLOCK", "MSGQUEUE")

    class Restraints:
        """Limits on this process: memory from now on, processor time within ``with``."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Limit memory to what is in use already and so much more."""
            self._cpu_seconds = cpu_seconds
            self._memory_bytes = memory_bytes
            # A parent that ignores or blocks the clock's signal hands that down.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
            # Opened once: behind the walls there is nothing to be opened.
            self._statm = _open(_STATM)
            self._at_start = _mapped(self._statm)
            for name in _NOTHING_OF:
                if hasattr(resource, f"RLIMIT_{name}"):
                    _lower(getattr(resource, f"RLIMIT_{name}"), 0)
            if self._at_start:
                _lower(resource.RLIMIT_AS, self._at_start + memory_bytes)

        def __enter__(self) -> None:
            """Start the clock; its signal is fatal."""
            signal.setitimer(signal.ITIMER_PROF, self._cpu_seconds)

        def __exit__(
            self,
            kind: type[BaseException] | None,
            error: BaseException | None,
            trace: TracebackType | None,
        ) -> None:
            """Stop the clock."""
            signal.setitimer(signal.ITIMER_PROF, 0)

        def has_grown(self) -> bool:
            """Tell whether so much was not given back that the next conversion may miss it."""
            return _mapped(self._statm) - self._at_start > self._memory_bytes // _GROWN

    def _lower(limit: int, most: int) -> None:
        """Lower a limit for good: the hard one too, which nobody but root raises again."""
        _, hard = resource.getrlimit(limit)
        lowered = most if hard < 0 else min(most, hard)
        # macOS refuses some of them.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (lowered, lowered))

    def _open(path: str) -> int | None:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError:
            return None

    def _mapped(statm: int | None) -> int:
        """Return the bytes of address space in use, 0 where the system does not tell."""
        if statm is None:
            return 0
        pages = int(os.pread(statm, _STATM_BYTES, 0).split()[0])
        return pages * resource.getpagesize()


# The worker's own side: read a job, convert it, write the answer, until the pipe ends.

Converter: TypeAlias = Callable[[bytes, str, str], Result[ReadPage, WebError]]
# Looking at memory costs a system call or two, which a small page need not pay.
_MIN_LARGE_ANSWER_BYTES: Final = 262_144
# How many objects may be young before cycles are looked for: a page makes a few thousand that all
# live until its end, and looking at them at every 700th took a fortieth of its time for nothing.
_YOUNG: Final = 10_000
# Made beforehand: when memory is gone there is none to make them with.
_OUT_OF_MEMORY: Final = frame_message(
    ConversionAnswer(error=ParseFailed(reason="out_of_memory"), spent=True)
)
_TOO_DEEP: Final = frame_message(ConversionAnswer(error=ParseFailed(reason="too_complex")))


def serve(converter: str, cpu_seconds: float, memory_bytes: int) -> None:
    """Convert jobs from standard input to standard output until it ends."""
    # Ctrl-C is for the parent, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(_taken(0), "rb") as jobs, os.fdopen(_taken(1), "wb") as answers:
        convert = _load(converter)
        preload_modules()
        gc.freeze()
        gc.enable()
        gc.set_threshold(_YOUNG)
        restraints = Restraints(cpu_seconds, memory_bytes)
        _send(answers, READY + confine().encode())
        while (packed := read_frame(jobs)) is not None:
            _send(answers, _answered(packed, convert, restraints))


def _taken(number: int) -> int:
    """Take a standard stream for the protocol alone; what libraries print goes nowhere."""
    own = os.dup(number)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, number)
    os.close(nowhere)
    return own


def _load(converter: str) -> Converter:
    module, _, name = converter.partition(":")
    function: Converter = getattr(import_module(module), name)
    return function


def _send(answers: BinaryIO, frame: bytes | bytearray) -> None:
    answers.write(frame)
    answers.flush()


def _answered(packed: bytes, convert: Converter, restraints: Restraints) -> bytearray:
    """Return the answer to a job, framed. An exception is a bug, and ends the worker."""
    try:
        with restraints:
            job = JOB_DECODER.decode(packed)
            result = convert(job.body, job.content_type, job.url)
            large = len(packed) > _MIN_LARGE_ANSWER_BYTES
            return frame_message(_answer(result, spent=large and restraints.has_grown()))
    except MemoryError:
        return _OUT_OF_MEMORY
    except RecursionError:
        return _TOO_DEEP


def _answer(result: Result[ReadPage, WebError], *, spent: bool) -> ConversionAnswer:
    if isinstance(result, Failure):
        return ConversionAnswer(error=result.failure(), spent=spent)
    return ConversionAnswer(page=result.unwrap(), spent=spent)
