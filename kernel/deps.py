"""What the kernel's two tools are given to work with."""

from collections.abc import Awaitable, Coroutine
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure

from ..ports.backends import WebBackend
from ..ports.errors import NotConfigured
from ..ports.models.compressors import Compressor, Condenser
from ..ports.planning import Timer
from ..ports.stores import TextStore
from .laws.filters import FilterPolicy
from .policy.policy_rules import Policy
from .text.trim import Budget

COMPRESS_MIN_LENGTH = 5000
COMPRESS_INSTRUCTION = (
    "Keep every fact, figure, name, date, quotation and code block that a reader would need; "
    "leave out navigation, advertising and repetition."
)

_NO_TIMER = "There is a deadline, and no timer to keep it"

RowPolicy: TypeAlias = Literal["strict", "quarantine"]


class WebDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, an optional compressor, and the caller's rules.

    ``rows="strict"`` fails the whole call on one bad row. ``rows="quarantine"`` returns the good
    rows, and the rejected ones with reasons. ``filters="strict"`` fails a search with a filter
    that the backend cannot honour, ``filters="best-effort"`` asks without it and says so.
    ``policy`` says which pages may be asked for at all, of any backend, and which domains may be
    named in results; a backend whose ``about`` does not say ``embedded`` is a third party, and is
    not told of URLs that carry credentials. A page over ``budget`` is trimmed, and kept whole in
    ``texts``: to its head and tail, or with ``focus`` and ``condense`` to the passages that matter
    to a question. A backend that takes longer than ``deadline`` seconds over one call is cancelled
    by ``timer``, which goes with it: the kernel has no clock.
    """

    backend: WebBackend
    compressor: Compressor | None = None
    compress_min_length: int = COMPRESS_MIN_LENGTH
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


async def run_in_time(work: Awaitable[object], deps: WebDeps) -> object:
    """Return what a backend answers; that it took too long is its answer, too."""
    if deps.deadline is None:
        return await work
    if deps.timer is None:
        # A limit that nobody keeps must not look like one. The backend is not asked.
        _discard(work)
        return Failure(NotConfigured(reason=_NO_TIMER, settings=("WebDeps.timer",)))
    ended = await deps.timer(work, deps.deadline)
    return ended.value_or(ended)


def _discard(work: Awaitable[object]) -> None:
    if isinstance(work, Coroutine):
        work.close()


def require_backend(deps: object) -> object:
    """Return the backend of ``deps``, which may be anything that a caller handed over."""
    return deps.backend if isinstance(deps, WebDeps) else deps
