"""What may be kept of an answer, for the next time the same is asked."""

import msgspec


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A complete answer as bytes, and for how many seconds it may stand in for a new one."""

    payload: bytes
    seconds: float
