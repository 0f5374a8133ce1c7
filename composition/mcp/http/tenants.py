"""A server for each principal: tools with its own budget, its own cache, its own texts."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from ...wiring.rates import KeyRates
from ..exchange import McpExchange
from ..json_rpc import Json
from ..mcp_server import McpServer
from ..offer import Outcome
from ..toolset import Toolset
from ..web import WebOffer
from .authentication import Principal

MakeToolset: TypeAlias = Callable[[Principal], Toolset]
MakeServer: TypeAlias = Callable[[WebOffer], McpServer]

_MAX_OPEN_SERVERS = 32


class TenantOffer(WebOffer):
    """What one principal is offered: the tools that its key allows, as often as it allows."""

    def __init__(self, principal: Principal, make: MakeToolset, rates: KeyRates) -> None:
        """Offer to ``principal``."""
        super().__init__(lambda: make(principal))
        self._principal = principal
        self._rates = rates
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def tools(self) -> list[Json]:
        """Return the tools that this principal may call."""
        return [tool for tool in await super().tools() if self._principal.may(tool["name"])]

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Call a tool, if this principal may, and not too often."""
        known = self.unknown(name)
        if known is not None:
            return known
        from .key_refusals import forbidden_result, rate_limit_result  # noqa: PLC0415  it loads the kernel

        if not self._principal.may(name):
            return forbidden_result(name)
        seconds = await self._rates.wait(self._principal.record)
        if seconds:
            return rate_limit_result(seconds)
        self._calls += 1
        self._idle.clear()
        try:
            return await super().call(exchange, name, arguments)
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()

    async def retire(self) -> None:
        """Close when the last call is over."""
        await self._idle.wait()
        await self.aclose()


class TenantServers:
    """The servers in use. Beyond a number, the one that was used longest ago is closed.

    What is closed comes to the end of its calls first.
    """

    def __init__(
        self, make: MakeToolset, server: MakeServer = McpServer, rates: KeyRates | None = None
    ) -> None:
        """Make the toolset of a principal with ``make``; calls of keys are counted by ``rates``."""
        self._make = make
        self._server = server
        self._rates = rates or KeyRates()
        self._open: OrderedDict[str, tuple[TenantOffer, McpServer]] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def server_of(self, principal: Principal) -> McpServer:
        """Return the server of a principal."""
        if principal.id not in self._open:
            offer = TenantOffer(principal, self._make, self._rates)
            self._open[principal.id] = (offer, self._server(offer))
            self._evict()
        self._open.move_to_end(principal.id)
        return self._open[principal.id][1]

    def renew(self, make: MakeToolset) -> None:
        """Have every principal's tools made anew."""
        self._make = make
        self._retire_all()

    async def aclose(self) -> None:
        """Close them all, once their calls have ended."""
        self._retire_all()
        await asyncio.gather(*self._closing)
        await self._rates.aclose()

    def _retire_all(self) -> None:
        offers = [offer for offer, _ in self._open.values()]
        self._open.clear()
        for offer in offers:
            self._retire(offer)

    def _evict(self) -> None:
        while len(self._open) > _MAX_OPEN_SERVERS:
            _, (offer, _) = self._open.popitem(last=False)
            self._retire(offer)

    def _retire(self, offer: TenantOffer) -> None:
        task = asyncio.get_running_loop().create_task(offer.retire())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
