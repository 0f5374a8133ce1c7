"""The talk between the supervisor of a gateway and each of its workers.

A pair of sockets joins each worker to the supervisor. Signals could not do this work. A signal says
nothing, so a worker could not answer "I have read them"; it is lost or deadly while a process has
no handler yet; and the one that sends it never learns what became of it.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Protocol, TypeAlias

import msgspec

from webseam.ports.errors import WebError

_LOG = logging.getLogger("webseam.serve")


class Prepare(msgspec.Struct, frozen=True):
    """Make ready to serve with these settings, and go on with those that count now."""

    reload: int
    settings: bytes


class Take(msgspec.Struct, frozen=True):
    """Serve new calls with the settings that were prepared: every worker has them ready."""

    reload: int


class Drop(msgspec.Struct, frozen=True):
    """Forget the settings that were prepared: some worker refused them."""

    reload: int


Order: TypeAlias = Prepare | Take | Drop


class Listening(msgspec.Struct, frozen=True):
    """The worker takes calls."""


class Prepared(msgspec.Struct, frozen=True):
    """The settings are ready here, or ``refusal`` says why they cannot be."""

    reload: int
    refusal: str = ""


class Taken(msgspec.Struct, frozen=True):
    """New calls are served with the new settings."""

    reload: int


class Failed(msgspec.Struct, frozen=True):
    """The worker cannot start, for this reason."""

    error: WebError


Report: TypeAlias = Listening | Prepared | Taken | Failed


class TeamState(msgspec.Struct, frozen=True, kw_only=True):
    """How many workers there are, how many do not listen, and whether each has listened once."""

    workers: int
    missing: int
    is_complete: bool


class TeamBoard:
    """Which workers listen, in memory that all processes of a gateway share.

    Only the supervisor writes. It alone learns of a death, and a worker that is killed cannot take
    back what it wrote.
    """

    def __init__(self, count: int) -> None:
        """Begin with ``count`` workers that do not listen; call this before the first fork."""
        self._count = count
        # One byte for each worker, and the last one for "each has listened once".
        self._bytes = mmap.mmap(-1, count + 1)

    def mark_listening(self, number: int) -> None:
        """Note that a worker takes calls."""
        self._bytes[number] = 1
        if all(self._bytes[: self._count]):
            self._bytes[self._count] = 1

    def mark_gone(self, number: int) -> None:
        """Note that a worker has ended."""
        self._bytes[number] = 0

    def state(self) -> TeamState:
        """Return the state of the team."""
        listening = sum(self._bytes[: self._count])
        return TeamState(
            workers=self._count,
            missing=self._count - listening,
            is_complete=bool(self._bytes[self._count]),
        )


class Reloadable(Protocol):
    """What takes new settings in two steps."""

    async def prepare(self, settings: bytes, /) -> str:
        """Make ready for settings; return why they are refused, or an empty text."""

    def take(self) -> None:
        """Serve new calls with what was prepared."""

    def drop(self) -> None:
        """Forget what was prepared."""


class WorkerChannel:
    """A worker's end: it reports, and obeys orders in the order in which they come."""

    def __init__(self, connection: Connection, board: TeamBoard) -> None:
        self._connection = connection
        self.board = board
        self._deliver: Callable[[Order], None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def watch(self) -> None:
        """Receive orders in a thread of its own; end this process when the supervisor is gone."""
        threading.Thread(target=self._receive, name="webseam-orders", daemon=True).start()

    def report(self, report: Report) -> None:
        """Tell the supervisor."""
        try:
            self._connection.send(report)
        except OSError:
            # The supervisor is gone; the thread that reads ends this process.
            return

    def begin_to_obey(self, target: Reloadable) -> None:
        """Pass orders to ``target`` on the running loop. Orders come only after ``Listening``."""
        loop = asyncio.get_running_loop()
        orders: asyncio.Queue[Order] = asyncio.Queue()
        task = loop.create_task(self._obey_orders(orders, target))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def deliver(order: Order) -> None:
            loop.call_soon_threadsafe(orders.put_nowait, order)

        self._deliver = deliver

    async def _obey_orders(self, orders: asyncio.Queue[Order], target: Reloadable) -> None:
        while True:
            order = await orders.get()
            if isinstance(order, Prepare):
                refusal = await _prepare(order, target)
                self.report(Prepared(order.reload, refusal))
            elif isinstance(order, Take):
                target.take()
                self.report(Taken(order.reload))
            else:
                target.drop()

    def _receive(self) -> None:
        while True:
            try:
                order: Order = self._connection.recv()
            except (EOFError, OSError):
                # No orphan may hold the port.
                os.kill(os.getpid(), signal.SIGTERM)
                return
            if self._deliver is not None:
                try:
                    self._deliver(order)
                except RuntimeError:
                    # The loop is closed: this worker is ending.
                    return


async def _prepare(order: Prepare, target: Reloadable) -> str:
    try:
        return await target.prepare(order.settings)
    except Exception as error:  # noqa: BLE001  the boundary: a bug refuses the settings everywhere
        _LOG.error("settings could not be prepared", exc_info=error)
        return f"a worker failed with {type(error).__name__}"
