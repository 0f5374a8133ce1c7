"""Open clients for callers: one for each set of rules, all of them with the same settings.

Callers with the same rules share one, and with it connections and questions that are under way. On
a reload a new set is begun; the old one is closed when the last call that uses it is over.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from ....kernel.planner.money import SpendingAllowance
from ....kernel.policy.narrowing import narrow_policy
from ....ports.keys import KeyRecord
from ...client.web import Web
from ...tools.toolbox import ToolboxOverrides
from ...wiring.backends.backend_rows import Root, Watch
from ..callers import GatewayCaller

_LOG = logging.getLogger("webseam.serve")
_MAX_OPEN_CLIENTS = 32


class _Shared:
    """A client, and how many calls use it."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.uses = 0


class SharedClients:
    """The clients of one reading of the settings."""

    def __init__(
        self,
        root: Root,
        parts: ToolboxOverrides | None = None,
    ) -> None:
        """Open clients for what ``root`` says; ``parts`` stand in for what it says."""
        self.root = root
        self.parts = parts or ToolboxOverrides()
        self._shared: OrderedDict[tuple[object, ...], _Shared] = OrderedDict()
        self._over = False

    @asynccontextmanager
    async def using(self, caller: GatewayCaller) -> AsyncIterator[Web]:
        """Lend the client of a caller's rules."""
        rules = _rules(caller.record)
        shared = self._shared.get(rules)
        if shared is None:
            shared = self._shared[rules] = _Shared(self._open(caller.record))
        self._shared.move_to_end(rules)
        shared.uses += 1
        try:
            yield shared.web
        finally:
            shared.uses -= 1
            await self._tidy()

    @asynccontextmanager
    async def watching(self, backend: str, watch: Watch) -> AsyncIterator[Web]:
        """Lend a client that asks one backend by name, past the cache and overheard by ``watch``.

        Bad rows are set aside, so that every one of them is named.
        """
        settings = self.root.settings
        cache = msgspec.structs.replace(settings.cache, enabled=False)
        root = msgspec.structs.replace(
            self.root, settings=msgspec.structs.replace(settings, cache=cache), watch=watch
        )
        parts = msgspec.structs.replace(self.parts, backend=backend, rows="quarantine")
        web = Web(parts, root=root)
        try:
            yield web
        finally:
            await self._close(web)

    async def retire(self) -> None:
        """Close as soon as nobody uses it any more."""
        self._over = True
        await self._tidy()

    async def _tidy(self) -> None:
        most = 0 if self._over else _MAX_OPEN_CLIENTS
        idle = [rules for rules, shared in self._shared.items() if not shared.uses]
        for rules in idle[: max(len(self._shared) - most, 0)]:
            await self._close(self._shared.pop(rules).web)

    async def _close(self, web: Web) -> None:
        # Shielded: a call that is cancelled must not leave connections and processes behind.
        closing = asyncio.ensure_future(web.aclose())
        try:
            await asyncio.shield(closing)
        except Exception as error:  # noqa: BLE001  a boundary: nothing that ends may stop the rest
            _LOG.warning("a client could not be closed: %s", type(error).__name__)

    def _open(self, record: KeyRecord | None) -> Web:
        if record is None:
            return Web(self.parts, root=self.root)
        root = msgspec.structs.replace(
            self.root,
            policy=narrow_policy(self.root.policy, record.domains),
            allowance=SpendingAllowance(owner=record.id, day=record.day, month=record.month),
            cache_scope=record.cache,
        )
        return Web(self.parts, root=root)


def _rules(record: KeyRecord | None) -> tuple[object, ...]:
    if record is None:
        return ()
    capped = record.day is not None or record.month is not None
    owner = (record.id, record.day, record.month) if capped else ()
    return (record.domains, record.cache, owner)
