"""Telling the hooks of a call, all with the same ids."""

import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TypeAlias

import msgspec
from returns.result import Result, Success

from ...kernel.middleware.hooks import Answers, Directive, notify_hooks
from ...ports.errors import WebError
from ...ports.middleware import Callbacks, Caller, Log, Mishap

_LOGGER = logging.getLogger("webseam.plugins")


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A question for a person: whether this tool may run with these arguments."""

    tool: str
    args: dict[str, object]
    directive: Directive


Approve: TypeAlias = Callable[[Approval], Awaitable[bool]]


def new_id() -> str:
    """Return an id that no other call has."""
    return os.urandom(16).hex()


def log_mishap(mishap: Mishap) -> None:
    """Log what a plugin raised when the call goes on without it."""
    place = f" at {mishap.where}" if mishap.where else ""
    detail = f": {mishap.detail}" if mishap.detail else ""
    _LOGGER.warning(
        "plugin %s failed in %s and was left out: %s%s%s",
        mishap.plugin,
        mishap.stage,
        mishap.error,
        place,
        detail,
    )


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What all calls of one session share. Without ``approve``, what needs approval is refused.

    A callback may take ``callback_seconds`` for itself.
    """

    callbacks: Callbacks = Callbacks()
    session_id: str = msgspec.field(default_factory=new_id)
    platform: str = "library"
    approve: Approve | None = None
    new_id: Callable[[], str] = new_id
    clock: Callable[[], float] = time.monotonic
    log: Log = log_mishap
    callback_seconds: float | None = None


# The ids of the tool call that is under way, for the model calls that are made for it.
_IDS = ("session_id", "task_id", "turn_id", "tool_call_id")
_CALL: ContextVar[Mapping[str, object]] = ContextVar("webseam_call", default=MappingProxyType({}))


@contextmanager
def inside_call(context: Mapping[str, object]) -> Iterator[None]:
    """Let model calls that are made meanwhile carry the ids of this call."""
    token = _CALL.set({name: context[name] for name in _IDS if name in context})
    try:
        yield
    finally:
        _CALL.reset(token)


def current_call_ids() -> Mapping[str, object]:
    """Return the ids of the tool call that this is made for; none outside of one."""
    return _CALL.get()


class HookNotifier:
    """Tells hooks of one call what happens to it."""

    def __init__(self, around: Session, context: Mapping[str, object], call: Caller) -> None:
        """Tell of the call that ``context`` names."""
        self._around = around
        self._context = context
        self._call = call
        self.session_id = around.session_id
        self.platform = around.platform

    async def tell(self, name: str, event: Mapping[str, object]) -> Result[Answers, WebError]:
        """Tell the hooks called ``name``; a hook that nobody registered costs nothing."""
        hooks = self._around.callbacks.hooks_named(name)
        if not hooks:
            return Success(())
        answers = await notify_hooks(
            hooks, {**self._context, **event}, self._call, self._around.log
        )
        return answers.map(tuple)
