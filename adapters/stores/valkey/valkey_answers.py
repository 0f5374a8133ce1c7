"""The cache in Valkey or Redis, and who of all machines asks for an answer that is not there.

An answer goes by itself when its time is over, and the server's own rules make room. Whoever asks
has a lease, which is renewed for as long as they live and ends by itself soon after they do not.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable

from returns.result import Failure, Result, Success

from ....ports.secrets import Secret
from ....ports.stores import CachedAnswer
from ..cache.local_answers import OWN_LEASE, OwnLease
from .valkey_server import ValkeyClient, ValkeyError

ANSWERS_STORE = "cached answers"
LEASE_SECONDS = 3.0
_RENEWALS_PER_LEASE = 3
# For as long, whoever waited is told that there is nothing to share.
_EMPTY_MILLISECONDS = 1000
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.005, 0.2
_CHECKSUM_BYTES = 16
_MILLISECONDS_PER_SECOND = 1000

# Nobody leads where the answer is already: it came between their look and this.
_LEAD_SCRIPT = """
if redis.call('exists', KEYS[2]) == 1 then return false end
return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
"""
_RENEW_SCRIPT = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])
"""
_END_SCRIPT = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], '', 'PX', ARGV[2])
return 1
"""


class ValkeyAnswers:
    """An ``AnswerStore`` that several machines share."""

    def __init__(self, address: Secret, max_bytes: int, *, lease: float = LEASE_SECONDS) -> None:
        """Keep answers at ``address`` that are not larger than a quarter of ``max_bytes``."""
        self._line = ValkeyClient(address)
        self._most_bytes = max_bytes
        self._lease = lease

    async def look_up(self, key: bytes, /) -> Result[bytes | None, ValkeyError]:
        """Return the payload under ``key`` if it is whole; one that is not is thrown away."""
        reply = await self._line.ask(ANSWERS_STORE, "GET", _answer_key(key))
        value = reply.value_or(None)
        if value is None:
            return reply
        payload = value[_CHECKSUM_BYTES:]
        if value[:_CHECKSUM_BYTES] == _valkey_answer_checksum(key, payload):
            return Success(payload)
        return (await self._line.ask(ANSWERS_STORE, "DEL", _answer_key(key))).map(lambda _: None)

    async def keep(self, answer: CachedAnswer, /) -> Result[None, ValkeyError]:
        """Store an answer until its time is over; one that is too large is not worth the room."""
        left = round((answer.expires_at - answer.stored_at) * _MILLISECONDS_PER_SECOND)
        if answer.size > self._most_bytes // 4 or left <= 0:
            return Success(None)
        value = _valkey_answer_checksum(answer.key, answer.payload) + answer.payload
        kept = await self._line.ask(
            ANSWERS_STORE, "SET", _answer_key(answer.key), value, "PX", left
        )
        return kept.map(lambda _: None)

    async def lead(self, key: bytes, /) -> "SharedLease | OwnLease | None":
        """Take the right to ask; None if another has it. Who cannot know asks for themselves."""
        token, milliseconds = secrets.token_hex(8), round(self._lease * _MILLISECONDS_PER_SECOND)
        led = await self._line.ask(
            ANSWERS_STORE,
            "EVAL",
            _LEAD_SCRIPT,
            2,
            _lease_key(key),
            _answer_key(key),
            token,
            milliseconds,
        )
        if isinstance(led, Failure):
            return OWN_LEASE
        if led.unwrap() is None:
            return None

        async def renew() -> None:
            await self._line.ask(
                ANSWERS_STORE, "EVAL", _RENEW_SCRIPT, 1, _lease_key(key), token, milliseconds
            )

        async def end(rest: int) -> None:
            await self._line.ask(
                ANSWERS_STORE, "EVAL", _END_SCRIPT, 1, _lease_key(key), token, rest
            )

        return SharedLease(renew, end, self._lease / _RENEWALS_PER_LEASE)

    async def landed(self, key: bytes, /) -> bool:
        """Wait for whoever asks; False when they have nothing to share, or nobody knows."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            reply = await self._line.ask(ANSWERS_STORE, "GET", _lease_key(key))
            if isinstance(reply, Failure) or reply.unwrap() == b"":
                return False
            if reply.unwrap() is None:
                return True
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)

    async def count(self) -> Result[dict[str, int], ValkeyError]:
        """Count the answers, and how many bytes they are."""
        sizes = 0
        names = await self._names()
        for name in names.value_or([]):
            sizes += (await self._line.ask(ANSWERS_STORE, "STRLEN", name)).value_or(0)
        return names.map(lambda every: {"answers": len(every), "bytes": sizes})

    async def clear(self) -> Result[int, ValkeyError]:
        """Throw every answer away; return how many there were."""
        names = await self._names()
        for name in names.value_or([]):
            gone = await self._line.ask(ANSWERS_STORE, "DEL", name)
            if isinstance(gone, Failure):
                return gone
        return names.map(len)

    async def aclose(self) -> None:
        """Let go of the server."""
        await self._line.aclose()

    async def _names(self) -> Result[list[bytes], ValkeyError]:
        names: list[bytes] = []
        cursor: bytes | int = 0
        while True:
            page = await self._line.ask(
                ANSWERS_STORE, "SCAN", cursor, "MATCH", "webseam:{*}:answer", "COUNT", 500
            )
            if isinstance(page, Failure):
                return page
            cursor, some = page.unwrap()
            names += some
            if int(cursor) == 0:
                return Success(names)


class SharedLease:
    """The right to ask, which others wait for the end of."""

    def __init__(
        self,
        renew: Callable[[], Awaitable[None]],
        end: Callable[[int], Awaitable[None]],
        every: float,
    ) -> None:
        """Renew it ``every`` so many seconds, for as long as this process lives."""
        self._end = end
        self._task = asyncio.create_task(_renew_lease_forever(renew, every))

    async def end(self, *, kept: bool) -> None:
        """Give it back, and tell those who wait whether there is an answer."""
        self._task.cancel()
        await self._end(0 if kept else _EMPTY_MILLISECONDS)


async def _renew_lease_forever(renew: Callable[[], Awaitable[None]], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        await renew()


def _valkey_answer_checksum(key: bytes, payload: bytes) -> bytes:
    """Return what shows that a value is whole and is the answer to its own key."""
    return hashlib.blake2b(payload, key=key[:64], digest_size=_CHECKSUM_BYTES).digest()


def _answer_key(key: bytes) -> str:
    # What is in braces decides, in a cluster, who keeps it: both names of a key are together.
    return f"webseam:{{{key.hex()}}}:answer"


def _lease_key(key: bytes) -> str:
    return f"webseam:{{{key.hex()}}}:flight"
