"""webseam inside Hermes: its entry point ``hermes_agent.plugins`` loads this module.

With ``plugins.enabled: [webseam]`` and ``web.backend: webseam`` in its ``config.yaml``, Hermes
answers ``web_search`` and ``web_extract`` through webseam's kernel, policy and services. With
``plugins.entries.webseam.allow_tool_override: true`` it also answers ``x_search``.
"""

from typing import Protocol

__all__ = ["register"]


class HermesContext(Protocol):
    """The part of Hermes's plugin context that webseam uses."""

    def register_web_search_provider(self, provider: object) -> None:
        """Offer a web provider."""

    def register_tool(self, name: str, toolset: str, **how: object) -> None:
        """Offer a tool."""


def register(ctx: HermesContext) -> None:
    """Register a web provider and ``x_search``; settings are read with the first call."""
    from ...feature_table import load_feature_part  # noqa: PLC0415
    from .provider import make_hermes_bridge, make_hermes_provider  # noqa: PLC0415  there only inside Hermes

    bridge = make_hermes_bridge()
    ctx.register_web_search_provider(make_hermes_provider(bridge))
    load_feature_part("hermes_tool")(ctx, bridge)
