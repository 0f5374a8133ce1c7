"""Answers of chat completions APIs, in the shapes that tests need."""

from collections.abc import Sequence
from typing import Any

import msgspec
from returns.result import Result

from webseam.adapters.features.models.declaration.wire import StreamEvent, Wire
from webseam.ports import Delta, NormalizedResponse, WebError


def answer(message: dict[str, Any], finish: object = "stop", **around: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [choice],
    } | around


def chunk(delta: dict[str, Any], finish: object = None, **around: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "model": "m", "choices": [choice]} | around


def events(*payloads: object) -> list[StreamEvent]:
    return [
        StreamEvent(data=piece if isinstance(piece, str) else msgspec.json.encode(piece).decode())
        for piece in payloads
    ]


def told(
    wire: Wire, stream: Sequence[StreamEvent]
) -> tuple[list[Delta], Result[NormalizedResponse, WebError]]:
    """Fold a stream: the deltas, and the answer."""
    fold = wire.fold(None)
    deltas = [delta for event in stream for delta in fold.feed(event)]
    return deltas, fold.finish()
