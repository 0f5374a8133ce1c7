"""Keep one MCP server for each principal, with its own budget, cache and texts."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
import hmac
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeAlias

import msgspec
from returns.result import Failure

from webseam.adapters.caches import RecentValues
from webseam.adapters.call_context import CALL_OWNER
from webseam.composition.doors.mcp.exchange import McpExchange
from webseam.composition.doors.mcp.json_rpc import Json
from webseam.composition.doors.mcp.mcp_server import McpServer
from webseam.composition.doors.mcp.mcp_tasks import McpTasks
from webseam.composition.doors.mcp.offer import Outcome, Toolset
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import PAGE_URI_PREFIX, WebOffer
from webseam.composition.session import use_session_memory
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.store_setup import KeyRates, KeyRing
from webseam.ports.errors import CallRefused, RateLimited
from webseam.ports.keys import KeyRecord, KeyStore, KeyTool
from webseam.ports.secrets import Secret

from ..key_guessing import TOO_MANY_GUESSES_MESSAGE, GuessLimiter
from .delivery import Headers
from .heads import McpHead

KEY_TOOLS_BY_NAME: dict[str, KeyTool] = {
    "web_search": "search", "web_extract": "extract", "web_more": "more", "web_data": "data",
    "x_search": "x", "web_ask": "ask",
}  # fmt: skip
_NO_KEY_MESSAGE = "A key is needed, and there is none: send Authorization: Bearer KEY."
_MAX_OPEN_SERVERS = 32


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """The caller of a request. ``record`` limits what its key may do; None means no limit."""

    id: str
    record: KeyRecord | None = None

    def may_call(self, tool: str) -> bool:
        """Tell whether this principal may call a tool."""
        return self.record is None or self.record.may_call(KEY_TOOLS_BY_NAME[tool])


class Challenge(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal to authenticate, with the headers that say how."""

    status: int
    message: str
    headers: Headers = ()


class Authenticator(Protocol):
    """Identifies the caller of a request."""

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return the principal, or a challenge."""


LOCAL_PRINCIPAL = Principal(id="local")
OWNER = Principal(id="owner")


def bearer_token(head: McpHead) -> str | None:
    """Return the bearer token in the Authorization header; None without one."""
    scheme, _, token = head.get("authorization").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def mcp_request_key(head: McpHead) -> str | None:
    """Return the bearer token or the X-Api-Key of a request; None without either."""
    return bearer_token(head) or head.get("x-api-key") or None


class KeyAuthenticator:
    """Admits callers with the token or a key; if ``open_``, also callers without a key."""

    def __init__(self, token: Secret, keys: KeyStore, *, open_: bool) -> None:
        """Compare with ``token`` and ``keys``."""
        self._token = token.reveal().encode()
        self._keys = KeyRing(keys)
        self._open = open_ and not self._token
        self._guesses = GuessLimiter()

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return the principal of the key, or a challenge."""
        text = mcp_request_key(head)
        if text is None:
            return LOCAL_PRINCIPAL if self._open else _key_challenge(_NO_KEY_MESSAGE)
        wait = self._guesses.guess_delay(head.peer)
        if self._token and wait is None and hmac.compare_digest(self._token, text.encode()):
            return OWNER
        if isinstance(key_lookup := await self._keys.find(text), Failure):
            return Challenge(status=503, message=key_lookup.failure().message)
        record = key_lookup.unwrap()
        if record is not None:
            return Principal(id=record.id, record=record)
        self._guesses.count_guess(head.peer)
        if wait is None:
            return _key_challenge("This is no key in use here.")
        later = (("retry-after", str(math.ceil(wait))),)
        return Challenge(status=429, message=TOO_MANY_GUESSES_MESSAGE, headers=later)


def _key_challenge(message: str) -> Challenge:
    return Challenge(status=401, message=message, headers=(("www-authenticate", "Bearer"),))


MakeToolset: TypeAlias = Callable[[Principal], Toolset]


def tenant_tools_maker(parts: ToolboxOverrides, root: Root) -> MakeToolset:
    """Return a function that makes the tools of a principal from settings read once."""
    return lambda principal: UsersTools(parts, principal.record, root)


MakeServer: TypeAlias = Callable[..., McpServer]


class TenantOffer(WebOffer):
    """The tools that the key of a principal allows, within its rate."""

    def __init__(self, principal: Principal, make: MakeToolset, rates: KeyRates) -> None:
        """Offer to ``principal``."""
        super().__init__(lambda: make(principal))
        self.principal = principal
        self._rates = rates
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def tools(self) -> list[Json]:
        """Return the tools that this principal may call."""
        return [tool for tool in await super().tools() if self.principal.may_call(tool["name"])]

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Call a tool; refuse if the key forbids it or is over its rate."""
        unknown_tool = self.unknown_tool_error(name)
        if unknown_tool is not None:
            return unknown_tool
        if not self.principal.may_call(name):
            return _refusal_result(CallRefused(by="the key", reason=f"it may not call {name}"))
        seconds = await self._rates.count_call(self.principal.record)
        if seconds:
            retry_after = round(seconds, 2)
            return _refusal_result(RateLimited(backend="this server", retry_after=retry_after))
        CALL_OWNER.set(self.principal.id)
        with self._use_toolset(exchange):
            return await super().call(exchange, name, arguments)

    async def read(self, exchange: McpExchange, uri: str, /) -> list[Json] | None:
        """Return a resource; a page is one for a key that may go on in pages, and its domains."""
        if uri.startswith(PAGE_URI_PREFIX) and not self.principal.may_call("web_more"):
            return None
        with self._use_toolset(exchange):
            return await super().read(exchange, uri)

    @contextmanager
    def _use_toolset(self, exchange: McpExchange) -> Iterator[None]:
        """Keep the tools open, and let them see the memory of the session."""
        self._calls += 1
        self._idle.clear()
        try:
            with use_session_memory(exchange.session.memory):
                yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()

    async def retire(self) -> None:
        """Close when the last call is over."""
        await self._idle.wait()
        await self.aclose()


def _refusal_result(error: CallRefused | RateLimited) -> Json:
    """Return the tool result for a call that the key may not make."""
    from webseam.composition.doors.mcp.result_fence import new_result_fence
    from webseam.composition.doors.mcp.tool_results import mcp_failure_result
    from webseam.kernel.envelopes import error_reply  # loads the kernel

    return mcp_failure_result(error_reply(error), error, new_result_fence())


class TenantServers:
    """The open servers. Over the limit, the least recently used closes after its calls."""

    def __init__(
        self,
        make: MakeToolset,
        server: MakeServer = McpServer,
        rates: KeyRates | None = None,
        tasks: McpTasks | None = None,
    ) -> None:
        """Make the toolset of a principal with ``make``; calls of keys are counted by ``rates``.

        ``tasks`` outlive the server of their owner, which may close and open again.
        """
        self._make = make
        self._server = server
        self._rates = rates or KeyRates()
        self._tasks = tasks or McpTasks()
        self._open: RecentValues[str, tuple[TenantOffer, McpServer]]
        self._open = RecentValues(_MAX_OPEN_SERVERS)
        self._closing: set[asyncio.Task[None]] = set()

    def server_of(self, principal: Principal) -> McpServer:
        """Return the server of a principal."""
        tenant = self._open.get(principal.id)
        if tenant is None or tenant[0].principal != principal:
            # The limits of a key may have changed since its last call.
            outdated = () if tenant is None else (tenant,)
            offer = TenantOffer(principal, self._make, self._rates)
            tenant = (offer, self._server(offer, tasks=self._tasks, owner=principal.id))
            self._retire_tenants((*outdated, *self._open.put(principal.id, tenant)))
        return tenant[1]

    def renew(self, make: MakeToolset) -> None:
        """Make the tools of every principal again with ``make``."""
        self._make = make
        self._retire_tenants(self._open.clear())

    async def aclose(self) -> None:
        """Close all servers after their calls have ended."""
        await self._tasks.aclose()
        self._retire_tenants(self._open.clear())
        await asyncio.gather(*self._closing)
        await self._rates.aclose()

    def _retire_tenants(self, tenants: Iterable[tuple[TenantOffer, McpServer]]) -> None:
        for offer, _ in tenants:
            task = asyncio.get_running_loop().create_task(offer.retire())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
