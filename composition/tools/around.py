"""What surrounds a tool call: callbacks, ids, a clock, a log, and whoever may approve."""

import logging
import os
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from ...kernel.middleware import Directive
from ...ports.middleware import Callbacks, Log, Mishap

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


def write_down(mishap: Mishap) -> None:
    """Log what a plugin raised when the call goes on without it."""
    place = f" at {mishap.where}" if mishap.where else ""
    said = f": {mishap.detail}" if mishap.detail else ""
    _LOGGER.warning(
        "plugin %s failed in %s and was left out: %s%s%s",
        mishap.plugin,
        mishap.stage,
        mishap.error,
        place,
        said,
    )


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What all calls of one session share. Without ``approve``, what needs approval is refused."""

    callbacks: Callbacks = Callbacks()
    session_id: str = msgspec.field(default_factory=new_id)
    platform: str = "library"
    approve: Approve | None = None
    new_id: Callable[[], str] = new_id
    clock: Callable[[], float] = time.monotonic
    log: Log = write_down
