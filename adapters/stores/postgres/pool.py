"""A few connections to one PostgreSQL, for threads. Everything here ends within a time.

Nobody is left in doubt about money: work that fails before its commit was not done, and what is
not known to be committed is told apart from it.
"""

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

from ....ports.errors import StoreAway, StoreBusy, StoreFailed
from ....ports.errors.stores import StoreProblem
from ....ports.secrets import Secret
from ....ports.stores import StoreState
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
# The server's own limits end a transaction whose machine lost its power, and free its locks. They
# are set for each transaction: a pooler in between may hand out the connection to others.
_BEGIN_STATEMENT = (
    "BEGIN; SET LOCAL lock_timeout = '4s'; SET LOCAL statement_timeout = '5s';"
    " SET LOCAL idle_in_transaction_session_timeout = '10s'"
)
_AWAY_ERRORS = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    # What a server says that has become somebody's copy.
    errors.ReadOnlySqlTransaction,
)
_BUSY_ERRORS = (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected)
_ERROR_PROBLEMS: tuple[tuple[type[psycopg.Error], StoreProblem, str], ...] = (
    (errors.DiskFull, "full", "the disk of its server is full"),
    (errors.InsufficientPrivilege, "read_only", "its user may not read and write its tables"),
)


class CommitUncertain(Exception):  # noqa: N818  it is told to nobody else than the caller inside
    """The commit was sent, and nobody knows whether it was done."""


class PostgresPool:
    """Connections to one server. Safe to use from several threads."""

    def __init__(self, address: Secret, *, max_connections: int = _MAX_CONNECTIONS) -> None:
        """Hold at most ``max_connections`` of them; nothing is opened before the first call."""
        self._address = address
        self._room = threading.BoundedSemaphore(max_connections)
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._breaker = Breaker(POSTGRES_SETTING)
        self._is_prepared = False

    @property
    def state(self) -> StoreState:
        """What is known of the server, without asking it."""
        return self._breaker.state

    def run(self, work: "TransactionWork[Value]", store: str) -> Result[Value, PostgresError]:
        """Run ``work`` in one transaction, all or nothing. ``CommitUncertain`` passes through."""
        if not self._room.acquire(timeout=_CONNECTION_WAIT_SECONDS):
            return Failure(StoreBusy(store=store, waited=_CONNECTION_WAIT_SECONDS))
        try:
            return self._run(work, store)
        finally:
            self._room.release()

    def close(self) -> None:
        """Hang up."""
        while (connection := self._kept()) is not None:
            connection.close()

    def _run(self, work: "TransactionWork[Value]", store: str) -> Result[Value, PostgresError]:
        if not self._breaker.allows():
            return Failure(StoreAway(store=store, setting=POSTGRES_SETTING))
        try:
            connection = self._begun()
        except NewerSchema:
            reason = "it was made by a newer webseam, and was left as it is"
            return Failure(
                StoreFailed(store=store, reason=reason, problem="newer", setting=POSTGRES_SETTING)
            )
        except psycopg.Error as error:
            return Failure(self._trouble(error, store))
        try:
            with _limit_work_time(connection):
                done = work(connection)
                _commit_transaction(connection)
        except (psycopg.Error, msgspec.DecodeError) as error:
            self._put_back(connection)
            return Failure(self._trouble(error, store))
        except BaseException:
            self._put_back(connection)
            raise
        self._breaker.works()
        self._idle.put(connection)
        return Success(done)

    def _begun(self) -> Connection:
        """Return a connection in a transaction; one that was kept may have died meanwhile."""
        while (kept := self._kept()) is not None:
            try:
                with _limit_work_time(kept):
                    kept.execute(_BEGIN_STATEMENT)
            except psycopg.Error:
                kept.close()
            else:
                return kept
        fresh = self._connect()
        try:
            with _limit_work_time(fresh):
                if not self._is_prepared:
                    prepare_schema(fresh)
                    self._is_prepared = True
                fresh.execute(_BEGIN_STATEMENT)
        except BaseException:
            fresh.close()
            raise
        return fresh

    def _connect(self) -> Connection:
        return psycopg.connect(
            self._address.reveal(),
            autocommit=True,
            connect_timeout=_CONNECT_SECONDS,
            # A pooler in between may give every statement to another connection.
            prepare_threshold=None,
            application_name="webseam",
            keepalives_idle=30,
        )

    def _kept(self) -> Connection | None:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return None

    def _put_back(self, connection: Connection) -> None:
        """Undo what was begun, and keep the connection if it is of any use."""
        try:
            with _limit_work_time(connection):
                connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        else:
            self._idle.put(connection)

    def _trouble(self, error: Exception, store: str) -> PostgresError:
        """Say what is wrong, by the kind of the error: its words may quote the address."""
        if isinstance(error, _BUSY_ERRORS):
            return StoreBusy(store=store, waited=_WORK_SECONDS)
        for kind, problem, reason in _ERROR_PROBLEMS:
            if isinstance(error, kind):
                return StoreFailed(
                    store=store, reason=reason, problem=problem, setting=POSTGRES_SETTING
                )
        if isinstance(error, _AWAY_ERRORS):
            self._breaker.fails()
            return StoreAway(store=store, setting=POSTGRES_SETTING)
        reason = f"its tables are not as webseam makes them ({type(error).__name__})"
        return StoreFailed(store=store, reason=reason, problem="corrupt", setting=POSTGRES_SETTING)


def _commit_transaction(connection: Connection) -> None:
    try:
        connection.execute("COMMIT")
    except psycopg.OperationalError as error:
        raise CommitUncertain from error


@contextmanager
def _limit_work_time(connection: Connection) -> Iterator[None]:
    """Hang up on a server that has stopped answering; the call in progress fails then."""
    timer = threading.Timer(_WORK_SECONDS, _shut_down_socket, (connection,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut_down_socket(connection: Connection) -> None:
    with suppress(psycopg.Error, OSError):
        # Not close(): that is for the thread that uses it. The number of the socket stays its own.
        line = socket.socket(fileno=connection.pgconn.socket)
        try:
            line.shutdown(socket.SHUT_RDWR)
        finally:
            line.detach()


_POOLS: SharedResources[PostgresPool] = SharedResources()


class PostgresClient:
    """A store's way to a server. All of one process share connections."""

    def __init__(self, address: Secret) -> None:
        """Speak to ``address``; nothing is opened before the first call."""
        self._address = address
        self._lock = threading.Lock()
        self._pool: PostgresPool | None = None

    def run(self, work: "TransactionWork[Value]", store: str) -> Result[Value, PostgresError]:
        """Run ``work`` in one transaction, as ``PostgresPool.run`` does."""
        with self._lock:
            if self._pool is None:
                name = self._address.reveal()
                self._pool = _POOLS.borrow(name, lambda: PostgresPool(self._address))
            pool = self._pool
        return pool.run(work, store)

    def close(self) -> None:
        """Let go of the server; the last one hangs up."""
        with self._lock:
            pool, self._pool = self._pool, None
        last = None if pool is None else _POOLS.give_back(self._address.reveal())
        if last is not None:
            last.close()


def postgres_state(address: Secret) -> StoreState:
    """Return what this process knows of a server, without asking it."""
    pool = _POOLS.find(address.reveal())
    return "unknown" if pool is None else pool.state
