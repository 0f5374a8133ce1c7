"""Second pass of ranking: BM25 over weighted fields, and a bonus for words that stand together."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import msgspec

from ...language.folding import thai_spelling
from ...language.scripts import is_unspaced, word_pattern
from ...language.stems import ENGLISH
from ...language.tokenising import terms_of_word
from ..passage_terms import HEADINGS_WEIGHT, TITLE_WEIGHT, PassageText, passage_term_saturation
from ..query import QueryPlan
from .term_matches import TermMatches, ranking_term_prefix

# Weight of a spelling variant relative to the typed word.
VARIANT_WEIGHT = 0.7


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
    function word. ``is_inside`` also matches parts of identifiers, ``is_end`` ends of compounds.
    ``pairs`` are the commonest pairs that begin with a sign, with their rarity. ``variants`` count
    where they score higher than the term itself.
    """

    text: str
    is_prefix: bool
    count: int
    rarity: float
    times: float = 1
    is_inside: bool = False
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


# Weight of a function word relative to other words, and its maximum rarity: in a list of names
# every function word is rare.
_FUNCTION_WORD_WEIGHT = 0.7
_MAX_FUNCTION_WORD_RARITY = 1.5


def function_word_ranking_term(text: str, count: int, times: int, passages: int) -> QueryTerm:
    """Return the term of a function word."""
    rarity = inverse_frequency(count, passages)
    weight = times * _FUNCTION_WORD_WEIGHT * min(1.0, _MAX_FUNCTION_WORD_RARITY / rarity)
    return QueryTerm(text=text, is_prefix=False, count=count, rarity=rarity * weight, times=weight)


# Limit of passages that the engine reads for all function words together.
_MAX_FRAMING_PASSAGES = 50_000


def unranked_function_words(framing: Sequence[QueryTerm]) -> frozenset[str]:
    """Return the commonest function words, which exceed the limit and say the least."""
    ordered = sorted(framing, key=lambda term: term.count)
    sums = accumulate(term.count for term in ordered)
    running_totals = zip(ordered, sums, strict=True)
    return frozenset(term.text for term, total in running_totals if total > _MAX_FRAMING_PASSAGES)


# Passages that the engine reads for a query of pairs, over all their lists: at least this many, or
# this share of all; and how many pairs it always reads. The lists of a question of forty pairs
# together are several times as long as all passages.
MAX_LISTED_PASSAGES = 30_000
_LISTED_SHARE = 0.3
_MIN_SKIPPED_RANK = 6


def unranked_common_terms(terms: Sequence[QueryTerm], passages: int) -> frozenset[str]:
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


TermRun = tuple[str, ...]


def find_ranked_runs(text: str, run: TermRun, language: str = ENGLISH) -> list[tuple[int, int]]:
    """Return the spans where words of these terms stand side by side.

    >>> find_ranked_runs("An e-mail, no email", ("e", "mail"))
    [(3, 9)]
    """
    if language == ENGLISH and all(map(str.isascii, run)):
        return _english_ranking_runs(text, run)
    words = list(word_pattern(text).finditer(text))
    word_terms = [terms_of_word(word[0], language) for word in words]
    run_terms, length = [[term] for term in run], len(run)
    starts = (at for at in range(len(words)) if word_terms[at : at + length] == run_terms)
    return [(words[at].start(), words[at + length - 1].end()) for at in starts]


def _english_ranking_runs(text: str, run: TermRun) -> list[tuple[int, int]]:
    lowered = text.lower()
    lowered = lowered if len(lowered) == len(text) else text
    # Most texts have no match: this check takes a tenth of the pattern's time.
    if max(map(ranking_term_prefix, run), key=len) not in lowered:
        return []
    spans: list[tuple[int, int]] = []
    for match in _ranking_run_pattern(run).finditer(lowered):
        start, end = match.span()
        terms = (term for word in match.groups() for term in terms_of_word(word))
        # A match starts at a word; to test that in the pattern takes five times as long.
        if not lowered[max(0, start - 1) : start].isalnum() and tuple(terms) == run:
            spans.append((start, end))
    return spans


@lru_cache(maxsize=256)
def _ranking_run_pattern(run: TermRun) -> re.Pattern[str]:
    """Return a pattern for English words of these terms, by their beginnings."""
    prefixes = (re.escape(ranking_term_prefix(term)) for term in run)
    # A one-letter term has no other word than itself.
    words = (f"({prefix})" if len(prefix) == 1 else rf"({prefix}[^\W_]*)" for prefix in prefixes)
    return re.compile(r"[\W_]+".join(words) + r"(?![^\W_])")


# Weight of words side by side, as in the sequential dependence model of Metzler and Croft, and
# their maximum distance.
PROXIMITY_WEIGHT = 0.2
_MAX_PROXIMITY_WORDS = 8
_MAX_POSITIONS = 50
# Count of a part of an identifier where the word itself is absent.
_IDENTIFIER_PART_COUNT = 0.4
_NO_RUNS: Mapping[TermRun, float] = {}


def passage_rank_score(
    matches: TermMatches,
    terms: Sequence[QueryTerm],
    saturation: float,
    run_counts: Mapping[TermRun, float] = _NO_RUNS,
    framing: Sequence[QueryTerm] = (),
) -> float:
    """Return how well a passage answers the terms; higher is better.

    ``saturation`` depends on its length; ``run_counts`` is how often it has spelling variants of
    the terms. Terms of ``framing`` count at any position.
    """
    positions = matches.positions
    total = 0.0
    for term in framing:
        count = matches.framing.get(term.text, 0) + _ranking_heading_count(matches, term)
        total += term.rarity * count / (count + saturation)
    for term in terms:
        count = len(positions.get(term.text, ())) + _ranking_heading_count(matches, term)
        if not count and term.text in matches.names:
            count = _IDENTIFIER_PART_COUNT
        score = term.rarity * count / (count + saturation) if count else 0.0
        total += max(score, _ranking_variant_score(run_counts, term, saturation))
    for first, second in pairwise(terms):
        if first.text in positions and second.text in positions:
            closeness = _ranking_term_closeness(positions[first.text], positions[second.text])
            weight = PROXIMITY_WEIGHT * min(first.rarity, second.rarity)
            total += weight * closeness / (closeness + saturation)
    return total


def count_ranking_term_runs(text: PassageText, runs: Collection[TermRun]) -> dict[TermRun, float]:
    """Return how often a passage has runs of words, by the weight of its fields."""

    def count(run: TermRun) -> float:
        def times(field: str) -> int:
            return len(find_ranked_runs(field, run, text.language)) if field else 0

        above = TITLE_WEIGHT * times(text.title) + HEADINGS_WEIGHT * times(text.headings)
        return times(text.body) + above

    return {run: count(run) for run in runs}


def _ranking_variant_score(
    run_counts: Mapping[TermRun, float], term: QueryTerm, saturation: float
) -> float:
    """Return the score of a term by its spelling variants."""
    counts = ((run_counts.get(variant.run, 0.0), variant.worth) for variant in term.variants)
    return max((weight * count / (count + saturation) for count, weight in counts), default=0.0)


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
        saturation = passage_term_saturation(length, self._usual_length)
        count = "\n".join(fields).count
        counts = [(count(form), rarity) for form, rarity in self._forms]
        return sum(rarity * times / (times + saturation) for times, rarity in counts if times)


def _ranking_heading_count(matches: TermMatches, term: QueryTerm) -> float:
    """Return how often a term is in the title and the headings, by their weight."""
    if not matches.title and not matches.headings:
        return 0.0

    def count(words: list[str]) -> int:
        if term.is_prefix:
            return sum(word.startswith(term.text) for word in words)
        return words.count(term.text)

    return TITLE_WEIGHT * count(matches.title) + HEADINGS_WEIGHT * count(matches.headings)


def _ranking_term_closeness(positions: list[int], next_positions: list[int]) -> float:
    """Add 1 for each adjacent pair in the right order, less for distant or reversed pairs."""
    total, start = 0.0, 0
    nearby = next_positions[:_MAX_POSITIONS]
    for position in positions[:_MAX_POSITIONS]:
        # Both lists ascend: a position too far back for this one is too far back for the next.
        while start < len(nearby) and nearby[start] < position - _MAX_PROXIMITY_WORDS:
            start += 1
        for later in nearby[start:]:
            distance = later - position
            if distance > _MAX_PROXIMITY_WORDS:
                break
            if distance:
                total += 1 / distance if distance > 0 else -0.5 / distance
    return total
