"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

from collections.abc import Sequence
from itertools import pairwise

from .analysis import HEADINGS_WEIGHT, TITLE_WEIGHT, Fields, softness
from .rarity import Term

# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
_TOGETHER = 0.2
_NEAR = 8
_MOST_PLACES = 50


def score(fields: Fields, terms: Sequence[Term], usual_length: float) -> float:
    """Return how well a passage answers the terms; more is better."""
    soft = softness(fields.length, usual_length)
    wanted = {term.text for term in terms}
    places = _places(fields.body, wanted)
    counts = _counts(fields, places, wanted)
    total = 0.0
    for term in terms:
        count = _beginning(fields, term.text) if term.begins else counts.get(term.text, 0.0)
        total += term.rarity * count / (count + soft)
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = _TOGETHER * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


def _counts(fields: Fields, places: dict[str, list[int]], wanted: set[str]) -> dict[str, float]:
    """Return how often each term is there, by the weight of the field; no more than are there."""
    counts: dict[str, float] = {term: len(at) for term, at in places.items()}
    for field, weight in ((fields.title, TITLE_WEIGHT), (fields.headings, HEADINGS_WEIGHT)):
        for term in field:
            if term in wanted:
                counts[term] = counts.get(term, 0.0) + weight
    return counts


def _beginning(fields: Fields, begin: str) -> float:
    def count(words: list[str]) -> int:
        return sum(word.startswith(begin) for word in words)

    weighted = TITLE_WEIGHT * count(fields.title) + HEADINGS_WEIGHT * count(fields.headings)
    return count(fields.body) + weighted


def _places(body: list[str], wanted: set[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, term in [place for place in enumerate(body) if place[1] in wanted]:
        places.setdefault(term, []).append(at)
    return places


def _closeness(ones: list[int], others: list[int]) -> float:
    """Add up 1 for each pair side by side in the right order, less for farther or the other way."""
    total = 0.0
    for one in ones[:_MOST_PLACES]:
        for other in others[:_MOST_PLACES]:
            distance = other - one
            if 0 < distance <= _NEAR:
                total += 1 / distance
            elif -_NEAR <= distance < 0:
                total -= 0.5 / distance
    return total
