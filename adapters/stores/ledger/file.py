"""The ledger's file, which all processes of a user share."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from returns.result import Failure, Result

from ....ports.planning import Booking, Merge, Purse, Settlement, Shortage, Spending, TargetMemory
from ..sqlite import StoreError, attempt_call, open_for_writing, run_transaction
from . import ledger_table
from .ledger_table import HEDGES_ALLOWANCE, LEDGER

Value = TypeVar("Value")


class Ledger:
    """Money and health in one file. Safe to use from several threads and processes.

    Unlike the cache, a damaged ledger stays as it is: a new one would forget the spending.
    """

    is_near = True

    def __init__(self, path: Path) -> None:
        """Keep the ledger at ``path``, which is opened by the first call."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
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
    ) -> Result[int | Shortage, StoreError]:
        """Reserve money for a call that ends by ``until``, or return the purse that has too little.

        The same transaction first writes the ``settled`` holds.
        """

        def work(file: sqlite3.Connection) -> int | Shortage:
            for settlement in settled:
                ledger_table.settle_hold(file, settlement.hold, settlement.cost)
            return ledger_table.reserve_money(file, amount, purses, until, now)

        return self._run_change(work)

    def settle(self, hold: int, amount: int | None) -> Result[bool, StoreError]:
        """Replace a hold by its cost, None for all of it; False if it was charged as lost."""
        return self._run_change(lambda file: ledger_table.settle_hold(file, hold, amount))

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, StoreError]:
        """Book calls without a cap and the costs of holds in one transaction."""

        def work(file: sqlite3.Connection) -> None:
            for settlement in settled:
                ledger_table.settle_hold(file, settlement.hold, settlement.cost)
            for booking in bookings:
                ledger_table.count_booking(file, booking)

        return self._run_change(work)

    def spendings(self, now: float, /) -> Result[list[Spending], StoreError]:
        """Charge expired holds, then return every purse."""

        def work(file: sqlite3.Connection) -> list[Spending]:
            ledger_table.charge_expired_holds(file, now)
            return ledger_table.list_spendings(file)

        return self._run_change(work)

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], StoreError]:
        """Return the memory of every target, and how many hedges are left."""
        return self._run_sql(
            lambda file: (
                ledger_table.list_memories(file),
                ledger_table.read_allowance(file, HEDGES_ALLOWANCE),
            )
        )

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, StoreError]:
        """Write the memories of targets, each merged with what other processes wrote meanwhile."""

        def work(file: sqlite3.Connection) -> None:
            existing = {memory.name: memory for memory in ledger_table.list_memories(file)}
            for name, merge in merges:
                ledger_table.store_memory(file, merge(existing.get(name)))
            ledger_table.set_allowance(file, HEDGES_ALLOWANCE, hedges)

        return self._run_change(work)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, StoreError]:
        """Take the probe lease of a target; only one caller of all processes has it at a time."""
        return self._run_change(lambda file: ledger_table.claim_probe(file, name, until, now))

    def is_changed(self) -> bool:
        """Tell whether another process has written since the last call."""
        version = self._run_sql(lambda file: int(file.execute("PRAGMA data_version").fetchone()[0]))
        before, self._version = self._version, version.value_or(None)
        return before != self._version

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _run_change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run_sql(lambda file: run_transaction(file, lambda: work(file)))

    def _run_sql(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            if self._connection is None:
                opened = open_for_writing(self._path, LEDGER)
                if isinstance(opened, Failure):
                    return opened
                self._connection = opened.unwrap()
                # Our own retry loop polls faster than SQLite's busy handler, so switch that off.
                self._connection.execute("PRAGMA busy_timeout = 0")
            connection = self._connection
            return attempt_call(lambda: work(connection), LEDGER)
