"""Who was asked on the way to an answer, why, and what came of it."""

from typing import Literal, TypeAlias

import msgspec

# first: the first choice. next: the one before failed, is overdue or cannot be asked. hedge: the
# one before is late. probe: to see whether it is well again. beside: with a probe. member: of
# several that are asked at once. again: the same one once more.
Why: TypeAlias = Literal["first", "next", "hedge", "probe", "beside", "member", "again"]


class BackendAttempt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One attempt. ``key`` is the place of the key that was used, from 1; never its text.

    ``outcome`` is ``answered``, ``cancelled``, ``unfinished``, or the kind of the failure. ``cost``
    is in dollars, as far as prices are known. ``cooled_until`` is a Unix time: before it, the
    backend is not asked again with this key.
    """

    backend: str
    key: int = 1
    why: Why = "first"
    outcome: str = ""
    milliseconds: int = 0
    cost: float = 0.0
    cooled_until: float | None = None


class Sighting(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where one of several backends had a row, from 1."""

    backend: str
    position: int
