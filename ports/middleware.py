"""The words of middleware and observers: what is registered, and what a callback is told.

The contract is that of Hermes, so that a plugin written for it runs here unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

from .errors import WebError

OBSERVER_VERSION = "hermes.observer.v1"
MIDDLEWARE_VERSION = "hermes.middleware.v1"
# What a kept next_call raises when the callback that it was for is done.
LATE_NEXT_CALL = "next_call was called after its callback was done"

MiddlewareKind: TypeAlias = Literal[
    "llm_request", "llm_execution", "tool_request", "tool_execution"
]
# What becomes of a call when a callback fails: it goes on without it, or it fails too.
OnError: TypeAlias = Literal["open", "closed"]
# Plain or async; everything is given by name.
Callback: TypeAlias = Callable[..., object]


class Middleware(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that may change what happens.

    One that declares that it ``retries`` may call ``next_call`` more than once.
    """

    kind: str
    callback: Callback
    plugin: str
    on_error: OnError = "open"
    retries: bool = False


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that is told what happens; few hooks may answer."""

    name: str
    callback: Callback
    plugin: str
    on_error: OnError = "open"


class Callbacks(msgspec.Struct, frozen=True, kw_only=True):
    """All that is registered, in the order of registration."""

    middleware: tuple[Middleware, ...] = ()
    hooks: tuple[Hook, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is anything registered at all."""
        return bool(self.middleware or self.hooks)

    def of(self, kind: MiddlewareKind) -> tuple[Middleware, ...]:
        """Return the middleware of one kind."""
        return tuple([each for each in self.middleware if each.kind == kind])

    def named(self, name: str) -> tuple[Hook, ...]:
        """Return the hooks of one name."""
        return tuple([each for each in self.hooks if each.name == name])


class Mishap(msgspec.Struct, frozen=True, kw_only=True):
    """What a callback raised and who went on without it, for the log."""

    plugin: str
    stage: str
    error: str
    where: str
    detail: str = ""


class CallFailed(Exception):  # noqa: N818  it says what happened, like the errors it carries
    """What ``next_call`` raises when the call failed, and how a callback fails with a typed error.

    ``error`` is the failure itself; let through, it arrives on the other side as it was.
    """

    def __init__(self, error: WebError) -> None:
        """Carry ``error``; its message is the exception's text."""
        super().__init__(error.message)
        self.error = error


class CallbackTimeoutError(TimeoutError):
    """What a ``Caller`` raises when a callback took longer than its ``seconds``."""

    def __init__(self, seconds: float) -> None:
        """Say how long it was waited for."""
        super().__init__(f"it took longer than {seconds:g} seconds")
        self.seconds = seconds


class Caller(Protocol):
    """Calls a callback of either colour and gives what it returned, never a coroutine."""

    async def __call__(self, callback: Callback, told: dict[str, object], /) -> object:
        """Call with what is ``told`` by name; what the callback raises is raised here.

        A plain callback's ``next_call`` waits; an async callback awaits its own.
        """
        ...


class Log(Protocol):
    """Writes down what went wrong without failing the call."""

    def __call__(self, mishap: Mishap, /) -> None:
        """Write one line."""
        ...
