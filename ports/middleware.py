"""Define middleware and hooks: what is registered, and what a callback receives.

The contract is that of Hermes, so that its plugins run here unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal, Protocol, TypeAlias

import msgspec

from .errors import WebError

OBSERVER_VERSION = "hermes.observer.v1"
MIDDLEWARE_VERSION = "hermes.middleware.v1"
# The text of the exception that a late ``next_call`` raises.
LATE_NEXT_CALL = "next_call was called after its callback was done"

MiddlewareKind: TypeAlias = Literal[
    "llm_request", "llm_execution", "tool_request", "tool_execution"
]
# Whether a call continues without a callback that fails, or fails too.
OnError: TypeAlias = Literal["open", "closed"]
# Plain or async; all arguments are passed by name.
Callback: TypeAlias = Callable[..., object]


class Middleware(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that may change a call.

    One that declares ``retries`` may call ``next_call`` more than once.
    """

    kind: str
    callback: Callback
    plugin: str
    on_error: OnError = "open"
    retries: bool = False


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that is notified of events; few hooks may answer."""

    name: str
    callback: Callback
    plugin: str
    on_error: OnError = "open"


class Payer(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that pays for pages; ``dollars`` has the value of one unit of each currency."""

    callback: Callback
    plugin: str
    dollars: Mapping[str, Decimal]


class Callbacks(msgspec.Struct, frozen=True, kw_only=True):
    """All registered callbacks, in the order of registration."""

    middleware: tuple[Middleware, ...] = ()
    hooks: tuple[Hook, ...] = ()
    payers: tuple[Payer, ...] = ()

    @property
    def has_any(self) -> bool:
        """Whether any callback changes or observes calls."""
        return bool(self.middleware or self.hooks)

    def middleware_of(self, kind: MiddlewareKind) -> tuple[Middleware, ...]:
        """Return the middleware of one kind."""
        return tuple([item for item in self.middleware if item.kind == kind])

    def hooks_named(self, name: str) -> tuple[Hook, ...]:
        """Return the hooks of one name."""
        return tuple([hook for hook in self.hooks if hook.name == name])


class Mishap(msgspec.Struct, frozen=True, kw_only=True):
    """A callback's problem that did not fail the call, for the log."""

    plugin: str
    stage: str
    error: str
    where: str
    detail: str = ""


class CallFailed(Exception):  # noqa: N818  it says what happened, like the errors it carries
    """Raised by ``next_call`` when the call failed, and by callbacks to fail with a typed error.

    ``error`` is the failure itself; if the exception passes through, the call fails with it.
    """

    def __init__(self, error: WebError) -> None:
        """Carry ``error``; its message is the exception's text."""
        super().__init__(error.message)
        self.error = error


class CallbackTimeoutError(TimeoutError):
    """Raised by a ``Caller`` when a callback took longer than its ``seconds``."""

    def __init__(self, seconds: float) -> None:
        """Carry the time limit."""
        super().__init__(f"it took longer than {seconds:g} seconds")
        self.seconds = seconds


class Caller(Protocol):
    """Calls a plain or async callback and returns its value, never a coroutine."""

    async def __call__(self, callback: Callback, told: dict[str, object], /) -> object:
        """Call with ``told`` as keyword arguments; exceptions of the callback pass through.

        The ``next_call`` of a plain callback blocks; that of an async callback is awaited.
        """


class Log(Protocol):
    """A log for problems that did not fail the call."""

    def __call__(self, mishap: Mishap, /) -> None:
        """Write one line."""
