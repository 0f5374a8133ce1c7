"""The first pass: which passages are worth scoring exactly, the best first."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import msgspec

from ....ports.web import WebSearchQuery
from ...language.scripts import is_sign, pair_pattern
from ...stores.sqlite import fetch_one
from ..passage_terms import day_number, inside_mark
from ..query import QueryPlan
from ..words.engine import MARKS, Words
from ..words.engine_queries import (
    ENGINE_FACTOR,
    Days,
    address_query,
    compound_query,
    filter_query,
    phrase_query,
    prefix_query,
    restricted_query,
    scoring_query,
    term_query,
)
from .scoring import (
    MAX_LISTED_PASSAGES,
    VARIANT_WEIGHT,
    QueryTerm,
    QueryTerms,
    VariantTerm,
    common_terms,
    function_word_term,
    inverse_frequency,
    terms_to_skip,
)

if TYPE_CHECKING:
    from ..vectors.matrix import Nearness

_FIRST_DAY, _LAST_DAY = 0, 9999_12_31
# How many passages are asked for at first, and how many times as many each time after that.
_FIRST_ROUND_PASSAGES = 20
_PER_RESULT = 2
_MORE = 5
_MAX_CANDIDATES = 20_000
_MAX_INSIDE_TERMS = 3
_MAX_SIGN_PAIRS = 24


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A passage, and what it counts by its words alone, wherever they stand."""

    number: int
    score: float


class TermFrequency(msgspec.Struct, frozen=True, array_like=True):
    """How many passages have a term; and of a sign pairs that begin with it, by their rarity."""

    count: int
    pairs: tuple[tuple[str, float], ...] = ()


def weigh_terms(connection: sqlite3.Connection, words: Words, plan: QueryPlan) -> QueryTerms:
    """Find out how rare the plan's terms are."""
    (passages, length) = fetch_one(
        connection, "SELECT passages, terms FROM totals", tuple[int, int]
    )
    repeated = dict(plan.repeated)
    known = zip(plan.terms, words.passages_with(plan.terms), strict=True)
    counts = [(text, False, TermFrequency(count)) for text, count in known]
    counts += [(text, False, having) for text, having in _paired(words, plan)]
    counts += [(text, True, _beginning(words, text, passages)) for text in plan.prefixes]
    inside = _inside(words, plan)
    ends = _ends(words, plan)
    others = _others(words, plan)
    alike = _alike(words, plan)
    terms = [
        QueryTerm(
            text=text,
            is_inside=text in inside and not begins,
            is_end=text in ends and not begins,
            begins=begins,
            count=having.count,
            rarity=_worth(alike.get(text, having.count), others.get(text, ()), passages)
            * repeated.get(text, 1),
            times=repeated.get(text, 1) * _share(having.count, alike.get(text), passages),
            pairs=having.pairs,
            others=tuple(each.other(having.count, passages) for each in others.get(text, ())),
        )
        for text, begins, having in counts
    ]
    having = zip(plan.framing, words.passages_with(plan.framing), strict=True)
    framed = tuple(
        function_word_term(text, n, repeated.get(text, 1), passages) for text, n in having if n
    )
    return QueryTerms(
        plan=plan,
        terms=terms,
        usual=max(length, 1) / max(passages, 1),
        aside=common_terms(terms, passages) | terms_to_skip(framed),
        framing=framed,
    )


def _paired(words: Words, plan: QueryPlan) -> Iterator[tuple[str, TermFrequency]]:
    """Yield the pairs of syllables that the index has: others would be the rarest of all."""
    for pair, count in zip(plan.pairs, words.passages_with(plan.pairs, MARKS), strict=True):
        if count:
            yield pair, TermFrequency(count)


class _Written(msgspec.Struct, frozen=True, kw_only=True):
    """Another writing, and how many passages have it, and each of its words."""

    run: tuple[str, ...]
    count: int
    each: list[int]

    def other(self, own: int, passages: int) -> VariantTerm:
        """Return what it counts as a term that so many passages have as it was typed."""
        worth = VARIANT_WEIGHT * inverse_frequency(min(own + self.count, passages), passages)
        engine = sum(inverse_frequency(count, passages) for count in self.each)
        return VariantTerm(run=self.run, worth=worth, boost=worth / engine)


def _others(words: Words, plan: QueryPlan) -> dict[str, list[_Written]]:
    """Return the other writings of each term."""
    others: dict[str, list[_Written]] = {}
    for writing in plan.writings:
        each = words.passages_with(writing.other)
        count = each[0] if len(each) == 1 else words.count(phrase_query(writing.other))
        written = _Written(run=writing.other, count=count, each=each)
        for term in writing.typed:
            others.setdefault(term, []).append(written)
    return others


def _alike(words: Words, plan: QueryPlan) -> dict[str, int]:
    """Return how many passages have a word as any language says it, by each of its terms."""
    listed: dict[str, int] = {}
    for group in plan.alike:
        total = sum(words.passages_with(group))
        listed |= {term: max(total, listed.get(term, 0)) for term in group}
    return listed


def _share(count: int, listed: int | None, passages: int) -> float:
    """Return what a term counts of what it would, if no other language had its word."""
    if listed is None or not count:
        return 1.0
    return inverse_frequency(min(listed, passages), passages) / inverse_frequency(count, passages)


def _worth(count: int, others: Sequence[_Written], passages: int) -> float:
    """Return how rare a term is; what nobody writes so is as rare as what it stands for."""
    listed = count or sum(each.count for each in others)
    return inverse_frequency(min(listed, passages), passages)


def _beginning(words: Words, text: str, passages: int) -> TermFrequency:
    """Return in how many passages words begin so. Of a common sign that is an estimate."""
    pairs = _pairs(words, text) if is_sign(text) else []
    listed = sum(count for _, count in pairs)
    count = (
        min(listed, passages) if listed > MAX_LISTED_PASSAGES else words.count(prefix_query(text))
    )
    few = [
        pair
        for pair, so_far in zip(pairs, _sums(pairs), strict=True)
        if so_far <= MAX_LISTED_PASSAGES
    ]
    rare = tuple((pair, inverse_frequency(having, passages)) for pair, having in few or pairs[:1])
    return TermFrequency(count, rare)


def _sums(pairs: list[tuple[str, int]]) -> Iterator[int]:
    return accumulate(count for _, count in pairs)


def _pairs(words: Words, sign: str) -> list[tuple[str, int]]:
    """Return the commonest pairs that begin with a sign, and how many passages have each."""
    is_pair = re.compile(pair_pattern(sign)).fullmatch
    return [each for each in words.beginning(sign, _MAX_SIGN_PAIRS) if is_pair(each[0])]


def _inside(words: Words, plan: QueryPlan) -> frozenset[str]:
    """Return the terms that are parts of names somewhere; in a longer query others tell more."""
    if len(plan.terms) > _MAX_INSIDE_TERMS:
        return frozenset()
    counts = words.passages_with(map(inside_mark, plan.terms))
    return frozenset(term for term, count in zip(plan.terms, counts, strict=True) if count)


def _ends(words: Words, plan: QueryPlan) -> frozenset[str]:
    """Return the terms that are the end of compounds somewhere."""
    if len(plan.terms) > _MAX_INSIDE_TERMS:
        return frozenset()
    return frozenset(term for term in plan.terms if words.count(compound_query(term)))


def candidate_rounds(
    words: Words, query_terms: QueryTerms, query: WebSearchQuery, results: int
) -> Iterator[list[Candidate]]:
    """Yield candidates: first as many as are nearly always enough, then always more of them."""
    few, known = max(_FIRST_ROUND_PASSAGES, results * _PER_RESULT), 0
    while known < few <= _MAX_CANDIDATES:
        every = _candidates(words, query_terms, query_days(query), few)
        yield every[known:]
        if len(every) < few:
            return
        known, few = few, few * _MORE


def near_passages(
    words: Words,
    query_terms: QueryTerms,
    query: WebSearchQuery,
    near: "Nearness",
    max_passages: int,
) -> list[int]:
    """Return the passages nearest in meaning, of those that the query's filters let through."""
    asked = max_passages
    while True:
        nearest = near.nearest(asked)
        through = (
            restricted_query(nearest, query_terms.plan, query_days(query)) if nearest else None
        )
        if through is None:
            return nearest[:max_passages]
        allowed = set(words.first(through, len(nearest)))
        passages = [number for number in nearest if number in allowed]
        if len(passages) >= max_passages or len(nearest) < asked:
            return passages[:max_passages]
        asked *= _MORE


def score_passages(words: Words, query_terms: QueryTerms, numbers: list[int]) -> list[Candidate]:
    """Return passages with what they count by their words; nothing where they have none."""
    scores = dict.fromkeys(numbers, 0.0)
    best = words.best(scoring_query(query_terms, numbers), len(numbers)) if numbers else []
    scores |= {number: score / ENGINE_FACTOR for score, number in best}
    return [Candidate(number, score) for number, score in scores.items()]


def query_days(query: WebSearchQuery) -> Days | None:
    """Return the range of days that a query asks for, the last one included."""
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return None
    first = day_number(after.isoformat()) if after else None
    last = day_number(before.isoformat()) if before else None
    return first or _FIRST_DAY, last or _LAST_DAY


def _candidates(words: Words, sought: QueryTerms, days: Days | None, most: int) -> list[Candidate]:
    if not sought.terms:
        alone = filter_query(sought.plan, days)
        numbers = [] if alone is None else words.first(alone, most)
        return [Candidate(number, 0.0) for number in numbers]
    best = words.best(term_query(sought, days), most)
    candidates = [Candidate(number, score / ENGINE_FACTOR) for score, number in best]
    if len(best) < most:
        known = {number for _, number in best}
        others = words.first(address_query(sought, days), most)
        candidates += [Candidate(number, 0.0) for number in others if number not in known]
    return candidates[:most]
