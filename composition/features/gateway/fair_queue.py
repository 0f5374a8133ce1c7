"""Turns of callers: a round robin over their keys, for calls and for the parsing of bodies."""

import asyncio
from collections import Counter, OrderedDict, deque

import msgspec

from webseam.adapters.features.gateway.replies import Refusal
from webseam.adapters.features.gateway.request_parsing import MAX_BODY_FIELDS, count_body_fields

_RETRY_SECONDS = 1.0


class QueueLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of running and waiting calls, in total and per key; the owner has no key limit."""

    at_once: int
    per_owner: int
    waiting: int
    waiting_per_owner: int


class FairQueue:
    """Admits calls in a round robin over callers. It needs no lock: one event loop runs it."""

    def __init__(self, limits: QueueLimits) -> None:
        self._limits = limits
        self._running: Counter[str] = Counter()
        self._waiting_turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.busy = 0
        self.waiting = 0

    async def wait_for_turn(self, owner: str) -> Refusal | None:
        """Wait for a turn; call ``end_turn`` after it. Return a refusal if the queue is full."""
        if not self._waiting_turns.get(owner) and self._has_room(owner):
            self._count_running_call(owner)
            return None
        line = self._waiting_turns.get(owner, ())
        if owner and len(line) >= self._limits.waiting_per_owner:
            message = "Too many of your calls are waiting already."
            return Refusal(kind="rate", message=message, retry_after=_RETRY_SECONDS)
        if self.waiting >= self._limits.waiting:
            message = "Too many calls are waiting already."
            return Refusal(kind="busy", message=message, retry_after=_RETRY_SECONDS)
        await self._enqueue_and_wait(owner)
        return None

    async def wait_without_limit(self, owner: str) -> None:
        """Wait for a turn without a limit, for pages of a job; call ``end_turn`` after it."""
        if not self._waiting_turns.get(owner) and self._has_room(owner):
            self._count_running_call(owner)
        else:
            await self._enqueue_and_wait(owner)

    def end_turn(self, owner: str) -> None:
        """End a turn and start the next waiting call."""
        self.busy -= 1
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]
        self._start_waiting_calls()

    async def _enqueue_and_wait(self, caller_id: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting_turns.setdefault(caller_id, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The turn began just before the cancellation.
                self.end_turn(caller_id)
            else:
                self._forget_turn(caller_id, turn)
            raise

    def _forget_turn(self, caller_id: str, turn: asyncio.Future[None]) -> None:
        line = self._waiting_turns[caller_id]
        line.remove(turn)
        self.waiting -= 1
        if not line:
            del self._waiting_turns[caller_id]

    def _start_waiting_calls(self) -> None:
        while self.busy < self._limits.at_once:
            if (caller_id := next(filter(self._has_room, self._waiting_turns), None)) is None:
                return
            line = self._waiting_turns.pop(caller_id)
            turn = line.popleft()
            if line:
                # Move this caller behind the others.
                self._waiting_turns[caller_id] = line
            self.waiting -= 1
            self._count_running_call(caller_id)
            turn.set_result(None)

    def _count_running_call(self, caller_id: str) -> None:
        self.busy += 1
        self._running[caller_id] += 1

    def _has_room(self, caller_id: str) -> bool:
        is_under_share = not caller_id or self._running[caller_id] < self._limits.per_owner
        return is_under_share and self.busy < self._limits.at_once


class BodyTurns:
    """Turns to parse a body: one in a round of the event loop, for one caller after the other."""

    def __init__(self, waiting: int) -> None:
        """Let at most ``waiting`` bodies wait, half of them of one caller."""
        limits = QueueLimits(
            at_once=1, per_owner=1, waiting=waiting, waiting_per_owner=max(waiting // 2, 1)
        )
        self._queue = FairQueue(limits)

    async def enter(self, owner: str, body: bytes) -> Refusal | None:
        """Wait for a turn, and refuse a body with too many fields before anything parses it.

        The turn ends by itself: parse the body at once, without awaiting anything before.
        """
        # A field takes a byte at least, and so few are parsed at once.
        if len(body) <= MAX_BODY_FIELDS:
            return None
        if (refusal := await self._queue.wait_for_turn(owner)) is not None:
            return refusal
        asyncio.get_running_loop().call_soon(self._queue.end_turn, owner)
        if count_body_fields(body) <= MAX_BODY_FIELDS:
            return None
        message = f"The body has more than {MAX_BODY_FIELDS} fields."
        return Refusal(kind="too_large", message=message)
