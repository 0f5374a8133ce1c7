"""Rate limits of gateway keys for all machines, by the server's clock."""

from returns.result import Result

from webseam.ports.secrets import Secret

from .server import ValkeyClient, ValkeyError

RATES_STORE = "rates of keys"
# The arithmetic of kernel/planner/pacing.py: next_rate_slot, then book_rate_slots.
_TAKE_SCRIPT = """
local time = redis.call('time')
local now = time[1] + time[2] / 1000000
local rate, burst = ARGV[1] / 60, tonumber(ARGV[2])
local due = math.max(tonumber(redis.call('get', KEYS[1]) or 0), now)
local wait = due - (burst - 1) / rate - now
if wait > 0 then return string.format('%.17g', wait) end
due = due + 1 / rate
redis.call('set', KEYS[1], string.format('%.17g', due), 'px', math.ceil((due - now) * 1000) + 1000)
return '0'
"""


class ValkeyRates:
    """The rate of each key; the calls of one minute may come at once."""

    def __init__(self, address: Secret) -> None:
        """Keep the state at ``address``."""
        self._client = ValkeyClient(address, RATES_STORE)

    async def take(self, key_id: str, rate: float, /) -> Result[float, ValkeyError]:
        """Count one call; return the seconds to wait for it, 0 when it may go now."""
        name, burst = f"webseam:rate:{key_id}", max(rate, 1.0)
        reply = await self._client.run_script(_TAKE_SCRIPT, (name,), rate, burst)
        return reply.map(float)

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()
