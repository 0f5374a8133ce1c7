"""Sessions, the ids of the current call, and the hooks that see its events."""

import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import msgspec
from returns.result import Result, Success

from webseam.adapters.call_context import set_in_block
from webseam.kernel.middleware.hooks import Answers, Directive, notify_hooks
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.ports.errors import WebError
from webseam.ports.middleware import Callbacks, Caller, Log, Mishap

_LOGGER = logging.getLogger("webseam.plugins")
# The model calls of a tool call carry these ids of it.
_ID_FIELDS = ("session_id", "task_id", "turn_id", "tool_call_id")
_CALL_IDS: ContextVar[Mapping[str, object]] = ContextVar(
    "webseam_call", default=MappingProxyType({})
)
_CALL_SCOPE: ContextVar[str] = ContextVar("webseam_call_scope", default="")
_INNER_CALLBACKS: ContextVar[Callbacks | None] = ContextVar("webseam_inner", default=None)
_MEMORY: ContextVar[SessionMemory | None] = ContextVar("webseam_memory", default=None)


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A question for a person: whether this tool may run with these arguments."""

    tool: str
    args: dict[str, object]
    directive: Directive


Approve: TypeAlias = Callable[[Approval], Awaitable[bool]]


def new_session_id() -> str:
    """Return an id that no other call has."""
    return os.urandom(16).hex()


def log_plugin_mishap(mishap: Mishap) -> None:
    """Log the error of a plugin that the call continues without."""
    location = f" at {mishap.where}" if mishap.where else ""
    detail = f": {mishap.detail}" if mishap.detail else ""
    text = f"{mishap.error}{location}{detail}"
    _LOGGER.warning(
        "plugin %s failed in %s and was left out: %s", mishap.plugin, mishap.stage, text
    )


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The state that calls of a session share. Without ``approve``, approvals are refused."""

    callbacks: Callbacks = Callbacks()
    session_id: str = msgspec.field(default_factory=new_session_id)
    platform: str = "library"
    approve: Approve | None = None
    new_id: Callable[[], str] = new_session_id
    clock: Callable[[], float] = time.monotonic
    log: Log = log_plugin_mishap
    callback_seconds: float | None = None


current_call_ids = _CALL_IDS.get


def share_call_ids(context: Mapping[str, object]) -> AbstractContextManager[None]:
    """Give the ids of this call to the model calls inside the block."""
    return set_in_block(_CALL_IDS, {name: context[name] for name in _ID_FIELDS if name in context})


# What decides the answer of a tool beside its arguments: the backend, and how it is asked.
current_call_scope = _CALL_SCOPE.get
share_call_scope = partial(set_in_block, _CALL_SCOPE)


current_inner_callbacks = _INNER_CALLBACKS.get
# Callbacks around the searches and pages that a tool of this block asks for itself.
wrap_inner_calls = partial(set_in_block, _INNER_CALLBACKS)

current_session_memory = _MEMORY.get
# Remember the calls of a block in this memory; None leaves them to the client's own.
use_session_memory = partial(set_in_block, _MEMORY)


class HookNotifier:
    """Sends the events of one call to its hooks."""

    def __init__(self, session: Session, context: Mapping[str, object], call: Caller) -> None:
        """Add ``context`` to every event."""
        self._session, self._context, self._call = session, context, call
        self.session_id = session.session_id
        self.platform = session.platform

    async def send_event(self, name: str, event: Mapping[str, object]) -> Result[Answers, WebError]:
        """Send an event to the hooks called ``name``; return their answers."""
        if not (hooks := self._session.callbacks.hooks_named(name)):
            return Success(())
        fields = {**self._context, **event}
        return (await notify_hooks(hooks, fields, self._call, self._session.log)).map(tuple)
