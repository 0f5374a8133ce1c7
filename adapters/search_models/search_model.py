"""What a search model is: whose model, how it is asked, and what it does with filters."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from ...ports.backends import Abilities
from ...ports.models import ChatRequest
from ...ports.web import WebSearchQuery
from ..models.provider import Provider
from .candidates import Tier
from .citations import ALL_TIERS

# A checked query and the model's name become the call that searches.
Ask: TypeAlias = Callable[[WebSearchQuery, str], ChatRequest]


class SearchModel(msgspec.Struct, frozen=True, kw_only=True):
    """A backend over a model that searches; ``model`` is asked unless another one is set.

    ``tiers`` says which citations count, the best first; with ``first_only`` only the first that
    has any gives rows. One that ``reads_pages`` can be asked for a page as well.
    """

    name: str
    title: str
    provider: Provider
    model: str
    ask: Ask
    site: str = ""
    note: str = ""
    abilities: Abilities = Abilities()
    tiers: tuple[Tier, ...] = ALL_TIERS
    first_only: bool = False
    reads_pages: bool = False


def said(query: WebSearchQuery) -> tuple[Mapping[str, object], ...]:
    """Return the conversation: the query, and nothing around it."""
    return ({"role": "user", "content": query.query},)
