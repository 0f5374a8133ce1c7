"""What the replies to one attempt say of money and limits, on their way past the kernel.

A backend answers rows, and the kernel checks rows; what a service says beside them (a cost, how
many calls are left) is for the planner alone. It is noted here by whoever reads a reply, in the
context of the attempt that the reply is for.
"""

import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar

import msgspec

from ...kernel.planner.health.pacing import COUNT_HEADERS, RateWindow, read_windows

# Nothing that is asked here costs more; whoever says so is not believed.
_MAX_CALL_DOLLARS = 1000.0
_COUNTS = frozenset(name.encode() for name in COUNT_HEADERS)
_METER: "ContextVar[Meter | None]" = ContextVar("webseam_meter", default=None)


class Meter(msgspec.Struct, eq=False, kw_only=True):
    """One attempt: how many replies it took, what they cost in dollars, and the calls left.

    One whose answer is still being written is ``deferred``: it is paid for, through ``settle``,
    when the answer is whole.
    """

    replies: int = 0
    cost: float | None = None
    windows: tuple[RateWindow, ...] = ()
    deferred: bool = False
    settle: Callable[[float | None], None] | None = None

    def charge(self, dollars: float | None) -> None:
        """Add what a reply says that it cost; None, and what nothing costs, say nothing."""
        if dollars is not None and 0 <= dollars <= _MAX_CALL_DOLLARS:
            self.cost = dollars + (self.cost or 0.0)


start_meter = _METER.set
stop_meter = _METER.reset


def running_meter() -> Meter | None:
    """Return the meter of the attempt that this runs in; None outside of one."""
    return _METER.get()


def note_reply(
    lines: Sequence[tuple[bytes, bytes]],
    cost: float | None = None,
    clock: Callable[[], float] = time.time,
) -> None:
    """Note what a reply says, if anybody wants to know: its header lines, names in lower case."""
    meter = _METER.get()
    if meter is None:
        return
    meter.replies += 1
    if cost is not None:
        meter.charge(cost)
    for name, _ in lines:
        if name in _COUNTS:
            meter.windows = read_windows(_joined(lines), clock()) or meter.windows
            return


def _joined(lines: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return what lines say of limits as fields: those of one name are one list (RFC 9110, 5.2)."""
    fields: dict[str, str] = {}
    for line in lines:
        name, value = line[0].decode("latin-1"), line[1].decode("latin-1")
        if "ratelimit" in name:
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields
