"""Who is let in: keys, rates, the fair queue."""

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
from .http.heads import HostRules, RequestHead, normalise_hosts, public_address
from .http.request_talk import Receive, Stream

_RETRY_SECONDS = 1.0


class QueueLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls run at once, how many of one key, and how many may wait for it.

    The owner, who has no key, may have all of them.
    """

    at_once: int
    each: int
    waiting: int
    waiting_each: int


class FairQueue:
    """Lets calls in. Everything happens on one event loop, between two awaits."""

    def __init__(self, limits: QueueLimits) -> None:
        """Let in as many as ``limits`` say."""
        self._limits = limits
        self._running: Counter[str] = Counter()
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.busy = 0
        self.waiting = 0

    async def enter(self, who: str) -> Refusal | None:
        """Wait for one's turn; ``leave`` must follow. A refusal is told at once."""
        if not self._lines.get(who) and self._has_room(who):
            self._admit(who)
            return None
        line = self._lines.get(who, ())
        if who and len(line) >= self._limits.waiting_each:
            message = "Too many of your calls are waiting already."
            return Refusal(kind="rate", message=message, retry_after=_RETRY_SECONDS)
        if self.waiting >= self._limits.waiting:
            message = "Too many calls are waiting already."
            return Refusal(kind="busy", message=message, retry_after=_RETRY_SECONDS)
        await self._wait(who)
        return None

    async def wait(self, who: str) -> None:
        """Wait however long it takes, as parts of a job do; ``leave`` must follow."""
        if not self._lines.get(who) and self._has_room(who):
            self._admit(who)
        else:
            await self._wait(who)

    def leave(self, who: str) -> None:
        """Make room for the next."""
        self.busy -= 1
        self._running[who] -= 1
        if not self._running[who]:
            del self._running[who]
        self._let_in()

    async def _wait(self, who: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(who, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was let in, and will not come.
                self.leave(who)
            else:
                self._forget(who, turn)
            raise

    def _forget(self, who: str, turn: asyncio.Future[None]) -> None:
        line = self._lines[who]
        line.remove(turn)
        self.waiting -= 1
        if not line:
            del self._lines[who]

    def _let_in(self) -> None:
        while self.busy < self._limits.at_once:
            who = next((who for who in self._lines if self._has_room(who)), None)
            if who is None:
                return
            line = self._lines.pop(who)
            turn = line.popleft()
            if line:
                # Behind everybody else.
                self._lines[who] = line
            self.waiting -= 1
            self._admit(who)
            turn.set_result(None)

    def _admit(self, who: str) -> None:
        self.busy += 1
        self._running[who] += 1

    def _has_room(self, who: str) -> bool:
        few = not who or self._running[who] < self._limits.each
        return few and self.busy < self._limits.at_once


# What the settings say about serving, as the parts of the gateway want it.

_BODY_SECONDS = 10.0
_STREAM_SECONDS = 600.0


class ServeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How large a body may be, and how long its sending and a call may take."""

    body: int
    body_seconds: float = _BODY_SECONDS
    call_seconds: float
    stream_seconds: float = _STREAM_SECONDS
    queue: QueueLimits


def read_serve_limits(settings: ServeSettings) -> ServeLimits:
    """Return the limits; no key has all the places."""
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


def host_rules(settings: ServeSettings) -> HostRules:
    """Return which names are ours, and whose pages may call."""
    return HostRules(
        loopback=is_loopback(settings.host),
        bound=settings.host.lower(),
        hosts=normalise_hosts(settings.hosts),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        proxies=settings.proxies,
    )


# Where calls are let in: whose each is, whether it may, its turn, and how long it takes.

Answer: TypeAlias = Reply | Refusal | None


class LentClients(Protocol):
    """Clients for callers: one for each set of rules."""

    def using(self, caller: GatewayCaller, /) -> AbstractAsyncContextManager[Web]:
        """Lend the client of a caller's rules."""
        ...


Work: TypeAlias = Callable[[Web], Awaitable[Answer]]
SendStream: TypeAlias = Callable[[Stream], Awaitable[None]]
_LOG = logging.getLogger("webseam.serve")
_BUG = Refusal(kind="backend", message="This is a bug in webseam; please report it.")
_LATE = "The call took longer than this gateway lets calls take."


class CallAdmission:
    """Lets calls in, one place for all of them."""

    def __init__(
        self, door: CallerIdentifier, rules: HostRules, limits: ServeLimits, rates: KeyRates
    ) -> None:
        """Tell callers apart by ``door``, and let in as many as ``limits`` and ``rates`` say."""
        self.door = door
        self._rules = rules
        self.queue = FairQueue(limits.queue)
        self._limits = limits
        self.rates = rates

    async def admit(
        self, head: RequestHead, keys: Sequence[str], tool: KeyTool | None
    ) -> GatewayCaller | Refusal:
        """Return whose a call is, or why it is not let in. It is counted."""
        caller = await self.identify(head, keys)
        if isinstance(caller, Refusal):
            return caller
        refusal = None if tool is None else caller.refusal(tool)
        return refusal or await self._counted(caller) or caller

    async def _counted(self, caller: GatewayCaller) -> Refusal | None:
        """Count one call of a key, or say when to come back."""
        seconds = await self.rates.wait(caller.record)
        if not seconds or caller.record is None:
            return None
        message = f"This key may make {caller.record.rate:g} calls a minute."
        return Refusal(kind="rate", message=message, retry_after=seconds)

    async def identify(self, head: RequestHead, keys: Sequence[str]) -> GatewayCaller | Refusal:
        """Return whose a call is, or why it is nobody's. It is not counted."""
        address = public_address(head, self._rules)
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
        """Return what the work gives, in its turn and its time; None when the caller has gone."""
        limit = self._limits.stream_seconds if long else self._limits.call_seconds
        working = asyncio.create_task(self._in_turn(caller, webs, work))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait(
                {working, leaving}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if working.done():
                return working.result()
            return None if leaving.done() else Refusal(kind="deadline", message=_LATE)
        finally:
            leaving.cancel()
            if not working.done():
                working.cancel()
                # Its place is free before anybody is told.
                with suppress(asyncio.CancelledError):
                    await working

    async def _in_turn(self, caller: GatewayCaller, webs: LentClients, work: Work) -> Answer:
        refusal = await self.queue.enter(caller.id)
        if refusal is not None:
            return refusal
        try:
            async with webs.using(caller) as web:
                return await work(web)
        except Exception as error:  # noqa: BLE001  the boundary: a bug is told, and holds no secret
            _LOG.error("a call failed", exc_info=error)
            return _BUG
        finally:
            self.queue.leave(caller.id)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
