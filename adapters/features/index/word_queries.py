"""Build tantivy queries from query plans and terms."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec.structs import replace
from tantivy import FieldType, Occur, Query

from ...language.compounds import compound_mark_pattern
from ...language.scripts import is_script_sign, is_unspaced, pair_pattern
from ...language.stems import is_syllable_pair
from .passage_terms import address_mark, quoted_term_mark, run_end_mark, site_mark
from .query import QueryPlan, prefix_run_term
from .ranking.scoring import QueryTerm, QueryTerms
from .word_engine import (
    DAY_FIELD,
    MARKS_FIELD,
    NUMBER_FIELD,
    SCHEMA,
    WORDS_FIELD,
    passages_in_query,
)

# The engine multiplies BM25 by k1 + 1. A term without an engine score gets this share.
ENGINE_FACTOR = 2.2
_DEFAULT_TERM_SHARE = 0.5
INSIDE_TERM_SHARE, QUOTED_TERM_SHARE = 0.3, 0.2

# Weight of words with at most so many words between them, or swapped: the best of some fifteen
# settings on WCXB (2026-11-18, benchmarks/trials.md).
_PROXIMITY_WEIGHT = 0.4
_MAX_WORDS_BETWEEN = 2

Days = tuple[int, int]
_ANY_DAYS: Days = (0, 9999_12_31)
# In place of two days: the passages without a date.
UNDATED: Days = (-1, -1)


def word_query(query_terms: QueryTerms, days: Days | None) -> Query:
    """Return a query that ranks passages with any of the terms."""
    return _filtered_query(_terms_query(query_terms), query_terms.plan, days)


def scoring_query(query_terms: QueryTerms, numbers: Sequence[int]) -> Query:
    """Return a query that scores those of ``numbers`` that have any of the terms."""
    required = (_numbered_query(numbers), _terms_query(query_terms))
    return Query.boolean_query([(Occur.Must, query) for query in required])


def proximity_query(query_terms: QueryTerms, numbers: Sequence[int]) -> Query | None:
    """Return a query that scores ``numbers`` by words that stand together; None without words.

    It also adds function words that are too common to score every passage by. Pairs of characters,
    or of syllables, overlap, so their scores already reward words that stand together.
    """
    terms = query_terms.terms
    if any(is_unspaced(term.text) or is_syllable_pair(term.text) for term in terms):
        return None
    neighbours = pairwise(term for term in terms if term.count and not term.is_prefix)
    queries = [_neighbours_query(first, second) for first, second in neighbours]
    skipped = (term for term in query_terms.framing if term.text in query_terms.skipped)
    queries += map(_term_query, skipped)
    return _add_optional_queries(_numbered_query(numbers), queries) if queries and numbers else None


def _neighbours_query(first: QueryTerm, second: QueryTerm) -> Query:
    query = Query.phrase_query(SCHEMA, WORDS_FIELD, [first.text, second.text], _MAX_WORDS_BETWEEN)
    # The engine's weight of a phrase is the sum of the weights of its words.
    engine_weight = first.rarity / first.times + second.rarity / second.times
    weight = _PROXIMITY_WEIGHT * min(first.rarity, second.rarity)
    return Query.boost_query(query, weight / engine_weight)


def _numbered_query(numbers: Sequence[int]) -> Query:
    """Return a query for passages; single terms take a quarter of the time of a set of terms."""
    numbered = _any_query(Query.term_query(SCHEMA, NUMBER_FIELD, row, "basic") for row in numbers)
    return Query.const_score_query(numbered, 0.0)


def _add_optional_queries(required: Query, queries: Iterable[Query]) -> Query:
    """Add to the scores of a query, one by one: of several at once the engine reads every match."""
    for query in queries:
        required = Query.boolean_query([(Occur.Must, required), (Occur.Should, query)])
    return required


def _terms_query(query_terms: QueryTerms) -> Query:
    skipped = [term for term in query_terms.terms if term.text in query_terms.skipped]
    pairs = [pair for term in skipped for pair in _pair_queries(term)]
    matching = _any_query([*map(_term_query, query_terms.engine_terms()), *pairs])
    return _add_optional_queries(matching, map(_term_query, query_terms.engine_framing()))


def address_query(query_terms: QueryTerms, days: Days | None) -> Query:
    """Return a query for passages whose address has one of the terms."""
    marks = [_mark_query(address_mark(term.text)) for term in query_terms.terms]
    return _filtered_query(_any_query(marks), query_terms.plan, days)


def site_query(plan: QueryPlan, days: Days | None) -> Query | None:
    """Return a query for a plan without words: all passages of a site; None without a site."""
    return _filtered_query(Query.all_query(), plan, days) if plan.sites or plan.within else None


def restricted_query(numbers: Sequence[int], plan: QueryPlan, days: Days | None) -> Query | None:
    """Return a query for those of ``numbers`` from the plan's sites and days; None for all."""
    core = passages_in_query(numbers)
    filtered = _filtered_query(core, replace(plan, required=(), excluded=()), days)
    return None if filtered is core else filtered


@lru_cache(maxsize=64)
def prefix_query(begin: str) -> Query:
    """Return a query for passages with a word that begins so; a sign may also end a run."""
    if not is_script_sign(begin):
        return Query.regex_query(SCHEMA, WORDS_FIELD, f"{re.escape(begin)}.*")
    return _any_query(
        [
            Query.regex_query(SCHEMA, WORDS_FIELD, pair_pattern(begin)),
            _mark_query(run_end_mark(begin)),
        ]
    )


def phrase_query(run: Sequence[str]) -> Query:
    """Return a query for passages with these words side by side, ranked by their number."""
    if len(run) == 1:
        return Query.term_query(SCHEMA, WORDS_FIELD, run[0], "freq")
    return Query.phrase_query(SCHEMA, WORDS_FIELD, list(run))


def compound_query(end: str) -> Query:
    """Return a query for passages with a compound that ends so; ``end`` has a mark."""
    return Query.regex_query(SCHEMA, MARKS_FIELD, compound_mark_pattern(end) or "")


def _term_query(term: QueryTerm) -> Query:
    if term.is_prefix:
        share = term.rarity * _DEFAULT_TERM_SHARE * ENGINE_FACTOR
        return _any_query(
            [
                Query.const_score_query(prefix_query(term.text), share),
                *_pair_queries(term),
            ]
        )
    if is_syllable_pair(term.text):
        return _mark_query(term.text)
    weak = [(phrase_query([mark]), share) for mark, share in term.marks]
    if term.is_end:
        weak.append((compound_query(term.text), INSIDE_TERM_SHARE))
    share = term.rarity * ENGINE_FACTOR
    query = _any_query(
        [
            Query.term_query(SCHEMA, WORDS_FIELD, term.text, "freq"),
            *(Query.const_score_query(query, share * part) for query, part in weak),
            *(Query.boost_query(phrase_query(row.run), row.boost) for row in term.variants),
        ]
    )
    return query if term.times == 1 else Query.boost_query(query, float(term.times))


def _pair_queries(term: QueryTerm) -> list[Query]:
    """Return queries for pairs that begin with a sign; each one raises the score."""
    share = term.rarity * _DEFAULT_TERM_SHARE
    terms = (
        (Query.term_query(SCHEMA, WORDS_FIELD, pair, "freq"), rare) for pair, rare in term.pairs
    )
    return [Query.boost_query(query, share / rare) for query, rare in terms]


def _filtered_query(core: Query, plan: QueryPlan, days: Days | None) -> Query:
    required = [runs_query(runs) for runs in engine_required(plan)]
    sites = filter(None, (plan.sites, plan.within))
    required += [_any_query(_mark_query(site_mark(site)) for site in names) for names in sites]
    if days is not None:
        required.append(_days_query(*days))
    excluded = [_term_run_query(run) for run in plan.excluded]
    excluded += [_mark_query(site_mark(site)) for site in plan.excluded_sites]
    if not required and not excluded:
        return core
    # Required terms get score 0 here because the main query already scores them.
    required_clauses = ((Occur.Must, Query.const_score_query(query, 0.0)) for query in required)
    excluded_clauses = ((Occur.MustNot, query) for query in excluded)
    return Query.boolean_query([(Occur.Must, core), *required_clauses, *excluded_clauses])


def _days_query(first: int, last: int) -> Query:
    """Return a query for passages whose date may lie within two days, as rows are verified.

    The number of a month is below that of its first day, and the number of a year below that of its
    first month. So those that begin later are between the two days, and only the month and the year
    of the first day have to be named.
    """
    if (first, last) == UNDATED:
        dated = _range_query(*_ANY_DAYS)
        return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, dated)])
    partial = {first // 100 * 100, first // 10_000 * 10_000}
    ranges = [(first, last), *((number, number) for number in sorted(partial) if number <= last)]
    return _any_query(_range_query(*days) for days in ranges)


def _range_query(first: int, last: int) -> Query:
    return Query.range_query(SCHEMA, DAY_FIELD, FieldType.Integer, first, last)


def engine_required(plan: QueryPlan) -> list[tuple[tuple[str, ...], ...]]:
    """Return the required words that the engine asks of each passage: none, or the first group.

    Signs hold for documents. Each document that is looked for has a passage with the first group.
    The query finds that passage if its words are among the terms, which function words are not.
    """
    terms = {*plan.terms, *map(prefix_run_term, plan.prefixes)}
    for runs in plan.required[:1]:
        if all(terms.issuperset(run) for run in runs):
            return [runs]
    return []


def runs_query(runs: Iterable[tuple[str, ...]]) -> Query:
    """Return a query for passages with one of these runs of words."""
    return _any_query(map(_term_run_query, runs))


def matching_query(query: Query, within: Query) -> Query:
    """Return a query for the passages that match both."""
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, within)])


def _term_run_query(run: tuple[str, ...]) -> Query:
    """Return a query for words side by side, or side by side in a quote; or for a prefix."""
    if run[0].endswith("*"):
        begin = run[0].removesuffix("*")
        return _any_query([prefix_query(begin), prefix_query(quoted_term_mark(begin))])
    if run[1:] or not is_script_sign(run[0]):
        return _any_query([phrase_query(run), phrase_query([*map(quoted_term_mark, run)])])
    return prefix_query(run[0])


def _mark_query(mark: str) -> Query:
    return Query.term_query(SCHEMA, MARKS_FIELD, mark, "basic")


def _any_query(queries: Iterable[Query]) -> Query:
    choices = list(queries)
    if len(choices) == 1:
        return choices[0]
    return Query.boolean_query([(Occur.Should, query) for query in choices])
