"""The worker's side: read a job, convert it, write the answer, until the pipe ends.

It starts as ``python -P -c ...`` or is a fork of such a process, never of the parent. The operating
system ends it when it takes too much time or memory, its environment has no key of the parent, and
after loading it cannot open a file, a socket or a program.
"""

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO, Final, NoReturn, Protocol, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

from .sandbox import confine_worker, preload_modules

READY: Final = b"\x06"
PID_BYTES: Final = 4
MAX_FRAME_BYTES: Final = 128 * 1024 * 1024
_LENGTH_BYTES: Final = 4
# msgpack's prefixes of a list of three, and of bytes with a four-byte length.
_FIXARRAY_3_PREFIX: Final = b"\x93"
_BIN32_PREFIX: Final = b"\xc6"
_NO_ANSWER_ERROR: Final = ParseFailed(reason="crashed", detail="the worker gave no answer")


class ConversionJob(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One body to convert."""

    body: bytes
    content_type: str
    url: str


class ConversionAnswer(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The page or the error. ``spent`` asks for a new worker, because this one has grown."""

    page: ReadPage | None = None
    error: WebError | None = None
    spent: bool = False

    @property
    def result(self) -> Result[ReadPage, WebError]:
        """The page, or the error."""
        return Failure(self.error or _NO_ANSWER_ERROR) if self.page is None else Success(self.page)


class Readable(Protocol):
    """A blocking stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return ``size`` bytes, fewer only at the end."""


_ENCODER: Final = msgspec.msgpack.Encoder()
JOB_DECODER: Final = msgspec.msgpack.Decoder(ConversionJob)
ANSWER_DECODER: Final = msgspec.msgpack.Decoder(ConversionAnswer)


def job_frame(job: ConversionJob) -> tuple[bytes, bytes, bytes]:
    """Return a job with its length in front, in pieces, so that the body is not copied.

    >>> job = ConversionJob(body=b"<p>", content_type="", url="u")
    >>> JOB_DECODER.decode(b"".join(job_frame(job))[4:])
    ConversionJob(body=b'<p>', content_type='', url='u')
    """
    head = _FIXARRAY_3_PREFIX + _BIN32_PREFIX + len(job.body).to_bytes(_LENGTH_BYTES, "big")
    tail = _ENCODER.encode(job.content_type) + _ENCODER.encode(job.url)
    size = len(head) + len(job.body) + len(tail)
    return size.to_bytes(_LENGTH_BYTES, "big") + head, job.body, tail


def answer_frame(message: ConversionAnswer) -> bytearray:
    """Return a message with its length in front."""
    frame = bytearray(_LENGTH_BYTES)
    _ENCODER.encode_into(message, frame, _LENGTH_BYTES)
    frame[:_LENGTH_BYTES] = (len(frame) - _LENGTH_BYTES).to_bytes(_LENGTH_BYTES, "big")
    return frame


def read_frame(stream: Readable) -> bytes | None:
    """Return the next message; None when the stream ends before it is complete."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(head, "big")
    if size > MAX_FRAME_BYTES:
        return None
    frame = stream.read(size)
    return frame if len(frame) == size else None


_GROWTH_DIVISOR = 4
if sys.platform == "win32":  # pragma: no cover  the tests run where there are limits

    class Restraints:
        """No limits: Windows has none of them."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Accept the same arguments as on other systems."""

        def __enter__(self) -> None:
            """Begin a conversion."""

        def __exit__(self, *_: object) -> None:
            """End it."""

        def has_grown(self) -> bool:
            """Return False: workers are only replaced after a number of conversions."""
            return False

else:
    import resource
    from contextlib import suppress

    _STATM_PATH = "/proc/self/statm"
    _STATM_BYTES = 128
    # A worker needs no dumps, files, programs, locked memory or message queues.
    _ZERO_LIMITS = ("CORE", "FSIZE", "NPROC", "MEMLOCK", "MSGQUEUE")

    class Restraints:
        """Limits on this process: memory from now on, processor time within ``with``."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Limit memory to the present use plus ``memory_bytes``."""
            self._cpu_seconds, self._memory_bytes = cpu_seconds, memory_bytes
            # A worker inherits an ignored or blocked SIGPROF from its parent.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
            # Open it now: a confined worker cannot open files.
            self._statm = _open_statm(_STATM_PATH)
            self._at_start = _mapped_bytes(self._statm)
            for name in _ZERO_LIMITS:
                if hasattr(resource, f"RLIMIT_{name}"):
                    _lower_resource_limit(getattr(resource, f"RLIMIT_{name}"), 0)
            if self._at_start:
                _lower_resource_limit(resource.RLIMIT_AS, self._at_start + memory_bytes)

        def __enter__(self) -> None:
            """Start the CPU timer; its signal ends the process."""
            signal.setitimer(signal.ITIMER_PROF, self._cpu_seconds)

        def __exit__(self, *_: object) -> None:
            signal.setitimer(signal.ITIMER_PROF, 0)

        def has_grown(self) -> bool:
            """Tell whether the process kept so much memory that the next conversion may fail."""
            grown_bytes = _mapped_bytes(self._statm) - self._at_start
            return grown_bytes > self._memory_bytes // _GROWTH_DIVISOR

    def _lower_resource_limit(limit: int, max_value: int) -> None:
        """Lower a limit for good: also the hard one, which only root can raise again."""
        _, hard = resource.getrlimit(limit)
        lowered = max_value if hard < 0 else min(max_value, hard)
        # macOS refuses some limits.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (lowered, lowered))

    def _open_statm(path: str) -> int | None:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError:
            return None

    def _mapped_bytes(statm: int | None) -> int:
        """Return the bytes of address space in use; 0 where the system does not report them."""
        if statm is None:
            return 0
        pages = int(os.pread(statm, _STATM_BYTES, 0).split()[0])
        return pages * resource.getpagesize()


Convert: TypeAlias = Callable[[bytes, str, str], Result[ReadPage, WebError]]
# Reading the memory use costs system calls, so skip it for small pages.
_MIN_LARGE_JOB_BYTES: Final = 262_144
# A page makes a few thousand objects that live until its end; with Python's default threshold of
# 700, collecting them took a fortieth of the time for nothing.
_GC_THRESHOLD_OBJECTS: Final = 10_000
# Made in advance: after a MemoryError there is no memory to make them.
_OUT_OF_MEMORY_FRAME: Final = answer_frame(
    ConversionAnswer(error=ParseFailed(reason="out_of_memory"), spent=True)
)
_TOO_DEEP_FRAME: Final = answer_frame(ConversionAnswer(error=ParseFailed(reason="too_complex")))


# Converted once before the first fork, so that a fork need not build what a first page builds.
_WARM_UP_PAGE: Final = (
    b"<!doctype html><title>a</title><article><h1>a</h1><p>Some <b>words</b>.</p>"
)


def serve_conversions(converter: str, cpu_seconds: float, memory_bytes: int) -> None:
    """Convert jobs from standard input to standard output until it ends."""
    with (
        os.fdopen(_claim_stream(0), "rb") as jobs,
        os.fdopen(_claim_stream(1), "wb") as answers,
    ):
        convert = _load_converter(converter)
        _serve_jobs(jobs, answers, convert, Restraints(cpu_seconds, memory_bytes))


def fork_page_workers(converter: str, cpu_seconds: float, memory_bytes: int) -> None:
    """Fork a worker for each two pipes, and wait for each worker whose id is sent.

    Standard input is a socket. This process reads no page, so no page can take it over.
    """
    control = socket.socket(fileno=_claim_stream(0))
    convert = _load_converter(converter)
    convert(_WARM_UP_PAGE, "text/html", "")
    gc.collect()
    gc.freeze()
    while True:
        request, pipes, _, _ = socket.recv_fds(control, PID_BYTES, 2)
        if not request:
            return
        if not pipes:
            _, status = os.waitpid(int.from_bytes(request, "big"), 0)
            reply = os.waitstatus_to_exitcode(status)
        elif not (reply := os.fork()):
            control.close()
            _run_forked_worker(pipes, convert, cpu_seconds, memory_bytes)
        for pipe in pipes:
            os.close(pipe)
        control.sendall(reply.to_bytes(PID_BYTES, "big", signed=True))


def _run_forked_worker(
    pipes: list[int], convert: Convert, cpu_seconds: float, memory_bytes: int
) -> NoReturn:
    """Serve until the pipe ends; exit at once then, and after a bug, with the pipes still open."""
    jobs, answers = os.fdopen(pipes[0], "rb"), os.fdopen(pipes[1], "wb")
    try:
        _serve_jobs(jobs, answers, convert, Restraints(cpu_seconds, memory_bytes))
    except BaseException:  # noqa: BLE001  the boundary of the fork
        os._exit(1)
    os._exit(0)


def _serve_jobs(
    jobs: BinaryIO, answers: BinaryIO, convert: Convert, restraints: Restraints
) -> None:
    gc.enable()
    gc.set_threshold(_GC_THRESHOLD_OBJECTS)
    _send_answer_frame(answers, READY + confine_worker().encode())
    while (frame := read_frame(jobs)) is not None:
        _send_answer_frame(answers, _answer_job(frame, convert, restraints))


def _claim_stream(number: int) -> int:
    """Return a copy of a standard stream for the protocol; send other output to devnull."""
    copy = os.dup(number)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, number)
    os.close(nowhere)
    return copy


def _load_converter(converter: str) -> Convert:
    # The parent handles Ctrl-C and then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module, _, name = converter.partition(":")
    function: Convert = getattr(import_module(module), name)
    preload_modules()
    gc.freeze()
    return function


def _send_answer_frame(answers: BinaryIO, frame: bytes | bytearray) -> None:
    answers.write(frame)
    answers.flush()


def _answer_job(frame: bytes, convert: Convert, restraints: Restraints) -> bytearray:
    """Return the framed answer to a job. Any other exception is a bug and ends the worker."""
    try:
        with restraints:
            job = JOB_DECODER.decode(frame)
            result = convert(job.body, job.content_type, job.url)
            is_large = len(frame) > _MIN_LARGE_JOB_BYTES
            spent = is_large and restraints.has_grown()
            if isinstance(result, Failure):
                return answer_frame(ConversionAnswer(error=result.failure(), spent=spent))
            return answer_frame(ConversionAnswer(page=result.unwrap(), spent=spent))
    except MemoryError:
        return _OUT_OF_MEMORY_FRAME
    except RecursionError:
        return _TOO_DEEP_FRAME
