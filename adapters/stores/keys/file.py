"""The file of keys: made for its owner alone, opened when it is first needed."""

import hashlib
import hmac
import re
import secrets
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ....ports.keys import KeyRecord
from ..sqlite.blueprint import StoreError
from ..sqlite.calls import attempt, transact
from ..sqlite.opening import open_for_writing
from . import table
from .table import KEYS

Value = TypeVar("Value")

# wsk_ID_SECRET: the id finds the row, so that no comparison depends on how many keys there are.
_SHAPE = re.compile(r"wsk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_NOTHING = b"\x00" * hashlib.sha256().digest_size


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was just made: its record, and its text, which nobody can be shown again."""

    record: KeyRecord
    text: str


class KeyFile:
    """The keys in one file. Safe to use from several threads, and beside other processes."""

    def __init__(self, path: Path) -> None:
        """Keep them at ``path``; nothing is opened or made before it must be."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def add(self, record: KeyRecord) -> Result[NewKey | None, StoreError]:
        """Keep a new key with what ``record`` says; None when its name is in use.

        Its id is made here; without a cache scope of its own it is that id.
        """
        key_id = secrets.token_hex(6)
        named = msgspec.structs.replace(
            record, id=key_id, made=_now(), cache=record.cache or key_id
        )
        text = f"wsk_{key_id}_{secrets.token_urlsafe(32)}"
        added = self._change(lambda file: table.insert(file, named, _digest(text)))
        return added.map(lambda kept: NewKey(record=named, text=text) if kept else None)

    def find(self, text: str) -> Result[KeyRecord | None, StoreError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        shape = _SHAPE.fullmatch(text)
        if shape is None or not self._exists():
            return Success(None)
        known = self._run(lambda file: table.look_up(file, shape[1]))
        if isinstance(known, Failure):
            return known
        digest, record = known.unwrap() or (_NOTHING, None)
        is_it = hmac.compare_digest(digest, _digest(text))
        return Success(record if is_it and record is not None and record.revoked is None else None)

    def records(self) -> Result[list[KeyRecord], StoreError]:
        """Return every key, also those that were revoked, the oldest first."""
        return self._run(table.every) if self._exists() else Success([])

    def revoke(self, name: str) -> Result[KeyRecord | None, StoreError]:
        """Revoke the key in use that goes by a name or id; None if there is none."""
        if not self._exists():
            return Success(None)
        return self._change(lambda file: table.revoke(file, name, _now()))

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
        return self._run(lambda file: transact(file, lambda: work(file)))

    def _run(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            if self._connection is None:
                opened = open_for_writing(self._path, KEYS)
                if isinstance(opened, Failure):
                    return opened
                self._connection = opened.unwrap()
            connection = self._connection
            return attempt(lambda: work(connection), KEYS)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
