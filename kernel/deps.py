"""What the kernel's two tools are given to work with."""

from typing import Literal, TypeAlias

import msgspec

from ..ports.web import Compressor, WebBackend

COMPRESS_MIN_LENGTH = 5000
INSTRUCTION = (
    "Keep every fact, figure, name, date, quotation and code block that a reader would need; "
    "leave out navigation, advertising and repetition."
)

RowPolicy: TypeAlias = Literal["strict", "quarantine"]


class WebDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, an optional compressor, and what to do with a bad row.

    ``rows="strict"`` fails the whole call on one bad row. ``rows="quarantine"`` returns the good
    rows, and the rejected ones with reasons.
    """

    backend: WebBackend
    compressor: Compressor | None = None
    compress_min_length: int = COMPRESS_MIN_LENGTH
    instruction: str = INSTRUCTION
    rows: RowPolicy = "strict"
