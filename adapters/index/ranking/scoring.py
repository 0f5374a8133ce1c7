"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from ...language.folding import as_written
from ..analysis import HEADINGS_WEIGHT, TITLE_WEIGHT, Text, softness
from .evidence import Evidence
from .runs import Run, run_places
from .sought import Term

# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
TOGETHER = 0.2
_NEAR = 8
_MOST_PLACES = 50
# What a part of a name counts, where the word itself is not there.
_IN_A_NAME = 0.4
_NO_RUNS: Mapping[Run, float] = {}


def score(
    found: Evidence,
    terms: Sequence[Term],
    soft: float,
    others: Mapping[Run, float] = _NO_RUNS,
    framing: Sequence[Term] = (),
) -> float:
    """Return how well a passage answers the terms; more is better.

    ``soft`` is its softness, and ``others`` how often it has other writings of the terms. Those of
    ``framing`` count wherever they stand.
    """
    places = found.places
    has_above = found.title or found.headings
    total = _framed(found, framing, soft) if framing else 0.0
    for term in terms:
        count = len(places.get(term.text, ())) + (_above(found, term) if has_above else 0.0)
        if not count and term.text in found.names:
            count = _IN_A_NAME
        own = term.rarity * count / (count + soft) if count else 0.0
        total += max(own, _otherwise(others, term, soft)) if term.others else own
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = TOGETHER * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


def _framed(found: Evidence, framing: Sequence[Term], soft: float) -> float:
    """Return what the words count that only build the sentence."""
    has_above = found.title or found.headings
    total = 0.0
    for term in framing:
        count = found.framing.get(term.text, 0) + (_above(found, term) if has_above else 0.0)
        total += term.rarity * count / (count + soft)
    return total


def counted_runs(text: Text, runs: Collection[Run]) -> dict[Run, float]:
    """Return how often a passage has words side by side, by the weight of its fields."""

    def count(run: Run) -> float:
        def times(field: str) -> int:
            return len(run_places(field, run, text.language)) if field else 0

        above = TITLE_WEIGHT * times(text.title) + HEADINGS_WEIGHT * times(text.headings)
        return times(text.body) + above

    return {run: count(run) for run in runs}


def _otherwise(others: Mapping[Run, float], term: Term, soft: float) -> float:
    """Return what a term counts by another way to write it."""
    counts = ((others.get(each.run, 0.0), each.worth) for each in term.others)
    return max(worth * count / (count + soft) for count, worth in counts)


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
