"""The clients of the settings that count now, and of those that may take their place.

New settings come in two steps. ``prepare`` opens what every call needs and closes it again, so that
settings that cannot serve are refused while the old ones go on. ``take`` cannot fail: it only says
which clients the next call gets.
"""

from __future__ import annotations

import asyncio

from returns.result import Failure

from webseam.ports.errors import WebError

from ...wiring.backend_rows import Root
from .gateway_settings import explain_unusable, unpack_settings
from .mcp.application import Application
from .mcp.tenants import tenant_tools_maker
from .shared_clients import SharedClients


class ReloadableClients:
    """The clients for new calls; those of older settings close after their last call."""

    def __init__(self, clients: SharedClients, mcp: Application) -> None:
        """Begin with ``clients``; ``mcp`` gets the tools of every settings that are taken."""
        self.current = clients
        self._mcp = mcp
        self._next: SharedClients | None = None
        self._retiring: set[asyncio.Task[None]] = set()

    async def prepare(self, settings: bytes, /) -> str:
        """Make ready for settings that a supervisor brings; return why not, or an empty text."""
        root = unpack_settings(settings, self.current.root.files)
        if isinstance(root, Failure):
            error: WebError = root.failure()
            return error.message
        refused = await self.prepare_root(root.unwrap())
        return "" if refused is None else refused.message

    async def prepare_root(self, root: Root) -> WebError | None:
        """Make ready for the settings of a root; return why they cannot serve, or None."""
        clients = SharedClients(root, self.current.parts)
        if (problem := await explain_unusable(clients, self.current)) is not None:
            return problem
        self._next = clients
        return None

    def take(self) -> None:
        """Serve new calls with what was prepared last."""
        if self._next is None:
            return
        old, self.current, self._next = self.current, self._next, None
        self._mcp.reload(tenant_tools_maker(self.current.parts, self.current.root))
        task = asyncio.get_running_loop().create_task(old.retire())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    def drop(self) -> None:
        """Forget what was prepared. Nothing of it is open."""
        self._next = None

    async def aclose(self) -> None:
        """Close all clients."""
        await self.current.retire()
        await asyncio.gather(*self._retiring)
