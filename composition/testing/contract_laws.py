"""Checks of a backend's promises: each takes an answer and raises ``ContractError``."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import NoReturn, get_args

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.boundary import attempt_call
from ...kernel.laws.field_checks import check_document
from ...kernel.laws.row_law import MAX_ROWS, check_rows, split_answer
from ...kernel.port_answers import attribute_error
from ...ports.errors import WebError


class ContractError(AssertionError):
    """The backend broke a promise; the message says which."""


def check_is_result(answer: object) -> None:
    """Fail unless the answer is a ``Result``."""
    if not isinstance(answer, Result):
        fail_contract(f"it returned {type(answer).__name__}, not a Result")


def check_rows_are_lawful(answer: object) -> None:
    """Fail on the first row that the kernel would refuse."""
    if not isinstance(answer, Success):
        return
    parts = attempt_call(lambda: split_answer(answer.unwrap()))
    if isinstance(parts, Failure):
        fail_contract(f"its rows cannot be read: {parts.failure()}")
    rows = parts.unwrap().bind(check_rows)
    if isinstance(rows, Failure):
        fail_contract(rows.failure().message)


def check_is_bounded(answer: object) -> None:
    """Fail unless the rows can be counted, and are no more than the kernel takes."""
    if not isinstance(answer, Success):
        return
    rows = answer.unwrap()
    if not isinstance(rows, list | tuple):
        fail_contract(f"its rows are a {type(rows).__name__}, not a list or a tuple")
    elif len(rows) > MAX_ROWS:
        fail_contract(f"it gave {len(rows)} rows; the kernel takes {MAX_ROWS}")


def check_found_nothing(answer: object) -> None:
    """Fail unless the answer is a success without rows."""
    if not isinstance(answer, Success):
        fail_contract(f"finding nothing is a success without rows, not {answer!r:.200}")
    elif not isinstance(answer.unwrap(), list | tuple) or len(answer.unwrap()):
        fail_contract(
            f"finding nothing is a success without rows, not with {answer.unwrap()!r:.200}"
        )


def check_document_is_lawful(answer: object, url: str) -> None:
    """Fail unless the page keeps the document law and is the requested one."""
    if not isinstance(answer, Success):
        return
    document = check_document(answer.unwrap(), url)
    if isinstance(document, Failure):
        fail_contract(document.failure().message)


def check_failure_is_typed(answer: object) -> None:
    """Fail unless a failure is a ``WebError`` whose fields have the right types.

    The message is made from the fields, so there always is one.
    """
    if not isinstance(answer, Failure):
        return
    error = answer.failure()
    if not isinstance(error, get_args(WebError)):
        fail_contract(f"it failed with {type(error).__name__}, which is not a WebError")
    elif type(attribute_error(error, "contract", None)) is not type(error):
        fail_contract(f"the fields of its {type(error).__name__} are not of their types")


def check_keeps_secret(answer: object, key: str) -> None:
    """Fail if the key is anywhere in a failure."""
    if not isinstance(answer, Failure) or not key:
        return
    error = answer.failure()
    fields = msgspec.to_builtins(error) if isinstance(error, msgspec.Struct) else error
    shown = f"{error!r} {error} {getattr(error, 'message', '')} {fields}"
    if key in shown:
        fail_contract(f"the key is in its {type(error).__name__}")


def fail_contract(message: str) -> NoReturn:
    """Raise ``ContractError`` with the broken promise."""
    raise ContractError(message)


# A call is cancelled after so many turns of the event loop.
_LOOP_TURNS = (0, 1, 2, 3, 5, 8, 13, 21)


async def check_cancellation(call: Callable[[], Awaitable[object]], seconds: float) -> None:
    """Fail if a cancelled call ends in anything but its cancellation."""
    for steps in _LOOP_TURNS:
        task = asyncio.ensure_future(_await_call(call))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.cancel():
            await asyncio.wait({task}, timeout=seconds)
            _judge_cancelled_task(task, seconds)
        elif not task.cancelled():
            # The call had already ended; other checks judge its answer.
            task.exception()


def run_in_own_loop(call: Coroutine[None, None, None]) -> None:
    """Run in a new event loop, and abandon tasks that cannot be cancelled.

    ``asyncio.run`` would wait for them forever.
    """
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(call)
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _judge_cancelled_task(task: "asyncio.Future[object]", seconds: float) -> None:
    if not task.done():
        fail_contract(f"it went on for {seconds} s after it was cancelled")
    elif not task.cancelled():
        ended = task.exception() or task.result()
        fail_contract(f"it was cancelled and ended in {type(ended).__name__}")


async def _await_call(call: Callable[[], Awaitable[object]]) -> object:
    return await call()
