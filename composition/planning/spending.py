"""Money of calls: admitted, held, settled, or only counted."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.planner import money
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.errors import BudgetExceeded, NotConfigured, WebError
from webseam.ports.planning import Booking, Hold, LedgerStore, Purse, Settlement, Shortage

_DAY_SECONDS = 86_400
_MAX_UNBOOKED_CALLS = 1000
# Where a client's budget is set, as an error names it.
_CLIENT_BUDGET_SETTING = "budget= of webseam.open"

Pots: TypeAlias = tuple[Purse, ...]


class Charge(NamedTuple):
    """What an attempt cost: micro-dollars, requests sent, and the uncertain part of both.

    It is uncertain whether a service got a request that it did not answer: the connection broke,
    the time was up, or the caller left. Such a request counts as paid. If ``has_unknown_price``,
    a request was paid whose price nobody stated.
    """

    cost: int = 0
    calls: int = 0
    uncertain_calls: int = 0
    uncertain: int = 0
    has_unknown_price: bool = False

    @property
    def known_cost(self) -> int | None:
        """The micro-dollars for a receipt; None if they are unknown."""
        return None if self.has_unknown_price else self.cost


UNASKED = Charge()


class SpendingTally(msgspec.Struct, eq=False):
    """Amount and calls charged to some purses and not booked yet."""

    purses: Pots
    spent: int = 0
    calls: int = 0
    uncertain_calls: int = 0
    uncertain: int = 0

    def add(self, charge: Charge) -> None:
        """Add what an attempt cost."""
        self.spent += charge.cost
        self.calls += charge.calls
        self.uncertain_calls += charge.uncertain_calls
        self.uncertain += charge.uncertain


class MoneyHold(msgspec.Struct, frozen=True, kw_only=True):
    """Money for one attempt: held in the ledger under ``number``, or only counted later."""

    amount: int
    tally: SpendingTally
    number: int | None = None
    target: str = ""


class TargetTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a target: ``free`` costs nothing, ``priced`` has a known price.

    ``setting`` names the setting of a missing price. ``seconds`` limits one attempt; None leaves
    the limit to the target.
    """

    free: bool = False
    priced: bool = True
    setting: str = ""
    seconds: float | None = None


Held: TypeAlias = Result[MoneyHold, WebError]


class WantedHold(NamedTuple):
    """The money that an attempt needs, the end of the attempt, and the tally of its day."""

    target: PlannerTarget
    amount: int
    until: float
    tally: SpendingTally


class SessionPurse:
    """The money that one session has spent and holds, over all routes; thread-safe."""

    def __init__(self) -> None:
        self._spent = 0
        self._lock = threading.Lock()
        # Amounts not summed yet: a deque lets every call append without a lock.
        self._unsummed: deque[int] = deque()

    def take_money(self, amount: int, cap: int | None) -> int | None:
        """Take money; where that would pass ``cap``, take none and return what is left."""
        with self._lock:
            self._sum_spent()
            if cap is not None and self._spent + amount > cap:
                return cap - self._spent
            self._spent += amount
            return None

    def add_spent(self, amount: int) -> None:
        """Add spent money, or a negative amount for money that was not needed."""
        unsummed = self._unsummed
        unsummed.append(amount)
        if len(unsummed) > _MAX_UNBOOKED_CALLS:
            with self._lock:
                self._sum_spent()

    def _sum_spent(self) -> None:
        unsummed = self._unsummed
        while unsummed:
            self._spent += unsummed.popleft()


# A session is one process with all the routes that it opens.
PROCESS_PURSE = SessionPurse()


class ClientBudget(NamedTuple):
    """What one client has spent, and the most that it may spend, in micro-dollars."""

    purse: SessionPurse
    cap: int


class TaskSpending:
    """The money that one task may spend and has spent, over the shared ledger.

    All methods but ``write_holds`` and ``write`` belong to the loop's thread, so two calls never
    see the same money. Settlements are written with the next hold or ``write``; until then, or if
    the process is killed, the held amount counts.
    """

    def __init__(
        self,
        budgets: money.Budgets,
        ledger: LedgerStore | None,
        tool: str,
        now: Callable[[], float],
        allowance: money.SpendingAllowance | None = None,
    ) -> None:
        """Spend on ``tool`` within ``budgets``; ``now`` is the wall clock.

        An ``allowance`` also limits it to what its owner may spend.
        """
        self._budgets, self._allowance, self._ledger, self._tool = budgets, allowance, ledger, tool
        self._now = now
        self._session = SessionPurse()
        self._client: ClientBudget | None = None
        self._unwritten: dict[Pots, SpendingTally] = {}
        self._settlements: list[Settlement] = []
        # The current day with its tallies by target name, and the tallies of the day before.
        self._today: tuple[float, dict[str, SpendingTally]] = (-1.0, {})
        self._yesterday: dict[str, SpendingTally] = {}
        self._dearest_cost: dict[str, int] = {}
        self.capped = money.has_budget_cap(budgets, allowance)
        # Caps of a call or session need only this process; the others need the ledger.
        shared = msgspec.structs.replace(budgets, call=None, session=None)
        self.held_in_ledger = ledger is not None and money.has_budget_cap(shared, allowance)

    def share_purse(
        self, session: SessionPurse, client: ClientBudget | None = None
    ) -> "TaskSpending":
        """Share the purse of a session, and the budget of a client, from now on."""
        self._session, self._client = session, client
        self.capped = self.capped or client is not None
        return self

    def admit_attempt(
        self, target: PlannerTarget, terms: TargetTerms, amount: int, *, in_call: int
    ) -> WebError | None:
        """Take the money of an attempt from the session, or return why it may not be spent.

        ``in_call`` is the amount that its call has spent and holds.
        """
        if not self.capped:
            return None
        if not terms.priced:
            reason = f"A budget is set, and the price of a call to {target.backend} is unknown"
            return NotConfigured(
                settings=(terms.setting,),
                reason=reason,
                # ``webseam setup`` does not ask for prices.
                remedy=f"Set {terms.setting}.",
                backend=target.backend,
            )
        cap = self._budgets.call
        left = None if cap is None else money.budget_cap_micros(cap) - in_call
        if cap is not None and left is not None and amount > left:
            return _short_budget(target, amount, cap, left, "call")
        cap = self._budgets.session
        left = self._session.take_money(
            amount, None if cap is None else money.budget_cap_micros(cap)
        )
        if cap is not None and left is not None:
            return _short_budget(target, amount, cap, left, "session")
        client = self._client
        left = None if client is None else client.purse.take_money(amount, client.cap)
        if client is not None and left is not None:
            self._session.add_spent(-amount)
            purse = Purse("client", "", client.cap, _CLIENT_BUDGET_SETTING)
            shortage = Shortage(purse=purse, remaining=left)
            return _exceeded_budget(target, amount, shortage, "this client")
        return None

    def _add_spent(self, amount: int) -> None:
        self._session.add_spent(amount)
        if self._client is not None:
            self._client.purse.add_spent(amount)

    def amount_to_hold(self, target: PlannerTarget, amount: int) -> int:
        """Return the amount to hold: its price, and no less than the dearest earlier call.

        A configured price may be too low; the first call shows that.
        """
        return max(amount, self._dearest_cost.get(target.name, 0))

    def return_money(self, amount: int) -> None:
        """Return admitted money that is not needed."""
        if self.capped:
            self._add_spent(-amount)

    def make_counted_hold(self, target: PlannerTarget, amount: int) -> MoneyHold:
        """Return a hold without a ledger entry; the call is counted at its end."""
        return MoneyHold(amount=amount, tally=self._day_tally(target), target=target.name)

    def make_wanted_hold(self, target: PlannerTarget, amount: int, until: float) -> WantedHold:
        """Return a hold of today for an attempt that ends by ``until``."""
        return WantedHold(target, amount, until, self._day_tally(target))

    def write_holds(
        self, wanted: Sequence[WantedHold], settled: Sequence[Settlement]
    ) -> Result[list[Held], WebError]:
        """Write ``settled``, then hold money for each attempt, or name its short budget."""
        numbers: Sequence[int | Shortage | None] = [None] * len(wanted)
        if self._ledger is not None:
            holds = [Hold(one.amount, one.tally.purses, one.until) for one in wanted]
            reserved = self._ledger.reserve(holds, now=self._now(), settled=settled)
            if isinstance(reserved, Failure):
                # Spend nothing that the ledger cannot record.
                return reserved
            numbers = reserved.unwrap()
        return Success(list(map(_make_hold, wanted, numbers)))

    def settle(self, holds: Sequence[MoneyHold], charge: Charge) -> None:
        """Replace the holds of an attempt, one for each request, by what the attempt cost."""
        held = sum(hold.amount for hold in holds)
        # Without a cap, nothing was taken from the session before.
        self._add_spent(charge.cost - held if self.capped else charge.cost)
        if charge.cost > held:
            self._dearest_cost[holds[0].target] = -(-charge.cost // len(holds))
        # The ledger and the tallies add up, so the first hold may bear the cost of all.
        for hold in holds:
            share = charge if hold is holds[0] else UNASKED
            if hold.number is None:
                hold.tally.add(share)
            else:
                settlement = Settlement(
                    hold.number,
                    share.cost,
                    share.calls,
                    share.uncertain_calls,
                    share.uncertain,
                )
                self._settlements.append(settlement)

    def count_call(self, target: PlannerTarget, charge: Charge) -> None:
        """Count a call that needed no hold, because nothing is capped."""
        self._add_spent(charge.cost)
        day, tallies = self._today
        tally = tallies.get(target.name) if self._now() // _DAY_SECONDS == day else None
        if tally is None:
            tally = self._day_tally(target)
        tally.add(charge)

    def take_settlements(self) -> list[Settlement]:
        """Take the settlements that are not written yet."""
        settlements, self._settlements = self._settlements, []
        return settlements

    def restore_settlements(self, settlements: Sequence[Settlement]) -> None:
        """Keep unwritten settlements for the next write; writing one twice is harmless."""
        self._settlements += settlements

    def take_bookings(self) -> list[Booking]:
        """Take the calls that were only counted so far."""
        tallies = (self._yesterday, self._today[1], self._unwritten)
        unbooked = [tally for day in tallies for tally in day.values() if tally.calls]
        bookings = [
            Booking(tally.spent, tally.calls, tally.purses, tally.uncertain_calls, tally.uncertain)
            for tally in unbooked
        ]
        self._unwritten = {}
        for tally in unbooked:
            tally.spent = tally.calls = tally.uncertain_calls = tally.uncertain = 0
        return bookings

    def write(self, bookings: Sequence[Booking], settlements: Sequence[Settlement]) -> bool:
        """Book what was taken; return whether that worked."""
        if self._ledger is None or not (bookings or settlements):
            return True
        return isinstance(self._ledger.book(bookings, settlements), Success)

    def restore_bookings(self, bookings: Sequence[Booking]) -> None:
        """Keep unwritten counts for the next write."""
        for booking in bookings:
            tally = self._unwritten.setdefault(booking.purses, SpendingTally(booking.purses))
            tally.add(
                Charge(booking.spent, booking.calls, booking.uncertain_calls, booking.uncertain)
            )

    def _day_tally(self, target: PlannerTarget) -> SpendingTally:
        day, tallies = self._today
        if self._now() // _DAY_SECONDS != day:
            self._yesterday = tallies
            day, tallies = self._today = self._now() // _DAY_SECONDS, {}
        if (tally := tallies.get(target.name)) is None:
            date = datetime.fromtimestamp(day * _DAY_SECONDS, UTC).date().isoformat()
            on = money.SpendingOccasion(
                tool=self._tool, backend=target.backend, key=target.key, day=date
            )
            tally = tallies[target.name] = SpendingTally(
                money.call_purses(self._budgets, on, self._allowance)
            )
        return tally


def _make_hold(wanted: WantedHold, number: int | Shortage | None) -> Held:
    if isinstance(number, Shortage):
        budget = money.purse_words(number.purse)
        error = _exceeded_budget(wanted.target, wanted.amount, number, budget)
        return Failure(error)
    name = wanted.target.name
    return Success(MoneyHold(amount=wanted.amount, tally=wanted.tally, number=number, target=name))


def _short_budget(
    target: PlannerTarget, amount: int, cap: float, left: int, name: str
) -> BudgetExceeded:
    purse = Purse(name, "", money.budget_cap_micros(cap), f"budgets.{name}")
    return _exceeded_budget(target, amount, Shortage(purse=purse, remaining=left), f"this {name}")


def _exceeded_budget(
    target: PlannerTarget, amount: int, shortage: Shortage, budget: str
) -> BudgetExceeded:
    cap = shortage.purse.cap or 0
    return BudgetExceeded(
        backend=target.backend,
        budget=budget,
        cap=cap / money.MICROS_PER_DOLLAR,
        remaining=max(shortage.remaining, 0) / money.MICROS_PER_DOLLAR,
        price=amount / money.MICROS_PER_DOLLAR,
        setting=shortage.purse.setting,
    )
