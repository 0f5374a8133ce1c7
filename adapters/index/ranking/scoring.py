"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

from collections.abc import Sequence
from itertools import pairwise

from ...language.folding import as_written
from ..analysis import HEADINGS_WEIGHT, TITLE_WEIGHT, softness
from .evidence import Evidence
from .sought import Term

# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
TOGETHER = 0.2
_NEAR = 8
_MOST_PLACES = 50
# What a part of a name counts, where the word itself is not there.
_IN_A_NAME = 0.4


def score(found: Evidence, terms: Sequence[Term], length: int, usual_length: float) -> float:
    """Return how well a passage of this length answers the terms; more is better."""
    soft = softness(length, usual_length)
    places = found.places
    has_above = found.title or found.headings
    total = 0.0
    for term in terms:
        count = len(places.get(term.text, ())) + (_above(found, term) if has_above else 0.0)
        if not count and term.text in found.names:
            count = _IN_A_NAME
        if count:
            total += term.rarity * count / (count + soft)
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = TOGETHER * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


class CountedPairs:
    """Pairs of characters, and signs, that passages were not found by, or not by all of them.

    They are looked for as they are mostly written: to fold the texts would take longer than this.
    """

    def __init__(self, terms: Sequence[Term], usual_length: float) -> None:
        """Get ready for many passages, which usually have this length."""
        self._forms = [(as_written(term.text), term.rarity) for term in terms]
        self._usual = usual_length

    def score(self, fields: Sequence[str], length: int) -> float:
        """Return what they count in a passage."""
        if not self._forms:
            return 0.0
        soft = softness(length, self._usual)
        count = "\n".join(fields).count
        counts = [(count(form), rarity) for form, rarity in self._forms]
        return sum(rarity * times / (times + soft) for times, rarity in counts if times)


def _above(found: Evidence, term: Term) -> float:
    """Return how often a term is in the title and the headings, by their weight."""

    def count(words: list[str]) -> int:
        if term.begins:
            return sum(word.startswith(term.text) for word in words)
        return words.count(term.text)

    return TITLE_WEIGHT * count(found.title) + HEADINGS_WEIGHT * count(found.headings)


def _closeness(ones: list[int], others: list[int]) -> float:
    """Add up 1 for each pair side by side in the right order, less for farther or the other way."""
    total, first = 0.0, 0
    near = others[:_MOST_PLACES]
    for one in ones[:_MOST_PLACES]:
        # Both go up: what is too far back for this one is too far back for all that follow.
        while first < len(near) and near[first] < one - _NEAR:
            first += 1
        for other in near[first:]:
            distance = other - one
            if distance > _NEAR:
                break
            if distance:
                total += 1 / distance if distance > 0 else -0.5 / distance
    return total
