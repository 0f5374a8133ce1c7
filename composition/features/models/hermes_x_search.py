"""The ``x_search`` tool for Hermes, with a schema for the answer and chained turns.

Hermes has its own ``x_search``; a plugin may replace it only if the user allows that.
"""

import contextlib
import importlib
import logging
from collections.abc import Mapping
from typing import Protocol

from returns.result import Failure, Success

from webseam.adapters.features.models.x_search import PROVIDER_NAME
from webseam.ports.errors import NotConfigured

from ...doors.hermes.tool_bridge import Interrupted, ToolBridge
from ...settings.loader import load_settings
from ...tools.schemas import openai_tools
from .clients import named_provider_account
from .x_search_tool import x_tool

X_SEARCH = "x_search"
_LOG = logging.getLogger("webseam.hermes")


class ToolRegistry(Protocol):
    """The part of Hermes's plugin context that registers tools."""

    def register_tool(self, name: str, toolset: str, **how: object) -> None:
        """Register a tool."""


def register_x_search(ctx: ToolRegistry, bridge: ToolBridge) -> None:
    """Replace Hermes's own tool if its settings allow that."""
    schema = openai_tools([x_tool(Failure(NotConfigured(reason="not asked")))])[0]["function"]
    try:
        # Hermes's tool registers itself on its first import, and would replace ours later.
        with contextlib.suppress(ImportError):
            importlib.import_module("tools.x_search_tool")
        ctx.register_tool(
            X_SEARCH,
            X_SEARCH,
            schema=schema,
            handler=x_search_handler(bridge),
            check_fn=lambda: has_x_account(bridge.environment()),
            requires_env=["XAI_API_KEY"],
            override=True,
        )
    except Exception as error:  # noqa: BLE001  another Hermes, or a user who did not allow it
        message = "%s; Hermes keeps its own x_search. plugins.entries.webseam.%s: true lets ours in"
        _LOG.info(message, type(error).__name__, "allow_tool_override")


def x_search_handler(bridge: ToolBridge) -> "_ToolHandler":
    """Return Hermes's handler: it takes arguments and returns an envelope as JSON text."""

    def handle(args: Mapping[str, object], **_: object) -> str:
        try:
            [reply] = bridge.ask(X_SEARCH, [args])
        except Interrupted:
            return '{"success": false, "error": "Interrupted"}'
        return reply.text

    return handle


class _ToolHandler(Protocol):
    def __call__(self, args: Mapping[str, object], **_: object) -> str: ...


def has_x_account(environment: Mapping[str, str]) -> bool:
    """Tell whether there is an account to search with; without one Hermes hides the tool."""
    if isinstance(settings := load_settings(environment), Failure):
        return False
    return isinstance(named_provider_account(PROVIDER_NAME, settings.unwrap()), Success)
