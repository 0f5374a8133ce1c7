"""The hashed keys of the gateway in one SQLite file."""

import hashlib
import hmac
import re
import secrets
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from returns.result import Result, Success

from webseam.ports.keys import KeyChange, KeyRecord, NewKey

from .sqlite import Blueprint, StoreError, StoreFile, fetch_rows

KEYS_SETTING = "WEBSEAM_KEYS"
KEYS_BLUEPRINT = Blueprint(
    store="the gateway's keys",
    setting=KEYS_SETTING,
    application_id=0x57534B59,  # "WSKY"
    version=1,
    renewable=False,
    # Read at each request and written by hand. A backup that is put in its place, in whatever way,
    # must count for the next request, so nothing may be in a log beside it.
    journal="DELETE",
    synchronous="FULL",
    patience=10.0,
    schema=(
        """CREATE TABLE keys (id TEXT PRIMARY KEY, digest BLOB NOT NULL,
        record BLOB NOT NULL) WITHOUT ROWID""",
    ),
)
# wsk_ID_SECRET: the id finds the row, so that the time does not depend on the number of keys.
_KEY_PATTERN = re.compile(r"wsk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_EMPTY_DIGEST = b"\x00" * hashlib.sha256().digest_size


def insert_key(connection: sqlite3.Connection, record: KeyRecord, digest: bytes) -> bool:
    """Store a new key; return False and change nothing when an active key has its name."""
    if any(
        existing.name == record.name and existing.revoked is None
        for existing in list_keys(connection)
    ):
        return False
    connection.execute(
        "INSERT INTO keys VALUES (?, ?, ?)", (record.id, digest, msgspec.json.encode(record))
    )
    return True


def list_keys(connection: sqlite3.Connection) -> list[KeyRecord]:
    """Return every key, also revoked ones, the oldest first."""
    rows = fetch_rows(connection, "SELECT record FROM keys", (), tuple[bytes])
    records = [msgspec.json.decode(record, type=KeyRecord) for (record,) in rows]
    return sorted(records, key=lambda record: (record.made, record.id))


def find_key(connection: sqlite3.Connection, key_id: str) -> tuple[bytes, KeyRecord] | None:
    """Return the digest and the record under an id."""
    rows = fetch_rows(
        connection, "SELECT digest, record FROM keys WHERE id = ?", (key_id,), tuple[bytes, bytes]
    )
    if not rows:
        return None
    digest, record = rows[0]
    return digest, msgspec.json.decode(record, type=KeyRecord)


def change_key(connection: sqlite3.Connection, name: str, change: KeyChange) -> KeyRecord | None:
    """Change the key with a name or id and return it; None if there is none, or it is revoked."""
    matching = (record for record in list_keys(connection) if name in (record.name, record.id))
    record = next((record for record in matching if record.revoked is None), None)
    if record is None:
        return None
    changed = change.apply(record)
    connection.execute(
        "UPDATE keys SET record = ? WHERE id = ?", (msgspec.json.encode(changed), changed.id)
    )
    return changed


def generate_key(record: KeyRecord) -> NewKey:
    """Make a key for ``record``; its id is the cache scope if the record has none."""
    key_id = secrets.token_hex(6)
    new_record = msgspec.structs.replace(
        record, id=key_id, made=current_record_time(), cache=record.cache or key_id
    )
    return NewKey(record=new_record, text=f"wsk_{key_id}_{secrets.token_urlsafe(32)}")


def parse_key_id(text: str) -> str | None:
    """Return the id in a text that looks like a key; else None."""
    match = _KEY_PATTERN.fullmatch(text)
    return None if match is None else match[1]


def verify_key(text: str, row: tuple[bytes, KeyRecord] | None) -> KeyRecord | None:
    """Return the record in ``row`` if the text matches its digest and the key is good now."""
    digest, record = row or (_EMPTY_DIGEST, None)
    is_match = hmac.compare_digest(digest, key_digest(text))
    if not is_match or record is None or not record.is_good(current_record_time()):
        return None
    return record


def key_digest(text: str) -> bytes:
    """Return the stored hash of a key."""
    return hashlib.sha256(text.encode()).digest()


def current_record_time() -> str:
    """Return the current time as records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class KeyFile(StoreFile):
    """Gateway keys in one file, which only its owner can read. Several processes may use it."""

    is_near = True

    def __init__(self, path: Path) -> None:
        """Store keys at ``path``, which is opened or made when it is needed."""
        super().__init__(path, KEYS_BLUEPRINT)

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, StoreError]:
        """Store a new key for ``record``; return None when its name is in use.

        The key gets a new id, which is also its cache scope if the record has none.
        """
        new_key = generate_key(record)
        outcome = self._run_change(
            lambda file: insert_key(file, new_key.record, key_digest(new_key.text))
        )
        return outcome.map(lambda is_added: new_key if is_added else None)

    def find(self, text: str, /) -> Result[KeyRecord | None, StoreError]:
        """Return the record of a key's text; None when it is unknown, revoked or expired."""
        key_id = parse_key_id(text)
        if key_id is None or not self._file_exists():
            return Success(None)
        outcome = self._run_sql(lambda file: find_key(file, key_id))
        return outcome.map(lambda row: verify_key(text, row))

    def records(self) -> Result[list[KeyRecord], StoreError]:
        """Return every key, also revoked ones, the oldest first."""
        return self._run_sql(list_keys) if self._file_exists() else Success([])

    def change(self, name: str, change: KeyChange, /) -> Result[KeyRecord | None, StoreError]:
        """Change the key with a name or id, unless it is revoked; None if there is none."""
        if not self._file_exists():
            return Success(None)
        return self._run_change(lambda file: change_key(file, name, change))

    def revoke(self, name: str, /) -> Result[KeyRecord | None, StoreError]:
        """Revoke the key with a name or id and return it; None if there is none."""
        return self.change(name, KeyChange(revoked=current_record_time()))

    def _file_exists(self) -> bool:
        """Tell whether there is or was a file: looking up a key must not make one."""
        return self._was_open or self._path.exists()
