"""Share the health of targets between processes, through the ledger."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec
from returns.result import Failure, Success

from webseam.kernel.boundary import attempt_call
from webseam.kernel.planner.latency import is_latency_histogram
from webseam.kernel.planner.planner_targets import (
    Fleet,
    PlannerRules,
    PlannerTarget,
    adopt_stored_times,
    is_target_changed,
    is_urgent_change,
    merge_targets,
)
from webseam.ports.planning import Booking, LedgerStore, Settlement, TargetMemory

from .spending import TaskSpending

Memories: TypeAlias = tuple[list[TargetMemory], float | None]
_encode = msgspec.msgpack.Encoder().encode
_TARGET_DECODER = msgspec.msgpack.Decoder(PlannerTarget)
_WRITE_DELAY_SECONDS = 1.0


class SharedHealth:
    """The health of targets here and in the ledger. Ledger errors only lose stored health."""

    def __init__(self, ledger: LedgerStore | None) -> None:
        """Share through ``ledger``; None shares nothing."""
        self._ledger = ledger
        self._base: dict[str, PlannerTarget] = {}

    def begin_fleet(self, targets: Mapping[str, PlannerTarget], rules: PlannerRules) -> Fleet:
        """Return a fleet of ``targets`` with their stored health."""
        self._base = dict(targets)
        fleet = Fleet(targets=dict(targets), rules=rules, hedges=rules.hedge_burst)
        recalled = self._recall_memories() if self.is_near else None
        return self.merge_memories(fleet, recalled, time.time())

    @property
    def is_near(self) -> bool:
        """Whether reading is quick enough for the event loop."""
        return self._ledger is None or self._ledger.is_near

    def read_news(self) -> Memories | None:
        """Return the stored health if other processes wrote since; it may block."""
        if self._ledger is None or not self._ledger.is_changed():
            return None
        return self._recall_memories()

    def is_urgent(self, fleet: Fleet) -> bool:
        """Return whether other processes need the changes at once."""
        return any(
            is_urgent_change(self._base[name], target) for name, target in fleet.targets.items()
        )

    def write(self, fleet: Fleet, now: float) -> None:
        """Write the changes since the last write, merged with those of others."""
        changed = {
            name: (self._base[name], target)
            for name, target in fleet.targets.items()
            if is_target_changed(self._base[name], target)
        }
        if self._ledger is None or not changed:
            return
        merges = [
            (name, _make_memory_merge(base, mine, now)) for name, (base, mine) in changed.items()
        ]
        if isinstance(self._ledger.remember(merges, fleet.hedges), Success):
            self._base |= {name: mine for name, (_, mine) in changed.items()}

    def close(self) -> None:
        """Close the ledger."""
        if self._ledger is not None:
            self._ledger.close()

    def claim_probe(self, target: PlannerTarget, until: float, now: float) -> bool:
        """Claim the right to probe a target; one caller of all processes has it at a time."""
        if self._ledger is None:
            return True
        claimed = self._ledger.claim(target.name, until=until, now=now)
        # Without a writable ledger, each process probes for itself.
        return isinstance(claimed, Failure) or claimed.unwrap()

    def _recall_memories(self) -> Memories | None:
        return None if self._ledger is None else self._ledger.recall().value_or(None)

    def merge_memories(self, fleet: Fleet, recalled: Memories | None, now: float) -> Fleet:
        """Return the fleet merged with the health that others wrote."""
        if recalled is None:
            return fleet
        memories, hedges = recalled
        targets = dict(fleet.targets)
        for memory in memories:
            mine = targets.get(memory.name)
            theirs = None if mine is None else _decode_target_memory(memory, mine, now)
            if mine is not None and theirs is not None:
                base = self._base[memory.name]
                merged = merge_targets(base, mine, theirs)
                # A lease beyond the time limit comes from a clock that was put back.
                is_valid = memory.probe_until <= now + fleet.rules.timeout
                lease = max(mine.probe_until, memory.probe_until if is_valid else 0.0)
                targets[memory.name] = msgspec.structs.replace(merged, probe_until=lease)
                self._base[memory.name] = merge_targets(base, base, theirs)
        hedges_left = fleet.hedges if hedges is None else min(hedges, fleet.rules.hedge_burst)
        return msgspec.structs.replace(fleet, targets=targets, hedges=hedges_left)


def _make_memory_merge(
    base: PlannerTarget, mine: PlannerTarget, now: float
) -> Callable[[TargetMemory | None], TargetMemory]:
    def merge_memory(memory: TargetMemory | None) -> TargetMemory:
        theirs = None if memory is None else _decode_target_memory(memory, mine, now)
        merged = mine if theirs is None else merge_targets(base, mine, theirs)
        merged = msgspec.structs.replace(merged, stored_at=now)
        return TargetMemory(
            name=merged.name, state=_encode(merged), open_until=merged.open_until, probe_until=0.0
        )

    return merge_memory


def _decode_target_memory(
    memory: TargetMemory, mine: PlannerTarget, now: float
) -> PlannerTarget | None:
    """Return the stored target; None for another key or an unreadable record."""
    theirs = attempt_call(lambda: _TARGET_DECODER.decode(memory.state)).value_or(None)
    if theirs is None or theirs.fingerprint != mine.fingerprint:
        return None
    return adopt_stored_times(theirs, now) if is_latency_histogram(theirs.latency) else None


Written: TypeAlias = asyncio.Future[bool]


class LedgerWriter:
    """Writes to the ledger in the background, one write at a time, for one planner.

    ``fleet`` returns the state when a write begins.
    """

    def __init__(
        self,
        health: SharedHealth,
        spending: TaskSpending,
        fleet: Callable[[], Fleet],
        now: Callable[[], float],
    ) -> None:
        self._health, self._spending, self._fleet, self._now = health, spending, fleet, now
        self.timer: asyncio.TimerHandle | None = None
        self._running_write: Written | None = None
        self._needs_rewrite = False

    def write_soon(self) -> None:
        """Write within a second, unless a ``timer`` already runs."""
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(_WRITE_DELAY_SECONDS, self.write_now)

    def write_now(self) -> None:
        """Write now; if a write is running, write once more after it."""
        if self._running_write is not None:
            self._needs_rewrite = True
            return
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        bookings, settled = self._spending.take_bookings(), self._spending.take_settlements()
        work = partial(self._write_ledger, (self._fleet(), self._now()), bookings, settled)
        loop = asyncio.get_running_loop()
        try:
            self._running_write = loop.run_in_executor(None, work)
        except RuntimeError:
            # The loop ends before the planner was closed, and has no threads any more.
            self._running_write = loop.create_future()
            self._running_write.set_result(work())
        self._running_write.add_done_callback(partial(self._end_write, bookings, settled))

    def forget_loop(self) -> None:
        """Start over in another loop, where the timers of the old loop never fire."""
        self.timer = self._running_write = None
        self._needs_rewrite = False

    async def finish_writes(self) -> None:
        """Write everything, and return when it is done."""
        await self._wait_for_write()
        self.write_now()
        await self._wait_for_write()

    async def _wait_for_write(self) -> None:
        while self._running_write is not None:
            await asyncio.wait((self._running_write,))

    def _end_write(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement], writing: Written
    ) -> None:
        self._running_write = None
        if not writing.result():
            self._spending.restore_bookings(bookings)
            self._spending.restore_settlements(settled)
        if self._needs_rewrite:
            self._needs_rewrite = False
            self.write_now()

    def _write_ledger(
        self, fleet: tuple[Fleet, float], bookings: Sequence[Booking], settled: Sequence[Settlement]
    ) -> bool:
        """Write to the ledger in a thread; return whether the money was written."""
        self._health.write(*fleet)
        return self._spending.write(bookings, settled)
