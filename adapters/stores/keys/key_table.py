"""The table of gateway keys. Call each function inside one transaction.

A key is 256 random bits, so a plain hash is safe: guessing is hopeless.
"""

import sqlite3

import msgspec

from ....ports.keys import KeyRecord
from ..sqlite import Blueprint, fetch_rows

KEYS_SETTING = "WEBSEAM_KEYS"
KEYS = Blueprint(
    store="the gateway's keys",
    setting=KEYS_SETTING,
    application_id=0x57534B59,  # "WSKY"
    version=1,
    synchronous="FULL",
    patience=10.0,
    schema=(
        """
        CREATE TABLE keys (
            id TEXT PRIMARY KEY,
            digest BLOB NOT NULL,
            record BLOB NOT NULL
        ) WITHOUT ROWID
        """,
    ),
)


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


def revoke_key(connection: sqlite3.Connection, name: str, now: str) -> KeyRecord | None:
    """Revoke the active key with a name or id and return it; None if there is none."""
    matching = (record for record in list_keys(connection) if name in (record.name, record.id))
    record = next((record for record in matching if record.revoked is None), None)
    if record is None:
        return None
    revoked = msgspec.structs.replace(record, revoked=now)
    connection.execute(
        "UPDATE keys SET record = ? WHERE id = ?", (msgspec.json.encode(revoked), revoked.id)
    )
    return revoked
