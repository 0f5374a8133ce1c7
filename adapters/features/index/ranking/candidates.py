"""Ranking by words: candidates by BM25, and then by words that stand together."""

import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
from tantivy import Query

from webseam.adapters.language.compounds import compound_mark_pattern
from webseam.adapters.language.scripts import is_script_sign, pair_pattern
from webseam.adapters.stores.sqlite import fetch_by_numbers, fetch_one
from webseam.ports.web import WebSearchQuery

from ..passage_terms import day_number, identifier_part_mark, quoted_term_mark
from ..query import QueryPlan
from ..word_engine import MARKS_FIELD, Words
from ..word_queries import (
    ENGINE_FACTOR,
    INSIDE_TERM_SHARE,
    QUOTED_TERM_SHARE,
    Days,
    address_query,
    phrase_query,
    prefix_query,
    proximity_query,
    restricted_query,
    runs_query,
    scoring_query,
    site_query,
    word_query,
)
from .scoring import (
    MAX_LISTED_PASSAGES,
    VARIANT_WEIGHT,
    QueryTerm,
    QueryTerms,
    VariantTerm,
    common_terms_to_skip,
    function_word_term,
    function_words_to_skip,
    inverse_frequency,
)

if TYPE_CHECKING:
    from ..vector_matrix import Nearness
    from .document_signs import DocumentSigns

_FIRST_DAY, _LAST_DAY = 0, 9999_12_31
# Number of passages in the first round, and the growth of each further round.
_FIRST_ROUND_PASSAGES = 20
_PASSAGES_PER_RESULT = 2
_ROUND_GROWTH = 3
_MAX_CANDIDATES = 20_000
_MAX_INSIDE_TERMS = 3
# Share of the commonest words in the scores of a query: in 1,900 queries over three collections
# the twentieth passage nearly always scored more.
_COMMON_SHARE = 0.125
_MAX_SIGN_PAIRS = 24
_SELECT_BY_URL = """
    SELECT passages.id FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
    ORDER BY documents.url, passages.id
"""


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A passage and its score by words."""

    number: int
    score: float


# The commonest pairs that begin with a sign, each with its rarity.
SignPairs: TypeAlias = tuple[tuple[str, float], ...]


def weigh_terms(connection: sqlite3.Connection, words: Words, plan: QueryPlan) -> QueryTerms:
    """Look up how rare the plan's terms are."""
    totals = "SELECT passages, terms FROM totals"
    (passages, length) = fetch_one(connection, totals, tuple[int, int])
    repeated = dict(plan.repeated)
    frequencies = zip(plan.terms, words.document_frequencies(plan.terms), strict=True)
    counts: list[tuple[str, bool, int, SignPairs]] = [
        (text, False, count, ()) for text, count in frequencies
    ]
    pairs = zip(plan.pairs, words.document_frequencies(plan.pairs, MARKS_FIELD), strict=True)
    # Pairs of syllables that the index lacks would seem the rarest terms.
    counts += [(pair, False, count, ()) for pair, count in pairs if count]
    counts += [(text, True, *_prefix_frequency(words, text, passages)) for text in plan.prefixes]
    # Only a short query also matches parts of identifiers and ends of compounds.
    short = plan.terms if len(plan.terms) <= _MAX_INSIDE_TERMS else ()
    weak = [(term, quoted_term_mark(term), QUOTED_TERM_SHARE) for term in plan.terms]
    weak += [(term, identifier_part_mark(term), INSIDE_TERM_SHARE) for term in short]
    marked = list(zip(weak, words.document_frequencies(mark for _, mark, _ in weak), strict=True))
    endings = ((term, (compound_mark_pattern(term) or "").removesuffix(".*")) for term in short)
    ends = {
        term for term, mark in endings if mark and words.terms_with_prefix(mark, 1, MARKS_FIELD)
    }
    variants = _counted_variants(words, plan)
    shared = _passages_in_any_language(words, plan)
    terms = [
        QueryTerm(
            text=text,
            marks=tuple(row[1:] for row, marking in marked if marking and row[0] == text),
            is_end=text in ends and not is_prefix,
            is_prefix=is_prefix,
            count=count,
            rarity=_term_rarity(shared.get(text, count), variants.get(text, ()), passages)
            * repeated.get(text, 1),
            times=repeated.get(text, 1) * _language_share(count, shared.get(text), passages),
            pairs=sign_pairs,
            variants=tuple(
                variant.as_variant_term(count, passages) for variant in variants.get(text, ())
            ),
        )
        for text, is_prefix, count, sign_pairs in counts
    ]
    having = zip(plan.framing, words.document_frequencies(plan.framing), strict=True)
    function_words = tuple(
        function_word_term(text, count, repeated.get(text, 1), passages)
        for text, count in having
        if count
    )
    return QueryTerms(
        plan=plan,
        terms=terms,
        usual_length=max(length, 1) / max(passages, 1),
        skipped=common_terms_to_skip(terms, passages) | function_words_to_skip(function_words),
        framing=function_words,
    )


class _CountedVariant(msgspec.Struct, frozen=True, kw_only=True):
    """A spelling variant, with the number of passages that have it and counts of its words."""

    run: tuple[str, ...]
    count: int
    counts: list[int]

    def as_variant_term(self, count: int, passages: int) -> VariantTerm:
        """Return the variant of a term that ``count`` passages have as it was typed."""
        worth = VARIANT_WEIGHT * inverse_frequency(min(count + self.count, passages), passages)
        engine = sum(inverse_frequency(count, passages) for count in self.counts)
        return VariantTerm(run=self.run, worth=worth, boost=worth / engine)


def _counted_variants(words: Words, plan: QueryPlan) -> dict[str, list[_CountedVariant]]:
    """Return the spelling variants of each term."""
    variants: dict[str, list[_CountedVariant]] = {}
    for writing in plan.variants:
        counts = words.document_frequencies(writing.other)
        count = counts[0] if len(counts) == 1 else words.count_matches(phrase_query(writing.other))
        variant = _CountedVariant(run=writing.other, count=count, counts=counts)
        for term in writing.typed:
            variants.setdefault(term, []).append(variant)
    return variants


def _passages_in_any_language(words: Words, plan: QueryPlan) -> dict[str, int]:
    """Return the number of passages with a word in any language, by each of its terms."""
    totals: dict[str, int] = {}
    for group in plan.same_words:
        total = sum(words.document_frequencies(group))
        totals |= {term: max(total, totals.get(term, 0)) for term in group}
    return totals


def _language_share(count: int, total: int | None, passages: int) -> float:
    """Return the weight of a term relative to one whose word no other language has."""
    if total is None or not count:
        return 1.0
    return inverse_frequency(min(total, passages), passages) / inverse_frequency(count, passages)


def _term_rarity(count: int, variants: Sequence[_CountedVariant], passages: int) -> float:
    """Return the rarity of a term; an absent term is as rare as its variants."""
    total = count or sum(variant.count for variant in variants)
    return inverse_frequency(min(total, passages), passages)


def _prefix_frequency(words: Words, text: str, passages: int) -> tuple[int, SignPairs]:
    """Return in how many passages words begin so; an estimate for a common sign."""
    pairs = _commonest_pairs(words, text) if is_script_sign(text) else []
    total = sum(count for _, count in pairs)
    is_common = total > MAX_LISTED_PASSAGES
    count = min(total, passages) if is_common else words.count_matches(prefix_query(text))
    sums = accumulate(count for _, count in pairs)
    few = [pair for pair, total in zip(pairs, sums, strict=True) if total <= MAX_LISTED_PASSAGES]
    rare = ((pair, inverse_frequency(count, passages)) for pair, count in few or pairs[:1])
    return count, tuple(rare)


def _commonest_pairs(words: Words, sign: str) -> list[tuple[str, int]]:
    """Return the commonest pairs that begin with a sign, and the number of passages of each."""
    is_pair = re.compile(pair_pattern(sign)).fullmatch
    return [pair for pair in words.terms_with_prefix(sign, _MAX_SIGN_PAIRS) if is_pair(pair[0])]


def candidate_rounds(
    words: Words, query_terms: QueryTerms, documents: "DocumentFilter", results: int
) -> Iterator[list[Candidate]]:
    """Yield candidates: first as many as nearly always suffice, then further rounds."""
    max_passages = max(_FIRST_ROUND_PASSAGES, results * _PASSAGES_PER_RESULT)
    yielded: set[int] = set()
    while max_passages <= _MAX_CANDIDATES:
        candidates = _find_candidates(words, query_terms, documents, max_passages)
        new = [candidate for candidate in candidates if candidate.number not in yielded]
        if documents.signs is None:
            allowed = new
        else:
            passages = documents.signs.allowed_passages([candidate.number for candidate in new])
            allowed = [candidate for candidate in new if candidate.number in passages]
        yield _add_proximity_scores(words, query_terms, allowed)
        if len(candidates) < max_passages:
            return
        yielded.update(candidate.number for candidate in new)
        max_passages *= _ROUND_GROWTH


def near_passages(
    words: Words,
    query_terms: QueryTerms,
    documents: "DocumentFilter",
    near: "Nearness",
    max_passages: int,
) -> list[int]:
    """Return the passages nearest in meaning that pass the query's filters."""
    requested = max_passages
    while True:
        nearest = near.nearest_passages(requested)
        plan = query_terms.plan
        query_filter = restricted_query(nearest, plan, documents.days) if nearest else None
        passages = nearest
        if query_filter is not None:
            matching = set(words.first_passages(query_filter, len(nearest)))
            passages = [number for number in passages if number in matching]
        if documents.signs is not None:
            allowed = documents.signs.allowed_passages(passages)
            passages = [number for number in passages if number in allowed]
        if len(passages) >= max_passages or len(nearest) < requested:
            break
        requested *= _ROUND_GROWTH
    return passages[:max_passages]


def score_passages(words: Words, query_terms: QueryTerms, numbers: list[int]) -> list[Candidate]:
    """Return passages with their score by words; 0 for those without a match."""
    scores = dict.fromkeys(numbers, 0.0)
    best = words.best_passages(scoring_query(query_terms, numbers), len(numbers)) if numbers else []
    scores |= {number: score / ENGINE_FACTOR for score, number in best}
    candidates = [Candidate(number, score) for number, score in scores.items()]
    return _add_proximity_scores(words, query_terms, candidates)


class DocumentFilter(NamedTuple):
    """The file of the documents, and the days and signs that they must have; None where all do."""

    connection: sqlite3.Connection
    days: Days | None
    signs: "DocumentSigns | None"


def make_document_filter(
    connection: sqlite3.Connection, words: Words, plan: QueryPlan, days: Days | None
) -> DocumentFilter:
    """Return what a query asks of documents as a whole."""
    if not plan.required and not plan.excluded:
        return DocumentFilter(connection, days, None)
    from .document_signs import DocumentSigns  # noqa: PLC0415  few queries have signs

    return DocumentFilter(connection, days, DocumentSigns(connection, words, plan))


def rarest_required_first(words: Words, plan: QueryPlan) -> QueryPlan:
    """Return a plan whose first required words are in the fewest passages: those are looked at."""
    if not plan.required[1:]:
        return plan
    required = sorted(plan.required, key=lambda runs: words.count_matches(runs_query(runs)))
    return msgspec.structs.replace(plan, required=tuple(required))


def _add_proximity_scores(
    words: Words, query_terms: QueryTerms, candidates: list[Candidate]
) -> list[Candidate]:
    scores = {candidate.number: candidate.score for candidate in candidates}
    query = proximity_query(query_terms, list(scores))
    for score, number in words.best_passages(query, len(scores)) if query else ():
        scores[number] += score / ENGINE_FACTOR
    return [Candidate(number, score) for number, score in scores.items()]


def query_days(query: WebSearchQuery) -> Days | None:
    """Return the range of days that a query asks for, the last one included."""
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return None
    first = day_number(after.isoformat()) if after else None
    last = day_number(before.isoformat()) if before else None
    return first or _FIRST_DAY, last or _LAST_DAY


def _find_candidates(
    words: Words, terms: QueryTerms, documents: DocumentFilter, limit: int
) -> list[Candidate]:
    if not terms.terms:
        filter_only = site_query(terms.plan, documents.days)
        numbers = [] if filter_only is None else _first_by_url(words, filter_only, documents, limit)
        return [Candidate(number, 0.0) for number in numbers]
    best = _best_by_rarer_words(words, terms, documents.days, limit)
    if not best:
        best = words.best_passages(word_query(terms, documents.days), limit)
    candidates = [Candidate(number, score / ENGINE_FACTOR) for score, number in best]
    if len(best) < limit:
        scored = {number for _, number in best}
        by_address = _first_by_url(words, address_query(terms, documents.days), documents, limit)
        candidates += [Candidate(number, 0.0) for number in by_address if number not in scored]
    return candidates[:limit]


def _first_by_url(words: Words, query: Query, documents: DocumentFilter, limit: int) -> list[int]:
    """Return the first matching passages by URL; one that matches has no score."""
    numbers = words.first_passages(query, limit + 1)
    if len(numbers) > limit:
        numbers = words.first_passages(query, _MAX_CANDIDATES)
    rows = fetch_by_numbers(documents.connection, _SELECT_BY_URL, numbers, tuple[int])
    return [number for (number,) in rows[:limit]]


def _best_by_rarer_words(
    words: Words, terms: QueryTerms, days: Days | None, limit: int
) -> list[tuple[float, int]]:
    """Return the best passages; empty where some of them may have common words alone.

    The engine scores every match of its terms, and most matches have only common words. Here those
    match nothing, and add to the scores of other matches. No passage is missed if all of them
    together score less than the last passage found.
    """
    bounded = (
        term
        for term in terms.engine_terms()
        if not (term.is_prefix or term.marks or term.variants or term.is_end)
    )
    ordered = sorted(bounded, key=lambda term: term.rarity)
    framing = sum(term.rarity for term in terms.engine_framing())
    sums = list(accumulate((term.rarity for term in ordered), initial=framing))
    common = bisect_right(sums, _COMMON_SHARE * sum(term.rarity for term in terms.terms)) - 1
    if common < 1:
        return []
    commonest = dict.fromkeys(ordered[:common])
    rarer = msgspec.structs.replace(
        terms,
        terms=[term for term in terms.terms if term not in commonest],
        framing=(*terms.framing, *commonest),
    )
    best = words.best_passages(word_query(rarer, days), limit)
    return best if len(best) == limit and best[-1][0] > ENGINE_FACTOR * sums[common] else []
