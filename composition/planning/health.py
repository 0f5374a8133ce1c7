"""What processes tell each other of targets, through the ledger."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec
from returns.result import Failure, Success

from ...kernel.boundary import attempt_call
from ...kernel.planner.health.latency import is_histogram
from ...kernel.planner.planner_targets import (
    Fleet,
    PlannerRules,
    PlannerTarget,
    is_target_changed,
    is_urgent_change,
    merge_targets,
)
from ...ports.planning import Booking, LedgerStore, Settlement, TargetMemory
from .spending import TaskSpending

Memories: TypeAlias = tuple[list[TargetMemory], float | None]
_encode = msgspec.msgpack.Encoder().encode
_DECODER = msgspec.msgpack.Decoder(PlannerTarget)


class SharedHealth:
    """The health of targets here, and in the ledger. Trouble with the ledger costs only memory."""

    def __init__(self, ledger: LedgerStore | None) -> None:
        """Share through ``ledger``; without one, nothing is shared."""
        self._ledger = ledger
        self._base: dict[str, PlannerTarget] = {}

    def begin(self, targets: Mapping[str, PlannerTarget], rules: PlannerRules) -> Fleet:
        """Return a fleet of ``targets`` with what is remembered of them."""
        self._base = dict(targets)
        fleet = Fleet(targets=dict(targets), rules=rules, hedges=rules.hedge_burst)
        recalled = self._recalled() if self.is_near else None
        return self.merged(fleet, recalled)

    @property
    def is_near(self) -> bool:
        """Whether a look takes so little time that a loop may look for itself."""
        return self._ledger is None or self._ledger.is_near

    def news(self) -> Memories | None:
        """Return what is remembered, if other processes wrote meanwhile. It may wait."""
        if self._ledger is None or not self._ledger.is_changed():
            return None
        return self._recalled()

    def is_urgent(self, fleet: Fleet) -> bool:
        """Tell whether others should know at once what happened here."""
        return any(
            is_urgent_change(self._base[name], target) for name, target in fleet.targets.items()
        )

    def write(self, fleet: Fleet) -> None:
        """Write what changed here since the last time, merged with what others wrote."""
        changed = {
            name: (self._base[name], target)
            for name, target in fleet.targets.items()
            if is_target_changed(self._base[name], target)
        }
        if self._ledger is None or not changed:
            return
        merges = [(name, _merging(base, mine)) for name, (base, mine) in changed.items()]
        if isinstance(self._ledger.remember(merges, fleet.hedges), Success):
            self._base |= {name: mine for name, (_, mine) in changed.items()}

    def close(self) -> None:
        """Let go of the ledger."""
        if self._ledger is not None:
            self._ledger.close()

    def claim(self, target: PlannerTarget, until: float, now: float) -> bool:
        """Take the right to probe a target, which one caller of all processes has at a time."""
        if self._ledger is None:
            return True
        claimed = self._ledger.claim(target.name, until=until, now=now)
        # Without a ledger that can be written to, each process probes for itself.
        return isinstance(claimed, Failure) or claimed.unwrap()

    def _recalled(self) -> Memories | None:
        return None if self._ledger is None else self._ledger.recall().value_or(None)

    def merged(self, fleet: Fleet, recalled: Memories | None) -> Fleet:
        """Return the fleet with what others know, which may be nothing new."""
        if recalled is None:
            return fleet
        memories, hedges = recalled
        targets = dict(fleet.targets)
        for memory in memories:
            mine = targets.get(memory.name)
            theirs = None if mine is None else _read(memory, mine)
            if mine is not None and theirs is not None:
                base = self._base[memory.name]
                merged = merge_targets(base, mine, theirs)
                lease = max(mine.probe_until, memory.probe_until)
                targets[memory.name] = msgspec.structs.replace(merged, probe_until=lease)
                self._base[memory.name] = merge_targets(base, base, theirs)
        hedges_left = fleet.hedges if hedges is None else min(hedges, fleet.rules.hedge_burst)
        return msgspec.structs.replace(fleet, targets=targets, hedges=hedges_left)


def _merging(
    base: PlannerTarget, mine: PlannerTarget
) -> Callable[[TargetMemory | None], TargetMemory]:
    def merging(memory: TargetMemory | None) -> TargetMemory:
        theirs = None if memory is None else _read(memory, mine)
        merged = mine if theirs is None else merge_targets(base, mine, theirs)
        return TargetMemory(
            name=merged.name,
            state=_encode(merged),
            open_until=merged.open_until,
            probe_until=0.0,
        )

    return merging


def _read(memory: TargetMemory, mine: PlannerTarget) -> PlannerTarget | None:
    """Return what a memory says of a target; None with another key, or if it is unreadable."""
    theirs = attempt_call(lambda: _DECODER.decode(memory.state)).value_or(None)
    if theirs is None or theirs.fingerprint != mine.fingerprint:
        return None
    return theirs if is_histogram(theirs.latency) else None


# What was learned and spent, on its way to the ledger: beside the calls, one write at a time.

_WRITE_EVERY = 1.0
Written: TypeAlias = asyncio.Future[bool]


class LedgerWriter:
    """Writes for one planner; ``fleet`` tells what is known when a write begins."""

    def __init__(
        self, health: SharedHealth, spending: TaskSpending, fleet: Callable[[], Fleet]
    ) -> None:
        """Write to where ``health`` and ``spending`` write."""
        self._health = health
        self._spending = spending
        self._fleet = fleet
        self.timer: asyncio.TimerHandle | None = None
        self._writing: Written | None = None
        self._again = False

    def write_soon(self) -> None:
        """Write within a second; nothing has to be said where a ``timer`` runs already."""
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(_WRITE_EVERY, self.write_now)

    def write_now(self) -> None:
        """Write; and once more after the write under way, for all that came meanwhile."""
        if self._writing is not None:
            self._again = True
            return
        self._stop_timer()
        bookings, settled = self._spending.bookings(), self._spending.settlements()
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(None, self._put_down, self._fleet(), bookings, settled)
        self._writing.add_done_callback(partial(self._wrote, bookings, settled))

    def forget(self) -> None:
        """Begin anew in another loop: the timers of the old one never ring."""
        self.timer = self._writing = None
        self._again = False

    async def finish(self) -> None:
        """Write all that there is, and return when that is done."""
        await self._wait()
        self.write_now()
        await self._wait()

    async def _wait(self) -> None:
        while self._writing is not None:
            await asyncio.wait((self._writing,))

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _wrote(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement], writing: Written
    ) -> None:
        """Keep what could not be written for the next time."""
        self._writing = None
        if not writing.result():
            self._spending.restore(bookings)
            self._spending.take_back(settled)
        if self._again:
            self._again = False
            self.write_now()

    def _put_down(
        self, fleet: Fleet, bookings: Sequence[Booking], settled: Sequence[Settlement]
    ) -> bool:
        """Write to the ledger, in a thread; tell whether the money could be written."""
        self._health.write(fleet)
        return self._spending.write(bookings, settled)
