"""Start the workers of a gateway, start those that die again, and bring them new settings.

The supervisor serves no requests. It is one thread and one loop. A signal only leaves a note, and
the loop acts on it: a handler that acted by itself could run between a fork and the line that
writes the new worker down, and would miss that worker.

How signals reach the workers:

- SIGHUP never does. The supervisor reads the settings and brings them over the channel; workers
  ignore the signal, so one that reaches the whole process group (``systemctl kill``) changes
  nothing in them. A worker that has just begun has no handler, and the default of SIGHUP is death.
- SIGTERM and SIGINT are passed on as SIGTERM. Its default is to end, which is what is wanted.

All signals are blocked across the fork, until the child has left the handlers of its parent.

A reload has two steps, because all workers take it or none. First every worker makes ready with the
new settings and says so. One refusal, and all forget them. When all are ready, the supervisor
*accepts* the settings, which is a moment without return, and tells all to take them. From this
moment on a worker that is started begins with them. So:

- A worker that dies before that moment is started with the old settings, and asked like the others.
- A worker that dies after it is started with the new ones.
- A worker that is only starting is asked as soon as it listens; the moment waits for it.
- A worker that dies twice over one reload, or does not answer, refuses it.

A worker is forked from the supervisor, which has the accepted settings in memory: it opens no file,
so a settings file that is broken by now does not matter.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Literal, Protocol, TypeAlias

from returns.result import Failure, Result

from webseam.ports.errors import WebError

from .journal import Write
from .worker_channel import (
    Drop,
    Failed,
    Listening,
    Order,
    Prepare,
    Prepared,
    Report,
    Take,
    Taken,
    TeamBoard,
    WorkerChannel,
)

# Runs a worker: takes its number and its channel; returns an exit code.
Work: TypeAlias = Callable[[int, WorkerChannel], int]
_MAX_WORKER_DEATHS = 5
_DEATH_SECONDS = 60.0
_GRACE_SECONDS = 5.0
# A worker that is started again in the middle of a reload needs a part of it to start.
_ANSWER_SECONDS = 60.0
_MAX_DEATHS_IN_RELOAD = 2
_POLL_SECONDS = 0.5
_SEND_SECONDS = 10
_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGCHLD")


class SettingsSource(Protocol):
    """The settings that workers start with."""

    def read(self) -> Result[bytes, WebError]:
        """Read the settings anew, as bytes for a worker; they do not count yet."""

    def accept(self) -> None:
        """Start workers with the settings that were read last."""


class _Worker:
    """A worker process; ``number`` is that of its place, which outlives it."""

    def __init__(self, number: int, process: int, connection: Connection) -> None:
        self.number, self.process, self.connection = number, process, connection
        self.is_listening = False

    def send(self, order: Order) -> None:
        """Send an order; kill a worker that does not read it, so that it is started again."""
        try:
            self.connection.send(order)
        except OSError:
            self.kill(signal.SIGKILL)

    def kill(self, number: int) -> None:
        """Send a signal; a process that has ended is no error."""
        with suppress(ProcessLookupError):
            os.kill(self.process, number)


class _Reload:
    """A reload under way: what it brings, and which places have not answered this step."""

    def __init__(self, number: int, settings: bytes, places: range) -> None:
        self.number, self.settings = number, settings
        self.step: Literal["prepare", "take"] = "prepare"
        self.waiting = set(places)
        self.deaths: Counter[int] = Counter()
        self.due = time.monotonic() + _ANSWER_SECONDS

    def begin_to_take(self, places: range) -> None:
        self.step, self.waiting = "take", set(places)
        self.due = time.monotonic() + _ANSWER_SECONDS


class Supervisor:
    """Starts the workers, starts those that die again, and reloads them."""

    def __init__(
        self,
        work: Work,
        settings: SettingsSource,
        *,
        count: int,
        journal: Write,
        drain: float,
        listener: socket.socket,
        print_failure: Callable[[WebError], int],
    ) -> None:
        """Run ``work`` in ``count`` workers, which get ``drain`` seconds to end.

        The workers share the ``listener``; a signal to end closes it here, too, so that the system
        refuses calls that no worker will take. ``print_failure`` tells why the first start failed,
        and returns the exit code.
        """
        self._work, self._settings, self._places = work, settings, range(count)
        self._journal, self._drain, self._listener = journal, drain, listener
        self._print_failure = print_failure
        self._board = TeamBoard(count)
        self._workers: dict[int, _Worker] = {}
        self._deaths: list[float] = []
        self._reload: _Reload | None = None
        self._reloads = 0
        self._code = 0
        self._kill_at: float | None = None
        self._is_announced = False
        # The notes of the signal handlers.
        self._must_end = self._must_reload = False

    def run(self, ready: Callable[[], None]) -> int:
        """Start all workers, call ``ready`` when each listens, and return the exit code."""
        # Collection would write to loaded objects and so copy the pages that workers share.
        gc.freeze()
        with self._note_signals() as woken:
            for number in self._places:
                self._fork_worker(number)
            while self._workers:
                self._wait_for_news(woken)
                self._bury_the_dead()
                if not self._is_announced and self._board.state().is_complete:
                    self._is_announced = True
                    ready()
                if self._must_end and self._kill_at is None:
                    self._end_workers()
                if self._kill_at is None:
                    self._advance_reload()
                elif time.monotonic() > self._kill_at:
                    for worker in self._workers.values():
                        worker.kill(signal.SIGKILL)
        return self._code

    @contextmanager
    def _note_signals(self) -> Iterator[socket.socket]:
        """Leave a note for each signal, and wake the loop through the socket that comes back."""
        woken, waking = socket.socketpair()
        woken.settimeout(0)
        waking.settimeout(0)
        numbers = [signal.Signals[name] for name in _SIGNALS]
        before = {number: signal.getsignal(number) for number in numbers}
        wakeup = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, self._note_signal)
        # SIGHUP was held since the start of the command: one that came meanwhile counts now.
        held = signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
        try:
            yield woken
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            for number in numbers:
                signal.signal(number, before[number])
            signal.set_wakeup_fd(wakeup)
            woken.close()
            waking.close()

    def _note_signal(self, number: int, _frame: object) -> None:
        if number == signal.SIGHUP:
            self._must_reload = True
        elif number != signal.SIGCHLD:
            self._must_end = True

    def _fork_worker(self, number: int) -> None:
        ours, theirs = Pipe()
        _limit_sending(ours)
        numbers = [signal.Signals[name] for name in _SIGNALS]
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        process = os.fork()
        if not process:
            ours.close()
            self._run_worker(number, theirs)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self._workers[number] = _Worker(number, process, ours)

    def _run_worker(self, number: int, connection: Connection) -> None:
        """Be a worker, in the process that was just forked; this never returns."""
        code = 1
        try:
            # An own process group: Ctrl-C reaches only the supervisor, which passes it on once.
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            for name in ("SIGTERM", "SIGINT", "SIGCHLD"):
                signal.signal(signal.Signals[name], signal.SIG_DFL)
            # With the supervisor's ends open here, no other worker would notice its death.
            for worker in self._workers.values():
                worker.connection.close()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.Signals[name] for name in _SIGNALS])
            channel = WorkerChannel(connection, self._board)
            channel.watch()
            code = self._work(number, channel)
        except Exception as error:  # noqa: BLE001  the boundary: the log names what ended a worker
            event = {"event": "worker failed", "worker": number, "exception": type(error).__name__}
            self._journal({"level": "error", **event})
        finally:
            # Skip the parent's exit handlers.
            os._exit(code)

    def _wait_for_news(self, woken: socket.socket) -> None:
        by_connection = {
            worker.connection: worker
            for worker in self._workers.values()
            if not worker.connection.closed
        }
        # The timeout bounds the wait for what nothing tells: a due time.
        for source in wait([*by_connection, woken], _POLL_SECONDS):
            if source is woken:
                with suppress(BlockingIOError):
                    woken.recv(4096)
            elif isinstance(source, Connection):
                self._receive_report(by_connection[source])

    def _receive_report(self, worker: _Worker) -> None:
        try:
            report: Report = worker.connection.recv()
        except (EOFError, OSError):
            # It has ended, or is about to: the burial comes when the system tells of its death.
            worker.connection.close()
            return
        if isinstance(report, Listening):
            worker.is_listening = True
            self._board.mark_listening(worker.number)
            if self._reload is not None and self._reload.step == "prepare":
                worker.send(Prepare(self._reload.number, self._reload.settings))
        elif isinstance(report, Failed):
            self._hear_failure(report.error)
        elif self._reload is not None and report.reload == self._reload.number:
            self._hear_answer(self._reload, worker.number, report)

    def _hear_failure(self, error: WebError) -> None:
        if self._is_announced:
            message = {"event": "worker cannot start", "message": error.message}
            self._journal({"level": "error", **message})
        elif self._kill_at is None:
            # Every worker fails for the same reason: tell it once.
            self._code = self._print_failure(error)
            self._end_workers()

    def _hear_answer(self, reload: _Reload, number: int, report: Prepared | Taken) -> None:
        if isinstance(report, Prepared) and report.refusal:
            self._refuse_reload(report.refusal)
        elif isinstance(report, Prepared) == (reload.step == "prepare"):
            reload.waiting.discard(number)

    def _bury_the_dead(self) -> None:
        for worker in list(self._workers.values()):
            ended, _ = os.waitpid(worker.process, os.WNOHANG)
            if not ended:
                continue
            # Its last words. Not up to the end of the file: a process that it began may hold that.
            while not worker.connection.closed and worker.connection.poll():
                self._receive_report(worker)
            worker.connection.close()
            del self._workers[worker.number]
            self._board.mark_gone(worker.number)
            if self._kill_at is None:
                self._replace_worker(worker.number)

    def _replace_worker(self, number: int) -> None:
        """Start a worker in a place again; after too many deaths end all."""
        now = time.monotonic()
        self._deaths = [then for then in self._deaths if now - then < _DEATH_SECONDS] + [now]
        if len(self._deaths) > _MAX_WORKER_DEATHS:
            self._journal({"level": "error", "event": "workers die", "message": "giving up"})
            self._code = 1
            self._end_workers()
            return
        self._journal({"level": "error", "event": "worker died", "worker": number})
        if (reload := self._reload) is not None and reload.step == "prepare":
            # The new worker begins with the settings that count now, and has to make ready too.
            reload.waiting.add(number)
            reload.deaths[number] += 1
            if reload.deaths[number] >= _MAX_DEATHS_IN_RELOAD:
                self._refuse_reload(f"worker {number} died over them more than once")
        elif reload is not None:
            # The new worker begins with what was accepted.
            reload.waiting.discard(number)
        self._fork_worker(number)

    def _advance_reload(self) -> None:
        reload = self._reload
        if reload is None:
            # Before all workers have listened once there is nothing to reload; the note stays.
            if self._must_reload and self._is_announced:
                self._must_reload = False
                self._begin_reload()
        elif not reload.waiting and reload.step == "prepare":
            self._settings.accept()
            reload.begin_to_take(self._places)
            self._send_all(Take(reload.number))
        elif not reload.waiting:
            self._reload = None
            self._journal({"level": "info", "event": "reloaded", "workers": len(self._places)})
        elif time.monotonic() > reload.due:
            self._end_late_reload(reload)

    def _begin_reload(self) -> None:
        settings = self._settings.read()
        if isinstance(settings, Failure):
            self._refuse_reload(settings.failure().message)
            return
        self._reloads += 1
        self._reload = _Reload(self._reloads, settings.unwrap(), self._places)
        self._send_all(Prepare(self._reload.number, self._reload.settings))

    def _end_late_reload(self, reload: _Reload) -> None:
        if reload.step == "prepare":
            numbers = ", ".join(map(str, sorted(reload.waiting)))
            self._refuse_reload(f"worker {numbers} did not answer for {_ANSWER_SECONDS:g} s")
            return
        # What was accepted counts. A worker that hangs is killed, and begins with it.
        reload.due = time.monotonic() + _ANSWER_SECONDS
        for number in reload.waiting & self._workers.keys():
            self._workers[number].kill(signal.SIGKILL)

    def _refuse_reload(self, reason: str) -> None:
        if self._reload is not None:
            self._send_all(Drop(self._reload.number))
            self._reload = None
        self._journal({"level": "error", "event": "reload refused", "message": reason})

    def _send_all(self, order: Order) -> None:
        for worker in self._workers.values():
            if worker.is_listening:
                worker.send(order)

    def _end_workers(self) -> None:
        self._reload = None
        self._kill_at = time.monotonic() + self._drain + _GRACE_SECONDS
        self._listener.close()
        for worker in self._workers.values():
            worker.kill(signal.SIGTERM)


def _limit_sending(connection: Connection) -> None:
    """Let no worker that has stopped reading stop the supervisor for long."""
    with socket.socket(fileno=os.dup(connection.fileno())) as twin:
        seconds = struct.pack("ll", _SEND_SECONDS, 0)
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, seconds)
