"""One thread for all plain callbacks of one call.

A plain callback's ``next_call`` blocks until the rest of the call is done, so it cannot run on the
event loop. The rest runs where the call was made, in its task; plain callbacks in it run further up
the stack of the very thread that waits. So what a plugin keeps per thread, or in context variables,
is there in all of its callbacks, as in Hermes, and no number of them needs more than one thread.
"""

import asyncio
import threading
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Self

from ...ports.middleware import LATE_NEXT_CALL, Callback
from .callback_timer import CallbackTimer
from .contexts import (
    AdoptedContext,
    accepted_arguments,
    adopt_context,
    await_fully,
    is_async,
    reset_context,
)
from .thread_messages import CallbackJob, LoopRequest, WaitingThread


class CallbackThread:
    """A ``Caller`` for one call. Its thread starts with the first plain callback."""

    def __init__(self, seconds: float | None = None) -> None:
        """Start nothing yet. Each callback may take ``seconds`` for itself, or as long as it likes.

        A plain callback that is given up on goes on in its thread, and nobody listens to it.
        """
        self._seconds = seconds
        self._stations: list[WaitingThread] = []
        self._needs_thread = True
        self._adopted = AdoptedContext()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Nobody waits for the thread: a callback that hangs would keep the call from ending.
        for station in self._stations:
            station.close()

    async def __call__(self, callback: Callback, facts: dict[str, object], /) -> object:
        """Call ``callback`` and return what it gives, awaited."""
        if self._seconds is None:
            return await self._call(callback, facts)
        return await CallbackTimer(self._seconds).spend(partial(self._call, callback), facts)

    async def _call(self, callback: Callback, facts: dict[str, object]) -> object:
        fitting = accepted_arguments(callback, facts)
        if is_async(callback):
            return await await_fully(callback(**fitting))
        return await await_fully(await self._in_thread(callback, fitting))

    async def _in_thread(self, callback: Callback, facts: dict[str, object]) -> object:
        if self._needs_thread:
            self._stations.append(_start())
            self._needs_thread = False
        job = CallbackJob(callback, facts, copy_context())
        self._stations[-1].put(job)
        try:
            while isinstance(news := await job.news(), LoopRequest):
                await self._grant(news)
        except BaseException:
            # Its thread may be busy with it for long; who comes next does not wait for that.
            self._needs_thread = True
            job.leave(asyncio.CancelledError())
            raise
        job.leave(RuntimeError(LATE_NEXT_CALL))
        self._adopted.follow(job.context)
        return news.open()

    async def _grant(self, wish: LoopRequest) -> None:
        """Run the rest of the call for a callback that waits; its thread serves who comes next."""
        self._stations.append(wish.station)
        adopted = adopt_context(wish.context)
        try:
            value = await wish.next_call(wish.payload)
        except Exception as error:  # noqa: BLE001  whatever it is, it is the callback's to handle
            wish.fail(error)
        except BaseException as error:
            # Told, so that the thread ends; but nobody's to swallow.
            wish.fail(error)
            raise
        else:
            wish.fulfil(value)
        finally:
            reset_context(adopted)
            self._stations.remove(wish.station)


def _start() -> WaitingThread:
    station = WaitingThread(asyncio.get_running_loop())
    serve = copy_context().run
    threading.Thread(
        target=serve, args=(station.serve,), name="webseam-callbacks", daemon=True
    ).start()
    return station
