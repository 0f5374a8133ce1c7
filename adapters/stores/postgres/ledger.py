"""The ledger in PostgreSQL: the same contract as the file's, for several machines.

A transaction changes purses by one statement, in the order of their names, so that two
transactions never deadlock. A reservation locks its rows until the commit, so the next one sees
what is left. Times are sent as durations and stored by the server's clock.
"""

import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import StoreAway
from webseam.ports.planning import (
    Booking,
    Hold,
    Merge,
    Settlement,
    Shortage,
    Spending,
    TargetMemory,
)
from webseam.ports.secrets import Secret

from ..ledger import HEDGES_ALLOWANCE, HOLD_MARGIN_SECONDS, make_memories, make_spendings
from .pool import POSTGRES_SETTING, CommitUncertain, Connection, PostgresClient, PostgresError
from .schema import HEALTH_LOCK, fetch_rows

LEDGER_STORE = "spending and health"
_ID_BITS = 63
PurseId: TypeAlias = tuple[str, str]
_DELETE_HOLDS_STATEMENT = (
    "DELETE FROM webseam_holds WHERE id = ANY(%s) RETURNING id, amount, scopes, periods"
)
_DELETE_EXPIRED_HOLDS_STATEMENT = (
    "DELETE FROM webseam_holds WHERE id IN (SELECT id FROM webseam_holds"
    " WHERE until < clock_timestamp() FOR UPDATE SKIP LOCKED)"
    " RETURNING id, amount, scopes, periods"
)


class PurseChange(msgspec.Struct, kw_only=True):
    """The change of one purse."""

    spent: int = 0
    held: int = 0
    calls: int = 0
    uncertain_calls: int = 0
    uncertain: int = 0


ChangesByPurse: TypeAlias = dict[PurseId, PurseChange]


class _BookingBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Bookings with an id, by which the server recognises a repeated batch."""

    number: int
    bookings: tuple[Booking, ...]
    settled: tuple[Settlement, ...]


class PostgresLedger:
    """Money and health in one PostgreSQL. Safe to use from several threads and machines."""

    is_near = False

    def __init__(self, address: Secret) -> None:
        """Keep the ledger at ``address``, which is opened by the first call."""
        self._client = PostgresClient(address, LEDGER_STORE)
        self._lock = threading.Lock()
        self._doubtful_batches: list[_BookingBatch] = []
        self._version: int | None = None

    def reserve(
        self, holds: Sequence[Hold], /, *, now: float, settled: Sequence[Settlement] = ()
    ) -> Result[list[int | Shortage], PostgresError]:
        """Write the ``settled`` holds, then hold money for each call, or name the short purse."""
        numbers = [secrets.randbits(_ID_BITS) for _ in holds]

        def work(connection: Connection) -> list[int | Shortage]:
            wanted = _hold_changes(holds)
            changes = _settle_holds(connection, settled)
            for purse_id, change in wanted.items():
                _purse_change(changes, purse_id).held += change.held
            booked = _write_purses(connection, changes)
            before = {purse_id: booked[purse_id] - wanted[purse_id].held for purse_id in wanted}
            pairs = [
                (hold, _find_shortage(hold, before) or number)
                for hold, number in zip(holds, numbers, strict=True)
            ]
            _release_holds(connection, [hold for hold, end in pairs if isinstance(end, Shortage)])
            connection.cursor().executemany(
                "INSERT INTO webseam_holds VALUES"
                " (%s, clock_timestamp() + make_interval(secs => %s), %s, %s, %s)",
                [
                    (
                        number,
                        hold.until - now + HOLD_MARGIN_SECONDS,
                        hold.amount,
                        [purse.scope for purse in hold.purses],
                        [purse.period for purse in hold.purses],
                    )
                    for hold, number in pairs
                    if not isinstance(number, Shortage)
                ],
            )
            return [end for _, end in pairs]

        try:
            return self._client.run_once(work)
        except CommitUncertain:
            # No call is made, so settle the holds with 0; without a hold that does nothing.
            self._keep_doubtful(_make_batch((), [Settlement(hold, 0, calls=0) for hold in numbers]))
            return Failure(StoreAway(store=LEDGER_STORE, setting=POSTGRES_SETTING))

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, PostgresError]:
        """Book calls without a cap and the costs of holds, each exactly once."""
        with self._lock:
            batches = [*self._doubtful_batches, _make_batch(bookings, settled)]
            self._doubtful_batches = []
        try:
            outcome = self._client.run_once(lambda file: _book_batches(file, batches))
        except CommitUncertain:
            # Keep the batches and write them again; the server ignores an id that it has.
            self._keep_doubtful(*batches)
            return Success(None)
        if isinstance(outcome, Failure):
            self._keep_doubtful(*batches[:-1])
        return outcome

    def spendings(self, _now: float, /) -> Result[list[Spending], PostgresError]:
        """Charge expired holds, then return every purse, the latest period first."""

        def work(connection: Connection) -> list[Spending]:
            # Charge the holds whose calls never settled; skip those that settle right now.
            ended = fetch_rows(connection, _DELETE_EXPIRED_HOLDS_STATEMENT, (), _EndedHold)
            changes: ChangesByPurse = {}
            _charge_holds(changes, ended, {})
            _write_purses(connection, changes)
            statement = (
                "SELECT scope, period, spent, held, calls, uncertain_calls, uncertain"
                ' FROM webseam_purses ORDER BY period DESC, scope COLLATE "C"'
            )
            rows = fetch_rows(connection, statement, (), tuple[str, str, int, int, int, int, int])
            return make_spendings(rows)

        return self._client.run_repeatable(work)

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], PostgresError]:
        """Return the memory of every target, and how many hedges are left."""

        def work(connection: Connection) -> tuple[list[TargetMemory], float | None]:
            statement = "SELECT amount FROM webseam_allowances WHERE name = %s"
            amounts = fetch_rows(connection, statement, (HEDGES_ALLOWANCE,), tuple[float])
            hedges = amounts[0][0] if amounts else None
            return list(_target_memories(connection).values()), hedges

        return self._client.run_repeatable(work)

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, PostgresError]:
        """Write the memories of targets, each merged with what other machines wrote meanwhile."""

        def work(connection: Connection) -> None:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (HEALTH_LOCK,))
            existing = _target_memories(connection)
            for name, merge in merges:
                _store_target_memory(connection, merge(existing.get(name)))
            connection.execute(
                "INSERT INTO webseam_allowances VALUES (%s, %s)"
                " ON CONFLICT (name) DO UPDATE SET amount = excluded.amount",
                (HEDGES_ALLOWANCE, hedges),
            )
            connection.execute("UPDATE webseam_health SET version = version + 1")

        return self._client.run_repeatable(work)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, PostgresError]:
        """Take the probe lease of a target; only one caller of all machines has it at a time.

        Without a row no other machine knows that the target is down, so the lease is free.
        """

        def work(connection: Connection) -> bool:
            claimed = connection.execute(
                "UPDATE webseam_targets SET probe_until = %s WHERE name = %s"
                " AND NOT (probe_until > %s AND probe_until <= %s)",
                (until, name, now, until),
            )
            if claimed.rowcount:
                return True
            statement = "SELECT 1 FROM webseam_targets WHERE name = %s"
            return connection.execute(statement, (name,)).fetchone() is None

        return self._client.run_repeatable(work)

    def is_changed(self) -> bool:
        """Tell whether any machine has written a target's memory since the last call."""
        statement = "SELECT version FROM webseam_health"
        versions = self._client.run_repeatable(
            lambda connection: fetch_rows(connection, statement, (), tuple[int])
        )
        version = versions.map(lambda rows: rows[0][0]).value_or(self._version)
        before, self._version = self._version, version
        return before != self._version

    def close(self) -> None:
        """Write the doubtful batches once more, and close the connections."""
        if self._doubtful_batches:
            self.book((), ())
        self._client.close()

    def _keep_doubtful(self, *batches: _BookingBatch) -> None:
        with self._lock:
            self._doubtful_batches += batches


def _make_batch(bookings: Sequence[Booking], settled: Sequence[Settlement]) -> _BookingBatch:
    number = secrets.randbits(_ID_BITS)
    return _BookingBatch(number=number, bookings=tuple(bookings), settled=tuple(settled))


def _book_batches(connection: Connection, batches: Sequence[_BookingBatch]) -> None:
    """Book the batches that are new; ids are kept for a day, longer than any retry takes."""
    changes: ChangesByPurse = {}
    for batch in batches:
        inserted = connection.execute(
            "INSERT INTO webseam_batches (id) VALUES (%s) ON CONFLICT DO NOTHING", (batch.number,)
        )
        for booking in batch.bookings if inserted.rowcount else ():
            for purse in booking.purses:
                change = _purse_change(changes, (purse.scope, purse.period))
                change.spent += booking.spent
                change.calls += booking.calls
                change.uncertain_calls += booking.uncertain_calls
                change.uncertain += booking.uncertain
    settlements = [settlement for batch in batches for settlement in batch.settled]
    _write_purses(connection, _settle_holds(connection, settlements, changes))
    connection.execute("DELETE FROM webseam_batches WHERE at < now() - interval '1 day'")


def _purse_change(changes: ChangesByPurse, purse_id: PurseId) -> PurseChange:
    return changes.setdefault(purse_id, PurseChange())


class _EndedHold(NamedTuple):
    """A hold that has ended."""

    hold: int
    amount: int
    scopes: list[str]
    periods: list[str]


def _settle_holds(
    connection: Connection, settled: Sequence[Settlement], changes: ChangesByPurse | None = None
) -> ChangesByPurse:
    """Delete holds, and return the changes of their purses; a missing hold changes nothing."""
    changes = {} if changes is None else changes
    if not settled:
        return changes
    by_hold = {settlement.hold: settlement for settlement in settled}
    ended = fetch_rows(connection, _DELETE_HOLDS_STATEMENT, (sorted(by_hold),), _EndedHold)
    _charge_holds(changes, ended, by_hold)
    return changes


def _charge_holds(
    changes: ChangesByPurse, ended: Sequence[_EndedHold], settled: Mapping[int, Settlement]
) -> None:
    """Charge holds as they were settled; one that never was, as uncertain: its process died."""
    for hold, amount, scopes, periods in ended:
        expired = Settlement(hold, None, uncertain_calls=1, uncertain=amount)
        settlement = settled.get(hold, expired)
        for purse_id in zip(scopes, periods, strict=True):
            change = _purse_change(changes, purse_id)
            change.held -= amount
            change.spent += amount if settlement.cost is None else settlement.cost
            change.calls += settlement.calls
            change.uncertain_calls += settlement.uncertain_calls
            change.uncertain += settlement.uncertain


def _write_purses(
    connection: Connection, changes: Mapping[PurseId, PurseChange]
) -> dict[PurseId, int]:
    """Change purses, and return the sum of spent and held money in each."""
    if not changes:
        return {}
    purse_ids = sorted(changes)
    ordered = [changes[purse_id] for purse_id in purse_ids]
    rows = fetch_rows(
        connection,
        "INSERT INTO webseam_purses AS purse"
        " (scope, period, spent, held, calls, uncertain_calls, uncertain)"
        " SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[],"
        " %s::bigint[], %s::bigint[])"
        " ON CONFLICT (scope, period) DO UPDATE SET spent = purse.spent + excluded.spent,"
        " held = purse.held + excluded.held, calls = purse.calls + excluded.calls,"
        " uncertain_calls = purse.uncertain_calls + excluded.uncertain_calls,"
        " uncertain = purse.uncertain + excluded.uncertain"
        " RETURNING scope, period, spent + held",
        (
            [scope for scope, _ in purse_ids],
            [period for _, period in purse_ids],
            [change.spent for change in ordered],
            [change.held for change in ordered],
            [change.calls for change in ordered],
            [change.uncertain_calls for change in ordered],
            [change.uncertain for change in ordered],
        ),
        tuple[str, str, int],
    )
    return {(scope, period): booked for scope, period, booked in rows}


def _hold_changes(holds: Sequence[Hold], sign: int = 1) -> ChangesByPurse:
    """Return the changes of purses by new holds, or with ``sign`` -1 without them."""
    changes: ChangesByPurse = {}
    for hold in holds:
        for purse in hold.purses:
            change = _purse_change(changes, (purse.scope, purse.period))
            change.held += sign * hold.amount
    return changes


def _release_holds(connection: Connection, holds: Sequence[Hold]) -> None:
    """Undo holds; their rows have been locked since, so no other transaction saw them."""
    if not holds:
        return
    undone = _hold_changes(holds, -1)
    _write_purses(connection, undone)
    connection.execute(
        "DELETE FROM webseam_purses WHERE spent = 0 AND held = 0 AND calls = 0"
        " AND (scope, period) IN (SELECT * FROM unnest(%s::text[], %s::text[]))",
        ([scope for scope, _ in undone], [period for _, period in undone]),
    )


def _find_shortage(hold: Hold, booked: dict[PurseId, int]) -> Shortage | None:
    """Return the first purse that has too little; if all have enough, count it as booked."""
    for purse in hold.purses:
        remaining = hold.amount if purse.cap is None else purse.cap - booked[purse[:2]]
        if hold.amount > remaining:
            return Shortage(purse=purse, remaining=remaining)
    for purse in hold.purses:
        booked[purse[:2]] += hold.amount
    return None


def _target_memories(connection: Connection) -> dict[str, TargetMemory]:
    statement = "SELECT name, state, open_until, probe_until FROM webseam_targets"
    return make_memories(fetch_rows(connection, statement, (), tuple[str, bytes, float, float]))


def _store_target_memory(connection: Connection, memory: TargetMemory) -> None:
    """Store a target's memory; a moved breaker means that its probe has reported, so end it."""
    connection.execute(
        "INSERT INTO webseam_targets AS target VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (name) DO UPDATE SET probe_until ="
        " CASE WHEN target.open_until = excluded.open_until THEN target.probe_until ELSE 0 END,"
        " state = excluded.state, open_until = excluded.open_until",
        (memory.name, memory.state, memory.open_until, memory.probe_until),
    )
