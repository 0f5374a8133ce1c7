"""Keep one open client for each set of key rules.

Callers with the same rules share a client, its connections and its running requests. A reload opens
a new set and closes the old one after its last call.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from webseam.adapters.call_context import CALL_OWNER, set_in_block
from webseam.adapters.pages.fetch.user_headers import PageSigner
from webseam.kernel.planner.money import SpendingAllowance
from webseam.kernel.policy.narrowing import narrow_policy
from webseam.ports.keys import KeyRecord

from ...doors.client.web import Web
from ...session import use_session_memory
from ...tools.toolbox import ToolboxOverrides
from ...wiring.backend_rows import Root, Watch
from .callers import GatewayCaller

_LOG = logging.getLogger("webseam.serve")
_MAX_OPEN_CLIENTS = 32


class _SharedClient:
    """A client, and how many calls use it."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.uses = 0


class SharedClients:
    """The clients of one version of the settings."""

    def __init__(self, root: Root, parts: ToolboxOverrides | None = None) -> None:
        self.root = root
        self.parts = parts or ToolboxOverrides()
        self.can_search = False
        self._shared: OrderedDict[tuple[object, ...], _SharedClient] = OrderedDict()
        self._is_retired = False

    @property
    def signer(self) -> PageSigner | None:
        """What signs requests for pages, and publishes its key."""
        return None if self.root.page_files is None else self.root.page_files.signer

    @asynccontextmanager
    async def lend_client(self, caller: GatewayCaller) -> AsyncIterator[Web]:
        """Lend the client for the rules of a caller."""
        rules = _client_rules(caller.record)
        if (shared := self._shared.get(rules)) is None:
            shared = self._shared[rules] = _SharedClient(self._open_client(caller.record))
        self._shared.move_to_end(rules)
        shared.uses += 1
        try:
            with set_in_block(CALL_OWNER, caller.id), use_session_memory(caller.memory):
                yield shared.web
        finally:
            shared.uses -= 1
            await self._close_idle_clients()

    @asynccontextmanager
    async def lend_watched_client(self, backend: str, watch: Watch) -> AsyncIterator[Web]:
        """Lend a client for one backend, without a cache, that quarantines bad rows."""
        settings = self.root.settings
        cache = replace(settings.cache, enabled=False)
        root = replace(self.root, settings=replace(settings, cache=cache), watch=watch)
        parts = replace(self.parts, backend=backend, rows="quarantine")
        web = Web(parts, root=root)
        try:
            yield web
        finally:
            await self._close_client(web)

    async def retire(self) -> None:
        """Close each client when its last call ends."""
        self._is_retired = True
        await self._close_idle_clients()

    async def _close_idle_clients(self) -> None:
        max_clients = 0 if self._is_retired else _MAX_OPEN_CLIENTS
        idle = [rules for rules, shared in self._shared.items() if not shared.uses]
        for rules in idle[: max(len(self._shared) - max_clients, 0)]:
            await self._close_client(self._shared.pop(rules).web)

    async def _close_client(self, web: Web) -> None:
        # Shielded: a cancelled call must not leave connections and processes open.
        closing = asyncio.ensure_future(web.aclose())
        try:
            await asyncio.shield(closing)
        except Exception as error:  # noqa: BLE001  a boundary: nothing that ends may stop the rest
            _LOG.warning("a client could not be closed: %s", type(error).__name__)

    def _open_client(self, record: KeyRecord | None) -> Web:
        return Web(self.parts, root=self.key_root(record))

    def key_root(self, record: KeyRecord | None) -> Root:
        """Return the root with the domains, the allowance and the cache of a key."""
        if record is None:
            return self.root
        return replace(
            self.root,
            policy=narrow_policy(self.root.policy, record.domains),
            allowance=SpendingAllowance(
                owner=record.id, name=record.name, day=record.day, month=record.month
            ),
            cache_scope=record.cache,
        )


def _client_rules(record: KeyRecord | None) -> tuple[object, ...]:
    if record is None:
        return ()
    # What each key spends is counted, also without a cap.
    return (record.domains, record.cache, record.id, record.day, record.month)
