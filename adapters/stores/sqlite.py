"""SQLite files: opening, transactions, typed rows, and errors."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import StoreBusy, StoreFailed
from webseam.ports.errors.stores import StoreProblem

from ..files import add_file, make_private_file, restrict_permissions

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
}


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of a file. ``setting`` is the setting of its path.

    ``page_bytes`` is the SQLite page size of a new file. A call waits ``patience`` seconds for a
    lock, and tries again after about every ``pause`` seconds. With ``busy_handler`` SQLite itself
    waits before that. Without ``renewable``, a file that somebody emptied is an error.
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
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_VERSION_SLICE = slice(60, 64)
_APPLICATION_ID_SLICE = slice(68, 72)
_SIDE_FILE_ENDINGS = ("-wal", "-shm", "-journal")
_MAX_LOCK_WAIT_SECONDS = 10.0
# SQLite truncates the write-ahead log to this size after a checkpoint.
MAX_LOG_BYTES = 16 << 20


def read_file_verdict(path: Path, blueprint: Blueprint) -> FileVerdict:
    """Return the kind of a file, from its first bytes only."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return "new"
    if not header and not blueprint.renewable:
        return "emptied"
    if not header.strip(b"\x00"):
        # Empty, or the process died while it made the file and left a journal beside it.
        is_unfinished = not header or path.with_name(path.name + "-journal").exists()
        return "new" if is_unfinished else "foreign"
    if (
        not header.startswith(_MAGIC)
        or _big_endian_number(header[_APPLICATION_ID_SLICE]) != blueprint.application_id
    ):
        return "foreign"
    return _version_problem(_big_endian_number(header[_VERSION_SLICE]), blueprint) or "ours"


def _version_problem(version: int, blueprint: Blueprint) -> Literal["newer", "older"] | None:
    if version == blueprint.version:
        return None
    return "newer" if version > blueprint.version else "older"


def is_database(path: Path) -> bool:
    """Tell whether the file is an SQLite database of any program."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


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
    connection_outcome = attempt_call(
        lambda: _probe_connection(_connect(path, "mode=rw", blueprint.patience)), blueprint
    )
    if isinstance(connection_outcome, Failure):
        # WAL needs side files. Where they cannot be made, no process can be writing either.
        connection_outcome = attempt_call(
            lambda: _probe_connection(_connect(path, "immutable=1", blueprint.patience)),
            blueprint,
        )
    return connection_outcome.bind(lambda connection: _check_version(connection, blueprint))


class StoreFile:
    """One SQLite file of a store, opened by the first call. Safe to use from several threads."""

    def __init__(self, path: Path, blueprint: Blueprint) -> None:
        """Use the file at ``path``, which is made if there is none."""
        self._path = path
        self._blueprint = blueprint
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close_connection()

    def _run_change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run_sql(lambda file: run_transaction(file, lambda: work(file)))

    def _run_sql(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            return self._run_locked(work)

    def _run_locked(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        if self._connection is None:
            opened = open_for_writing(self._path, self._blueprint)
            if isinstance(opened, Failure):
                return opened
            self._connection = opened.unwrap()
        connection = self._connection
        return attempt_call(lambda: work(connection), self._blueprint)

    def _close_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


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
    side_files = [path.with_name(path.name + ending) for ending in _SIDE_FILE_ENDINGS]
    if not blueprint.renewable and not any(file.exists() for file in (path, *side_files)):
        # No process must see our own new file empty. SQLite drops an old log of an empty file only.
        add_file(path, _new_store_bytes(blueprint))
    make_private_file(path)
    # SQLite gives new side files the mode of the file; restrict the existing ones too.
    for side_file in side_files:
        # Another process may remove them meanwhile.
        with suppress(FileNotFoundError):
            restrict_permissions(side_file)
    connection = _connect(path, "mode=rw", blueprint.patience)
    try:
        connection.execute(f"PRAGMA synchronous = {blueprint.synchronous}")
        connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES}")
        if not _has_application_id(connection, blueprint):
            _make_tables(connection, blueprint)
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if not blueprint.busy_handler:
            connection.execute("PRAGMA busy_timeout = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _new_store_bytes(blueprint: Blueprint) -> bytes:
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


def _connect(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=min(_MAX_LOCK_WAIT_SECONDS, patience),
        isolation_level=None,
        check_same_thread=False,
    )


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


def _big_endian_number(data: bytes) -> int:
    return int.from_bytes(data, "big")
