"""The blocks of settings that only models read: embeddings, ranking, small work and X."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from webseam.kernel.planner.money import Dollars

from ...settings.schema import Name, Seconds


class SmallWorkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model for small work; by default its provider's small one. A ``route`` names several."""

    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that embeds texts; ``dimensions`` shortens its vectors where it can.

    With ``index``, ``webseam index add`` and ``refresh`` embed each document.
    """

    provider: Name | None = None
    model: Name | None = None
    dimensions: Annotated[int, Meta(ge=1, le=65_536)] | None = None
    index: bool = False


class RerankSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that ranks results by how well they answer."""

    provider: Name | None = None
    model: Name | None = None


class XSearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How X is searched. None leaves the choice to the tool; a ``route`` names models in turn.

    ``price`` is the maximum cost of one search in dollars; a budget requires it.
    """

    model: Name | None = None
    route: tuple[Name, ...] = ()
    reasoning_effort: Literal["low", "medium", "high", "xhigh"] | None = None
    timeout_seconds: Seconds = 180.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    price: Dollars | None = None
