"""The text of a key: made once, kept as a hash, and compared in a time that tells nothing."""

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime

import msgspec

from ....ports.keys import KeyRecord, NewKey

# wsk_ID_SECRET: the id finds the row, so that no comparison depends on how many keys there are.
_KEY_PATTERN = re.compile(r"wsk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_EMPTY_DIGEST = b"\x00" * hashlib.sha256().digest_size


def make_key(record: KeyRecord) -> NewKey:
    """Make a key with what ``record`` says; without a cache scope of its own that is its id."""
    key_id = secrets.token_hex(6)
    named = msgspec.structs.replace(
        record, id=key_id, made=record_time(), cache=record.cache or key_id
    )
    return NewKey(record=named, text=f"wsk_{key_id}_{secrets.token_urlsafe(32)}")


def parse_key_id(text: str) -> str | None:
    """Return the id in a text that looks like a key of ours."""
    shape = _KEY_PATTERN.fullmatch(text)
    return None if shape is None else shape[1]


def key_owner(text: str, row: tuple[bytes, KeyRecord] | None) -> KeyRecord | None:
    """Return whose key a text is, given what is kept under its id."""
    digest, record = row or (_EMPTY_DIGEST, None)
    is_it = hmac.compare_digest(digest, key_digest(text))
    return record if is_it and record is not None and record.revoked is None else None


def key_digest(text: str) -> bytes:
    """Return what is kept of a key."""
    return hashlib.sha256(text.encode()).digest()


def record_time() -> str:
    """Return the time as records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
