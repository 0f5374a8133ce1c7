"""Jobs in Valkey or Redis, which expire by themselves.

All keys of one owner have the same hash tag in braces, so that a cluster keeps them on one node.
"""

import hashlib
import time
from collections.abc import Callable
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import StoreFailed
from webseam.ports.jobs import JobName, JobRecord, JobState, KnownJob
from webseam.ports.secrets import Secret

from .server import VALKEY_SETTING, ValkeyClient, ValkeyError

JOBS_STORE = "jobs"
LEASE_SECONDS = 10.0
_MILLISECONDS_PER_SECOND = 1000

# KEYS: the job, its lease, the owner's jobs by their end, the job with this ``again`` key.
_BEGIN_SCRIPT = """
if ARGV[5] == '1' then
  local before = redis.call('get', KEYS[4])
  if before then return before end
  redis.call('set', KEYS[4], ARGV[1], 'PX', ARGV[3])
end
redis.call('hset', KEYS[1], 'record', ARGV[2], 'state', 'scraping')
redis.call('pexpire', KEYS[1], ARGV[3])
redis.call('set', KEYS[2], '1', 'PX', ARGV[4])
local now = redis.call('time')[1]
redis.call('zremrangebyscore', KEYS[3], '-inf', now)
redis.call('zadd', KEYS[3], now + math.ceil(ARGV[3] / 1000), ARGV[1])
redis.call('expire', KEYS[3], 86400)
return ARGV[1]
"""
# KEYS: the job, its pages. ARGV: the position of the first page, and the pages.
_ADD_SCRIPT = """
local left = redis.call('pttl', KEYS[1])
if left < 0 then return 0 end
local noted = redis.call('llen', KEYS[2]) - ARGV[1]
for place = math.max(noted, 0) + 2, #ARGV do redis.call('rpush', KEYS[2], ARGV[place]) end
redis.call('pexpire', KEYS[2], left)
return 1
"""
# KEYS: the job, its lease.
_RENEW_SCRIPT = """
local state = redis.call('hget', KEYS[1], 'state')
if state == 'scraping' then redis.call('set', KEYS[2], '1', 'PX', ARGV[1]) end
return state
"""
_END_SCRIPT = """
local state = redis.call('hget', KEYS[1], 'state')
if state == 'scraping' then
  if redis.call('exists', KEYS[2]) == 0 and ARGV[1] == 'cancelled' then return 'failed' end
  redis.call('hset', KEYS[1], 'state', ARGV[1])
  redis.call('del', KEYS[2])
end
return state
"""
# KEYS: the job, its lease, its pages.
_FIND_SCRIPT = """
local known = redis.call('hmget', KEYS[1], 'record', 'state')
if not known[1] then return false end
local state = known[2]
if state == 'scraping' and redis.call('exists', KEYS[2]) == 0 then state = 'failed' end
local pages = {}
if ARGV[1] == '1' then pages = redis.call('lrange', KEYS[3], 0, -1) end
return {known[1], state, pages}
"""


class ValkeyJobs:
    """A ``JobStore`` that several machines share."""

    def __init__(
        self, address: Secret, *, lease: float = LEASE_SECONDS, now: Callable[[], float] = time.time
    ) -> None:
        """Store jobs at ``address``; a worker must renew its lease within ``lease`` seconds."""
        self._client = ValkeyClient(address, JOBS_STORE)
        self._lease_milliseconds = round(lease * _MILLISECONDS_PER_SECOND)
        self._now = now

    async def begin(self, record: JobRecord, /) -> Result[JobName, ValkeyError]:
        """Store a job; return its name, or that of an earlier job with the same ``again`` key."""
        name = record.name
        seconds = max(record.expires - self._now(), 1.0)
        owner_key = _owner_key(name.owner)
        repeat_key = _job_repeat_key(name.owner, record.again)
        reply = await self._client.run_script(
            _BEGIN_SCRIPT,
            (_job_key(name), _lease_key(name), owner_key, repeat_key),
            name.id,
            msgspec.msgpack.encode(record),
            round(seconds * _MILLISECONDS_PER_SECOND),
            self._lease_milliseconds,
            int(bool(record.again)),
        )
        return reply.map(lambda job_id: JobName(name.owner, job_id.decode()))

    async def add(
        self, name: JobName, first: int, pages: tuple[bytes, ...], /
    ) -> Result[bool, ValkeyError]:
        """Store pages from position ``first`` on; return False when there is no such job."""
        keys = (_job_key(name), _pages_key(name))
        reply = await self._client.run_script(_ADD_SCRIPT, keys, first, *pages)
        return reply.map(bool)

    async def renew_job(self, name: JobName, /) -> Result[JobState | None, ValkeyError]:
        """Renew the lease of a job; return its state, None when there is no such job."""
        keys = (_job_key(name), _lease_key(name))
        reply = await self._client.run_script(_RENEW_SCRIPT, keys, self._lease_milliseconds)
        return reply.map(_decode_state)

    async def end(self, name: JobName, state: JobState, /) -> Result[JobState | None, ValkeyError]:
        """Set the final state of a running job; return its state before."""
        keys = (_job_key(name), _lease_key(name))
        reply = await self._client.run_script(_END_SCRIPT, keys, state)
        return reply.map(_decode_state)

    async def find(self, name: JobName, /) -> Result[KnownJob | None, ValkeyError]:
        """Return a job of its owner, with its pages; None if there is none."""
        return await self._find_job(name, with_pages=True)

    async def running_jobs(self, owner: str, /) -> Result[tuple[KnownJob, ...], ValkeyError]:
        """Return the owner's running jobs, without their pages."""
        names = await self._client.send_command("ZRANGE", _owner_key(owner), 0, -1)
        if isinstance(names, Failure):
            return names
        jobs: list[KnownJob] = []
        for name in names.unwrap():
            outcome = await self._find_job(JobName(owner, name.decode()), with_pages=False)
            if isinstance(outcome, Failure):
                return outcome
            job = outcome.unwrap()
            if job is not None and job.state == "scraping":
                jobs.append(job)
        return Success(tuple(jobs))

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()

    async def _find_job(
        self, name: JobName, *, with_pages: bool
    ) -> Result[KnownJob | None, ValkeyError]:
        keys = (_job_key(name), _lease_key(name), _pages_key(name))
        reply = await self._client.run_script(_FIND_SCRIPT, keys, int(with_pages))
        return reply.bind(_decode_job)


def _decode_job(reply: Any) -> Result[KnownJob | None, ValkeyError]:  # noqa: ANN401  untyped in redis
    if reply is None:
        return Success(None)
    record, state, pages = reply
    try:
        job = KnownJob(
            record=msgspec.msgpack.decode(record, type=JobRecord),
            state=msgspec.convert(state.decode(), JobState),
            pages=tuple(pages),
        )
    except msgspec.DecodeError:
        reason = "a job on its server has another format than webseam's"
        return Failure(StoreFailed(store=JOBS_STORE, reason=reason, setting=VALKEY_SETTING))
    return Success(job)


def _decode_state(reply: bytes | None) -> JobState | None:
    return None if reply is None else msgspec.convert(reply.decode(), JobState)


def _job_key(name: JobName) -> str:
    return f"{_owner_key(name.owner)}:{name.id}"


def _lease_key(name: JobName) -> str:
    return f"{_job_key(name)}:lease"


def _pages_key(name: JobName) -> str:
    return f"{_job_key(name)}:pages"


def _job_repeat_key(owner: str, again: str) -> str:
    return f"{_owner_key(owner)}:again:{hashlib.sha256(again.encode()).hexdigest()}"


def _owner_key(owner: str) -> str:
    return f"webseam:{{jobs:{hashlib.sha256(owner.encode()).hexdigest()[:32]}}}"
