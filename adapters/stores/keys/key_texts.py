"""The text of a gateway key: made once, stored as a hash, compared in constant time."""

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime

import msgspec

from ....ports.keys import KeyRecord, NewKey

# wsk_ID_SECRET: the id finds the row, so that the time does not depend on the number of keys.
_KEY_PATTERN = re.compile(r"wsk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_EMPTY_DIGEST = b"\x00" * hashlib.sha256().digest_size


def make_key(record: KeyRecord) -> NewKey:
    """Make a key for ``record``; its id is the cache scope if the record has none."""
    key_id = secrets.token_hex(6)
    new_record = msgspec.structs.replace(
        record, id=key_id, made=record_time(), cache=record.cache or key_id
    )
    return NewKey(record=new_record, text=f"wsk_{key_id}_{secrets.token_urlsafe(32)}")


def parse_key_id(text: str) -> str | None:
    """Return the id in a text that looks like a key; else None."""
    match = _KEY_PATTERN.fullmatch(text)
    return None if match is None else match[1]


def key_owner(text: str, row: tuple[bytes, KeyRecord] | None) -> KeyRecord | None:
    """Return the record in ``row`` if the text matches its digest and it is not revoked."""
    digest, record = row or (_EMPTY_DIGEST, None)
    is_match = hmac.compare_digest(digest, key_digest(text))
    return record if is_match and record is not None and record.revoked is None else None


def key_digest(text: str) -> bytes:
    """Return the stored hash of a key."""
    return hashlib.sha256(text.encode()).digest()


def record_time() -> str:
    """Return the current time as records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
