"""Admit calls: keys, rates and turns in the fair queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Protocol, TypeAlias

import msgspec

from webseam.adapters.caches import RecentValues
from webseam.adapters.features.gateway.replies import Refusal, Reply
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.keys import KeyTool

from ...doors.client.web import Web
from ...wiring.store_setup import KeyRates
from . import request_heads as heads
from .asgi_replies import Receive, Stream
from .callers import CallerIdentifier, GatewayCaller
from .fair_queue import BodyTurns, FairQueue, QueueLimits
from .mcp.delivery import wait_for_disconnect
from .settings import ServeSettings

_MAX_BODY_SECONDS = 10.0
_MAX_STREAM_SECONDS = 600.0
# A memory takes up to 4 MB.
_MAX_SESSION_MEMORIES = 256
_LOG = logging.getLogger("webseam.serve")
_BUG_REFUSAL = Refusal(kind="backend", message="This is a bug in webseam; please report it.")
_DEADLINE_MESSAGE = "The call took longer than this gateway lets calls take."


class ServeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The maximum size of a body, and the times for a body and a call."""

    body: int
    body_seconds: float = _MAX_BODY_SECONDS
    call_seconds: float
    stream_seconds: float = _MAX_STREAM_SECONDS
    queue: QueueLimits


def serve_limits(settings: ServeSettings) -> ServeLimits:
    """Return the limits; one key gets at most three quarters of the running calls."""
    return ServeLimits(
        body=settings.body_kilobytes * 1024,
        call_seconds=settings.timeout,
        queue=QueueLimits(
            at_once=settings.at_once,
            per_owner=max(settings.at_once * 3 // 4, 1),
            waiting=settings.waiting,
            waiting_per_owner=max(settings.waiting // 2, 1),
        ),
    )


def host_rules(settings: ServeSettings) -> heads.HostRules:
    """Return the allowed hosts, origins and proxies, and the path prefix."""
    return heads.HostRules(
        loopback=is_loopback(settings.host),
        bound=settings.host.lower(),
        hosts=heads.normalise_gateway_hosts(settings.hosts),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        proxies=settings.proxies,
        prefix=settings.prefix,
    )


Answer: TypeAlias = Reply | Refusal | None


class ClientLender(Protocol):
    """Clients for callers, shared by callers with the same rules."""

    def lend_client(self, caller: GatewayCaller, /) -> AbstractAsyncContextManager[Web]:
        """Lend the client for a caller."""


Work: TypeAlias = Callable[[Web], Awaitable[Answer]]
SendStream: TypeAlias = Callable[[Stream], Awaitable[None]]


class CallAdmission:
    """Identifies callers and runs their calls within the limits."""

    def __init__(
        self, door: CallerIdentifier, rules: heads.HostRules, limits: ServeLimits, rates: KeyRates
    ) -> None:
        self.door, self._rules = door, rules
        self.queue = FairQueue(limits.queue)
        self.bodies = BodyTurns(limits.queue.waiting)
        self._limits, self.rates = limits, rates
        self._memories: RecentValues[tuple[str, str], SessionMemory] = RecentValues(
            _MAX_SESSION_MEMORIES
        )

    async def admit(self, caller: GatewayCaller, tool: KeyTool | None) -> Refusal | None:
        """Count a call of a caller; return a refusal if it may not make it, or not now."""
        refusal = None if tool is None else caller.explain_refusal(tool)
        return refusal or await self._check_key_rate(caller)

    async def _check_key_rate(self, caller: GatewayCaller) -> Refusal | None:
        if not (seconds := await self.rates.count_call(caller.record)) or caller.record is None:
            return None
        message = f"This key may make {caller.record.rate:g} calls a minute."
        return Refusal(kind="rate", message=message, retry_after=seconds)

    async def identify(
        self, head: heads.RequestHead, keys: Sequence[str]
    ) -> GatewayCaller | Refusal:
        """Return the caller, or a refusal, without counting the call."""
        address = self.caller_address(head)
        return await self.door.admit(keys, local=not head.forwarded, address=address)

    def join_session(self, caller: GatewayCaller, head: heads.RequestHead) -> GatewayCaller:
        """Return the caller with the memory of its key and session id."""
        name = head.headers.get(heads.SESSION_HEADER, "")
        memory = self._memories.get((caller.id, name))
        if memory is None:
            memory = SessionMemory(has_progress=bool(name))
            self._memories.put((caller.id, name), memory)
        return msgspec.structs.replace(caller, memory=memory)

    def caller_address(self, head: heads.RequestHead) -> str:
        """Return the address of the caller."""
        return heads.gateway_caller_address(head, self._rules)

    async def serve(
        self,
        caller: GatewayCaller,
        webs: ClientLender,
        work: Work,
        receive: Receive,
        *,
        long: bool = False,
    ) -> Answer:
        """Run ``work`` in its turn; refuse it when late; return None if the caller leaves."""
        limit = self._limits.stream_seconds if long else self._limits.call_seconds
        leaving = asyncio.create_task(wait_for_disconnect(receive))
        deadline = asyncio.timeout(limit)

        def end_call(_task: asyncio.Task[None]) -> None:
            # Too late for a call that ends in this round of the loop.
            with suppress(RuntimeError):
                deadline.reschedule(0)

        try:
            async with deadline:
                leaving.add_done_callback(end_call)
                return await self._serve_in_turn(caller, webs, work)
        except TimeoutError:
            if not deadline.expired():
                raise
            return None if leaving.done() else Refusal(kind="deadline", message=_DEADLINE_MESSAGE)
        finally:
            leaving.cancel()

    async def _serve_in_turn(self, caller: GatewayCaller, webs: ClientLender, work: Work) -> Answer:
        if (refusal := await self.queue.wait_for_turn(caller.id)) is not None:
            return refusal
        try:
            async with webs.lend_client(caller) as web:
                return await work(web)
        except Exception as error:  # noqa: BLE001  the boundary: the reply holds no secret
            _LOG.error("a call failed", exc_info=error)
            return _BUG_REFUSAL
        finally:
            self.queue.end_turn(caller.id)
