"""SQLite files: opening, transactions, typed rows, and errors.

Nothing here opens a store's file but through SQLite (``held_files.py`` says why), not even to see
whether it is ours: a connection that takes no lock and changes nothing reads its first page.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import StoreBusy, StoreFailed
from webseam.ports.errors.stores import StoreProblem

from ..files import restrict_permissions
from ..store_files import (
    FileWatch,
    bind_side_files,
    connect_sqlite,
    make_store_file,
    opening_store,
    put_aside_old_files,
    real_store_path,
    release_side_files,
    side_file,
)

StoreError: TypeAlias = StoreBusy | StoreFailed
_PROBLEM_REASONS: dict[StoreProblem, str] = {
    "missing": "it does not exist yet",
    "corrupt": "it is damaged, and was left as it is",
    "emptied": "its file is empty, so what it held is lost; delete it to begin anew",
    "foreign": "its file is not one of webseam's, and was left as it is",
    "newer": "it was written by a newer webseam, and was left as it is",
    "older": "it was written by an older webseam in another form; delete it to begin anew",
    "read_only": "it cannot be written to",
    "full": "the disk is full: make room on it, or keep the file on another",
    "unreachable": "its file cannot be opened",
    "closed": "it was closed, and has to be opened again",
    "removed": "its file was removed while it was in use; put it back, or start webseam again to"
    " begin anew",
}


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of a file. ``setting`` is the setting of its path.

    ``page_bytes`` is the SQLite page size of a new file. A call waits ``patience`` seconds for a
    lock, and tries again after about every ``pause`` seconds. With ``busy_handler`` SQLite itself
    waits before that. Without ``renewable``, a file that somebody emptied or removed is an error.

    Where few write and a file may be restored at any time, ``journal`` is ``"DELETE"``: all that is
    stored is in the one file, and each reading looks whether it changed.
    """

    store: str
    setting: str
    application_id: int
    version: int
    schema: tuple[str, ...]
    synchronous: Literal["NORMAL", "FULL"] = "FULL"
    patience: float = 60.0
    pause: float = 0.05
    busy_handler: bool = True
    page_bytes: int = 4096
    renewable: bool = True
    journal: Literal["WAL", "DELETE"] = "WAL"

    def file_error(self, problem: StoreProblem) -> StoreFailed:
        """Return the error for a problem of the file."""
        return StoreFailed(
            store=self.store,
            reason=_PROBLEM_REASONS[problem],
            problem=problem,
            setting=self.setting,
        )

    def lock_error(self) -> StoreBusy:
        """Return the error for a lock that was never free."""
        return StoreBusy(store=self.store, waited=self.patience)


Value = TypeVar("Value")
# An unreachable file; text that is not UTF-8, which SQLite's messages may quote; values of other
# types than were stored.
_DAMAGE_ERRORS = (OSError, UnicodeDecodeError, msgspec.DecodeError)
_ERROR_PROBLEMS: tuple[tuple[str, StoreProblem], ...] = (
    ("SQLITE_FULL", "full"),
    # The -shm file cannot grow on a full disk. Other write errors may come from a quota.
    ("SQLITE_IOERR_SHMSIZE", "full"), ("SQLITE_IOERR_WRITE", "read_only"),
    ("SQLITE_READONLY", "read_only"), ("SQLITE_CANTOPEN", "unreachable"),
    ("SQLITE_IOERR", "unreachable"), ("SQLITE_PERM", "unreachable"), ("SQLITE_AUTH", "unreachable"),
)  # fmt: skip


def attempt_call(call: Callable[[], Value], blueprint: Blueprint) -> Result[Value, StoreError]:
    """Return the result of ``call``, or the error of the file.

    SQLite does not wait for every lock: the switch to WAL, for example, fails at once. So this
    function retries too, until the blueprint's ``patience`` ends.
    """
    deadline = time.monotonic() + blueprint.patience
    while True:
        try:
            return Success(call())
        except sqlite3.Error as error:
            error_name = _sqlite_error_name(error)
            if not error_name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
                return Failure(blueprint.file_error(_store_problem(error_name)))
        except _DAMAGE_ERRORS as error:
            is_unreachable = isinstance(error, OSError)
            return Failure(blueprint.file_error("unreachable" if is_unreachable else "corrupt"))
        if time.monotonic() >= deadline:
            return Failure(blueprint.lock_error())
        import random  # noqa: PLC0415  waiting is rare

        # Randomise the pause, so that waiting processes do not retry in step.
        time.sleep(blueprint.pause * random.uniform(0.2, 1.5))  # noqa: S311  no secret


def run_transaction(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` in one write transaction, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        value = work()
        connection.execute("COMMIT")
    except BaseException:
        # SQLite itself has already rolled back on a full disk or a damaged file.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return value


def run_snapshot(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` on a snapshot of the file, unaffected by other writers."""
    connection.execute("BEGIN")
    try:
        return work()
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def _sqlite_error_name(error: sqlite3.Error) -> str:
    """Return SQLite's name of an error; raise an error of wrong usage, which is a bug."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        raise error
    # Python's own error about text that is not UTF-8 has no name.
    return getattr(error, "sqlite_errorname", "")


def _store_problem(name: str) -> StoreProblem:
    # Any other error means that the tables are not as webseam made them.
    return next((fault for start, fault in _ERROR_PROBLEMS if name.startswith(start)), "corrupt")


Shape = TypeVar("Shape")


def fetch_rows(
    connection: sqlite3.Connection,
    statement: str,
    parameters: tuple[object, ...],
    shape: type[Shape],
) -> list[Shape]:
    """Return every row as a ``shape``, a tuple of types; another type is ``msgspec``'s error."""
    return [msgspec.convert(row, shape) for row in connection.execute(statement, parameters)]


def fetch_one(connection: sqlite3.Connection, statement: str, shape: type[Shape]) -> Shape:
    """Return the first row of a statement that always has one."""
    return msgspec.convert(connection.execute(statement).fetchone(), shape)


def fetch_by_numbers(
    connection: sqlite3.Connection, statement: str, numbers: list[int], shape: type[Shape]
) -> list[Shape]:
    """Return the rows for a list of numbers, which the statement gets as one JSON text."""
    return fetch_rows(connection, statement, (msgspec.json.encode(numbers).decode(),), shape)


FileVerdict: TypeAlias = Literal["new", "ours", "emptied", "foreign", "newer", "older"]
# SQLite truncates the write-ahead log to this size after a checkpoint.
MAX_LOG_BYTES = 16 << 20
# Reads the file alone: takes no lock, ignores the log and the journal, makes no file beside it.
_UNTOUCHED_MODE = "mode=ro&immutable=1"


def read_file_verdict(path: Path, blueprint: Blueprint) -> FileVerdict:
    """Return the kind of a file, from its first page only."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return "new"
    if not size:
        return "new" if blueprint.renewable else "emptied"
    try:
        application_id, version = _read_stored_marks(path)
    except sqlite3.DatabaseError as error:
        name = _sqlite_error_name(error)
        if name == "SQLITE_NOTADB":
            # Or the process died while it made the file and left a journal beside it.
            return "new" if side_file(path, "-journal").exists() else "foreign"
        if name.startswith("SQLITE_CORRUPT"):
            # Damaged, or another process is just moving its log into the file.
            return "ours"
        raise
    if application_id != blueprint.application_id:
        return "foreign"
    return _version_problem(version, blueprint) or "ours"


def _read_stored_marks(path: Path) -> tuple[int, int]:
    """Return the application id and the version in a file, without its log."""
    with closing(connect_sqlite(path, _UNTOUCHED_MODE, 0.0)) as connection:
        marks = ("application_id", "user_version")
        application_id, version = (_read_pragma(connection, mark) for mark in marks)
        return application_id, version


def _version_problem(version: int, blueprint: Blueprint) -> Literal["newer", "older"] | None:
    if version == blueprint.version:
        return None
    return "newer" if version > blueprint.version else "older"


def is_database(path: Path) -> bool:
    """Tell whether the file is an SQLite database of any program, even a damaged one."""
    try:
        _read_stored_marks(path)
    except sqlite3.DatabaseError as error:
        return _sqlite_error_name(error) != "SQLITE_NOTADB"
    return True


class OpenStore:
    """A connection, and which file it leads to."""

    def __init__(self, connection: sqlite3.Connection, path: Path, file: FileWatch) -> None:
        """Take ``file`` as it was before the connection was opened."""
        self.connection = connection
        self._path = path
        self.file = file
        file.settle()

    def is_current(self) -> bool:
        """Tell whether the name still leads to this file; one look at the folder, no more."""
        return self.file.is_same()

    def close(self) -> None:
        """Close the file; SQLite leaves files alone that are no longer beside it."""
        self.connection.close()
        release_side_files(real_store_path(self._path))


class _ClosedByFork(Protocol):
    """A store that closes its file before a fork, and opens it again when it is used."""

    def close_before_fork(self) -> None:
        """Close the file, and let no other thread open it."""

    def go_on_after_fork(self) -> None:
        """Let threads open the file again."""


# No connection may cross a fork. The child would have the descriptors without the locks, and SQLite
# forbids it even to close them ("How To Corrupt", section 2.6). A new connection of the child is no
# way out either: SQLite counts the locks of a process by file, in memory that was copied as well,
# and takes none that the parent had. So all files are closed first, in every program that forks.
_fork_lock = threading.Lock()
_fork_closed: WeakSet[_ClosedByFork] = WeakSet()
_waiting_for_fork: list[_ClosedByFork] = []


def close_before_forks(store: _ClosedByFork) -> None:
    """Have a store closed before each fork, as long as it lives."""
    with _fork_lock:
        _fork_closed.add(store)


def _close_all_stores() -> None:
    _fork_lock.acquire()
    for store in tuple(_fork_closed):
        store.close_before_fork()
        _waiting_for_fork.append(store)


def _go_on_with_stores() -> None:
    while _waiting_for_fork:
        _waiting_for_fork.pop().go_on_after_fork()
    _fork_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_close_all_stores,
        after_in_parent=_go_on_with_stores,
        after_in_child=_go_on_with_stores,
    )


def open_for_writing(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Return a connection to the file, which is made if there is none."""
    return _judge_store_file(path, blueprint).bind(
        lambda _: attempt_call(lambda: _open_or_make_file(path, blueprint), blueprint).bind(
            lambda connection: _check_version(connection, blueprint)
        )
    )


def open_for_reading(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Return a connection to an existing file, which may be on a read-only disk."""
    verdict = _judge_store_file(path, blueprint)
    if isinstance(verdict, Failure):
        return verdict
    if verdict.unwrap() == "new":
        return Failure(blueprint.file_error("missing"))
    connection_outcome = attempt_call(lambda: _open_existing_file(path, blueprint), blueprint)
    if isinstance(connection_outcome, Failure):
        # WAL needs side files. Where they cannot be made, no process can be writing either.
        connection_outcome = attempt_call(
            lambda: _probe_connection(connect_sqlite(path, _UNTOUCHED_MODE, blueprint.patience)),
            blueprint,
        )
    return connection_outcome.bind(lambda connection: _check_version(connection, blueprint))


class StoreFile:
    """One SQLite file of a store, opened by the first call. Safe to use from several threads.

    A file that took its place meanwhile is opened instead. Where what was stored must not be
    forgotten, a file that was removed is an error until there is one again.
    """

    def __init__(self, path: Path, blueprint: Blueprint) -> None:
        """Use the file at ``path``, which is made if there is none."""
        self._path = path
        self._blueprint = blueprint
        self._opened: OpenStore | None = None
        self._was_open = False
        self._lock = threading.Lock()
        close_before_forks(self)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close_connection()
            self._was_open = False

    def close_before_fork(self) -> None:
        """Close the file, and let no other thread open it."""
        self._lock.acquire()
        self._close_connection()

    def go_on_after_fork(self) -> None:
        """Let threads open the file again."""
        self._lock.release()

    def _run_change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run_sql(lambda file: run_transaction(file, lambda: work(file)))

    def _run_sql(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            return self._run_locked(work)

    def _run_locked(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        opened = self._open_current_file()
        if isinstance(opened, Failure):
            return opened
        connection = opened.unwrap()
        return attempt_call(lambda: work(connection), self._blueprint)

    def _open_current_file(self) -> Result[sqlite3.Connection, StoreError]:
        """Return a connection to the file that the name leads to now."""
        if self._opened is not None:
            if self._opened.is_current():
                return Success(self._opened.connection)
            self._close_connection()
        if self._was_open and not self._blueprint.renewable and not self._path.exists():
            return Failure(self._blueprint.file_error("removed"))
        file = FileWatch(self._path, with_changes=self._blueprint.journal == "DELETE")
        outcome = open_for_writing(self._path, self._blueprint)
        if isinstance(outcome, Success):
            self._opened = OpenStore(outcome.unwrap(), self._path, file)
            self._was_open = True
        return outcome

    def _close_connection(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None


def _judge_store_file(path: Path, blueprint: Blueprint) -> Result[FileVerdict, StoreError]:
    outcome = attempt_call(lambda: read_file_verdict(path, blueprint), blueprint)
    if isinstance(outcome, Failure):
        return outcome
    match outcome.unwrap():
        case "emptied" | "foreign" | "newer" | "older" as problem:
            return Failure(blueprint.file_error(problem))
        case verdict:
            return Success(verdict)


def _open_or_make_file(path: Path, blueprint: Blueprint) -> sqlite3.Connection:
    real_path = real_store_path(path)
    with opening_store(real_path):
        put_aside_old_files(real_path)
        make_store_file(real_path, lambda: _new_store_bytes(blueprint))
        connection = connect_sqlite(real_path, "mode=rwc", blueprint.patience)
        try:
            connection.execute(f"PRAGMA synchronous = {blueprint.synchronous}")
            connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES}")
            if not _has_application_id(connection, blueprint):
                _make_tables(connection, blueprint)
                # Where there are no links, SQLite made the file with the permissions of the umask.
                restrict_permissions(real_path)
            _set_journal(connection, blueprint)
            if not blueprint.busy_handler:
                connection.execute("PRAGMA busy_timeout = 0")
            # SQLite makes the log with the first reading.
            _read_pragma(connection, "user_version")
            bind_side_files(real_path)
        except BaseException:
            connection.close()
            raise
    return connection


def _set_journal(connection: sqlite3.Connection, blueprint: Blueprint) -> None:
    try:
        connection.execute(f"PRAGMA journal_mode = {blueprint.journal}").fetchone()
    except sqlite3.OperationalError:
        # A log can be given up by the only process that has the file open; until then it serves.
        if blueprint.journal == "WAL":
            raise


def _open_existing_file(path: Path, blueprint: Blueprint) -> sqlite3.Connection:
    real_path = real_store_path(path)
    with opening_store(real_path):
        put_aside_old_files(real_path)
        connection = connect_sqlite(real_path, "mode=rw", blueprint.patience)
        _probe_connection(connection)
        bind_side_files(real_path)
    return connection


def _new_store_bytes(blueprint: Blueprint) -> bytes:
    if blueprint.renewable:
        return b""
    # No process must see our own new file empty.
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _make_tables(connection, blueprint)
        return connection.serialize()


def _make_tables(connection: sqlite3.Connection, blueprint: Blueprint) -> None:
    # Unlike other pragmas, this one writes nothing before the transaction.
    connection.execute(f"PRAGMA page_size = {blueprint.page_bytes}")

    def work() -> None:
        # Another process may have made them between our check and our lock.
        if _has_application_id(connection, blueprint):
            return
        for statement in blueprint.schema:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {blueprint.application_id}")
        connection.execute(f"PRAGMA user_version = {blueprint.version}")

    run_transaction(connection, work)


def _check_version(
    connection: sqlite3.Connection, blueprint: Blueprint
) -> Result[sqlite3.Connection, StoreError]:
    """Check the version through SQLite: a newer one may still be in the write-ahead log."""
    outcome = attempt_call(
        lambda: _version_problem(_read_pragma(connection, "user_version"), blueprint),
        blueprint,
    )
    if isinstance(outcome, Failure):
        connection.close()
        return outcome
    match outcome.unwrap():
        case "newer" | "older" as problem:
            connection.close()
            return Failure(blueprint.file_error(problem))
        case _:
            return Success(connection)


def _probe_connection(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Read something, because SQLite opens a file with the first statement."""
    try:
        with closing(connection.execute("SELECT count(*) FROM sqlite_master")) as cursor:
            cursor.fetchone()
    except BaseException:
        # Not only SQLite's errors: its message about a damaged file may not be valid text.
        connection.close()
        raise
    return connection


def _has_application_id(connection: sqlite3.Connection, blueprint: Blueprint) -> bool:
    return _read_pragma(connection, "application_id") == blueprint.application_id


def _read_pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
