"""Context variables on both sides of a call: what a callback sets, the rest of the call sees."""

from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context, ContextVar, Token
from typing import Any

_UNSET = object()


def adopt(context: Context) -> list[Token[Any]]:
    """Set here what is set otherwise in ``context``, and return how to undo it."""
    return [
        variable.set(value)
        for variable, value in context.items()
        if variable.get(_UNSET) is not value
    ]


def undo(tokens: Sequence[Token[Any]]) -> None:
    """Set what was adopted back to what it was before."""
    for token in reversed(tokens):
        token.var.reset(token)


class Adopted:
    """What one side left on the other, which it may take away again."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._tokens: dict[ContextVar[Any], Token[Any]] = {}

    def follow(self, context: Context) -> None:
        """Set what is set in ``context``; what was set by it before and is no longer, unset."""
        for token in adopt(context):
            self._tokens.setdefault(token.var, token)
        for variable in [each for each in self._tokens if each not in context]:
            # It may have been set in a task that is not this one, where nobody can reach it.
            with suppress(ValueError):
                variable.reset(self._tokens.pop(variable))
