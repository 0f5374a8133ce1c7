"""The block ``ask`` of the settings."""

from typing import Literal

import msgspec

from ...settings.schema import Name, Seconds


class AskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that answers questions with sources, the check of its claims, and its time limit.

    Without a provider, the answer consists of sentences of the pages; ``offer`` then still offers
    the tool to agents.
    """

    provider: Name | None = None
    model: Name | None = None
    check: Literal["words", "model", "rerank"] = "words"
    seconds: Seconds = 120.0
    offer: bool = False
