"""Commands to one Valkey or Redis, with a time limit and a circuit breaker."""

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

from webseam.ports.errors import StoreAway, StoreFailed
from webseam.ports.secrets import Secret
from webseam.ports.stores import StoreState

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
        """Connect to ``address`` with the first command."""
        self._breaker = Breaker(VALKEY_SETTING)
        pool = BlockingConnectionPool.from_url(
            redis_url(address.reveal()),
            max_connections=_MAX_CONNECTIONS,
            timeout=_COMMAND_TIMEOUT_SECONDS,
            socket_timeout=_COMMAND_TIMEOUT_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            # An idle connection may have died meanwhile.
            retry=Retry(NoBackoff(), 1),
            client_name="webseam",
        )
        self._client = Redis(connection_pool=pool)
        # redis gives this method no types.
        self._send: Callable[..., Awaitable[Any]] = self._client.execute_command

    @property
    def state(self) -> StoreState:
        """The state of the server as far as it is known, without a command."""
        return self._breaker.state

    async def send_command(self, store: str, *words: CommandPart) -> Result[Any, ValkeyError]:
        """Send one command and return the reply, as Redis has it."""
        if not self._breaker.allows_call():
            return Failure(StoreAway(store=store, setting=VALKEY_SETTING))
        cancellations = _cancellation_count()
        try:
            async with asyncio.timeout(_COMMAND_TIMEOUT_SECONDS + _CONNECT_SECONDS):
                reply = await self._send(*words)
        except (ServerLost, ServerSlow, ReadOnlyError, OSError):
            self._breaker.record_failure()
            return Failure(StoreAway(store=store, setting=VALKEY_SETTING))
        except RedisError as error:
            # Do not show its message: it may quote what was sent.
            reason = f"its server refused a command ({type(error).__name__})"
            return Failure(StoreFailed(store=store, reason=reason, setting=VALKEY_SETTING))
        if _cancellation_count() > cancellations:
            # The client uses ``wait_for``, which in Python 3.11 loses a cancellation that arrives
            # as the work ends (https://github.com/python/cpython/issues/86296).
            raise asyncio.CancelledError
        self._breaker.record_success()
        return Success(reply)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose(close_connection_pool=True)


def _cancellation_count() -> int:
    """Return how often the current task was cancelled."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def redis_url(address: str) -> str:
    """Return an address in the spelling of the redis client.

    >>> redis_url("valkeys://host:6380/0"), redis_url("redis://host")
    ('rediss://host:6380/0', 'redis://host')
    """
    return "redis" + address.removeprefix("valkey") if address.startswith("valkey") else address


_SERVERS: SharedResources[ValkeyServer] = SharedResources()


class ValkeyClient:
    """A store's client of a server; all clients of an event loop share connections."""

    def __init__(self, address: Secret, store: str) -> None:
        """Connect to ``address`` from the loop of the first command; errors name the ``store``."""
        self._address = address
        self._store = store
        self._loop_and_server: tuple[asyncio.AbstractEventLoop, ValkeyServer] | None = None

    async def send_command(self, *words: CommandPart) -> Result[Any, ValkeyError]:
        """Send one command and return the reply, as Redis has it."""
        return await self._loop_server().send_command(self._store, *words)

    async def run_script(
        self, script: str, keys: tuple[str, ...], *arguments: CommandPart
    ) -> Result[Any, ValkeyError]:
        """Run a Lua script, which gets ``keys`` and ``arguments``, and return its reply."""
        return await self.send_command("EVAL", script, len(keys), *keys, *arguments)

    async def aclose(self) -> None:
        """Leave the shared connections; the last client closes them."""
        if self._loop_and_server is None:
            return
        (loop, _), self._loop_and_server = self._loop_and_server, None
        last = _SERVERS.return_borrowed((self._address.reveal(), loop))
        if last is not None and loop is asyncio.get_running_loop():
            await last.aclose()

    def _loop_server(self) -> ValkeyServer:
        loop = asyncio.get_running_loop()
        if self._loop_and_server is None or self._loop_and_server[0] is not loop:
            name = (self._address.reveal(), loop)
            server = _SERVERS.borrow(name, lambda: ValkeyServer(self._address))
            self._loop_and_server = (loop, server)
        return self._loop_and_server[1]


def valkey_state(address: Secret) -> StoreState:
    """Return the state of a server as far as the running loop knows it, without a command."""
    server = _SERVERS.find_lent((address.reveal(), asyncio.get_running_loop()))
    return "unknown" if server is None else server.state
