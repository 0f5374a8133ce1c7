"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from ...language.folding import thai_spelling
from ..passage_terms import HEADINGS_WEIGHT, TITLE_WEIGHT, PassageText, term_saturation
from .query_terms import QueryTerm
from .term_matches import TermMatches
from .word_runs import Run, find_runs

# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
PROXIMITY_WEIGHT = 0.2
_MAX_PROXIMITY_WORDS = 8
_MAX_POSITIONS = 50
# What a part of a name counts, where the word itself is not there.
_IN_A_NAME = 0.4
_NO_RUNS: Mapping[Run, float] = {}


def score_passage(
    matches: TermMatches,
    terms: Sequence[QueryTerm],
    soft: float,
    others: Mapping[Run, float] = _NO_RUNS,
    framing: Sequence[QueryTerm] = (),
) -> float:
    """Return how well a passage answers the terms; more is better.

    ``soft`` is its softness, and ``others`` how often it has other writings of the terms. Those of
    ``framing`` count wherever they stand.
    """
    places = matches.places
    has_above = matches.title or matches.headings
    total = _framed(matches, framing, soft) if framing else 0.0
    for term in terms:
        count = len(places.get(term.text, ())) + (_above(matches, term) if has_above else 0.0)
        if not count and term.text in matches.names:
            count = _IN_A_NAME
        own = term.rarity * count / (count + soft) if count else 0.0
        total += max(own, _otherwise(others, term, soft)) if term.others else own
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = PROXIMITY_WEIGHT * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


def _framed(found: TermMatches, framing: Sequence[QueryTerm], soft: float) -> float:
    """Return what the words count that only build the sentence."""
    has_above = found.title or found.headings
    total = 0.0
    for term in framing:
        count = found.framing.get(term.text, 0) + (_above(found, term) if has_above else 0.0)
        total += term.rarity * count / (count + soft)
    return total


def counted_runs(text: PassageText, runs: Collection[Run]) -> dict[Run, float]:
    """Return how often a passage has words side by side, by the weight of its fields."""

    def count(run: Run) -> float:
        def times(field: str) -> int:
            return len(find_runs(field, run, text.language)) if field else 0

        above = TITLE_WEIGHT * times(text.title) + HEADINGS_WEIGHT * times(text.headings)
        return times(text.body) + above

    return {run: count(run) for run in runs}


def _otherwise(others: Mapping[Run, float], term: QueryTerm, soft: float) -> float:
    """Return what a term counts by another way to write it."""
    counts = ((others.get(each.run, 0.0), each.worth) for each in term.others)
    return max(worth * count / (count + soft) for count, worth in counts)


class CountedPairs:
    """Pairs of characters, and signs, that passages were not found by, or not by all of them.

    They are looked for as they are mostly written: to fold the texts would take longer than this.
    """

    def __init__(self, terms: Sequence[QueryTerm], usual_length: float) -> None:
        """Get ready for many passages, which usually have this length."""
        self._forms = [(thai_spelling(term.text), term.rarity) for term in terms]
        self._usual = usual_length

    def score(self, fields: Sequence[str], length: int) -> float:
        """Return what they count in a passage."""
        if not self._forms:
            return 0.0
        soft = term_saturation(length, self._usual)
        count = "\n".join(fields).count
        counts = [(count(form), rarity) for form, rarity in self._forms]
        return sum(rarity * times / (times + soft) for times, rarity in counts if times)


def _above(found: TermMatches, term: QueryTerm) -> float:
    """Return how often a term is in the title and the headings, by their weight."""

    def count(words: list[str]) -> int:
        if term.begins:
            return sum(word.startswith(term.text) for word in words)
        return words.count(term.text)

    return TITLE_WEIGHT * count(found.title) + HEADINGS_WEIGHT * count(found.headings)


def _closeness(ones: list[int], others: list[int]) -> float:
    """Add up 1 for each pair side by side in the right order, less for farther or the other way."""
    total, first = 0.0, 0
    near = others[:_MAX_POSITIONS]
    for one in ones[:_MAX_POSITIONS]:
        # Both go up: what is too far back for this one is too far back for all that follow.
        while first < len(near) and near[first] < one - _MAX_PROXIMITY_WORDS:
            first += 1
        for other in near[first:]:
            distance = other - one
            if distance > _MAX_PROXIMITY_WORDS:
                break
            if distance:
                total += 1 / distance if distance > 0 else -0.5 / distance
    return total
