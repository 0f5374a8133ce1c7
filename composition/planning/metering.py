"""Record the cost and limits that replies report, per attempt, and hand its retries down.

Backends return rows and the kernel checks rows; reported costs and remaining calls are for the
planner alone. The code that reads a reply notes them in the context of its attempt, and the code
that retries a request takes from the planner's budget of attempts there.
"""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

import msgspec

from webseam.kernel.planner.pacing import COUNT_HEADERS, RateWindow, read_rate_windows
from webseam.kernel.planner.retry import RetryRules, retry_delay
from webseam.ports.errors import WebError

if TYPE_CHECKING:
    from .spending import MoneyHold

# No call costs more; ignore a higher reported cost.
_MAX_CALL_DOLLARS = 1000.0
_HANDING_ON_SECONDS = 0.05
_RATE_LIMIT_HEADERS = frozenset(name.encode() for name in COUNT_HEADERS)
_CURRENT_METER: "ContextVar[Meter | None]" = ContextVar("webseam_meter", default=None)


class Meter(msgspec.Struct, eq=False, kw_only=True):
    """One attempt: its requests, their replies, the cost in dollars, and the calls left.

    ``costs`` has those of its call in micro-dollars by attempt, this one's under ``number``.
    An answer that is still being written is ``deferred``: it is paid through ``settle`` when it is
    complete. The client below retries by itself only if it ``may_retry``; its attempts count
    from ``earlier``, and ``retried`` has the kind and the loop time of each error it retried.

    A client that counts its requests has ``begun`` one; ``requests`` were written to a connection,
    ``replies`` came, and ``refused`` ones of these cost nothing. With a budget, ``holds`` have the
    money for ``spare`` more requests, and ``reserve`` reserves it for one after these. The attempt
    is cancelled at ``ends``, a loop time.
    """

    may_retry: bool = True
    earlier: int = 0
    retried: tuple[tuple[str, float], ...] = ()
    number: int = 0
    costs: dict[int, int] = {}
    begun: bool = False
    requests: int = 0
    replies: int = 0
    refused: int = 0
    ends: float = math.inf
    spare: float = math.inf
    holds: "Sequence[MoneyHold]" = ()
    reserve: "Callable[[], Awaitable[WebError | None]] | None" = None
    cost: float | None = None
    windows: tuple[RateWindow, ...] = ()
    deferred: bool = False
    settle: Callable[[float | None], None] | None = None

    def end_time(self) -> float:
        """Return the loop time at which the attempt is cancelled."""
        return self.ends

    def charge(self, dollars: float | None) -> None:
        """Add the reported cost of a reply; ignore None and impossible costs."""
        if dollars is not None and 0 <= dollars <= _MAX_CALL_DOLLARS:
            self.cost = dollars + (self.cost or 0.0)

    def add_payment(self, micros: int) -> None:
        """Add what was paid beside the price of the attempt, or a negative amount given back."""
        self.costs[self.number] = self.costs.get(self.number, 0) + micros


start_meter = _CURRENT_METER.set
stop_meter = _CURRENT_METER.reset


def current_meter() -> Meter | None:
    """Return the meter of the current attempt; None outside of one."""
    return _CURRENT_METER.get()


def retry_delay_in_call(
    error: WebError,
    attempt: int,
    retry_rules: RetryRules | None = None,
    chance: Callable[[], float] = random.random,
) -> float | None:
    """Return the seconds before a retry inside of the current attempt; None for no retry.

    Below a planner it takes from the planner's attempts, so that retries of two layers never
    multiply: earlier attempts count, and there is no retry while another target can be asked.
    With a budget, a request that was paid for is not sent again on the same money.
    """
    if (meter := _CURRENT_METER.get()) is None:
        return retry_delay(error, attempt, chance(), retry_rules)
    is_paid = error.facts.verdict.billed
    if not meter.may_retry or (is_paid and meter.reserve is not None):
        return None
    wait = retry_delay(error, meter.earlier + attempt, chance(), retry_rules)
    if wait is not None:
        note_retry(error)
    return wait


def note_retry(error: WebError) -> None:
    """Note the error after which the client of the current attempt sends its request again."""
    if (meter := _CURRENT_METER.get()) is not None:
        meter.retried = (*meter.retried, (error.kind, asyncio.get_running_loop().time()))
        if not error.facts.verdict.billed:
            note_refused_request()


def begin_request() -> Awaitable[WebError | None] | None:
    """Note that a request begins. With a budget, await what it returns: money or a refusal."""
    if (meter := _CURRENT_METER.get()) is None:
        return None
    meter.begun = True
    if meter.reserve is None:
        return None
    if meter.spare >= 1:
        meter.spare -= 1
        return None
    return meter.reserve()


def attempt_seconds_left() -> float | None:
    """Return the seconds in which a part of the current attempt must end; None without a limit.

    A twentieth of a second stays for the parts that came before to be handed on.
    """
    meter = _CURRENT_METER.get()
    if meter is None or (ends := meter.end_time()) == math.inf:
        return None
    return max(ends - asyncio.get_running_loop().time() - _HANDING_ON_SECONDS, 0.0)


def note_sent_request() -> None:
    """Note that a request was written to a connection: from now on it may cost money."""
    if (meter := _CURRENT_METER.get()) is not None:
        meter.requests += 1


def send_note(transport: object) -> Callable[[], None] | None:
    """Return what to call as ``transport`` gets a request; None for one that notes it itself."""
    notes_writes = getattr(transport, "on_write", None) is note_sent_request
    return None if notes_writes else note_sent_request


def note_refused_request() -> None:
    """Note that a service refused a request, so that its money is free for the next one."""
    if (meter := _CURRENT_METER.get()) is not None:
        meter.refused += 1
        meter.spare += 1


def meter_reply(
    lines: Sequence[tuple[bytes, bytes]],
    cost: float | None = None,
    clock: Callable[[], float] = time.time,
) -> None:
    """Record the headers and cost of a reply for the current attempt; names in lower case."""
    if (meter := _CURRENT_METER.get()) is None:
        return
    meter.replies += 1
    if cost is not None:
        meter.charge(cost)
    if not _RATE_LIMIT_HEADERS.isdisjoint(dict(lines)):
        meter.windows = read_rate_windows(_join_limit_headers(lines), clock()) or meter.windows


def _join_limit_headers(lines: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the rate-limit headers, repeated ones joined to a list (RFC 9110, 5.2)."""
    fields: dict[str, str] = {}
    for line in lines:
        name, value = line[0].decode("latin-1"), line[1].decode("latin-1")
        if "ratelimit" in name:
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields
