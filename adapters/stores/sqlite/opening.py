"""Opening one of our SQLite files: known by its mark before SQLite touches it, made if new.

Nothing here writes to a file that is not ours. The mark stands in the first hundred bytes of the
file itself because it is written before the switch to WAL.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal, TypeAlias

from returns.result import Failure, Result, Success

from ...files import make_file, restrict_permissions
from .blueprint import Blueprint, StoreError
from .sqlite_calls import attempt_call, run_transaction

Verdict: TypeAlias = Literal["new", "ours", "foreign", "newer", "older"]

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_VERSION = slice(60, 64)
_MARK = slice(68, 72)
_BESIDE = ("-wal", "-shm", "-journal")
_LOCK_WAIT = 10.0
# What the write-ahead log keeps of its room when all in it is in the file.
LOG_BYTES = 16 << 20


def judge_file(path: Path, blueprint: Blueprint) -> Verdict:
    """Tell what the file is, from its first bytes alone."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        return "new"
    if not header.strip(b"\x00"):
        # Empty, or killed while it was being made: then a journal of ours lies beside it.
        unfinished = not header or path.with_name(path.name + "-journal").exists()
        return "new" if unfinished else "foreign"
    if not header.startswith(_MAGIC) or _number(header[_MARK]) != blueprint.application_id:
        return "foreign"
    return _age(_number(header[_VERSION]), blueprint) or "ours"


def _age(version: int, blueprint: Blueprint) -> Literal["newer", "older"] | None:
    if version == blueprint.version:
        return None
    return "newer" if version > blueprint.version else "older"


def is_database(path: Path) -> bool:
    """Tell whether the file begins as an SQLite database does, whosesoever it is."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def open_for_writing(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Open the file, and make it first if there is none."""
    return _judged(path, blueprint).bind(
        lambda _: attempt_call(lambda: _open_or_make(path, blueprint), blueprint).bind(
            lambda connection: _checked(connection, blueprint)
        )
    )


def open_for_reading(path: Path, blueprint: Blueprint) -> Result[sqlite3.Connection, StoreError]:
    """Open the file as it is; also from a folder or disk that cannot be written to."""
    verdict = _judged(path, blueprint)
    if isinstance(verdict, Failure):
        return verdict
    if verdict.unwrap() == "new":
        return Failure(blueprint.failed("missing"))
    opened = attempt_call(lambda: _probed(_connect(path, "mode=rw", blueprint.patience)), blueprint)
    if isinstance(opened, Failure):
        # WAL needs files beside the file. Where none can be made, nobody can be writing either.
        opened = attempt_call(
            lambda: _probed(_connect(path, "immutable=1", blueprint.patience)), blueprint
        )
    return opened.bind(lambda connection: _checked(connection, blueprint))


def _judged(path: Path, blueprint: Blueprint) -> Result[Verdict, StoreError]:
    judged = attempt_call(lambda: judge_file(path, blueprint), blueprint)
    if isinstance(judged, Failure):
        return judged
    match judged.unwrap():
        case "foreign" | "newer" | "older" as problem:
            return Failure(blueprint.failed(problem))
        case verdict:
            return Success(verdict)


def _open_or_make(path: Path, blueprint: Blueprint) -> sqlite3.Connection:
    make_file(path)
    # SQLite gives the files beside it the mode of the file; those of before keep theirs.
    for ending in _BESIDE:
        # Whoever uses the file meanwhile makes and removes them.
        with suppress(FileNotFoundError):
            restrict_permissions(path.with_name(path.name + ending))
    connection = _connect(path, "mode=rw", blueprint.patience)
    try:
        connection.execute(f"PRAGMA synchronous = {blueprint.synchronous}")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        if not _is_marked(connection, blueprint):
            # Writes nothing yet, unlike other such pragmas: a file without our mark is nobody's.
            connection.execute(f"PRAGMA page_size = {blueprint.page_bytes}")
            run_transaction(connection, lambda: _make(connection, blueprint))
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection, blueprint: Blueprint) -> None:
    # Another process may have made it between our look and our lock.
    if _is_marked(connection, blueprint):
        return
    for statement in blueprint.schema:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {blueprint.application_id}")
    connection.execute(f"PRAGMA user_version = {blueprint.version}")


def _checked(
    connection: sqlite3.Connection, blueprint: Blueprint
) -> Result[sqlite3.Connection, StoreError]:
    """Look again through SQLite: a newer webseam's mark may still be in the write-ahead log."""
    problem = attempt_call(lambda: _age(_pragma(connection, "user_version"), blueprint), blueprint)
    if isinstance(problem, Failure):
        connection.close()
        return problem
    match problem.unwrap():
        case "newer" | "older" as name:
            connection.close()
            return Failure(blueprint.failed(name))
        case _:
            return Success(connection)


def _connect(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=min(_LOCK_WAIT, patience),
        isolation_level=None,
        check_same_thread=False,
    )


def _probed(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Read something, because SQLite opens a file only then."""
    try:
        with closing(connection.execute("SELECT count(*) FROM sqlite_master")) as cursor:
            cursor.fetchone()
    except BaseException:
        # Not only SQLite's: its words about a damaged file may be no text at all.
        connection.close()
        raise
    return connection


def _is_marked(connection: sqlite3.Connection, blueprint: Blueprint) -> bool:
    return _pragma(connection, "application_id") == blueprint.application_id


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _number(four_bytes: bytes) -> int:
    return int.from_bytes(four_bytes, "big")
