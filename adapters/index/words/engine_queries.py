"""What is looked for, as the engine is asked for it."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tantivy import FieldType, Occur, Query

from ...language.compounds import marks_ended_by
from ...language.scripts import is_sign, pair_pattern
from ...language.stems import is_pair
from ..passage_terms import end_mark, inside_mark, place_mark, site_mark
from ..query import QueryPlan
from ..ranking.scoring import QueryTerm, QueryTerms
from .engine import DAY, MARKS, SCHEMA, WORDS, numbered_in

# The engine multiplies BM25 by its k1 and one. What has no score of its own is given this share.
ENGINE_FACTOR = 2.2
_DEFAULT_TERM_SHARE = 0.5
_INSIDE_TERM_SHARE = 0.3

Days = tuple[int, int]


def term_query(query_terms: QueryTerms, days: Days | None) -> Query:
    """Return a query for passages that have any of the terms, by how well they answer."""
    return _filtered(_asked(query_terms), query_terms.plan, days)


def scoring_query(query_terms: QueryTerms, numbers: Sequence[int]) -> Query:
    """Return a query for those of the passages that have any of the terms."""
    those_alone = Query.const_score_query(numbered_in(numbers), 0.0)
    return Query.boolean_query([(Occur.Must, _asked(query_terms)), (Occur.Must, those_alone)])


def _asked(sought: QueryTerms) -> Query:
    aside = [term for term in sought.terms if term.text in sought.aside]
    pairs = [pair for term in aside for pair in _pairs(term)]
    found = _any_of([*map(_term, sought.asked()), *pairs])
    better = [(Occur.Should, _term(term)) for term in sought.asked_framing()]
    return Query.boolean_query([(Occur.Must, found), *better]) if better else found


def address_query(query_terms: QueryTerms, days: Days | None) -> Query:
    """Return a query for passages whose address has one of the terms."""
    marks = [_mark(place_mark(term.text)) for term in query_terms.terms]
    return _filtered(_any_of(marks), query_terms.plan, days)


def filter_query(plan: QueryPlan, days: Days | None) -> Query | None:
    """Return what a plan without a word to look for still asks for: a site, as a whole."""
    return _filtered(Query.all_query(), plan, days) if plan.sites or plan.within else None


def restricted_query(numbers: Sequence[int], plan: QueryPlan, days: Days | None) -> Query | None:
    """Return a query for those of the passages that a plan lets through; None if it does all."""
    core = numbered_in(numbers)
    filtered = _filtered(core, plan, days)
    return None if filtered is core else filtered


@lru_cache(maxsize=64)
def prefix_query(begin: str) -> Query:
    """Return a query for passages with a word that begins so; a sign may also end a run."""
    if not is_sign(begin):
        return Query.regex_query(SCHEMA, WORDS, f"{re.escape(begin)}.*")
    return _any_of([Query.regex_query(SCHEMA, WORDS, pair_pattern(begin)), _mark(end_mark(begin))])


def phrase_query(run: Sequence[str]) -> Query:
    """Return a query for passages with these words side by side, by how often they have them."""
    if len(run) == 1:
        return Query.term_query(SCHEMA, WORDS, run[0], "freq")
    return Query.phrase_query(SCHEMA, WORDS, list(run))


def compound_query(end: str) -> Query:
    """Return a query for passages with a word that another one ends; for none if it ends none."""
    pattern = marks_ended_by(end)
    return Query.empty_query() if pattern is None else Query.regex_query(SCHEMA, MARKS, pattern)


def _term(term: QueryTerm) -> Query:
    if term.begins:
        share = term.rarity * _DEFAULT_TERM_SHARE * ENGINE_FACTOR
        return _any_of([Query.const_score_query(prefix_query(term.text), share), *_pairs(term)])
    if is_pair(term.text):
        return _mark(term.text)
    query = Query.term_query(SCHEMA, WORDS, term.text, "freq")
    share = term.rarity * _INSIDE_TERM_SHARE * ENGINE_FACTOR
    if term.is_inside:
        part = Query.term_query(SCHEMA, WORDS, inside_mark(term.text), "basic")
        query = _any_of([query, Query.const_score_query(part, share)])
    if term.is_end:
        query = _any_of([query, Query.const_score_query(compound_query(term.text), share)])
    if term.others:
        boosted = (Query.boost_query(phrase_query(each.run), each.boost) for each in term.others)
        query = _any_of([query, *boosted])
    return query if term.times == 1 else Query.boost_query(query, float(term.times))


def _pairs(term: QueryTerm) -> list[Query]:
    """Return queries for pairs that begin with a sign: a passage is the better for each of them."""
    share = term.rarity * _DEFAULT_TERM_SHARE
    terms = ((Query.term_query(SCHEMA, WORDS, pair, "freq"), rare) for pair, rare in term.pairs)
    return [Query.boost_query(query, share / rare) for query, rare in terms]


def _filtered(core: Query, plan: QueryPlan, days: Days | None) -> Query:
    required = [_any_of(map(_run, runs)) for runs in plan.required]
    sites = filter(None, (plan.sites, plan.within))
    required += [_any_of(_mark(site_mark(name)) for name in names) for names in sites]
    if days is not None:
        required.append(Query.range_query(SCHEMA, DAY, FieldType.Integer, *days))
    excluded = [*map(_run, plan.excluded), *(_mark(site_mark(n)) for n in plan.excluded_sites)]
    if not required and not excluded:
        return core
    # What must be there is worth nothing of its own: its words are among those looked for.
    unweighed = ((Occur.Must, Query.const_score_query(each, 0.0)) for each in required)
    unwanted = ((Occur.MustNot, each) for each in excluded)
    return Query.boolean_query([(Occur.Must, core), *unweighed, *unwanted])


def _run(run: tuple[str, ...]) -> Query:
    """Return words side by side as a query; a single word is no phrase for the engine."""
    if len(run) == 1 and is_sign(run[0]):
        return prefix_query(run[0])
    if len(run) == 1:
        return Query.term_query(SCHEMA, WORDS, run[0], "basic")
    return Query.phrase_query(SCHEMA, WORDS, list(run))


def _mark(mark: str) -> Query:
    return Query.term_query(SCHEMA, MARKS, mark, "basic")


def _any_of(queries: Iterable[Query]) -> Query:
    choices = list(queries)
    if len(choices) == 1:
        return choices[0]
    return Query.boolean_query([(Occur.Should, each) for each in choices])
