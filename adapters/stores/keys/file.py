"""The file of gateway keys, which only its owner can read."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from returns.result import Failure, Result, Success

from ....ports.keys import KeyRecord, NewKey
from ..sqlite import StoreError, attempt_call, open_for_writing, run_transaction
from . import key_table
from .key_table import KEYS
from .key_texts import key_digest, key_owner, make_key, parse_key_id, record_time

Value = TypeVar("Value")


class KeyFile:
    """Gateway keys in one file. Safe to use from several threads and processes."""

    is_near = True

    def __init__(self, path: Path) -> None:
        """Store keys at ``path``, which is opened or made when it is needed."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, StoreError]:
        """Store a new key for ``record``; return None when its name is in use.

        The key gets a new id, which is also its cache scope if the record has none.
        """
        new_key = make_key(record)
        outcome = self._run_change(
            lambda file: key_table.insert_key(file, new_key.record, key_digest(new_key.text))
        )
        return outcome.map(lambda is_added: new_key if is_added else None)

    def find(self, text: str, /) -> Result[KeyRecord | None, StoreError]:
        """Return the record of a key's text; None when the key is unknown or revoked."""
        key_id = parse_key_id(text)
        if key_id is None or not self._file_exists():
            return Success(None)
        outcome = self._run_sql(lambda file: key_table.find_key(file, key_id))
        return outcome.map(lambda row: key_owner(text, row))

    def records(self) -> Result[list[KeyRecord], StoreError]:
        """Return every key, also revoked ones, the oldest first."""
        return self._run_sql(key_table.list_keys) if self._file_exists() else Success([])

    def revoke(self, name: str, /) -> Result[KeyRecord | None, StoreError]:
        """Revoke the active key with a name or id and return it; None if there is none."""
        if not self._file_exists():
            return Success(None)
        return self._run_change(lambda file: key_table.revoke_key(file, name, record_time()))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _file_exists(self) -> bool:
        """Tell whether there is a file: looking up a key must not make one."""
        return self._connection is not None or self._path.exists()

    def _run_change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run_sql(lambda file: run_transaction(file, lambda: work(file)))

    def _run_sql(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            if self._connection is None:
                opened = open_for_writing(self._path, KEYS)
                if isinstance(opened, Failure):
                    return opened
                self._connection = opened.unwrap()
            connection = self._connection
            return attempt_call(lambda: work(connection), KEYS)
