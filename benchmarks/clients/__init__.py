"""The clients, one file each. Each opens a ``Search``: one whole call, returning its row count."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import TypeAlias, cast

import msgspec

Search: TypeAlias = Callable[[], Awaitable[int]]
OpenSearch: TypeAlias = Callable[[str, int], AbstractAsyncContextManager[Search]]

# As many connections as webseam's transport holds, for the clients that let us say so.
MOST_CONNECTIONS = 512


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A client's name in the result, its words in the table, its file, and what it needs."""

    name: str
    title: str
    module: str
    needs: tuple[str, ...]

    def load(self) -> OpenSearch:
        """Import the client; only its own process does."""
        loaded = import_module(f"{__name__}.{self.module}")
        return cast("OpenSearch", loaded.open_search)


CLIENTS = (
    Client(
        name="webseam",
        title="webseam web_search",
        module="webseam_search",
        needs=("webseam",),
    ),
    Client(
        name="httpx",
        title="raw httpx.AsyncClient + msgspec",
        module="httpx_client",
        needs=("httpx",),
    ),
    Client(
        name="httpx-transport",
        title="httpx's own transport, direct",
        module="httpx_transport",
        needs=("httpx",),
    ),
    Client(
        name="aiohttp",
        title="aiohttp + msgspec",
        module="aiohttp_client",
        needs=("aiohttp",),
    ),
    Client(
        name="tavily",
        title="tavily-python async",
        module="tavily_search",
        needs=("tavily",),
    ),
    Client(
        name="litellm",
        title="LiteLLM asearch",
        module="litellm_search",
        needs=("litellm",),
    ),
)
