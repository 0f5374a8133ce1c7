"""Define the collaborators of the kernel's tools."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Literal, TypeAlias, cast

import msgspec
from returns.result import Failure, Success

from webseam.ports.backends import WebBackend
from webseam.ports.errors import NotConfigured
from webseam.ports.models import Compressor, Condenser
from webseam.ports.planning import Timer
from webseam.ports.stores import TextStore

from .laws.filters import FilterPolicy
from .policy.policy_rules import Policy
from .policy.session_memory import SessionMemory
from .text.trim import Budget

MIN_COMPRESSION_CHARS = 5000
COMPRESS_INSTRUCTION = (
    "Keep every fact, figure, name, date, quotation and code block that a reader would need; "
    "leave out navigation, advertising and repetition."
)

_NO_TIMER_REASON = "A deadline is set, but no timer to enforce it"
RowPolicy: TypeAlias = Literal["strict", "quarantine"]


class WebDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, an optional compressor, and the caller's rules.

    ``rows="strict"`` fails the call on one bad row; ``rows="quarantine"`` returns the good rows,
    and the rejected ones with reasons. ``filters="strict"`` fails a search with a filter that the
    backend lacks; ``filters="best-effort"`` drops the filter and reports it. ``policy`` decides
    which pages may be requested from any backend, and which domains may appear in results; a
    backend that is not ``embedded`` is a third party and gets no URLs with credentials. A page over
    ``budget`` is trimmed: to its head and tail, or with ``focus`` and ``condense`` to the relevant
    passages. ``texts`` keeps the whole of a page that has more text than it shows. ``timer``
    cancels a backend call after ``deadline`` seconds; the kernel has no clock, so a deadline needs
    a timer. ``session`` returns the memory of the current session; without it, the caller is the
    user, whose URLs may all be followed. ``now`` is the clock of receipts. With ``keeps_parts``,
    pages keep the text that is not in their content, for a backend that hands them on.
    """

    backend: WebBackend
    compressor: Compressor | None = None
    compress_min_length: int = MIN_COMPRESSION_CHARS
    instruction: str = COMPRESS_INSTRUCTION
    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"
    policy: Policy = Policy()
    budget: Budget | None = None
    texts: TextStore | None = None
    focus: str | None = None
    condense: Condenser | None = None
    deadline: float | None = None
    timer: Timer | None = None
    session: Callable[[], SessionMemory] | None = None
    now: Callable[[], float] | None = None
    keeps_parts: bool = False


def await_backend(work: Awaitable[object], deps: WebDeps) -> Awaitable[object]:
    """Await a backend's answer within the deadline; a timeout is returned as its answer."""
    return work if deps.deadline is None else _await_until(work, deps.deadline, deps.timer)


async def _await_until(work: Awaitable[object], deadline: float, timer: Timer | None) -> object:
    if timer is None:
        # Fail without asking: a deadline that is not enforced must not look enforced.
        if isinstance(work, Coroutine):
            work.close()
        return Failure(NotConfigured(reason=_NO_TIMER_REASON, settings=("WebDeps.timer",)))
    ended = await timer(work, deadline)
    return ended.unwrap() if isinstance(ended, Success) else ended


def seen_session(deps: WebDeps) -> SessionMemory | None:
    """Return the memory of a session that follows only what it saw; None for any other caller."""
    if deps.session is None or deps.policy.follow != "seen":
        return None
    return deps.session()


def deps_backend(deps: object) -> object:
    """Return the backend of ``deps``; a caller may have passed anything else."""
    return cast("WebDeps", deps).backend if issubclass(type(deps), WebDeps) else deps
