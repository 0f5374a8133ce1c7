"""The ledger's tables. Call each function inside one transaction.

Money is whole micro-dollars. It is held before a call and settled after it. When the process dies,
its hold is charged in full after its end, because the call may have been made.
"""

import sqlite3
from collections.abc import Sequence

from ....ports.planning import Booking, Purse, Shortage, Spending, TargetMemory
from ..sqlite import Blueprint, fetch_rows

LEDGER_SETTING = "WEBSEAM_LEDGER"
LEDGER = Blueprint(
    store="spending and health",
    setting=LEDGER_SETTING,
    application_id=0x57534C47,  # "WSLG"
    version=1,
    # A power cut must not give money back.
    synchronous="FULL",
    patience=30.0,
    # SQLite's own busy handler waits up to 0.1 s, so the longest waiter loses every time.
    pause=0.001,
    schema=(
        """
        CREATE TABLE purses (
            scope TEXT NOT NULL,
            period TEXT NOT NULL,
            spent INTEGER NOT NULL,
            held INTEGER NOT NULL,
            calls INTEGER NOT NULL,
            PRIMARY KEY (scope, period)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE holds (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            until REAL NOT NULL,
            amount INTEGER NOT NULL
        )
        """,
        "CREATE INDEX holds_by_end ON holds (until)",
        """
        CREATE TABLE parts (
            hold INTEGER NOT NULL,
            scope TEXT NOT NULL,
            period TEXT NOT NULL,
            PRIMARY KEY (hold, scope, period)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE targets (
            name TEXT PRIMARY KEY,
            state BLOB NOT NULL,
            open_until REAL NOT NULL,
            probe_until REAL NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE TABLE allowances (name TEXT PRIMARY KEY, amount REAL NOT NULL) WITHOUT ROWID",
    ),
)

# A slow settlement must come before the end of its own hold.
HOLD_MARGIN_SECONDS = 30.0
HEDGES_ALLOWANCE = "hedges"


def reserve_money(
    connection: sqlite3.Connection, amount: int, purses: Sequence[Purse], until: float, now: float
) -> int | Shortage:
    """Hold ``amount`` in every purse; or change nothing and return a purse that has too little."""
    charge_expired_holds(connection, now)
    shortage = _find_shortage(connection, amount, purses)
    if shortage is not None:
        return shortage
    cursor = connection.execute(
        "INSERT INTO holds (until, amount) VALUES (?, ?)", (until + HOLD_MARGIN_SECONDS, amount)
    )
    hold = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO purses VALUES (?1, ?2, 0, ?3, 0) ON CONFLICT DO UPDATE SET held = held + ?3",
        [(purse.scope, purse.period, amount) for purse in purses],
    )
    connection.executemany(
        "INSERT INTO parts VALUES (?, ?, ?)",
        [(hold, purse.scope, purse.period) for purse in purses],
    )
    return hold


def settle_hold(connection: sqlite3.Connection, hold: int, amount: int | None) -> bool:
    """Replace a hold by its cost, None for all of it; return False if it was charged before.

    The cost may be higher than the hold.
    """
    amounts = fetch_rows(connection, "SELECT amount FROM holds WHERE id = ?", (hold,), tuple[int])
    if not amounts:
        return False
    cost = amounts[0][0] if amount is None else amount
    connection.execute(
        "UPDATE purses SET held = held - ?2, spent = spent + ?3, calls = calls + 1"
        " WHERE (scope, period) IN (SELECT scope, period FROM parts WHERE hold = ?1)",
        (hold, amounts[0][0], cost),
    )
    connection.execute("DELETE FROM parts WHERE hold = ?", (hold,))
    connection.execute("DELETE FROM holds WHERE id = ?", (hold,))
    return True


def count_booking(connection: sqlite3.Connection, booking: Booking) -> None:
    """Book the costs of calls that had no hold."""
    for purse in booking.purses:
        connection.execute(
            "INSERT INTO purses VALUES (?1, ?2, ?3, 0, ?4)"
            " ON CONFLICT DO UPDATE SET spent = spent + ?3, calls = calls + ?4",
            (purse.scope, purse.period, booking.spent, booking.calls),
        )


def charge_expired_holds(connection: sqlite3.Connection, now: float) -> None:
    """Charge the holds whose calls never settled."""
    expired = fetch_rows(connection, "SELECT id FROM holds WHERE until < ?", (now,), tuple[int])
    for (hold,) in expired:
        settle_hold(connection, hold, None)


def list_spendings(connection: sqlite3.Connection) -> list[Spending]:
    """Return every purse, the latest period first."""
    rows = fetch_rows(
        connection,
        "SELECT scope, period, spent, held, calls FROM purses ORDER BY period DESC, scope",
        (),
        tuple[str, str, int, int, int],
    )
    return [
        Spending(scope=scope, period=period, spent=spent, held=held, calls=calls)
        for scope, period, spent, held, calls in rows
    ]


def list_memories(connection: sqlite3.Connection) -> list[TargetMemory]:
    """Return the memory of every target."""
    rows = fetch_rows(
        connection,
        "SELECT name, state, open_until, probe_until FROM targets",
        (),
        tuple[str, bytes, float, float],
    )
    return [
        TargetMemory(name=name, state=state, open_until=open_until, probe_until=probe_until)
        for name, state, open_until, probe_until in rows
    ]


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
    leases = fetch_rows(
        connection, "SELECT probe_until FROM targets WHERE name = ?", (name,), tuple[float]
    )
    if leases and leases[0][0] > now:
        return False
    connection.execute("UPDATE targets SET probe_until = ? WHERE name = ?", (until, name))
    return True


def read_allowance(connection: sqlite3.Connection, name: str) -> float | None:
    """Return the rest of an allowance; None when it was never set."""
    rows = fetch_rows(
        connection, "SELECT amount FROM allowances WHERE name = ?", (name,), tuple[float]
    )
    return rows[0][0] if rows else None


def set_allowance(connection: sqlite3.Connection, name: str, amount: float) -> None:
    """Write the rest of an allowance."""
    connection.execute("INSERT OR REPLACE INTO allowances VALUES (?, ?)", (name, amount))


def _find_shortage(
    connection: sqlite3.Connection, amount: int, purses: Sequence[Purse]
) -> Shortage | None:
    """Return the first purse that has too little; None if all have enough."""
    for purse in purses:
        if purse.cap is None:
            continue
        rows = fetch_rows(
            connection,
            "SELECT spent + held FROM purses WHERE scope = ? AND period = ?",
            (purse.scope, purse.period),
            tuple[int],
        )
        remaining = purse.cap - (rows[0][0] if rows else 0)
        if amount > remaining:
            return Shortage(purse=purse, remaining=remaining)
    return None
