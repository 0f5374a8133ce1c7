"""The cache in Valkey or Redis, with leases: only one machine asks for a missing answer.

Answers expire by themselves, and the server's own rules evict them. A lease is renewed while its
process lives, and expires soon after the process dies.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable

from returns.result import Failure, Result, Success

from webseam.ports.secrets import Secret
from webseam.ports.stores import CachedAnswer

from ..local_answers import OWN_LEASE, OwnLease
from .server import ValkeyClient, ValkeyError

ANSWERS_STORE = "cached answers"
LEASE_SECONDS = 3.0
_RENEWALS_PER_LEASE = 3
# How long waiting machines can see that the holder stored nothing.
_EMPTY_MARKER_MILLISECONDS = 1000
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.005, 0.2
_CHECKSUM_BYTES = 16
_MILLISECONDS_PER_SECOND = 1000

# There is no lease for an answer that was stored between the lookup and this call.
_TAKE_LEASE_SCRIPT = """
if redis.call('exists', KEYS[2]) == 1 then return false end
return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
"""
_RENEW_LEASE_SCRIPT = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])
"""
_END_LEASE_SCRIPT = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], '', 'PX', ARGV[2])
return 1
"""


class ValkeyAnswers:
    """An ``AnswerStore`` that several machines share."""

    def __init__(self, address: Secret, max_bytes: int, *, lease: float = LEASE_SECONDS) -> None:
        """Store answers at ``address`` up to the size of a quarter of ``max_bytes``."""
        self._client = ValkeyClient(address, ANSWERS_STORE)
        self._max_bytes = max_bytes
        self._lease_seconds = lease

    async def look_up(self, key: bytes, /) -> Result[bytes | None, ValkeyError]:
        """Return the payload under ``key``; delete it and return None if it is damaged."""
        reply = await self._client.send_command("GET", _answer_key(key))
        value = reply.value_or(None)
        if value is None:
            return reply
        payload = value[_CHECKSUM_BYTES:]
        if value[:_CHECKSUM_BYTES] == _answer_checksum(key, payload):
            return Success(payload)
        return (await self._client.send_command("DEL", _answer_key(key))).map(lambda _: None)

    async def keep(self, answer: CachedAnswer, /) -> Result[None, ValkeyError]:
        """Store an answer until it expires, unless it is too large."""
        milliseconds = round((answer.expires_at - answer.stored_at) * _MILLISECONDS_PER_SECOND)
        if answer.size > self._max_bytes // 4 or milliseconds <= 0:
            return Success(None)
        value = _answer_checksum(answer.key, answer.payload) + answer.payload
        name = _answer_key(answer.key)
        reply = await self._client.send_command("SET", name, value, "PX", milliseconds)
        return reply.map(lambda _: None)

    async def take_lease(self, key: bytes, /) -> "SharedLease | OwnLease | None":
        """Take the lease; None if another machine has it. Without the server, every caller asks."""
        token, lease = secrets.token_hex(8), _lease_key(key)
        milliseconds = round(self._lease_seconds * _MILLISECONDS_PER_SECOND)
        keys = (lease, _answer_key(key))
        reply = await self._client.run_script(_TAKE_LEASE_SCRIPT, keys, token, milliseconds)
        if isinstance(reply, Failure):
            return OWN_LEASE
        if reply.unwrap() is None:
            return None

        async def renew() -> None:
            await self._client.run_script(_RENEW_LEASE_SCRIPT, (lease,), token, milliseconds)

        async def end(rest: int) -> None:
            await self._client.run_script(_END_LEASE_SCRIPT, (lease,), token, rest)

        return SharedLease(renew, end, self._lease_seconds / _RENEWALS_PER_LEASE)

    async def wait_for_lease(self, key: bytes, /) -> bool:
        """Wait for the holder of the lease; False when it stored nothing, or the server failed."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            reply = await self._client.send_command("GET", _lease_key(key))
            if isinstance(reply, Failure) or reply.unwrap() == b"":
                return False
            if reply.unwrap() is None:
                return True
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)

    async def count(self) -> Result[dict[str, int], ValkeyError]:
        """Return the number of answers and their bytes."""
        total_bytes = 0
        names = await self._list_answer_keys()
        for name in names.value_or([]):
            total_bytes += (await self._client.send_command("STRLEN", name)).value_or(0)
        return names.map(lambda keys: {"answers": len(keys), "bytes": total_bytes})

    async def clear(self) -> Result[int, ValkeyError]:
        """Delete every answer; return how many there were."""
        names = await self._list_answer_keys()
        for name in names.value_or([]):
            reply = await self._client.send_command("DEL", name)
            if isinstance(reply, Failure):
                return reply
        return names.map(len)

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()

    async def _list_answer_keys(self) -> Result[list[bytes], ValkeyError]:
        names: list[bytes] = []
        cursor: bytes | int = 0
        while True:
            page = await self._client.send_command(
                "SCAN", cursor, "MATCH", "webseam:{*}:answer", "COUNT", 500
            )
            if isinstance(page, Failure):
                return page
            cursor, more_names = page.unwrap()
            names += more_names
            if int(cursor) == 0:
                return Success(names)


class SharedLease:
    """A lease in Valkey; other machines wait for its end."""

    def __init__(
        self,
        renew: Callable[[], Awaitable[None]],
        end: Callable[[int], Awaitable[None]],
        every: float,
    ) -> None:
        """Renew the lease ``every`` so many seconds, until it ends."""
        self._end_lease = end
        self._renewal = asyncio.create_task(_renew_lease(renew, every))

    async def end(self, *, kept: bool) -> None:
        """End the lease, and show waiting machines whether there is an answer."""
        self._renewal.cancel()
        await self._end_lease(0 if kept else _EMPTY_MARKER_MILLISECONDS)


async def _renew_lease(renew: Callable[[], Awaitable[None]], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        await renew()


def _answer_checksum(key: bytes, payload: bytes) -> bytes:
    """Return a checksum; it shows that a payload is intact and belongs to its key."""
    return hashlib.blake2b(payload, key=key[:64], digest_size=_CHECKSUM_BYTES).digest()


def _answer_key(key: bytes) -> str:
    # The braces are a cluster's hash tag: the answer and its lease are on the same node.
    return f"webseam:{{{key.hex()}}}:answer"


def _lease_key(key: bytes) -> str:
    return f"webseam:{{{key.hex()}}}:flight"
