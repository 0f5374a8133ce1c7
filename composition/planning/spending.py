"""Money before and after a call: asked for, held, settled, or just counted."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.planner.money import (
    MICROS,
    Budgets,
    SpendingAllowance,
    SpendingOccasion,
    call_purses,
    cap_micros,
    is_capped,
    purse_words,
)
from ...kernel.planner.planner_targets import PlannerTarget
from ...ports.errors import BudgetExceeded, NotConfigured, WebError
from ...ports.planning import Booking, LedgerStore, Purse, Settlement, Shortage
from .outcomes import MoneyHold, Pots, SpendingTally, TargetTerms

_DAY_SECONDS = 86_400
_MAX_UNBOOKED_CALLS = 1000


class SessionPurse:
    """What one session has spent and holds, through however many routes it asks. For any thread."""

    def __init__(self) -> None:
        """Begin with nothing spent."""
        self._spent = 0
        self._lock = threading.Lock()
        # What is not added up yet: every call adds to it, and no thread needs a lock for that.
        self._news: deque[int] = deque()

    def take(self, amount: int, cap: int | None) -> int | None:
        """Take money out; where that would pass ``cap``, take none and return what is left."""
        with self._lock:
            self._add_up()
            if cap is not None and self._spent + amount > cap:
                return cap - self._spent
            self._spent += amount
            return None

    def add(self, amount: int) -> None:
        """Count what was spent, or, below nothing, what was not needed after all."""
        news = self._news
        news.append(amount)
        if len(news) > _MAX_UNBOOKED_CALLS:
            with self._lock:
                self._add_up()

    def _add_up(self) -> None:
        news = self._news
        while news:
            self._spent += news.popleft()


# A session is one process, and every route that it opens.
PROCESS_PURSE = SessionPurse()


class TaskSpending:
    """What one task of a session may spend and has spent, over the ledger of all.

    Everything but ``hold`` and ``write`` is for the thread of the loop, so that two calls never see
    the same money. What is settled is written with the next hold, or with ``write``: until then,
    and if this process is killed, it counts as what was held for it.
    """

    def __init__(
        self,
        budgets: Budgets,
        ledger: LedgerStore | None,
        tool: str,
        now: Callable[[], float],
        allowance: SpendingAllowance | None = None,
    ) -> None:
        """Spend on ``tool`` within ``budgets``; ``now`` is the time of the world outside.

        With an ``allowance`` also within what its owner may spend.
        """
        self._budgets = budgets
        self._allowance = allowance
        self._ledger = ledger
        self._tool = tool
        self._now = now
        self._session = SessionPurse()
        self._unwritten: dict[Pots, SpendingTally] = {}
        self._settlements: list[Settlement] = []
        # A day, and its tallies by the names of targets; and those of the day before it.
        self._today: tuple[float, dict[str, SpendingTally]] = (-1.0, {})
        self._yesterday: dict[str, SpendingTally] = {}
        self._dearest: dict[str, int] = {}
        self.capped = is_capped(budgets, allowance)
        # One process knows all about a call and a session; the others take the ledger.
        shared = msgspec.structs.replace(budgets, call=None, session=None)
        self.held_in_ledger = ledger is not None and is_capped(shared, allowance)

    def within(self, session: SessionPurse) -> "TaskSpending":
        """Spend within a session that others spend in as well, from now on."""
        self._session = session
        return self

    def admit(
        self, target: PlannerTarget, terms: TargetTerms, amount: int, *, in_call: int
    ) -> WebError | None:
        """Take the money for an attempt out of the session, or return why it may not be paid for.

        ``in_call`` is what its call has spent and holds.
        """
        if not self.capped:
            return None
        if not terms.priced:
            reason = f"A budget is set, and nobody said what a call of {target.backend} may cost"
            return NotConfigured(
                settings=(terms.setting,),
                reason=reason,
                # Of prices a setup does not ask.
                remedy=f"Set {terms.setting}.",
                backend=target.backend,
            )
        most = self._budgets.call
        left = None if most is None else cap_micros(most) - in_call
        if most is not None and left is not None and amount > left:
            return _short(target, amount, most, left, "call")
        most = self._budgets.session
        left = self._session.take(amount, None if most is None else cap_micros(most))
        if most is not None and left is not None:
            return _short(target, amount, most, left, "session")
        return None

    def most(self, target: PlannerTarget, amount: int) -> int:
        """Return what to hold for a call: what it may cost, and no less than one has cost before.

        A price may be said too low. That is found out once.
        """
        return max(amount, self._dearest.get(target.name, 0))

    def give_back(self, amount: int) -> None:
        """Put back what was admitted and is not needed after all."""
        if self.capped:
            self._session.add(-amount)

    def counted(self, target: PlannerTarget, amount: int) -> MoneyHold:
        """Return a hold where no cap stands in the ledger: the call is counted when it is over."""
        return MoneyHold(amount=amount, tally=self._tally(target), target=target.name)

    def hold(
        self, target: PlannerTarget, amount: int, until: float, settled: Sequence[Settlement] = ()
    ) -> Result[MoneyHold, WebError]:
        """Hold the money for an attempt that ends by ``until``, or say which budget is short.

        What was ``settled`` before is written along with it.
        """
        tally = self._tally(target)
        if self._ledger is None:
            return Success(MoneyHold(amount=amount, tally=tally, target=target.name))
        pots, now = tally.purses, self._now()
        held = self._ledger.reserve(amount, pots, until=until, now=now, settled=settled)
        if isinstance(held, Failure):
            # Nothing is spent that cannot be written down.
            return Failure(held.failure())
        number = held.unwrap()
        if isinstance(number, Shortage):
            return Failure(_exceeded(target, amount, number, purse_words(number.purse)))
        return Success(MoneyHold(amount=amount, tally=tally, number=number, target=target.name))

    def settle(self, hold: MoneyHold, cost: int) -> None:
        """Turn a hold into what it came to."""
        # Where nothing is capped, nothing was taken before.
        self._session.add(cost - hold.amount if self.capped else cost)
        if cost > hold.amount:
            self._dearest[hold.target] = cost
        if hold.number is not None:
            self._settlements.append(Settlement(hold.number, cost))
            return
        hold.tally.spent += cost
        hold.tally.calls += 1

    def count(self, target: PlannerTarget, cost: int) -> None:
        """Count a call for which nothing was held, since nothing is capped."""
        self._session.add(cost)
        day, tallies = self._today
        tally = tallies.get(target.name) if self._now() // _DAY_SECONDS == day else None
        if tally is None:
            tally = self._tally(target)
        tally.spent += cost
        tally.calls += 1

    def settlements(self) -> list[Settlement]:
        """Take what was settled and is not written yet."""
        settlements, self._settlements = self._settlements, []
        return settlements

    def take_back(self, settlements: Sequence[Settlement]) -> None:
        """Keep what could not be written, for the next time; to write it twice is no harm."""
        self._settlements += settlements

    def bookings(self) -> list[Booking]:
        """Take the calls that were only counted so far."""
        tallies = (self._yesterday, self._today[1], self._unwritten)
        news = [one for each in tallies for one in each.values() if one.calls]
        bookings = [Booking(one.spent, one.calls, one.purses) for one in news]
        self._unwritten = {}
        for one in news:
            one.spent = one.calls = 0
        return bookings

    def write(self, bookings: Sequence[Booking], settlements: Sequence[Settlement]) -> bool:
        """Book what was taken, and tell whether that could be done."""
        if self._ledger is None or not (bookings or settlements):
            return True
        return isinstance(self._ledger.book(bookings, settlements), Success)

    def restore(self, bookings: Sequence[Booking]) -> None:
        """Keep counts that could not be written, for the next time."""
        for one in bookings:
            tally = self._unwritten.setdefault(one.purses, SpendingTally(one.purses))
            tally.spent += one.spent
            tally.calls += one.calls

    def _tally(self, target: PlannerTarget) -> SpendingTally:
        """Return where calls of today are counted; one over midnight stays where it was."""
        day, tallies = self._today
        if self._now() // _DAY_SECONDS != day:
            self._yesterday = tallies
            day, tallies = self._today = self._now() // _DAY_SECONDS, {}
        known = tallies.get(target.name)
        if known is None:
            text = datetime.fromtimestamp(day * _DAY_SECONDS, UTC).date().isoformat()
            on = SpendingOccasion(tool=self._tool, backend=target.backend, key=target.key, day=text)
            known = tallies[target.name] = SpendingTally(
                call_purses(self._budgets, on, self._allowance)
            )
        return known


def _short(target: PlannerTarget, amount: int, cap: float, left: int, name: str) -> BudgetExceeded:
    purse = Purse(name, "", cap_micros(cap), f"budgets.{name}")
    return _exceeded(target, amount, Shortage(purse=purse, remaining=left), f"this {name}")


def _exceeded(target: PlannerTarget, amount: int, short: Shortage, words: str) -> BudgetExceeded:
    cap = short.purse.cap or 0
    return BudgetExceeded(
        backend=target.backend,
        budget=words,
        cap=cap / MICROS,
        remaining=max(short.remaining, 0) / MICROS,
        price=amount / MICROS,
        setting=short.purse.setting,
    )
