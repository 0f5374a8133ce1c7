"""The weights of the terms of a query, and runs of words in a text."""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

import msgspec

from webseam.adapters.language.folding import thai_spelling
from webseam.adapters.language.scripts import find_words, is_unspaced
from webseam.adapters.language.stems import ENGLISH
from webseam.adapters.language.term_positions import TermPattern, word_positions

from ..passage_terms import term_saturation
from ..query import QueryPlan

# Weight of a spelling variant relative to the typed word.
VARIANT_WEIGHT = 0.7
# Weight of a function word relative to other words, and its maximum rarity: in a list of names
# every function word is rare.
_FUNCTION_WORD_WEIGHT = 0.7
_MAX_FUNCTION_WORD_RARITY = 1.5
# Limit of passages that the engine reads for all function words together.
_MAX_FRAMING_PASSAGES = 50_000
# Passages that the engine reads for a query of pairs, over all their lists: at least this many, or
# this share of all; and how many pairs it always reads. The lists of a question of forty pairs
# together are several times as long as all passages.
MAX_LISTED_PASSAGES = 30_000
_LISTED_SHARE = 0.3
_MIN_SKIPPED_RANK = 6


class VariantTerm(msgspec.Struct, frozen=True, kw_only=True):
    """A run of words that is a spelling variant of a term, and its maximum score.

    ``boost`` scales the engine's score to that maximum.
    """

    run: tuple[str, ...]
    worth: float
    boost: float


class QueryTerm(msgspec.Struct, frozen=True, kw_only=True):
    """A search term, the number of passages that have it, and its weight.

    ``is_prefix`` marks a prefix; ``times`` is how often the query has the term, and less for a
    function word. ``marks`` also match, with their shares: parts of identifiers, and what replies
    quote. ``is_end`` also matches ends of compounds.
    ``pairs`` are the commonest pairs that begin with a sign, with their rarity. ``variants`` count
    where they score higher than the term itself.
    """

    text: str
    is_prefix: bool
    count: int
    rarity: float
    times: float = 1
    marks: tuple[tuple[str, float], ...] = ()
    is_end: bool = False
    pairs: tuple[tuple[str, float], ...] = ()
    variants: tuple[VariantTerm, ...] = ()


class QueryTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, its terms, and the usual length of a passage.

    Function words in ``framing`` match no passage by themselves, but add to the score of a match.
    The engine is not queried for terms in ``skipped``: too many passages have them, so they are
    counted in the texts of passages that other terms match.
    """

    plan: QueryPlan
    terms: list[QueryTerm]
    usual_length: float
    skipped: frozenset[str] = frozenset()
    framing: tuple[QueryTerm, ...] = ()

    def engine_terms(self) -> list[QueryTerm]:
        """Return the terms that match passages."""
        return [term for term in self.terms if term.text not in self.skipped]

    def engine_framing(self) -> list[QueryTerm]:
        """Return the function words that the engine adds to its scores."""
        return [term for term in self.framing if term.text not in self.skipped]


def function_word_term(text: str, count: int, times: int, passages: int) -> QueryTerm:
    """Return the term of a function word."""
    rarity = inverse_frequency(count, passages)
    weight = times * _FUNCTION_WORD_WEIGHT * min(1.0, _MAX_FUNCTION_WORD_RARITY / rarity)
    return QueryTerm(text=text, is_prefix=False, count=count, rarity=rarity * weight, times=weight)


def function_words_to_skip(framing: Sequence[QueryTerm]) -> frozenset[str]:
    """Return the commonest function words, which exceed the limit and say the least."""
    ordered = sorted(framing, key=lambda term: term.count)
    sums = accumulate(term.count for term in ordered)
    running_totals = zip(ordered, sums, strict=True)
    return frozenset(term.text for term, total in running_totals if total > _MAX_FRAMING_PASSAGES)


def common_terms_to_skip(terms: Sequence[QueryTerm], passages: int) -> frozenset[str]:
    """Return the terms to skip, which take the most time and say the least.

    Words are counted in texts anyway and have shorter lists, so none of them is skipped.
    """
    max_listed = max(MAX_LISTED_PASSAGES, passages * _LISTED_SHARE)
    listed = 0
    skipped: list[str] = []
    for number, term in enumerate(sorted(terms, key=lambda term: term.count)):
        listed += term.count
        is_long = listed > max_listed and number >= _MIN_SKIPPED_RANK and is_unspaced(term.text)
        # A common sign is found by its commonest pairs.
        if is_long or (term.pairs and term.count > MAX_LISTED_PASSAGES):
            skipped.append(term.text)
    return frozenset(skipped)


def inverse_frequency(count: int, passages: int) -> float:
    """Return BM25's inverse document frequency of a term that ``count`` passages have."""
    return math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))


def find_term_runs(text: str, run: Sequence[str], language: str = ENGLISH) -> list[tuple[int, int]]:
    """Return the spans where words of these terms stand side by side.

    >>> find_term_runs("An e-mail, no email", ("e", "mail"))
    [(3, 9)]
    """
    words = sorted(word_positions(text, TermPattern(frozenset(run)), language))
    rows = (words[at : at + len(run)] for at in range(len(words) - len(run) + 1))
    return [
        (row[0][0], row[-1][1])
        for row in rows
        if all(term in names for term, (_, _, names) in zip(run, row, strict=True))
        and not any(find_words(text[one[1] : two[0]]) for one, two in pairwise(row))
    ]


class CountedPairs:
    """Count pairs of characters, and signs, that the engine skipped in part or completely.

    They are searched in their usual spelling: folding the texts would take longer than the count.
    """

    def __init__(self, terms: Sequence[QueryTerm], usual_length: float) -> None:
        """Prepare the terms for many passages with this usual length."""
        self._forms = [(thai_spelling(term.text), term.rarity) for term in terms]
        self._usual_length = usual_length

    def score_pairs(self, fields: Sequence[str], length: int) -> float:
        """Return the score of the terms in a passage."""
        if not self._forms:
            return 0.0
        saturation = term_saturation(length, self._usual_length)
        count = "\n".join(fields).lower().count
        counts = [(count(form), rarity) for form, rarity in self._forms]
        return sum(rarity * times / (times + saturation) for times, rarity in counts if times)
