"""Blocks of a Converse stream as they grow."""

import base64
from collections.abc import Mapping, Sequence

from ...values.json import parse
from ..wire import Json


class Piece:
    """One block as it grows: what kind it is shows in what came for it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.call: Json | None = None
        self.result: Json | None = None
        self.arguments = ""
        self.said = ""
        self.thought = ""
        self.signature = ""
        self.redacted: list[str] = []
        self.citations: list[object] = []

    @property
    def speaks(self) -> bool:
        """Whether it is text, as far as can be seen."""
        return self.call is None and not (self.thought or self.signature or self.redacted)

    def whole(self) -> Json:
        """Return the block; arguments that were cut off stay the text they are."""
        if self.call is not None:
            held = parse(self.arguments) if self.arguments else {}
            given = held if isinstance(held, Mapping) else self.arguments
            return {"toolUse": {**self.call, "input": given}}
        if self.result is not None:
            return {"toolResult": self.result}
        if self.redacted:
            return {"reasoningContent": {"redactedContent": _joined(self.redacted)}}
        if not self.speaks:
            signed = {"signature": self.signature} if self.signature else {}
            return {"reasoningContent": {"reasoningText": {"text": self.thought, **signed}}}
        if self.citations:
            said = [{"text": self.said}]
            return {"citationsContent": {"content": said, "citations": self.citations}}
        return {"text": self.said}


def _joined(pieces: Sequence[str]) -> str:
    """Return base64 in pieces as one: each of them may have its own padding."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return base64.b64encode(b"".join(base64.b64decode(piece) for piece in pieces)).decode()
    except ValueError:
        return "".join(pieces)
