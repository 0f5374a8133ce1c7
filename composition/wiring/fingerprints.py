"""Fingerprints of the key and the address of a backend, under which its health is stored."""

from collections.abc import Set as AbstractSet

from .backend_rows import BackendRow


def access_fingerprint(row: BackendRow, number: int) -> str:
    """Return the fingerprint of one key of a backend, counted from 1."""
    key = "" if row.settings is None else row.settings.accesses[number - 1].key
    return key_fingerprint(row.cache_identity, key)


def access_fingerprints(row: BackendRow) -> AbstractSet[str]:
    """Return the fingerprints of all keys that a backend has now."""
    count = 1 if row.settings is None else len(row.settings.accesses)
    return {access_fingerprint(row, number) for number in range(1, count + 1)}


def key_fingerprint(identity: str, secret: str) -> str:
    """Return a BLAKE2b digest of what is asked and with which key."""
    import hashlib  # noqa: PLC0415  a search of the index needs none

    text = f"{identity}\n{secret}".encode()
    return hashlib.blake2b(text, digest_size=8, person=b"webseam").hexdigest()
