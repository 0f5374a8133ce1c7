"""Context variables on both sides of a call: what a callback sets, the rest of the call sees."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, ContextVar, Token
from typing import Any, cast

from ...ports.middleware import Callback


def is_async(callback: Callback) -> bool:
    """Tell whether calling ``callback`` gives a coroutine, as far as can be told before."""
    if inspect.iscoroutinefunction(callback):
        return True
    # An object that is called: what counts is its method.
    return not inspect.isroutine(callback) and inspect.iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004  not whether it can be called
    )


async def await_fully(value: object) -> object:
    """Return ``value``, awaited for as long as it is awaitable."""
    while hasattr(type(value), "__await__"):
        value = await cast("Awaitable[object]", value)
    return value


_UNSET = object()


def adopt_context(context: Context) -> list[Token[Any]]:
    """Set here what is set otherwise in ``context``, and return how to undo it."""
    return [
        variable.set(value)
        for variable, value in context.items()
        if variable.get(_UNSET) is not value
    ]


def reset_context(tokens: Sequence[Token[Any]]) -> None:
    """Set what was adopted back to what it was before."""
    for token in reversed(tokens):
        token.var.reset(token)


class AdoptedContext:
    """What one side left on the other, which it may take away again."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._tokens: dict[ContextVar[Any], Token[Any]] = {}

    def follow(self, context: Context) -> None:
        """Set what is set in ``context``; what was set by it before and is no longer, unset."""
        for token in adopt_context(context):
            self._tokens.setdefault(token.var, token)
        for variable in [each for each in self._tokens if each not in context]:
            # It may have been set in a task that is not this one, where nobody can reach it.
            with suppress(ValueError):
                variable.reset(self._tokens.pop(variable))


# Callbacks that name what they want to be told are told that, and nothing else.

# Without it a callback cannot go on: one that does not take it is not what it was registered as.
_NEEDED = ("next_call",)


def accepted_arguments(callback: Callback, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return what ``callback`` takes of what it could be told; all of it when it does not say."""
    try:
        # Of what is called, not of what a decorator put it around.
        signature = inspect.signature(callback, follow_wrapped=False)
    except (TypeError, ValueError):
        return dict(arguments)
    parameters = signature.parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return dict(arguments)
    names = {each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY}
    return {name: value for name, value in arguments.items() if name in names or name in _NEEDED}
