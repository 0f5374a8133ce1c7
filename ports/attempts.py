"""Record the attempts of a call: which backend, why, and the outcome."""

from typing import Literal, TypeAlias

import msgspec

# first: the first choice. next: the previous one failed, is overdue or cannot be asked. hedge: the
# previous one is late. probe: a test whether the backend works again. beside: in parallel to a
# probe. member: one of several that are fused. again: a retry. last: it rests, but nothing else is
# left to ask.
Why: TypeAlias = Literal["first", "next", "hedge", "probe", "beside", "member", "again", "last"]


class BackendAttempt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One attempt. ``key`` is the number of the key that was used, from 1; never its text.

    ``outcome`` is ``answered``, ``cancelled``, ``unfinished``, or the kind of the error. ``cost``
    is in dollars, as far as prices are known. ``cooled_until`` is a Unix time; until then the
    backend is not asked with this key.
    """

    backend: str
    key: int = 1
    why: Why = "first"
    outcome: str = ""
    milliseconds: int = 0
    cost: float = 0.0
    cooled_until: float | None = None


class Sighting(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The position, from 1, that a row has in the list of one backend."""

    backend: str
    position: int
