"""Which callbacks are async, and how to wait for whatever one returned."""

import inspect
from collections.abc import Awaitable
from typing import cast

from ...ports.middleware import Callback


def is_async(callback: Callback) -> bool:
    """Tell whether calling ``callback`` gives a coroutine, as far as can be told before."""
    if inspect.iscoroutinefunction(callback):
        return True
    # An object that is called: what counts is its method.
    return not inspect.isroutine(callback) and inspect.iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004  not whether it can be called
    )


async def settled(value: object) -> object:
    """Return ``value``, awaited for as long as it is awaitable."""
    while hasattr(type(value), "__await__"):
        value = await cast("Awaitable[object]", value)
    return value
