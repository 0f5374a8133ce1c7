"""The only place that knows everything: it chooses the parts and puts them together.

Names load on first use: a command, a test plugin, should not pay for HTTP that it does not speak.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..adapters.documents.reader.html import read_html
    from ..adapters.timer import asyncio_timer
    from .api import (
        chat_model,
        configured_backend,
        open_compressor,
        search_model_backend,
        x_searcher,
    )
    from .client.blocking import BlockingWeb, ask, extract, more, open_blocking, search
    from .client.web import Web, open as open  # noqa: A004  it is read as webseam.open
    from .models.clients import provider_model
    from .models.x_search_tool import x_tool
    from .results import WebseamError, failed, unwrap
    from .tools.dispatch import Tools
    from .tools.schemas import (
        anthropic_tools,
        gemini_tools,
        mcp_tools,
        openai_responses_tools,
        openai_tools,
    )
    from .tools.toolbox import open_toolbox
    from .tools.web_tools import web_tools
    from .wiring.backends.services import json_backend, service_backend
    from .wiring.pages import page_blocks, pages_backend

__all__ = [
    "BlockingWeb",
    "Tools",
    "Web",
    "WebseamError",
    "anthropic_tools",
    "ask",
    "asyncio_timer",
    "chat_model",
    "configured_backend",
    "extract",
    "failed",
    "gemini_tools",
    "json_backend",
    "mcp_tools",
    "more",
    "open_blocking",
    "open_compressor",
    "open_toolbox",
    "openai_responses_tools",
    "openai_tools",
    "page_blocks",
    "pages_backend",
    "provider_model",
    "read_html",
    "search",
    "search_model_backend",
    "service_backend",
    "unwrap",
    "web_tools",
    "x_searcher",
    "x_tool",
]

# A star import must not hide the builtin.
UNLISTED = ("open",)

_HOMES = {
    "asyncio_timer": ".adapters.timer",
    "BlockingWeb": "client.blocking",
    "Web": "client.web",
    "WebseamError": "results",
    "ask": "client.blocking",
    "extract": "client.blocking",
    "failed": "results",
    "more": "client.blocking",
    "open": "client.web",
    "open_blocking": "client.blocking",
    "search": "client.blocking",
    "unwrap": "results",
    "Tools": "tools",
    "anthropic_tools": "tools",
    "chat_model": "api",
    "configured_backend": "api",
    "gemini_tools": "tools",
    "json_backend": "wiring.backends.services",
    "mcp_tools": "tools",
    "open_compressor": "api",
    "open_toolbox": "tools.toolbox",
    "openai_responses_tools": "tools",
    "openai_tools": "tools",
    "page_blocks": "wiring.pages",
    "pages_backend": "wiring.pages",
    "provider_model": "wiring.models.clients",
    "read_html": ".adapters.documents.reader.html",
    "search_model_backend": "api",
    "service_backend": "wiring.backends.services",
    "web_tools": "tools",
    "x_searcher": "api",
    "x_tool": "tools",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
