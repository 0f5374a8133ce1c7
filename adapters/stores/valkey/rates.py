"""Rate limits of gateway keys for all machines, by the server's clock."""

from returns.result import Result

from ....ports.secrets import Secret
from .valkey_server import ValkeyClient, ValkeyError

RATES_STORE = "rates of keys"
_TAKE_SCRIPT = """
local time = redis.call('time')
local now = time[1] + time[2] / 1000000
local rate, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('hmget', KEYS[1], 'level', 'then')
local level, before = tonumber(known[1]) or most, tonumber(known[2]) or now
level = math.min(most, level + math.max(now - before, 0) * rate / 60)
local wait = 0
if level < 1 then wait = (1 - level) * 60 / rate else level = level - 1 end
redis.call('hset', KEYS[1], 'level', string.format('%.17g', level),
  'then', string.format('%.17g', now))
redis.call('pexpire', KEYS[1], math.ceil(most * 60000 / rate) + 1000)
return string.format('%.17g', wait)
"""


class ValkeyRates:
    """A token bucket for each key: it holds the calls of one minute."""

    def __init__(self, address: Secret) -> None:
        """Keep the buckets at ``address``."""
        self._client = ValkeyClient(address, RATES_STORE)

    async def take(self, key_id: str, rate: float, /) -> Result[float, ValkeyError]:
        """Count one call; return the seconds to wait for it, 0 when it may go now."""
        name, bucket_size = f"webseam:rate:{key_id}", max(rate, 1.0)
        reply = await self._client.run_script(_TAKE_SCRIPT, (name,), rate, bucket_size)
        return reply.map(float)

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()
