"""Pages to be asked for by somebody, and what came of each; nobody else asks the same hosts."""

from __future__ import annotations

import hashlib

import msgspec

from ...ports.errors import WebError


class FetchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input: the URL to ask now, the one that was ``asked`` for, and the hops between them.

    With ``error`` there is nothing to ask. ``number`` is the row.
    """

    number: int
    url: str
    asked: str
    hops: int = 0
    error: WebError | None = None


class FetchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an errand brought: WARC records, and the errand of whoever has to go on with it.

    ``size`` counts the bytes of the pages.
    """

    records: bytes
    onward: FetchTask | None = None
    size: int = 0


def host_group(authority: str, groups: int) -> int:
    """Return which group a host belongs to: the same on every machine.

    >>> host_group("example.com", 16), host_group("example.com:8080", 16)
    (5, 9)
    """
    return int.from_bytes(hashlib.sha256(authority.encode()).digest()[:8], "big") % groups
