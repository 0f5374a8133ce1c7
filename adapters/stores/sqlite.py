"""SQLite files: opened safely, called off the loop, checked against their blueprint."""

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import StoreBusy, StoreFailed
from ...ports.errors.stores import StoreProblem
from ..files import make_file, restrict_permissions

StoreError: TypeAlias = StoreBusy | StoreFailed
_PROBLEM_REASONS: dict[StoreProblem, str] = {
    "missing": "it does not exist yet",
    "corrupt": "it is damaged, and was left as it is",
    "foreign": "its file is not one of webseam's, and was left as it is",
    "newer": "it was written by a newer webseam, and was left as it is",
    "older": "it was written by an older webseam in another form; delete it to begin anew",
    "read_only": "it cannot be written to",
    "full": "the disk is full: make room on it, or keep the file on another",
    "unreachable": "its file cannot be opened",
    "closed": "it was closed, and has to be opened again",
}


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """The file's kind. ``setting`` is where users choose its place.

    ``page_bytes`` is how much of a new file is read and written at once.
    A lock is waited for with ``patience`` seconds, and looked at again after about every ``pause``.
    """

    store: str
    setting: str
    application_id: int
    version: int
    schema: tuple[str, ...]
    synchronous: Literal["NORMAL", "FULL"] = "FULL"
    patience: float = 60.0
    pause: float = 0.05
    page_bytes: int = 4096

    def failed(self, problem: StoreProblem) -> StoreFailed:
        """Name what is wrong with the file."""
        return StoreFailed(
            store=self.store,
            reason=_PROBLEM_REASONS[problem],
            problem=problem,
            setting=self.setting,
        )

    def busy(self) -> StoreBusy:
        """Say that the file was never free."""
        return StoreBusy(store=self.store, waited=self.patience)


# Rows out of SQLite, with the types they were put in with: damage can change even those.

Value = TypeVar("Value")
_LOCK_ERRORS = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
# A file that is not there for us; text in it that is none, which even SQLite's own words may quote;
# values of other types than were put in.
_DAMAGE_ERRORS = (OSError, UnicodeDecodeError, msgspec.DecodeError)
_ERROR_PROBLEMS: tuple[tuple[str, StoreProblem], ...] = (
    ("SQLITE_FULL", "full"),
    # The small file beside the log finds no room to grow. What else cannot be written, by a quota
    # or a limit of the system, may have room.
    ("SQLITE_IOERR_SHMSIZE", "full"),
    ("SQLITE_IOERR_WRITE", "read_only"),
    ("SQLITE_READONLY", "read_only"),
    ("SQLITE_CANTOPEN", "unreachable"),
    ("SQLITE_IOERR", "unreachable"),
    ("SQLITE_PERM", "unreachable"),
    ("SQLITE_AUTH", "unreachable"),
)


def attempt_call(call: Callable[[], Value], blueprint: Blueprint) -> Result[Value, StoreError]:
    """Run ``call`` and return what it gives, or what is wrong with the file.

    SQLite waits for locks by itself, but not for every one: the switch to WAL, for example, fails
    at once. So a lock is waited for here too, until the blueprint's patience ends.
    """
    deadline = time.monotonic() + blueprint.patience
    while True:
        try:
            return Success(call())
        except sqlite3.Error as error:
            name = _sqlite_error_name(error)
            if not name.startswith(_LOCK_ERRORS):
                return Failure(blueprint.failed(_store_problem(name)))
        except _DAMAGE_ERRORS as error:
            unreachable = isinstance(error, OSError)
            return Failure(blueprint.failed("unreachable" if unreachable else "corrupt"))
        if time.monotonic() >= deadline:
            return Failure(blueprint.busy())
        # A little at random: those who look again together meet again.
        time.sleep(blueprint.pause * random.uniform(0.2, 1.5))  # noqa: S311  no secret


def run_transaction(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` in one write transaction: all of it happens, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = work()
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back by itself when the disk is full or the file is damaged.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return done


def run_snapshot(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` on one state of the file, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        return work()
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def _sqlite_error_name(error: sqlite3.Error) -> str:
    """Return SQLite's name for the error; to call it wrongly is a bug of ours, and is raised."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        raise error
    # Python itself complains, without a name, of text in the file that is not UTF-8.
    return getattr(error, "sqlite_errorname", "")


def _store_problem(name: str) -> StoreProblem:
    # Whatever else SQLite says of a file that was ours, its tables are not what we made.
    return next(
        (problem for start, problem in _ERROR_PROBLEMS if name.startswith(start)), "corrupt"
    )


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
    """Return the row that is always there."""
    return msgspec.convert(connection.execute(statement).fetchone(), shape)


def fetch_by_numbers(
    connection: sqlite3.Connection, statement: str, numbers: list[int], shape: type[Shape]
) -> list[Shape]:
    """Return the rows of a list of numbers, which the statement takes as one JSON text."""
    return fetch_rows(connection, statement, (msgspec.json.encode(numbers).decode(),), shape)


# Opening one of our SQLite files: known by its mark before SQLite touches it, made if new.

FileVerdict: TypeAlias = Literal["new", "ours", "foreign", "newer", "older"]
_SQLITE_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_VERSION_SLICE = slice(60, 64)
_APPLICATION_ID_SLICE = slice(68, 72)
_SIDE_FILE_ENDINGS = ("-wal", "-shm", "-journal")
_MAX_LOCK_WAIT_SECONDS = 10.0
# What the write-ahead log keeps of its room when all in it is in the file.
MAX_LOG_BYTES = 16 << 20


def judge_file(path: Path, blueprint: Blueprint) -> FileVerdict:
    """Tell what the file is, from its first bytes alone."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return "new"
    if not header.strip(b"\x00"):
        # Empty, or killed while it was being made: then a journal of ours lies beside it.
        unfinished = not header or path.with_name(path.name + "-journal").exists()
        return "new" if unfinished else "foreign"
    if (
        not header.startswith(_SQLITE_MAGIC)
        or _big_endian_number(header[_APPLICATION_ID_SLICE]) != blueprint.application_id
    ):
        return "foreign"
    return _version_problem(_big_endian_number(header[_VERSION_SLICE]), blueprint) or "ours"


def _version_problem(version: int, blueprint: Blueprint) -> Literal["newer", "older"] | None:
    if version == blueprint.version:
        return None
    return "newer" if version > blueprint.version else "older"


def is_database(path: Path) -> bool:
    """Tell whether the file begins as an SQLite database does, whosesoever it is."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def open_for_writing(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Open the file, and make it first if there is none."""
    return _judge_store_file(path, blueprint).bind(
        lambda _: attempt_call(lambda: _open_or_make_file(path, blueprint), blueprint).bind(
            lambda connection: _check_version(connection, blueprint)
        )
    )


def open_for_reading(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Open the file as it is; also from a folder or disk that cannot be written to."""
    verdict = _judge_store_file(path, blueprint)
    if isinstance(verdict, Failure):
        return verdict
    if verdict.unwrap() == "new":
        return Failure(blueprint.failed("missing"))
    opened = attempt_call(
        lambda: _probe_connection(_connect_sqlite(path, "mode=rw", blueprint.patience)), blueprint
    )
    if isinstance(opened, Failure):
        # WAL needs files beside the file. Where none can be made, nobody can be writing either.
        opened = attempt_call(
            lambda: _probe_connection(_connect_sqlite(path, "immutable=1", blueprint.patience)),
            blueprint,
        )
    return opened.bind(lambda connection: _check_version(connection, blueprint))


def _judge_store_file(path: Path, blueprint: Blueprint) -> Result[FileVerdict, StoreError]:
    judged = attempt_call(lambda: judge_file(path, blueprint), blueprint)
    if isinstance(judged, Failure):
        return judged
    match judged.unwrap():
        case "foreign" | "newer" | "older" as problem:
            return Failure(blueprint.failed(problem))
        case verdict:
            return Success(verdict)


def _open_or_make_file(path: Path, blueprint: Blueprint) -> sqlite3.Connection:
    make_file(path)
    # SQLite gives the files beside it the mode of the file; those of before keep theirs.
    for ending in _SIDE_FILE_ENDINGS:
        # Whoever uses the file meanwhile makes and removes them.
        with suppress(FileNotFoundError):
            restrict_permissions(path.with_name(path.name + ending))
    connection = _connect_sqlite(path, "mode=rw", blueprint.patience)
    try:
        connection.execute(f"PRAGMA synchronous = {blueprint.synchronous}")
        connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES}")
        if not _has_application_id(connection, blueprint):
            # Writes nothing yet, unlike other such pragmas: a file without our mark is nobody's.
            connection.execute(f"PRAGMA page_size = {blueprint.page_bytes}")
            run_transaction(connection, lambda: _make_tables(connection, blueprint))
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection, blueprint: Blueprint) -> None:
    # Another process may have made it between our look and our lock.
    if _has_application_id(connection, blueprint):
        return
    for statement in blueprint.schema:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {blueprint.application_id}")
    connection.execute(f"PRAGMA user_version = {blueprint.version}")


def _check_version(
    connection: sqlite3.Connection, blueprint: Blueprint
) -> Result[sqlite3.Connection, StoreError]:
    """Look again through SQLite: a newer webseam's mark may still be in the write-ahead log."""
    problem = attempt_call(
        lambda: _version_problem(_read_pragma(connection, "user_version"), blueprint), blueprint
    )
    if isinstance(problem, Failure):
        connection.close()
        return problem
    match problem.unwrap():
        case "newer" | "older" as name:
            connection.close()
            return Failure(blueprint.failed(name))
        case _:
            return Success(connection)


def _connect_sqlite(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=min(_MAX_LOCK_WAIT_SECONDS, patience),
        isolation_level=None,
        check_same_thread=False,
    )


def _probe_connection(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Read something, because SQLite opens a file only then."""
    try:
        with closing(connection.execute("SELECT count(*) FROM sqlite_master")) as cursor:
            cursor.fetchone()
    except BaseException:
        # Not only SQLite's: its words about a damaged file may be no text at all.
        connection.close()
        raise
    return connection


def _has_application_id(connection: sqlite3.Connection, blueprint: Blueprint) -> bool:
    return _read_pragma(connection, "application_id") == blueprint.application_id


def _read_pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _big_endian_number(four_bytes: bytes) -> int:
    return int.from_bytes(four_bytes, "big")
