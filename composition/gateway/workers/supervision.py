"""Several workers begun, watched and ended: signals go on to all; who dies is begun again."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from ..journal import Write

# What a worker does, given its number and what to call once it listens; it returns an exit code.
Work = Callable[[int, Callable[[], None]], int]

_MAX_WORKER_DEATHS = 5
_A_WHILE = 60.0
_GRACE = 5.0
_PASSED_ON = ("SIGTERM", "SIGINT", "SIGHUP")
_POLL_SECONDS = 0.05


def can_supervise() -> bool:
    """Tell whether this system lets a process become two."""
    return hasattr(os, "fork")


class Supervisor:
    """The process that began the workers. It serves nothing itself."""

    def __init__(self, work: Work, count: int, journal: Write, drain: float) -> None:
        """Have ``count`` workers do ``work``; they have ``drain`` seconds to end."""
        self._work = work
        self._count = count
        self._journal = journal
        self._drain = drain
        self._workers: dict[int, int] = {}
        self._deaths: list[float] = []
        self._ending = 0.0
        # Nothing is ever written: it ends when the supervisor does, however that comes.
        self._life = os.pipe()

    def run(self, ready: Callable[[], None]) -> int:
        """Begin them all, tell when they listen, and return once they have ended: the exit code."""
        reading, writing = os.pipe()
        before = {name: signal.getsignal(_number(name)) for name in _PASSED_ON}
        # What is loaded is shared with the workers for as long as nobody writes to it.
        gc.freeze()
        for number in range(self._count):
            self._begin(number, writing)
        for name in _PASSED_ON:
            signal.signal(_number(name), self._hear)
        try:
            if self._all_listen(reading):
                ready()
                return self._watch(writing)
            stopped = bool(self._ending)
            self._hear(signal.SIGTERM, None)
            self._watch(writing)
            return 0 if stopped else 1
        finally:
            for descriptor in (reading, writing, *self._life):
                os.close(descriptor)
            for name, handler in before.items():
                signal.signal(_number(name), handler)

    def _begin(self, number: int, writing: int) -> None:
        process = os.fork()
        if process:
            self._workers[process] = number
            return
        code = 1
        self._workers.clear()
        # Ctrl-C is for the supervisor, which tells the workers once.
        os.setpgid(0, 0)
        for name in _PASSED_ON:
            # From here on they are for this worker alone.
            signal.signal(_number(name), signal.SIG_DFL)
        os.close(self._life[1])
        threading.Thread(target=_end_with, args=(self._life[0],), daemon=True).start()
        try:
            code = self._work(number, lambda: _tell(writing))
        finally:
            # Nothing of the parent's is ended twice.
            os._exit(code)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if number != _number("SIGHUP"):
            self._ending = self._ending or time.monotonic() + self._drain + _GRACE
            number = signal.SIGTERM
        for process in list(self._workers):
            _send(process, number)

    def _all_listen(self, reading: int) -> bool:
        """Wait until every worker listens; tell whether they do."""
        os.set_blocking(reading, False)
        listening = 0
        while listening < self._count and len(self._workers) == self._count:
            try:
                listening += len(os.read(reading, self._count))
            except BlockingIOError:
                time.sleep(_POLL_SECONDS)
            self._reap()
        return listening == self._count

    def _watch(self, writing: int) -> int:
        code = 0
        while self._workers:
            for number in self._reap():
                code = self._mourn(number, writing) or code
            if self._ending and time.monotonic() > self._ending:
                for process in list(self._workers):
                    _send(process, signal.SIGKILL)
            time.sleep(_POLL_SECONDS)
        return code

    def _mourn(self, number: int, writing: int) -> int:
        """Begin a worker again that died; too many deaths end them all. Return the exit code."""
        if self._ending:
            return 0
        now = time.monotonic()
        self._deaths = [then for then in self._deaths if now - then < _A_WHILE] + [now]
        if len(self._deaths) > _MAX_WORKER_DEATHS:
            self._journal({"level": "error", "event": "workers die", "message": "giving up"})
            self._hear(signal.SIGTERM, None)
            return 1
        self._journal({"level": "error", "event": "worker died", "worker": number})
        self._begin(number, writing)
        return 0

    def _reap(self) -> list[int]:
        """Return which workers have ended."""
        ended: list[int] = []
        for process, number in list(self._workers.items()):
            known, _ = os.waitpid(process, os.WNOHANG)
            if known:
                del self._workers[process]
                ended.append(number)
        return ended


def _number(name: str) -> signal.Signals:
    return signal.Signals[name]


def _end_with(life: int) -> None:
    """End this worker when the supervisor is no more, so that no orphan holds the port."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _tell(writing: int) -> None:
    os.write(writing, b".")


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return
