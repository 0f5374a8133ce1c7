"""The block ``ask`` of the settings."""

import msgspec

from ...settings.schema import Name, Seconds


class AskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that chooses what answers a question, its time limit, and whether it sums up.

    Without a provider, no model chooses; ``offer`` then still offers the tool to agents.
    """

    provider: Name | None = None
    model: Name | None = None
    summary: bool = False
    seconds: Seconds = 120.0
    offer: bool = False
