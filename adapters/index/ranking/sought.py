"""What is looked for: the terms of a query, and how rare each of them is."""

import math

import msgspec

from ..query import QueryPlan


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked for, in how many passages it is, and what it counts.

    ``begins`` stands for every word that begins so; ``times`` is how often the query has it.
    ``is_inside`` is whether it is looked for as part of names, too.
    """

    text: str
    begins: bool
    count: int
    rarity: float
    times: int = 1
    is_inside: bool = False


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, its terms, and the length that passages usually have."""

    plan: QueryPlan
    terms: list[Term]
    usual: float


def rarity(count: int, passages: int) -> float:
    """Return BM25's inverse document frequency of what so many of the passages have."""
    return math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))
