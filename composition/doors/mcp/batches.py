"""Batches of messages and of answers, which only revision 2025-03-26 has."""

import threading
from collections.abc import Callable
from typing import TypeAlias

from .exchange import McpSession
from .json_rpc import BATCH_REVISION, NO_BATCH_ERROR, Batch, Json, RpcError, RpcRequest, Unreadable

# Takes the answer to a request once; None for a cancelled request.
Reply: TypeAlias = Callable[[Json | None], None]


def rpc_batch_refusal(session: McpSession) -> RpcError | None:
    """Return an error unless the client agreed on the revision with batches.

    >>> rpc_batch_refusal(McpSession()).code
    -32600
    """
    return None if session.version == BATCH_REVISION else NO_BATCH_ERROR


class BatchAnswers:
    """Collects the answers to a batch and sends them together, in the order of the batch."""

    def __init__(self, batch: Batch, reply: Callable[[list[Json] | None], None]) -> None:
        """Expect an answer to each request and each unreadable message."""
        parts = (part for part in batch.messages if isinstance(part, RpcRequest | Unreadable))
        ids = [part.id for part in parts]
        self._pending = len(ids)
        # Any order is allowed, but some clients read them one by one.
        self._positions: dict[object, int] = {key: position for position, key in enumerate(ids)}
        self._positions[None] = len(ids)
        self._reply = reply
        self._answers: list[Json] = []
        self._lock = threading.Lock()

    def add_answer(self, answer: Json | None) -> None:
        """Take one answer; a batch of cancelled requests sends none."""
        with self._lock:
            self._pending -= 1
            if answer is not None:
                self._answers.append(answer)
            is_complete = not self._pending
        if is_complete:
            # Answers without an id come last.
            positions = self._positions
            self._reply(sorted(self._answers, key=lambda it: positions[it.get("id")]) or None)
