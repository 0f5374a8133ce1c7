"""Write the money holds of many calls in one transaction, with one flush to the disk."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from returns.result import Failure, Result, Success

from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.errors import WebError
from webseam.ports.planning import Settlement

from .spending import UNASKED, Held, TaskSpending, WantedHold

HoldGroup: TypeAlias = Sequence[tuple[WantedHold, asyncio.Future[Held]]]
WrittenGroup: TypeAlias = Result[list[Held], WebError]
GroupWrite: TypeAlias = asyncio.Future[WrittenGroup]


class HoldGroups:
    """The holds of one planner. While a group is written, the next group gathers.

    A call gets its hold only after the ledger has written it, so a killed process spends nothing
    that the ledger does not know.
    """

    def __init__(self, spending: TaskSpending, write_soon: Callable[[], None]) -> None:
        """Hold money of ``spending``; ``write_soon`` writes its settlements without a hold."""
        self._spending, self._write_soon = spending, write_soon
        self._waiting: list[tuple[WantedHold, asyncio.Future[Held]]] = []
        self._write: GroupWrite | None = None

    async def hold(self, target: PlannerTarget, amount: int, until: float) -> Held:
        """Hold admitted money, and write the pending settlements with it.

        Return the money when the hold fails or the caller is cancelled meanwhile.
        """
        loop = asyncio.get_running_loop()
        if self._write is None and not self._waiting:
            # The calls that start in this turn of the loop join the group.
            loop.call_soon(self._write_group)
        holding: asyncio.Future[Held] = loop.create_future()
        self._waiting.append((self._spending.make_wanted_hold(target, amount, until), holding))
        try:
            return await holding
        except asyncio.CancelledError:
            if not holding.cancelled():
                self._release_hold(holding.result())
            raise

    def forget_loop(self) -> None:
        """Start over in another loop; the callers of the old loop ended with it."""
        self._waiting, self._write = [], None

    async def finish_writes(self) -> None:
        """Wait until all groups are written."""
        while self._write is not None or self._waiting:
            await (asyncio.sleep(0) if self._write is None else asyncio.wait((self._write,)))

    def _write_group(self) -> None:
        group, self._waiting = self._waiting, []
        settled = self._spending.take_settlements()
        wanted = [one for one, _ in group]
        loop = asyncio.get_running_loop()
        self._write = loop.run_in_executor(None, self._spending.write_holds, wanted, settled)
        self._write.add_done_callback(partial(self._end_holds, group, settled))

    def _end_holds(
        self, group: HoldGroup, settled: Sequence[Settlement], write: GroupWrite
    ) -> None:
        self._write = None
        if self._waiting:
            self._write_group()
        if (bug := write.exception()) is None:
            self._give_holds(group, settled, write.result())
            return
        for holding in (holding for _, holding in group if not holding.cancelled()):
            holding.set_exception(bug)

    def _give_holds(
        self, group: HoldGroup, settled: Sequence[Settlement], written: WrittenGroup
    ) -> None:
        if isinstance(written, Failure):
            self._spending.restore_settlements(settled)
        for number, (wanted, holding) in enumerate(group):
            outcome = written if isinstance(written, Failure) else written.unwrap()[number]
            if isinstance(outcome, Failure):
                self._spending.return_money(wanted.amount)
            if holding.cancelled():
                self._release_hold(outcome)
            else:
                holding.set_result(outcome)

    def _release_hold(self, outcome: Held) -> None:
        """Return the money held for a caller who left before any target was asked."""
        if isinstance(outcome, Success):
            self._spending.settle((outcome.unwrap(),), UNASKED)
        self._write_soon()
