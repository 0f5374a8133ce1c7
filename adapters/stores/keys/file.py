"""The file of keys: made for its owner alone, opened when it is first needed."""

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
    """The keys in one file. Safe to use from several threads, and beside other processes."""

    is_near = True

    def __init__(self, path: Path) -> None:
        """Keep them at ``path``; nothing is opened or made before it must be."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, StoreError]:
        """Keep a new key with what ``record`` says; None when its name is in use.

        Its id is made here; without a cache scope of its own it is that id.
        """
        made = make_key(record)
        added = self._change(
            lambda file: key_table.insert_key(file, made.record, key_digest(made.text))
        )
        return added.map(lambda kept: made if kept else None)

    def find(self, text: str, /) -> Result[KeyRecord | None, StoreError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        key_id = parse_key_id(text)
        if key_id is None or not self._exists():
            return Success(None)
        known = self._run(lambda file: key_table.find_key(file, key_id))
        return known.map(lambda row: key_owner(text, row))

    def records(self) -> Result[list[KeyRecord], StoreError]:
        """Return every key, also those that were revoked, the oldest first."""
        return self._run(key_table.list_keys) if self._exists() else Success([])

    def revoke(self, name: str, /) -> Result[KeyRecord | None, StoreError]:
        """Revoke the key in use that goes by a name or id; None if there is none."""
        if not self._exists():
            return Success(None)
        return self._change(lambda file: key_table.revoke_key(file, name, record_time()))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _exists(self) -> bool:
        """Tell whether there is a file: asking about a key must not make one."""
        return self._connection is not None or self._path.exists()

    def _change(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run(lambda file: run_transaction(file, lambda: work(file)))

    def _run(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            if self._connection is None:
                opened = open_for_writing(self._path, KEYS)
                if isinstance(opened, Failure):
                    return opened
                self._connection = opened.unwrap()
            connection = self._connection
            return attempt_call(lambda: work(connection), KEYS)
