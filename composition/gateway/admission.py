"""Admit calls: keys, rates and the fair queue."""

import asyncio
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Protocol, TypeAlias

import msgspec

from ...adapters.gateway.refusal import Refusal, Reply
from ...kernel.urls.service_endpoints import is_loopback
from ...ports.keys import KeyTool
from ..client.web import Web
from ..settings.schema import ServeSettings
from ..wiring.store_setup import KeyRates
from .callers import CallerIdentifier, GatewayCaller
from .mcp.delivery import wait_for_mcp_disconnect
from .request_heads import HostRules, RequestHead, gateway_caller_address, normalise_gateway_hosts
from .request_talk import Receive, Stream

_RETRY_SECONDS = 1.0


class QueueLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of running and waiting calls, in total and per key; the owner has no key limit."""

    at_once: int
    each: int
    waiting: int
    waiting_each: int


class FairQueue:
    """Admits calls in a round robin over callers. It needs no lock: one event loop runs it."""

    def __init__(self, limits: QueueLimits) -> None:
        """Admit calls within ``limits``."""
        self._limits = limits
        self._running: Counter[str] = Counter()
        self._waiting_turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.busy = 0
        self.waiting = 0

    async def enter(self, who: str) -> Refusal | None:
        """Wait for a turn; call ``leave`` after it. Return a refusal if the queue is full."""
        if not self._waiting_turns.get(who) and self._has_queue_room(who):
            self._count_running_call(who)
            return None
        line = self._waiting_turns.get(who, ())
        if who and len(line) >= self._limits.waiting_each:
            message = "Too many of your calls are waiting already."
            return Refusal(kind="rate", message=message, retry_after=_RETRY_SECONDS)
        if self.waiting >= self._limits.waiting:
            message = "Too many calls are waiting already."
            return Refusal(kind="busy", message=message, retry_after=_RETRY_SECONDS)
        await self._wait_in_queue(who)
        return None

    async def wait(self, who: str) -> None:
        """Wait for a turn without a limit, for pages of a job; call ``leave`` after it."""
        if not self._waiting_turns.get(who) and self._has_queue_room(who):
            self._count_running_call(who)
        else:
            await self._wait_in_queue(who)

    def leave(self, who: str) -> None:
        """End a turn and start the next waiting call."""
        self.busy -= 1
        self._running[who] -= 1
        if not self._running[who]:
            del self._running[who]
        self._start_waiting_calls()

    async def _wait_in_queue(self, caller_id: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting_turns.setdefault(caller_id, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The turn began just before the cancellation.
                self.leave(caller_id)
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
            caller_id = next(
                (caller_id for caller_id in self._waiting_turns if self._has_queue_room(caller_id)),
                None,
            )
            if caller_id is None:
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

    def _has_queue_room(self, caller_id: str) -> bool:
        is_under_share = not caller_id or self._running[caller_id] < self._limits.each
        return is_under_share and self.busy < self._limits.at_once


_BODY_SECONDS = 10.0
_STREAM_SECONDS = 600.0


class ServeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The maximum size of a body, and the times for a body and a call."""

    body: int
    body_seconds: float = _BODY_SECONDS
    call_seconds: float
    stream_seconds: float = _STREAM_SECONDS
    queue: QueueLimits


def read_serve_limits(settings: ServeSettings) -> ServeLimits:
    """Return the limits; one key gets at most three quarters of the running calls."""
    return ServeLimits(
        body=settings.body_kilobytes * 1024,
        call_seconds=settings.timeout,
        queue=QueueLimits(
            at_once=settings.at_once,
            each=max(settings.at_once * 3 // 4, 1),
            waiting=settings.waiting,
            waiting_each=max(settings.waiting // 2, 1),
        ),
    )


def gateway_host_rules(settings: ServeSettings) -> HostRules:
    """Return the allowed hosts, origins and proxies."""
    return HostRules(
        loopback=is_loopback(settings.host),
        bound=settings.host.lower(),
        hosts=normalise_gateway_hosts(settings.hosts),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        proxies=settings.proxies,
    )


Answer: TypeAlias = Reply | Refusal | None


class LentClients(Protocol):
    """Clients for callers, shared by callers with the same rules."""

    def using(self, caller: GatewayCaller, /) -> AbstractAsyncContextManager[Web]:
        """Lend the client for a caller."""


Work: TypeAlias = Callable[[Web], Awaitable[Answer]]
SendStream: TypeAlias = Callable[[Stream], Awaitable[None]]
_LOG = logging.getLogger("webseam.serve")
_BUG_REFUSAL = Refusal(kind="backend", message="This is a bug in webseam; please report it.")
_DEADLINE_MESSAGE = "The call took longer than this gateway lets calls take."


class CallAdmission:
    """Identifies callers and runs their calls within the limits."""

    def __init__(
        self, door: CallerIdentifier, rules: HostRules, limits: ServeLimits, rates: KeyRates
    ) -> None:
        """Identify callers with ``door``; admit calls within ``limits`` and ``rates``."""
        self.door = door
        self._rules = rules
        self.queue = FairQueue(limits.queue)
        self._limits = limits
        self.rates = rates

    async def admit(
        self, head: RequestHead, keys: Sequence[str], tool: KeyTool | None
    ) -> GatewayCaller | Refusal:
        """Return the caller, or a refusal; count the call against its rate."""
        if isinstance(caller := await self.identify(head, keys), Refusal):
            return caller
        refusal = None if tool is None else caller.refusal(tool)
        return refusal or await self._check_key_rate(caller) or caller

    async def _check_key_rate(self, caller: GatewayCaller) -> Refusal | None:
        """Count one call of a key; return a refusal if it is over its rate."""
        seconds = await self.rates.wait(caller.record)
        if not seconds or caller.record is None:
            return None
        message = f"This key may make {caller.record.rate:g} calls a minute."
        return Refusal(kind="rate", message=message, retry_after=seconds)

    async def identify(self, head: RequestHead, keys: Sequence[str]) -> GatewayCaller | Refusal:
        """Return the caller, or a refusal, without counting the call."""
        address = gateway_caller_address(head, self._rules)
        return await self.door.admit(keys, local=not head.forwarded, address=address)

    async def serve(
        self,
        caller: GatewayCaller,
        webs: LentClients,
        work: Work,
        receive: Receive,
        *,
        long: bool = False,
    ) -> Answer:
        """Run ``work`` in its turn; refuse it when late; return None if the caller leaves."""
        limit = self._limits.stream_seconds if long else self._limits.call_seconds
        working = asyncio.create_task(self._serve_in_turn(caller, webs, work))
        leaving = asyncio.create_task(wait_for_mcp_disconnect(receive))
        try:
            await asyncio.wait(
                {working, leaving}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if working.done():
                return working.result()
            return None if leaving.done() else Refusal(kind="deadline", message=_DEADLINE_MESSAGE)
        finally:
            leaving.cancel()
            if not working.done():
                working.cancel()
                # Free the place in the queue before replying.
                with suppress(asyncio.CancelledError):
                    await working

    async def _serve_in_turn(self, caller: GatewayCaller, webs: LentClients, work: Work) -> Answer:
        refusal = await self.queue.enter(caller.id)
        if refusal is not None:
            return refusal
        try:
            async with webs.using(caller) as web:
                return await work(web)
        except Exception as error:  # noqa: BLE001  the boundary: the reply holds no secret
            _LOG.error("a call failed", exc_info=error)
            return _BUG_REFUSAL
        finally:
            self.queue.leave(caller.id)
