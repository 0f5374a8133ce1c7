"""Batches: several messages in one, and the answers to them in one. Only 2025-03-26 has them."""

import threading
from collections.abc import Callable
from typing import TypeAlias

from .exchange import McpSession
from .json_rpc import BATCHED, NO_BATCH, Batch, Json, RpcError, RpcRequest, Unreadable

# Takes the answer to a request, once; None for one that was cancelled, which has no answer.
Reply: TypeAlias = Callable[[Json | None], None]


def batch_refusal(session: McpSession) -> RpcError | None:
    """Return why a client may not send a batch: it agreed on a revision without them, or on none.

    >>> batch_refusal(McpSession()).code
    -32600
    """
    return None if session.version == BATCHED else NO_BATCH


class BatchAnswers:
    """The answers to a batch, given together and in its order when the last of them is there."""

    def __init__(self, batch: Batch, reply: Callable[[list[Json] | None], None]) -> None:
        """Wait for an answer to each message that has one."""
        asked = [each.id for each in batch.messages if isinstance(each, RpcRequest | Unreadable)]
        self._left = len(asked)
        # Any order is allowed; some clients read them one by one.
        self._places: dict[object, int] = {known: place for place, known in enumerate(asked)}
        self._places[None] = len(asked)
        self._reply = reply
        self._answers: list[Json] = []
        self._lock = threading.Lock()

    def take(self, answer: Json | None) -> None:
        """Take one answer. Of nothing but cancelled requests there is none to give."""
        with self._lock:
            self._left -= 1
            if answer is not None:
                self._answers.append(answer)
            whole = not self._left
        if whole:
            self._reply(sorted(self._answers, key=self._place) or None)

    def _place(self, answer: Json) -> int:
        """Return where an answer stands; those to what has no id stand last."""
        return self._places[answer.get("id")]
