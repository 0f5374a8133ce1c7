"""Commands to one Valkey or Redis. Each ends within a time, and none is sent while it is away."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ConnectionError as ServerLost,
    ReadOnlyError,
    RedisError,
    TimeoutError as ServerSlow,
)
from returns.result import Failure, Result, Success

from ....ports.errors import StoreAway, StoreFailed
from ....ports.secrets import Secret
from ....ports.stores import StoreState
from ..breaker import Breaker
from ..shared_resources import SharedResources

CommandPart: TypeAlias = str | bytes | int | float
ValkeyError: TypeAlias = StoreAway | StoreFailed

VALKEY_SETTING = "stores.valkey"
_MAX_CONNECTIONS = 32
_COMMAND_TIMEOUT_SECONDS = 2.0
_CONNECT_SECONDS = 1.0


class ValkeyServer:
    """One server, for one event loop."""

    def __init__(self, address: Secret) -> None:
        """Speak to ``address``; nothing is opened before the first command."""
        self._breaker = Breaker(VALKEY_SETTING)
        pool = BlockingConnectionPool.from_url(
            redis_url(address.reveal()),
            max_connections=_MAX_CONNECTIONS,
            timeout=_COMMAND_TIMEOUT_SECONDS,
            socket_timeout=_COMMAND_TIMEOUT_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            # A connection that was kept may have died meanwhile.
            retry=Retry(NoBackoff(), 1),
            client_name="webseam",
        )
        self._client = Redis(connection_pool=pool)
        # The one method that we need has no types of its own.
        self._send: Callable[..., Awaitable[Any]] = self._client.execute_command

    @property
    def state(self) -> StoreState:
        """What is known of the server, without asking it."""
        return self._breaker.state

    async def ask(self, store: str, *words: CommandPart) -> Result[Any, ValkeyError]:
        """Send one command and return the reply, as Redis has it."""
        if not self._breaker.allows():
            return Failure(StoreAway(store=store, setting=VALKEY_SETTING))
        wanted = _cancellation_count()
        try:
            async with asyncio.timeout(_COMMAND_TIMEOUT_SECONDS + _CONNECT_SECONDS):
                reply = await self._send(*words)
        except (ServerLost, ServerSlow, ReadOnlyError, OSError):
            self._breaker.fails()
            return Failure(StoreAway(store=store, setting=VALKEY_SETTING))
        except RedisError as error:
            # Its words are not shown: they may quote what was sent.
            reason = f"its server refused a command ({type(error).__name__})"
            return Failure(StoreFailed(store=store, reason=reason, setting=VALKEY_SETTING))
        if _cancellation_count() > wanted:
            # The client uses ``wait_for``, and that of Python 3.11 loses a cancellation that comes
            # when the work is just done (https://github.com/python/cpython/issues/86296).
            raise asyncio.CancelledError
        self._breaker.works()
        return Success(reply)

    async def aclose(self) -> None:
        """Hang up."""
        await self._client.aclose(close_connection_pool=True)


def _cancellation_count() -> int:
    """Return how often the task that runs now was told to end."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def redis_url(address: str) -> str:
    """Return an address as the client spells it.

    >>> redis_url("valkeys://host:6380/0"), redis_url("redis://host")
    ('rediss://host:6380/0', 'redis://host')
    """
    return "redis" + address.removeprefix("valkey") if address.startswith("valkey") else address


_SERVERS: SharedResources[ValkeyServer] = SharedResources()


class ValkeyClient:
    """A store's way to a server. All that use one event loop share connections."""

    def __init__(self, address: Secret) -> None:
        """Speak to ``address``, from whichever loop the first command comes."""
        self._address = address
        self._held: tuple[asyncio.AbstractEventLoop, ValkeyServer] | None = None

    async def ask(self, store: str, *words: CommandPart) -> Result[Any, ValkeyError]:
        """Send one command and return the reply, as Redis has it."""
        return await self._server().ask(store, *words)

    async def aclose(self) -> None:
        """Let go of the server; the last one hangs up."""
        if self._held is None:
            return
        (loop, _), self._held = self._held, None
        last = _SERVERS.give_back((self._address.reveal(), loop))
        if last is not None and loop is asyncio.get_running_loop():
            await last.aclose()

    def _server(self) -> ValkeyServer:
        loop = asyncio.get_running_loop()
        if self._held is None or self._held[0] is not loop:
            name = (self._address.reveal(), loop)
            self._held = (loop, _SERVERS.borrow(name, lambda: ValkeyServer(self._address)))
        return self._held[1]


def valkey_state(address: Secret) -> StoreState:
    """Return what the running loop knows of a server, without asking it."""
    server = _SERVERS.find((address.reveal(), asyncio.get_running_loop()))
    return "unknown" if server is None else server.state
