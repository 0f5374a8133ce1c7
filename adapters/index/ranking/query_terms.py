"""What is looked for: the terms of a query, and how rare each of them is."""

import math
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from ...language.scripts import is_unspaced
from ..query import QueryPlan

# What another writing counts, of what the word counts as it was typed.
VARIANT_WEIGHT = 0.7


class VariantTerm(msgspec.Struct, frozen=True, kw_only=True):
    """Words side by side that are another writing of a term, and what they count at most.

    ``boost`` is how many times as much that is as the engine says.
    """

    run: tuple[str, ...]
    worth: float
    boost: float


class QueryTerm(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked for, in how many passages it is, and what it counts.

    ``begins`` stands for every word that begins so; ``times`` is how often the query has it, or
    less for a word that only builds its sentence.
    ``is_inside`` is whether it is looked for as part of names, too, ``is_end`` as that of
    compounds. ``pairs`` are the commonest that begin with a sign, and how rare each is. ``others``
    count where they count more than the term itself.
    """

    text: str
    begins: bool
    count: int
    rarity: float
    times: float = 1
    is_inside: bool = False
    is_end: bool = False
    pairs: tuple[tuple[str, float], ...] = ()
    others: tuple[VariantTerm, ...] = ()


class QueryTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, its terms, and the length that passages usually have.

    Nothing is found by the terms that are ``function_word_term``; what is found is the better for
    them. Some of them are ``aside``, too. The engine is not asked for terms that are ``aside``: too
    many passages have them, and they are counted in the texts of those that are found by the
    others.
    """

    plan: QueryPlan
    terms: list[QueryTerm]
    usual: float
    aside: frozenset[str] = frozenset()
    framing: tuple[QueryTerm, ...] = ()

    def asked(self) -> list[QueryTerm]:
        """Return the terms that passages are found by."""
        return [term for term in self.terms if term.text not in self.aside]

    def asked_framing(self) -> list[QueryTerm]:
        """Return the terms by which the engine ranks what it finds."""
        return [term for term in self.framing if term.text not in self.aside]


# What a word that only builds the sentence counts, of what others do, and how rare it may be at
# most: in a list of names each of them is.
_FRAMING = 0.7
_FRAMING_RARITY = 1.5


def function_word_term(text: str, count: int, times: int, passages: int) -> QueryTerm:
    """Return a term that only builds the sentence."""
    rare = inverse_frequency(count, passages)
    share = times * _FRAMING * min(1.0, _FRAMING_RARITY / rare)
    return QueryTerm(text=text, begins=False, count=count, rarity=rare * share, times=share)


# So long may the lists of such words be together that the engine goes through.
_FRAMING_LISTED = 50_000


def terms_to_skip(framing: Sequence[QueryTerm]) -> frozenset[str]:
    """Return those to set aside: the commonest, which tell the least."""
    ordered = sorted(framing, key=lambda term: term.count)
    sums = accumulate(term.count for term in ordered)
    listed = zip(ordered, sums, strict=True)
    return frozenset(term.text for term, total in listed if total > _FRAMING_LISTED)


# How many passages the engine looks at for a query of pairs, all their lists together: so many at
# least, or this share of all; and how many pairs it is asked for at least. The lists of a question
# of forty pairs are together several times as long as all passages.
MAX_LISTED_PASSAGES = 30_000
_LISTED_SHARE = 0.3
_MIN_SKIPPED_RANK = 6


def common_terms(terms: Sequence[QueryTerm], passages: int) -> frozenset[str]:
    """Return the terms to set aside, which would take the most time and tell the least.

    Words are counted in texts anyway, and have shorter lists: none of theirs is set aside.
    """
    most = max(MAX_LISTED_PASSAGES, passages * _LISTED_SHARE)
    listed = 0
    aside: list[str] = []
    for number, term in enumerate(sorted(terms, key=lambda term: term.count)):
        listed += term.count
        is_long = listed > most and number >= _MIN_SKIPPED_RANK and is_unspaced(term.text)
        # A sign that is common is found by its commonest pairs.
        if is_long or (term.pairs and term.count > MAX_LISTED_PASSAGES):
            aside.append(term.text)
    return frozenset(aside)


def inverse_frequency(count: int, passages: int) -> float:
    """Return BM25's inverse document frequency of what so many of the passages have."""
    return math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))
