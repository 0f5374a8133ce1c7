"""A thread-safe pool of connections to one PostgreSQL; every call has a time limit.

Work that fails before its commit did not happen. An unknown outcome of a commit has its own
exception, ``CommitUncertain``.
"""

import asyncio
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias, TypeVar

import msgspec
import psycopg
from psycopg import errors
from returns.result import Failure, Result, Success

from webseam.ports.errors import StoreAway, StoreBusy, StoreFailed
from webseam.ports.errors.stores import StoreProblem
from webseam.ports.secrets import Secret
from webseam.ports.stores import StoreState

from ..breaker import Breaker
from ..shared_resources import SharedResources
from .schema import NewerSchema, prepare_schema

Value = TypeVar("Value")
Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]
PostgresError: TypeAlias = StoreAway | StoreBusy | StoreFailed
TransactionWork: TypeAlias = Callable[[Connection], Value]

POSTGRES_SETTING = "stores.postgres"
_MAX_CONNECTIONS = 4
_CONNECT_SECONDS = 3
_WORK_SECONDS = 6.0
_CONNECTION_WAIT_SECONDS = 6.0
# The server's own limits end the transaction of a machine that lost its power, and free its locks.
# They are set for each transaction, because a pooler may share the connection with others.
_BEGIN_STATEMENT = (
    "BEGIN; SET LOCAL lock_timeout = '4s'; SET LOCAL statement_timeout = '5s';"
    " SET LOCAL idle_in_transaction_session_timeout = '10s'"
)
_AWAY_ERRORS = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    # A server raises this after it has become a replica.
    errors.ReadOnlySqlTransaction,
)
_BUSY_ERRORS = (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected)
_ERROR_PROBLEMS: tuple[tuple[type[psycopg.Error], StoreProblem, str], ...] = (
    (errors.DiskFull, "full", "the disk of its server is full"),
    (errors.InsufficientPrivilege, "read_only", "its user may not read and write its tables"),
)


class CommitUncertain(Exception):  # noqa: N818  internal, always caught
    """The commit was sent, but its outcome is unknown."""


class PostgresPool:
    """Connections to one server. Safe to use from several threads."""

    def __init__(self, address: Secret, *, max_connections: int = _MAX_CONNECTIONS) -> None:
        """Open at most ``max_connections``, the first with the first call."""
        self._address = address
        self._slots = threading.BoundedSemaphore(max_connections)
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._breaker = Breaker(POSTGRES_SETTING)
        self._is_prepared = False

    @property
    def state(self) -> StoreState:
        """The state of the server as far as it is known, without a call."""
        return self._breaker.state

    def run(self, work: "TransactionWork[Value]", store: str) -> Result[Value, PostgresError]:
        """Run ``work`` in one transaction; raises ``CommitUncertain`` and what ``work`` raises."""
        if not self._slots.acquire(timeout=_CONNECTION_WAIT_SECONDS):
            return Failure(StoreBusy(store=store, waited=_CONNECTION_WAIT_SECONDS))
        try:
            return self._run_transaction(work, store)
        finally:
            self._slots.release()

    def close(self) -> None:
        """Close the idle connections."""
        while (connection := self._take_idle()) is not None:
            connection.close()

    def _run_transaction(
        self, work: "TransactionWork[Value]", store: str
    ) -> Result[Value, PostgresError]:
        if not self._breaker.allows_call():
            return Failure(StoreAway(store=store, setting=POSTGRES_SETTING))
        try:
            connection = self._begin()
        except NewerSchema:
            reason = "it was made by a newer webseam, and was left as it is"
            return Failure(
                StoreFailed(store=store, reason=reason, problem="newer", setting=POSTGRES_SETTING)
            )
        except psycopg.Error as error:
            return Failure(self._map_error(error, store))
        try:
            with _limit_time(connection):
                value = work(connection)
                _commit(connection)
        except (psycopg.Error, msgspec.DecodeError) as error:
            self._roll_back(connection)
            return Failure(self._map_error(error, store))
        except BaseException:
            self._roll_back(connection)
            raise
        self._breaker.record_success()
        self._idle.put(connection)
        return Success(value)

    def _begin(self) -> Connection:
        """Return a connection in a new transaction; skip idle connections that have died."""
        while (idle := self._take_idle()) is not None:
            try:
                with _limit_time(idle):
                    idle.execute(_BEGIN_STATEMENT)
            except psycopg.Error:
                idle.close()
            else:
                return idle
        fresh = psycopg.connect(
            self._address.reveal(),
            autocommit=True,
            connect_timeout=_CONNECT_SECONDS,
            # A pooler may send every statement to another connection.
            prepare_threshold=None,
            application_name="webseam",
            keepalives_idle=30,
        )
        try:
            with _limit_time(fresh):
                if not self._is_prepared:
                    prepare_schema(fresh)
                    self._is_prepared = True
                fresh.execute(_BEGIN_STATEMENT)
        except BaseException:
            fresh.close()
            raise
        return fresh

    def _take_idle(self) -> Connection | None:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return None

    def _roll_back(self, connection: Connection) -> None:
        """Roll back, and keep the connection if that works."""
        try:
            with _limit_time(connection):
                connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        else:
            self._idle.put(connection)

    def _map_error(self, error: Exception, store: str) -> PostgresError:
        """Map an error by its type; its message may quote the address and is not used."""
        if isinstance(error, _BUSY_ERRORS):
            return StoreBusy(store=store, waited=_WORK_SECONDS)
        for kind, problem, reason in _ERROR_PROBLEMS:
            if isinstance(error, kind):
                return StoreFailed(
                    store=store, reason=reason, problem=problem, setting=POSTGRES_SETTING
                )
        if isinstance(error, _AWAY_ERRORS):
            self._breaker.record_failure()
            return StoreAway(store=store, setting=POSTGRES_SETTING)
        reason = f"its tables are not as webseam makes them ({type(error).__name__})"
        return StoreFailed(store=store, reason=reason, problem="corrupt", setting=POSTGRES_SETTING)


def _commit(connection: Connection) -> None:
    try:
        connection.execute("COMMIT")
    except psycopg.OperationalError as error:
        raise CommitUncertain from error


@contextmanager
def _limit_time(connection: Connection) -> Iterator[None]:
    """Shut the connection down when the server stops answering, so that the call fails."""
    timer = threading.Timer(_WORK_SECONDS, _shut_down, (connection,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut_down(connection: Connection) -> None:
    with suppress(psycopg.Error, OSError):
        # Not close(): the thread that uses the connection owns the file descriptor.
        connection_socket = socket.socket(fileno=connection.pgconn.socket)
        try:
            connection_socket.shutdown(socket.SHUT_RDWR)
        finally:
            connection_socket.detach()


_POOLS: SharedResources[PostgresPool] = SharedResources()


def _close_all_pools() -> None:
    for pool in _POOLS.lent_values():
        pool.close()


if hasattr(os, "register_at_fork"):
    # Two processes on one connection would read each other's answers. A pool opens others on use.
    os.register_at_fork(before=_close_all_pools)


class PostgresClient:
    """A store's client of a server; all clients of a process share a pool."""

    def __init__(self, address: Secret, store: str) -> None:
        """Connect to ``address`` with the first call; errors name the ``store``."""
        self._address = address
        self._store = store
        self._lock = threading.Lock()
        self._pool: PostgresPool | None = None

    def run_once(self, work: "TransactionWork[Value]") -> Result[Value, PostgresError]:
        """Run ``work`` in one transaction, as ``PostgresPool.run`` does."""
        with self._lock:
            if self._pool is None:
                name = self._address.reveal()
                self._pool = _POOLS.borrow(name, lambda: PostgresPool(self._address))
            pool = self._pool
        return pool.run(work, self._store)

    def run_repeatable(self, work: "TransactionWork[Value]") -> Result[Value, PostgresError]:
        """Run work that may happen twice or not at all: an unknown outcome is a failure."""
        try:
            return self.run_once(work)
        except CommitUncertain:
            return Failure(StoreAway(store=self._store, setting=POSTGRES_SETTING))

    async def run_in_thread(self, work: "TransactionWork[Value]") -> Result[Value, PostgresError]:
        """Do the same as ``run_repeatable`` in a thread."""
        return await asyncio.to_thread(self.run_repeatable, work)

    async def aclose(self) -> None:
        """Leave the pool in a thread."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Leave the pool; the last client closes it."""
        with self._lock:
            pool, self._pool = self._pool, None
        last = None if pool is None else _POOLS.return_borrowed(self._address.reveal())
        if last is not None:
            last.close()


def postgres_state(address: Secret) -> StoreState:
    """Return the state of a server as far as this process knows it, without a call."""
    pool = _POOLS.find_lent(address.reveal())
    return "unknown" if pool is None else pool.state
