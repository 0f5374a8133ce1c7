"""The ledger of all processes: reserved and spent money, and the health of every backend."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from returns.result import Result

from webseam.ports.planning import (
    Booking,
    Hold,
    Merge,
    Settlement,
    Shortage,
    Spending,
    TargetMemory,
)

from .sqlite import Blueprint, StoreError, StoreFile, fetch_rows

LEDGER_SETTING = "WEBSEAM_LEDGER"
LEDGER_BLUEPRINT = Blueprint(
    store="spending and health",
    setting=LEDGER_SETTING,
    application_id=0x57534C47,  # "WSLG"
    version=1,
    renewable=False,
    # A power cut must not give money back.
    synchronous="FULL",
    patience=30.0,
    # SQLite's own busy handler waits up to 0.1 s, so the longest waiter loses every time. Our own
    # retry loop polls faster.
    busy_handler=False,
    pause=0.001,
    schema=(
        """CREATE TABLE purses (scope TEXT NOT NULL, period TEXT NOT NULL, spent INTEGER NOT NULL,
        held INTEGER NOT NULL, calls INTEGER NOT NULL,
        PRIMARY KEY (scope, period)) WITHOUT ROWID""",
        """CREATE TABLE holds (id INTEGER PRIMARY KEY AUTOINCREMENT, until REAL NOT NULL,
        amount INTEGER NOT NULL)""",
        "CREATE INDEX holds_by_end ON holds (until)",
        """CREATE TABLE parts (hold INTEGER NOT NULL, scope TEXT NOT NULL, period TEXT NOT NULL,
        PRIMARY KEY (hold, scope, period)) WITHOUT ROWID""",
        """CREATE TABLE targets (name TEXT PRIMARY KEY, state BLOB NOT NULL,
        open_until REAL NOT NULL, probe_until REAL NOT NULL) WITHOUT ROWID""",
        "CREATE TABLE allowances (name TEXT PRIMARY KEY, amount REAL NOT NULL) WITHOUT ROWID",
    ),
)
# The part of ``purses`` that is uncertain. A table of its own, which the first uncertain call adds:
# files of earlier releases have none, and these releases go on writing the columns that they know.
_UNCERTAIN_TABLE = (
    "CREATE TABLE IF NOT EXISTS uncertain (scope TEXT NOT NULL, period TEXT NOT NULL,"
    " calls INTEGER NOT NULL, spent INTEGER NOT NULL, PRIMARY KEY (scope, period)) WITHOUT ROWID"
)
# A slow settlement must come before the end of its own hold.
HOLD_MARGIN_SECONDS = 30.0
HEDGES_ALLOWANCE = "hedges"


def reserve_money(connection: sqlite3.Connection, hold: Hold) -> int | Shortage:
    """Hold money in every purse; or change nothing and return a purse that has too little."""
    shortage = _find_shortage(connection, hold)
    if shortage is not None:
        return shortage
    amount, purses, until = hold
    statement = "INSERT INTO holds (until, amount) VALUES (?, ?)"
    cursor = connection.execute(statement, (until + HOLD_MARGIN_SECONDS, amount))
    number = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO purses VALUES (?1, ?2, 0, ?3, 0) ON CONFLICT DO UPDATE SET held = held + ?3",
        [(purse.scope, purse.period, amount) for purse in purses],
    )
    connection.executemany(
        "INSERT INTO parts VALUES (?, ?, ?)",
        [(number, purse.scope, purse.period) for purse in purses],
    )
    return number


def settle_hold(connection: sqlite3.Connection, settled: Settlement) -> None:
    """Replace a hold by its cost, which may be higher."""
    hold = settled.hold
    amounts = fetch_rows(connection, "SELECT amount FROM holds WHERE id = ?", (hold,), tuple[int])
    if not amounts:
        return  # It was charged before.
    cost = amounts[0][0] if settled.cost is None else settled.cost
    connection.execute(
        "UPDATE purses SET held = held - ?2, spent = spent + ?3, calls = calls + ?4"
        " WHERE (scope, period) IN (SELECT scope, period FROM parts WHERE hold = ?1)",
        (hold, amounts[0][0], cost, settled.calls),
    )
    if settled.uncertain_calls:
        statement = "SELECT scope, period FROM parts WHERE hold = ?"
        purses = fetch_rows(connection, statement, (hold,), tuple[str, str])
        _add_uncertain(connection, purses, settled.uncertain_calls, settled.uncertain)
    connection.execute("DELETE FROM parts WHERE hold = ?", (hold,))
    connection.execute("DELETE FROM holds WHERE id = ?", (hold,))


def charge_expired_holds(connection: sqlite3.Connection, now: float) -> None:
    """Charge the holds whose calls never settled: their process was killed."""
    statement = "SELECT id, amount FROM holds WHERE until < ?"
    for hold, amount in fetch_rows(connection, statement, (now,), tuple[int, int]):
        settle_hold(connection, Settlement(hold, None, uncertain_calls=1, uncertain=amount))


def _add_uncertain(
    connection: sqlite3.Connection, purses: Iterable[tuple[str, str]], calls: int, spent: int
) -> None:
    connection.execute(_UNCERTAIN_TABLE)
    connection.executemany(
        "INSERT INTO uncertain VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT DO UPDATE SET calls = calls + ?3, spent = spent + ?4",
        [(scope, period, calls, spent) for scope, period in purses],
    )


def list_spendings(connection: sqlite3.Connection) -> list[Spending]:
    """Return every purse, the latest period first."""
    connection.execute(_UNCERTAIN_TABLE)
    statement = (
        "SELECT scope, period, purses.spent, held, purses.calls,"
        " ifnull(uncertain.calls, 0), ifnull(uncertain.spent, 0)"
        " FROM purses LEFT JOIN uncertain USING (scope, period) ORDER BY period DESC, scope"
    )
    rows = fetch_rows(connection, statement, (), tuple[str, str, int, int, int, int, int])
    return make_spendings(rows)


def make_spendings(
    rows: Sequence[tuple[str, str, int, int, int, int, int]],
) -> list[Spending]:
    """Return the purses in rows of any database."""
    return [
        Spending(
            scope=scope,
            period=period,
            spent=spent,
            held=held,
            calls=calls,
            uncertain_calls=uncertain_calls,
            uncertain=uncertain,
        )
        for scope, period, spent, held, calls, uncertain_calls, uncertain in rows
    ]


def list_memories(connection: sqlite3.Connection) -> dict[str, TargetMemory]:
    """Return the memory of every target by its name."""
    statement = "SELECT name, state, open_until, probe_until FROM targets"
    return make_memories(fetch_rows(connection, statement, (), tuple[str, bytes, float, float]))


def make_memories(rows: Sequence[tuple[str, bytes, float, float]]) -> dict[str, TargetMemory]:
    """Return the memories in rows of any database."""
    return {
        name: TargetMemory(name=name, state=state, open_until=open_until, probe_until=probe_until)
        for name, state, open_until, probe_until in rows
    }


def store_memory(connection: sqlite3.Connection, memory: TargetMemory) -> None:
    """Store a target's memory; a moved breaker means that its probe has reported, so end it."""
    connection.execute(
        "INSERT INTO targets VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " probe_until = iif(open_until = excluded.open_until, probe_until, 0.0),"
        " state = excluded.state, open_until = excluded.open_until",
        (memory.name, memory.state, memory.open_until, memory.probe_until),
    )


def claim_probe(connection: sqlite3.Connection, name: str, until: float, now: float) -> bool:
    """Take the probe lease of a target; only one caller of all processes has it at a time.

    Without a row no other process knows that the target is down, so the lease is free.
    """
    statement = "SELECT probe_until FROM targets WHERE name = ?"
    leases = fetch_rows(connection, statement, (name,), tuple[float])
    # A lease that ends later than ours would comes from a clock that was put back.
    if leases and now < leases[0][0] <= until:
        return False
    connection.execute("UPDATE targets SET probe_until = ? WHERE name = ?", (until, name))
    return True


def read_hedges(connection: sqlite3.Connection) -> float | None:
    """Return how many hedges are left; None when that was never written."""
    statement = "SELECT amount FROM allowances WHERE name = ?"
    rows = fetch_rows(connection, statement, (HEDGES_ALLOWANCE,), tuple[float])
    return rows[0][0] if rows else None


def _find_shortage(connection: sqlite3.Connection, hold: Hold) -> Shortage | None:
    """Return the first purse that has too little; None if all have enough."""
    for purse in hold.purses:
        if purse.cap is None:
            continue
        statement = "SELECT spent + held FROM purses WHERE scope = ? AND period = ?"
        rows = fetch_rows(connection, statement, (purse.scope, purse.period), tuple[int])
        remaining = purse.cap - (rows[0][0] if rows else 0)
        if hold.amount > remaining:
            return Shortage(purse=purse, remaining=remaining)
    return None


class Ledger(StoreFile):
    """Money and health in one file. Safe to use from several threads and processes.

    Unlike the cache, a damaged ledger stays as it is: a new one would forget the spending.
    """

    is_near = True

    def __init__(self, path: Path) -> None:
        """Keep the ledger at ``path``, which is opened by the first call."""
        super().__init__(path, LEDGER_BLUEPRINT)
        self._version: int | None = None

    def reserve(
        self, holds: Sequence[Hold], /, *, now: float, settled: Sequence[Settlement] = ()
    ) -> Result[list[int | Shortage], StoreError]:
        """Write the ``settled`` holds, then hold money for each call, or name the short purse."""

        def work(file: sqlite3.Connection) -> list[int | Shortage]:
            for settlement in settled:
                settle_hold(file, settlement)
            charge_expired_holds(file, now)
            return [reserve_money(file, hold) for hold in holds]

        return self._run_change(work)

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, StoreError]:
        """Book calls without a cap and the costs of holds in one transaction."""

        def work(file: sqlite3.Connection) -> None:
            for settlement in settled:
                settle_hold(file, settlement)
            for booking in bookings:
                # Book the costs of calls that had no hold.
                for purse in booking.purses:
                    file.execute(
                        "INSERT INTO purses VALUES (?1, ?2, ?3, 0, ?4)"
                        " ON CONFLICT DO UPDATE SET spent = spent + ?3, calls = calls + ?4",
                        (purse.scope, purse.period, booking.spent, booking.calls),
                    )
                if booking.uncertain_calls:
                    purses = [(purse.scope, purse.period) for purse in booking.purses]
                    _add_uncertain(file, purses, booking.uncertain_calls, booking.uncertain)

        return self._run_change(work)

    def spendings(self, now: float, /) -> Result[list[Spending], StoreError]:
        """Charge expired holds, then return every purse."""

        def work(file: sqlite3.Connection) -> list[Spending]:
            charge_expired_holds(file, now)
            return list_spendings(file)

        return self._run_change(work)

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], StoreError]:
        """Return the memory of every target, and how many hedges are left."""
        return self._run_sql(lambda file: (list(list_memories(file).values()), read_hedges(file)))

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, StoreError]:
        """Write the memories of targets, each merged with what other processes wrote meanwhile."""

        def work(file: sqlite3.Connection) -> None:
            existing = list_memories(file)
            for name, merge in merges:
                store_memory(file, merge(existing.get(name)))
            allowance = (HEDGES_ALLOWANCE, hedges)
            file.execute("INSERT OR REPLACE INTO allowances VALUES (?, ?)", allowance)

        return self._run_change(work)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, StoreError]:
        """Take the probe lease of a target; only one caller of all processes has it at a time."""
        return self._run_change(lambda file: claim_probe(file, name, until, now))

    def is_changed(self) -> bool:
        """Tell whether another process has written since the last call."""
        version = self._run_sql(lambda file: int(file.execute("PRAGMA data_version").fetchone()[0]))
        before, self._version = self._version, version.value_or(None)
        return before != self._version
