"""Where calls are let in: whose each is, whether it may, its turn, and how long it takes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from ....adapters.dialect.http_messages import Reply
from ....adapters.dialect.refusal import Refusal
from ....ports.keys import KeyTool
from ...client.web import Web
from ...wiring.rates import KeyRates
from ..http.bodies import Receive
from ..http.heads import HostRules, RequestHead, public_address
from ..http.replies import Stream
from ..work.shared_clients import SharedClients
from .callers import CallerIdentifier, GatewayCaller
from .fair_queue import FairQueue
from .limits import ServeLimits

Answer: TypeAlias = Reply | Refusal | None
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
        webs: SharedClients,
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

    async def _in_turn(self, caller: GatewayCaller, webs: SharedClients, work: Work) -> Answer:
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
