"""The ledger's file: shared by all processes of a user, opened when it is first needed."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from returns.result import Failure, Result

from ....ports.planning import Booking, Merge, Purse, Settlement, Shortage, Spending, TargetMemory
from ..sqlite import StoreError, attempt_call, open_for_writing, run_transaction
from . import ledger_table
from .ledger_table import LEDGER

Value = TypeVar("Value")

_HEDGES_ALLOWANCE = "hedges"


class Ledger:
    """Money and health in one file. Safe to use from several threads, and beside other processes.

    Unlike the cache, a damaged ledger is left as it is: to begin anew would be to forget what was
    spent.
    """

    is_near = True

    def __init__(self, path: Path) -> None:
        """Keep it at ``path``; nothing is opened before the first call."""
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
        """Hold money for a call that ends by ``until``, or name the purse that has too little.

        What was ``settled`` is written first, in the same step.
        """

        def work(file: sqlite3.Connection) -> int | Shortage:
            for one in settled:
                ledger_table.settle_hold(file, one.hold, one.cost)
            return ledger_table.reserve_money(file, amount, purses, until, now)

        return self._change(work)

    def settle(self, hold: int, amount: int | None) -> Result[bool, StoreError]:
        """Turn a hold into what it came to, None for all; False if it was charged as lost."""
        return self._change(lambda file: ledger_table.settle_hold(file, hold, amount))

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, StoreError]:
        """Book calls that no cap stood before, and what holds came to, all at once."""

        def work(file: sqlite3.Connection) -> None:
            for one in settled:
                ledger_table.settle_hold(file, one.hold, one.cost)
            for booking in bookings:
                ledger_table.count_booking(file, booking)

        return self._change(work)

    def spendings(self, now: float, /) -> Result[list[Spending], StoreError]:
        """Return every purse, after the lost holds were charged."""

        def work(file: sqlite3.Connection) -> list[Spending]:
            ledger_table.charge_expired_holds(file, now)
            return ledger_table.list_spendings(file)

        return self._change(work)

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], StoreError]:
        """Return what is remembered of every target, and how many hedges are left."""
        return self._run(
            lambda file: (
                ledger_table.list_memories(file),
                ledger_table.read_allowance(file, _HEDGES_ALLOWANCE),
            )
        )

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, StoreError]:
        """Write what is known of targets, each merged with what others wrote meanwhile."""

        def work(file: sqlite3.Connection) -> None:
            known = {memory.name: memory for memory in ledger_table.list_memories(file)}
            for name, merge in merges:
                ledger_table.store_memory(file, merge(known.get(name)))
            ledger_table.set_allowance(file, _HEDGES_ALLOWANCE, hedges)

        return self._change(work)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, StoreError]:
        """Take the right to probe a target; only one caller of all processes has it at a time."""
        return self._change(lambda file: ledger_table.claim_probe(file, name, until, now))

    def is_changed(self) -> bool:
        """Tell whether another process wrote something since this was last asked."""
        version = self._run(lambda file: int(file.execute("PRAGMA data_version").fetchone()[0]))
        before, self._version = self._version, version.value_or(None)
        return before != self._version

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run(lambda file: run_transaction(file, lambda: work(file)))

    def _run(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            if self._connection is None:
                opened = open_for_writing(self._path, LEDGER)
                if isinstance(opened, Failure):
                    return opened
                self._connection = opened.unwrap()
                # We look again ourselves, and sooner.
                self._connection.execute("PRAGMA busy_timeout = 0")
            connection = self._connection
            return attempt_call(lambda: work(connection), LEDGER)
