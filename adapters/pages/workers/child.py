"""The worker's own side: read a job, convert it, write the answer, until the pipe ends.

Started as ``python -P -c ...``, never forked. What it must not do, it cannot: the operating system
ends it when it takes too much time or memory, no key of the parent is in its environment, and once
everything is loaded it opens no file, no socket and no program any more.
"""

import gc
import os
import signal
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO, Final, TypeAlias

from returns.result import Failure, Result

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage
from .frames import JOB_DECODER, READY, ConversionAnswer, frame_message, read_frame
from .resource_limits import Restraints
from .sandbox import confine, preload_modules

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
