"""Money before and after a call: asked for, held, settled, or just counted."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.planner.budgets import (
    MICROS,
    Allowance,
    Budgets,
    Occasion,
    cap_micros,
    is_capped,
    purse_words,
    purses,
)
from ....kernel.planner.targets import Target
from ....ports.errors import BudgetExceeded, NotConfigured, WebError
from ....ports.ledger import Purse, Shortage

if TYPE_CHECKING:
    from ....adapters.stores.ledger.file import Ledger


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """Money that is held for one attempt: in the ledger under ``number``, or only counted later."""

    amount: int
    purses: tuple[Purse, ...]
    number: int | None = None


class Spending:
    """What one session may spend and has spent, over the ledger of all."""

    def __init__(
        self,
        budgets: Budgets,
        ledger: "Ledger | None",
        tool: str,
        now: Callable[[], float],
        allowance: Allowance | None = None,
    ) -> None:
        """Spend on ``tool`` within ``budgets``; ``now`` is the time of the world outside.

        With an ``allowance`` also within what its owner may spend.
        """
        self._budgets = budgets
        self._allowance = allowance
        self._ledger = ledger
        self._tool = tool
        self._now = now
        self._session = 0
        self._uncounted: list[tuple[int, tuple[Purse, ...]]] = []
        self.capped = is_capped(budgets, allowance)

    def refusal(self, target: Target, *, priced: bool, in_call: int) -> WebError | None:
        """Return why an attempt may not be paid for, as far as this process can tell.

        ``in_call`` is what its call has spent and holds.
        """
        if not self.capped:
            return None
        if not priced:
            setting = f"services.{target.backend}.price"
            reason = f"A budget is set, and nobody said what a call of {target.backend} costs"
            return NotConfigured(settings=(setting,), reason=reason, backend=target.backend)
        caps = (
            (self._budgets.call, in_call, "call"),
            (self._budgets.session, self._session, "session"),
        )
        for cap, spent, name in caps:
            if cap is not None and spent + target.price > cap_micros(cap):
                short = Shortage(
                    purse=Purse(name, "", cap_micros(cap), f"budgets.{name}"),
                    remaining=cap_micros(cap) - spent,
                )
                return _exceeded(target, short, f"one {name}")
        return None

    def hold(self, target: Target, until: float) -> Result[Hold, WebError]:
        """Hold the money for an attempt that ends by ``until``, or say which budget is short.

        Without a cap in the ledger there is nothing to hold; the call is counted when it is over.
        """
        pots = purses(self._budgets, self._occasion(target), self._allowance)
        number: int | None = None
        if any(pot.cap is not None for pot in pots) and self._ledger is not None:
            held = self._ledger.reserve(target.price, pots, until=until, now=self._now())
            if isinstance(held, Failure):
                # Nothing is spent that cannot be written down.
                return Failure(held.failure())
            hold_id = held.unwrap()
            if isinstance(hold_id, Shortage):
                return Failure(_exceeded(target, hold_id, purse_words(hold_id.purse)))
            number = hold_id
        self._session += target.price
        return Success(Hold(amount=target.price, purses=pots, number=number))

    def settle(self, hold: Hold, cost: int) -> None:
        """Turn a hold into what it came to."""
        self._session += cost - hold.amount
        if hold.number is None:
            self._uncounted.append((cost, hold.purses))
        elif self._ledger is not None:
            self._ledger.settle(hold.number, cost)

    def write(self) -> None:
        """Book what was only counted so far."""
        counted, self._uncounted = self._uncounted, []
        if counted and self._ledger is not None:
            self._ledger.count(counted)

    def _occasion(self, target: Target) -> Occasion:
        day = datetime.fromtimestamp(self._now(), UTC).date().isoformat()
        return Occasion(tool=self._tool, backend=target.backend, key=target.key, day=day)


def _exceeded(target: Target, short: Shortage, words: str) -> BudgetExceeded:
    cap = short.purse.cap or 0
    return BudgetExceeded(
        backend=target.backend,
        budget=words,
        cap=cap / MICROS,
        remaining=max(short.remaining, 0) / MICROS,
        price=target.price / MICROS,
        setting=short.purse.setting,
    )
