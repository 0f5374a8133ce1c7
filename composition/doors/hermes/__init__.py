"""webseam inside Hermes: its entry point ``hermes_agent.plugins`` loads this module.

With ``plugins.enabled: [webseam]`` and ``web.backend: webseam`` in its ``config.yaml``, Hermes
answers ``web_search`` and ``web_extract`` through webseam's kernel, policy and services. With
``plugins.entries.webseam.allow_tool_override: true`` it also answers ``x_search``.
"""

from typing import TYPE_CHECKING, Protocol

from ...feature_table import Part, load

if TYPE_CHECKING:
    from .tool_bridge import ToolBridge

__all__ = ["register"]


class HermesContext(Protocol):
    """The part of Hermes's plugin context that webseam uses."""

    def register_web_search_provider(self, provider: object) -> None:
        """Offer a web provider."""

    def register_tool(self, name: str, toolset: str, **how: object) -> None:
        """Offer a tool."""


class RegisterTool(Protocol):
    """Offer a tool of a feature, which answers through the bridge."""

    def __call__(self, ctx: HermesContext, bridge: "ToolBridge", /) -> None:
        """Register the tool; Hermes keeps its own where that fails."""


HERMES_TOOL = Part[RegisterTool]("hermes_tool")


def register(ctx: HermesContext) -> None:
    """Register a web provider and ``x_search``; settings are read with the first call."""
    from .provider import make_hermes_bridge, make_hermes_provider  # noqa: PLC0415  there only inside Hermes

    bridge = make_hermes_bridge()
    ctx.register_web_search_provider(make_hermes_provider(bridge))
    load(HERMES_TOOL)(ctx, bridge)
