"""The cache file: one row for each answer, with a checksum over all that matters in it."""

import hashlib
import struct

from ..blueprint import Blueprint

CACHE_SETTING = "WEBSEAM_CACHE"

CACHE = Blueprint(
    store="cached answers",
    setting=CACHE_SETTING,
    application_id=0x57534348,  # "WSCH"
    version=1,
    # A process that is killed loses nothing; a power cut may take the last answers, no harm done.
    synchronous="NORMAL",
    patience=5.0,
    schema=(
        """
        CREATE TABLE answers (
            key BLOB NOT NULL UNIQUE,
            backend TEXT NOT NULL,
            operation TEXT NOT NULL,
            payload BLOB NOT NULL,
            stored_at REAL NOT NULL,
            expires_at REAL NOT NULL,
            used_at REAL NOT NULL,
            size INTEGER NOT NULL,
            checksum BLOB NOT NULL
        )
        """,
        "CREATE INDEX answers_by_use ON answers (used_at, size)",
    ),
)


def checksum(key: bytes, payload: bytes, stored_at: float, expires_at: float) -> bytes:
    """Return what shows that a row is whole and is the answer to its own key."""
    whole = hashlib.blake2b(key, digest_size=16)
    whole.update(struct.pack(">dd", stored_at, expires_at))
    whole.update(payload)
    return whole.digest()
