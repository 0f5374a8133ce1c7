"""What the tokens of a model cost."""

import msgspec


class TokenPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The list price of one model: dollars for a million tokens, and for a call, however long.

    Tokens out of a cache cost ``cached``, into it ``written``; None is as much as ``input``.
    ``page`` is where that was read, ``read`` when.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    call: float = 0.0
    page: str = ""
    read: str = ""
