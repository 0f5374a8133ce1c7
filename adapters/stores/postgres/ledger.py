"""The ledger in PostgreSQL: the same promises as the file's, for several machines.

Purses are changed by one statement a transaction, in the order of their names, so that two
transactions never wait for each other. Whoever holds money has the rows locked until the commit:
the next sees what is left. Times are told as durations and kept by the server's clock.
"""

import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import StoreAway
from ....ports.planning import Booking, Merge, Purse, Settlement, Shortage, Spending, TargetMemory
from ....ports.secrets import Secret
from .pool import (
    POSTGRES_SETTING,
    CommitUncertain,
    Connection,
    PostgresClient,
    PostgresError,
    TransactionWork,
    Value,
)
from .schema import HEALTH_LOCK
from .typed_rows import fetch_rows

LEDGER_STORE = "spending and health"
# A slow settlement must not meet the end of its own hold.
HOLD_MARGIN_SECONDS = 30.0
_HEDGES_ALLOWANCE = "hedges"
_ID_BITS = 63
PurseId: TypeAlias = tuple[str, str]


class PurseChange(msgspec.Struct, kw_only=True):
    """What happens to one purse."""

    spent: int = 0
    held: int = 0
    calls: int = 0


PurseChanges: TypeAlias = dict[PurseId, PurseChange]


class _BookingBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Bookings under a number of their own, by which the server knows them again."""

    number: int
    bookings: tuple[Booking, ...]
    settled: tuple[Settlement, ...]


class PostgresLedger:
    """Money and health in one PostgreSQL. Safe to use from several threads and machines."""

    is_near = False

    def __init__(self, address: Secret) -> None:
        """Keep it at ``address``; nothing is opened before the first call."""
        self._line = PostgresClient(address)
        self._lock = threading.Lock()
        self._doubtful: list[_BookingBatch] = []
        self._version: int | None = None

    def reserve(
        self,
        amount: int,
        purses: Sequence[Purse],
        /,
        *,
        until: float,
        now: float,
        settled: Sequence[Settlement] = (),
    ) -> Result[int | Shortage, PostgresError]:
        """Hold money for a call that ends by ``until``, or name the purse that has too little."""
        hold = secrets.randbits(_ID_BITS)

        def work(connection: Connection) -> int | Shortage:
            changes = _settle_holds(connection, settled)
            for purse in purses:
                _purse_change(changes, (purse.scope, purse.period)).held += amount
            booked = _write_purses(connection, changes)
            short = _find_shortage(amount, purses, booked)
            if short is not None:
                _release_hold(connection, amount, purses)
                return short
            connection.execute(
                "INSERT INTO webseam_holds VALUES"
                " (%s, clock_timestamp() + make_interval(secs => %s), %s, %s, %s)",
                (
                    hold,
                    until - now + HOLD_MARGIN_SECONDS,
                    amount,
                    [one.scope for one in purses],
                    [one.period for one in purses],
                ),
            )
            return hold

        try:
            return self._line.run(work, LEDGER_STORE)
        except CommitUncertain:
            # The call is not made, so what may be held for it is given back; if nobody held it,
            # there is nothing to give back.
            self._put_off(_make_booking_batch((), (Settlement(hold, 0),)))
            return Failure(StoreAway(store=LEDGER_STORE, setting=POSTGRES_SETTING))

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, PostgresError]:
        """Book calls that no cap stood before, and what holds came to: all of it, and once."""
        with self._lock:
            batches, self._doubtful = [*self._doubtful, _make_booking_batch(bookings, settled)], []
        try:
            done = self._line.run(
                lambda connection: _book_batches(connection, batches), LEDGER_STORE
            )
        except CommitUncertain:
            # Kept here under their numbers, and written again if they were not.
            self._put_off(*batches)
            return Success(None)
        if isinstance(done, Failure):
            self._put_off(*batches[:-1])
        return done

    def spendings(self, _now: float, /) -> Result[list[Spending], PostgresError]:
        """Return every purse, the latest period first, after the lost holds were charged."""

        def work(connection: Connection) -> list[Spending]:
            _charge_expired_holds(connection)
            rows = fetch_rows(
                connection,
                "SELECT scope, period, spent, held, calls FROM webseam_purses"
                ' ORDER BY period DESC, scope COLLATE "C"',
                (),
                tuple[str, str, int, int, int],
            )
            return [
                Spending(scope=scope, period=period, spent=spent, held=held, calls=calls)
                for scope, period, spent, held, calls in rows
            ]

        return self._surely(work)

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], PostgresError]:
        """Return what is remembered of every target, and how many hedges are left."""

        def work(connection: Connection) -> tuple[list[TargetMemory], float | None]:
            left = fetch_rows(
                connection,
                "SELECT amount FROM webseam_allowances WHERE name = %s",
                (_HEDGES_ALLOWANCE,),
                tuple[float],
            )
            return list(_target_memories(connection).values()), left[0][0] if left else None

        return self._surely(work)

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, PostgresError]:
        """Write what is known of targets, each merged with what others wrote meanwhile."""

        def work(connection: Connection) -> None:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (HEALTH_LOCK,))
            known = _target_memories(connection)
            for name, merge in merges:
                _store_target_memory(connection, merge(known.get(name)))
            connection.execute(
                "INSERT INTO webseam_allowances VALUES (%s, %s)"
                " ON CONFLICT (name) DO UPDATE SET amount = excluded.amount",
                (_HEDGES_ALLOWANCE, hedges),
            )
            connection.execute("UPDATE webseam_health SET version = version + 1")

        return self._surely(work)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, PostgresError]:
        """Take the right to probe a target; only one caller of all machines has it at a time.

        Of one that nobody wrote down, no other machine knows that it is down.
        """

        def work(connection: Connection) -> bool:
            taken = connection.execute(
                "UPDATE webseam_targets SET probe_until = %s WHERE name = %s AND probe_until <= %s",
                (until, name, now),
            )
            if taken.rowcount:
                return True
            known = "SELECT 1 FROM webseam_targets WHERE name = %s"
            return connection.execute(known, (name,)).fetchone() is None

        return self._surely(work)

    def is_changed(self) -> bool:
        """Tell whether anybody wrote of a target since this was last asked."""
        seen = self._surely(
            lambda connection: fetch_rows(
                connection, "SELECT version FROM webseam_health", (), tuple[int]
            )[0][0]
        )
        before, self._version = self._version, seen.value_or(self._version)
        return before != self._version

    def close(self) -> None:
        """Let go of the server, after a last try to write what is in doubt."""
        if self._doubtful:
            self.book((), ())
        self._line.close()

    def _surely(self, work: "TransactionWork[Value]") -> Result[Value, PostgresError]:
        """Run what may be done twice, or not at all, without harm."""
        try:
            return self._line.run(work, LEDGER_STORE)
        except CommitUncertain:
            return Failure(StoreAway(store=LEDGER_STORE, setting=POSTGRES_SETTING))

    def _put_off(self, *batches: _BookingBatch) -> None:
        with self._lock:
            self._doubtful += batches


def _make_booking_batch(
    bookings: Sequence[Booking], settled: Sequence[Settlement]
) -> _BookingBatch:
    number = secrets.randbits(_ID_BITS)
    return _BookingBatch(number=number, bookings=tuple(bookings), settled=tuple(settled))


def _book_batches(connection: Connection, batches: Sequence[_BookingBatch]) -> None:
    """Book what was not booked before; a number is remembered for longer than any doubt lasts."""
    changes: PurseChanges = {}
    for batch in batches:
        new = connection.execute(
            "INSERT INTO webseam_batches (id) VALUES (%s) ON CONFLICT DO NOTHING", (batch.number,)
        )
        if new.rowcount:
            _count_bookings(changes, batch.bookings)
    every = [one for batch in batches for one in batch.settled]
    _write_purses(connection, _settle_holds(connection, every, changes))
    connection.execute("DELETE FROM webseam_batches WHERE at < now() - interval '1 day'")


def _count_bookings(changes: PurseChanges, bookings: Sequence[Booking]) -> None:
    for booking in bookings:
        for purse in booking.purses:
            change = _purse_change(changes, (purse.scope, purse.period))
            change.spent += booking.spent
            change.calls += booking.calls


def _purse_change(changes: PurseChanges, place: PurseId) -> PurseChange:
    return changes.setdefault(place, PurseChange())


class _EndedHold(NamedTuple):
    """A hold that is over."""

    hold: int
    amount: int
    scopes: list[str]
    periods: list[str]


_DELETE_HOLDS = "DELETE FROM webseam_holds WHERE id = ANY(%s) RETURNING id, amount, scopes, periods"
_DELETE_EXPIRED_HOLDS = (
    "DELETE FROM webseam_holds WHERE id IN (SELECT id FROM webseam_holds"
    " WHERE until < clock_timestamp() FOR UPDATE SKIP LOCKED)"
    " RETURNING id, amount, scopes, periods"
)


def _settle_holds(
    connection: Connection, settled: Sequence[Settlement], changes: PurseChanges | None = None
) -> PurseChanges:
    """Take holds away, and return what that does to their purses; one that is gone does nothing."""
    changes = {} if changes is None else changes
    if not settled:
        return changes
    costs = {one.hold: one.cost for one in settled}
    ended = fetch_rows(connection, _DELETE_HOLDS, (sorted(costs),), _EndedHold)
    _charge_holds(changes, ended, costs)
    return changes


def _charge_expired_holds(connection: Connection) -> None:
    """Charge the holds of those that never came back; whoever settles one right now goes first."""
    ended = fetch_rows(connection, _DELETE_EXPIRED_HOLDS, (), _EndedHold)
    changes: PurseChanges = {}
    _charge_holds(changes, ended, {})
    _write_purses(connection, changes)


def _charge_holds(
    changes: PurseChanges, ended: Sequence[_EndedHold], costs: Mapping[int, int | None]
) -> None:
    for hold, amount, scopes, periods in ended:
        cost = costs.get(hold)
        for place in zip(scopes, periods, strict=True):
            change = _purse_change(changes, place)
            change.held -= amount
            change.spent += amount if cost is None else cost
            change.calls += 1


def _write_purses(
    connection: Connection, changes: Mapping[PurseId, PurseChange]
) -> dict[PurseId, int]:
    """Change purses, and return what is spent and held in each now."""
    if not changes:
        return {}
    places = sorted(changes)
    each = [changes[place] for place in places]
    rows = fetch_rows(
        connection,
        "INSERT INTO webseam_purses AS purse (scope, period, spent, held, calls)"
        " SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[])"
        " ON CONFLICT (scope, period) DO UPDATE SET spent = purse.spent + excluded.spent,"
        " held = purse.held + excluded.held, calls = purse.calls + excluded.calls"
        " RETURNING scope, period, spent + held",
        (
            [scope for scope, _ in places],
            [period for _, period in places],
            [one.spent for one in each],
            [one.held for one in each],
            [one.calls for one in each],
        ),
        tuple[str, str, int],
    )
    return {(scope, period): booked for scope, period, booked in rows}


def _release_hold(connection: Connection, amount: int, purses: Sequence[Purse]) -> None:
    """Undo a hold; the rows are locked since it was made, so that nobody has seen them so."""
    places = {(one.scope, one.period): PurseChange(held=-amount) for one in purses}
    _write_purses(connection, places)
    connection.execute(
        "DELETE FROM webseam_purses WHERE spent = 0 AND held = 0 AND calls = 0"
        " AND (scope, period) IN (SELECT * FROM unnest(%s::text[], %s::text[]))",
        ([scope for scope, _ in places], [period for _, period in places]),
    )


def _find_shortage(
    amount: int, purses: Sequence[Purse], booked: Mapping[PurseId, int]
) -> Shortage | None:
    """Return the first purse over its cap, with what was left in it before."""
    for purse in purses:
        over = 0 if purse.cap is None else booked[purse.scope, purse.period] - purse.cap
        if over > 0:
            return Shortage(purse=purse, remaining=amount - over)
    return None


def _target_memories(connection: Connection) -> dict[str, TargetMemory]:
    rows = fetch_rows(
        connection,
        "SELECT name, state, open_until, probe_until FROM webseam_targets",
        (),
        tuple[str, bytes, float, float],
    )
    return {
        name: TargetMemory(name=name, state=state, open_until=opened, probe_until=probed)
        for name, state, opened, probed in rows
    }


def _store_target_memory(connection: Connection, memory: TargetMemory) -> None:
    """Keep what is known of a target now; whoever probed it has reported when its breaker moved."""
    connection.execute(
        "INSERT INTO webseam_targets AS target VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (name) DO UPDATE SET probe_until ="
        " CASE WHEN target.open_until = excluded.open_until THEN target.probe_until ELSE 0 END,"
        " state = excluded.state, open_until = excluded.open_until",
        (memory.name, memory.state, memory.open_until, memory.probe_until),
    )
