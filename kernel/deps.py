"""What the kernel's two tools are given to work with."""

from typing import Literal, TypeAlias

import msgspec

from ..ports.texts import TextStore
from ..ports.web import Compressor, WebBackend
from .trim import Budget

COMPRESS_MIN_LENGTH = 5000
INSTRUCTION = (
    "Keep every fact, figure, name, date, quotation and code block that a reader would need; "
    "leave out navigation, advertising and repetition."
)

RowPolicy: TypeAlias = Literal["strict", "quarantine"]


class WebDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, an optional compressor, what to do with a bad row, and how long a page may be.

    ``rows="strict"`` fails the whole call on one bad row. ``rows="quarantine"`` returns the good
    rows, and the rejected ones with reasons. A page over ``budget`` is trimmed, and kept whole in
    ``texts`` if that is there.
    """

    backend: WebBackend
    compressor: Compressor | None = None
    compress_min_length: int = COMPRESS_MIN_LENGTH
    instruction: str = INSTRUCTION
    rows: RowPolicy = "strict"
    budget: Budget | None = None
    texts: TextStore | None = None
