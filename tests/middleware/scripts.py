"""Callbacks of both colours out of one script, and chains of them around a call that is counted.

A script is a function of what a callback is told. As a generator, each ``yield payload`` is a
``next_call``: it gives what came back, or raises.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from functools import partial
from typing import cast

from returns.result import Failure, Result, Success

from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.middleware.execution import CallEnded, Execution, execute_middleware_chain
from webseam.kernel.middleware.rewrites import CallContext
from webseam.ports import Middleware, WebError
from webseam.ports.middleware import Callback, Mishap

Steps = Generator[object, object, object]
Script = Callable[[dict[str, object]], object]
CONTEXT: Mapping[str, object] = {"session_id": "s", "tool_name": "web_search"}


def plain(script: Script) -> Callback:
    """Make a callback as Hermes knows them."""

    def callback(**told: object) -> object:
        given = script(told)
        if not inspect.isgenerator(given):
            return given
        steps = cast("Steps", given)
        go_on = partial(next, steps)
        next_call = cast("Callable[[object], object]", told["next_call"])
        try:
            while True:
                payload = go_on()
                try:
                    go_on = partial(steps.send, next_call(payload))
                except Exception as error:  # noqa: BLE001  the script's to handle
                    go_on = partial(steps.throw, error)
        except StopIteration as end:
            return end.value

    return callback


def coloured(script: Script) -> Callback:
    """Make an async callback."""

    async def callback(**told: object) -> object:
        given = script(told)
        if not inspect.isgenerator(given):
            return given
        steps = cast("Steps", given)
        go_on = partial(next, steps)
        next_call = cast("Callable[[object], Awaitable[object]]", told["next_call"])
        try:
            while True:
                payload = go_on()
                try:
                    go_on = partial(steps.send, await next_call(payload))
                except Exception as error:  # noqa: BLE001  the script's to handle
                    go_on = partial(steps.throw, error)
        except StopIteration as end:
            return end.value

    return callback


COLOURS = (plain, coloured)


class Work:
    """What is at the end of a chain: it answers from data and remembers what it was given."""

    def __init__(self, answer: Result[object, WebError] | BaseException = Success("done")) -> None:  # noqa: B008  frozen
        self.payloads: list[object] = []
        self.answers = [answer]
        self.mishaps: list[Mishap] = []

    async def __call__(self, payload: object) -> Result[object, WebError]:
        self.payloads.append(payload)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def failing(error: WebError) -> Work:
    return Work(Failure(error))


def middleware(callback: Callback, **how: object) -> Middleware:
    return Middleware(**{"kind": "tool_execution", "callback": callback, "plugin": "p", **how})  # type: ignore[arg-type]  # the fields of each test


def run(
    chain: Sequence[Middleware],
    work: Work,
    payload: object = None,
    *,
    original: object = None,
    context: Mapping[str, object] = CONTEXT,
) -> CallEnded:
    """Run ``chain`` around ``work``, with plain callbacks in their lane."""

    async def main() -> CallEnded:
        async with CallbackThread() as lane:
            situation = CallContext(
                context=context, payload="args", call=lane, log=work.mishaps.append
            )
            fields = {"query": "q"} if payload is None else payload
            execution = Execution(
                chain=chain,
                terminal=work,
                original=original or {"query": "first"},
                situation=situation,
            )
            return await execute_middleware_chain(execution, fields)

    return asyncio.run(main())
