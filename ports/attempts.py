"""Record the attempts of a call: which backend, why, and the outcome."""

from typing import Literal, TypeAlias

import msgspec

# first: the first choice. next: the previous one failed, is overdue or cannot be asked. hedge: the
# previous one is late. probe: a test whether the backend works again. beside: in parallel to a
# probe. member: one of several that are fused. again: a retry. last: it rests, but nothing else is
# left to ask. shared: another call at the same time made it, and its receipt has the cost.
Why: TypeAlias = Literal[
    "first", "next", "hedge", "probe", "beside", "member", "again", "last", "shared"
]


class BackendAttempt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One attempt. ``key`` is the number of the key that was used, from 1; never its text.

    ``outcome`` is ``answered``, ``cancelled``, ``unfinished``, or the kind of the error. ``cost``
    is in dollars; 0 is free, and None is unknown. ``cooled_until`` is a Unix time; until then the
    backend is not asked with this key.
    """

    backend: str
    key: int = 1
    why: Why = "first"
    outcome: str = ""
    milliseconds: int = 0
    cost: float | None = 0.0
    cooled_until: float | None = None


def shared_attempts(attempts: tuple[BackendAttempt, ...]) -> tuple[BackendAttempt, ...]:
    """Return the attempts of another call whose answer is used: that call has their cost."""
    return tuple(msgspec.structs.replace(attempt, why="shared", cost=0.0) for attempt in attempts)


class Sighting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The position, from 1, that a row has in the list of one backend.

    ``url`` is how that backend writes the page, if the row has another spelling.
    """

    backend: str
    position: int
    url: str | None = None
