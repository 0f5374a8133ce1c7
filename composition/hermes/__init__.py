"""webseam inside Hermes: its entry point ``hermes_agent.plugins`` loads this module.

With ``plugins.enabled: [webseam]`` and ``web.backend: webseam`` in its ``config.yaml``, Hermes
answers ``web_search`` and ``web_extract`` through our kernel, policy and services.
"""

from typing import Protocol

__all__ = ["register"]


class HermesContext(Protocol):
    """The part of Hermes's plugin context that we use."""

    def register_web_search_provider(self, provider: object) -> None:
        """Offer a web provider."""
        ...


def register(ctx: HermesContext) -> None:
    """Offer webseam as a web provider; nothing of ours is loaded before it is first asked."""
    from .provider import make_provider  # noqa: PLC0415  Hermes is there only inside Hermes

    ctx.register_web_search_provider(make_provider())
