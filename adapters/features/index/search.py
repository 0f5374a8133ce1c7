"""Search an open index: from a query to result rows."""

import sqlite3
from collections.abc import Sequence
from heapq import nsmallest
from math import fsum
from typing import TYPE_CHECKING

import msgspec

from webseam.ports.dates import is_iso_date
from webseam.ports.web import WebSearchQuery

from ...language.stems import ENGLISH, STEMMER_LANGUAGES, is_syllable_pair, stemmer_language
from ...language.tokenising import text_terms
from ...stores.sqlite import fetch_by_numbers, fetch_rows
from .passage_terms import SELECT_STORED_PASSAGES, StoredPassage
from .query import QueryPlan, drop_required_phrases, embeddable_text, plan_query
from .ranking.candidates import (
    Candidate,
    DocumentFilter,
    candidate_rounds,
    make_document_filter,
    near_passages,
    query_days,
    rarest_required_first,
    score_passages,
    weigh_terms,
)
from .ranking.scoring import CountedPairs, QueryTerms
from .ranking.snippets import Snippets
from .ranking.term_matches import term_prefix
from .variants import add_spelling_variants
from .word_engine import Words
from .word_queries import UNDATED, Days

if TYPE_CHECKING:
    from .vector_matrix import Nearness


VECTOR_WEIGHT = 0.25
DEFAULT_RESULTS = 10
# Scoring stops after this many passages, whether or not there are enough results.
_MAX_SCORED_PASSAGES = 300
# Number of passages that are ranked by words and vectors together.
_FUSED_PASSAGES = 50
# The engine adds scores in single precision, in the order of its segments, so equal scores may
# differ in their last digits. Passages are compared by the score that is shown, and then by URL.
_SCORE_DIGITS = 4
# Weight of a word in the title beside its weight anywhere.
_TITLE_WEIGHT = 0.2
_SELECT_BY_NUMBERS = (
    SELECT_STORED_PASSAGES + "WHERE passages.id IN (SELECT value FROM json_each(?))"  # noqa: S608  constants
)
LOOSENED_WARNING = "no passage has the quoted words side by side: they were looked for one by one"


class PassageScores(msgspec.Struct, frozen=True, kw_only=True):
    """The URL of a passage's document, its score by words, and its nearness from 0 to 1."""

    document: str
    words: float
    near: float


def fuse_scores(passages: Sequence[PassageScores]) -> list[tuple[int, float]]:
    """Return index and score of the best passage of each document, best first."""
    max_words = max((passage.words for passage in passages), default=0.0) or 1.0
    scores = [passage.words / max_words + VECTOR_WEIGHT * passage.near for passage in passages]
    best: dict[str, int] = {}
    for index, passage in enumerate(passages):
        best_index = best.get(passage.document)
        if best_index is None or scores[index] > scores[best_index]:
            best[passage.document] = index
    order = sorted(best.values(), key=lambda index: (-scores[index], passages[index].document))
    return [(index, scores[index]) for index in order]


class PassageHit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage with its score."""

    passage: StoredPassage
    score: float


class IndexAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a search and its warnings."""

    rows: list[dict[str, object]]
    warnings: tuple[str, ...] = ()


def find_index_rows(
    connection: sqlite3.Connection,
    words: Words,
    query: WebSearchQuery,
    near: "Nearness | None" = None,
) -> IndexAnswer:
    """Return a row for each of the best documents, made from its best passage.

    A quoted phrase without a match is searched by its words, and the answer has a warning. ``near``
    is the nearness of passages to the query in meaning; without it, words rank alone.
    """
    languages = _document_languages(connection)
    plan = add_spelling_variants(
        _plan_query(query, languages), embeddable_text(query.query), languages, words
    )
    warnings: tuple[str, ...] = ()
    rows = _rows_by_date(connection, words, query, plan, near)
    loose_plan = plan if rows else drop_required_phrases(plan)
    if loose_plan != plan:
        plan = loose_plan
        rows = _rows_by_date(connection, words, query, plan, near)
        warnings = (LOOSENED_WARNING,) if rows else ()
    return IndexAnswer(rows=rows, warnings=warnings)


def _rows_by_date(
    connection: sqlite3.Connection,
    words: Words,
    query: WebSearchQuery,
    plan: QueryPlan,
    near: "Nearness | None",
) -> list[dict[str, object]]:
    """Return the rows within the days that a query asks for, and behind them those without a date.

    An undated document may lie outside of the days, so it takes no place from a dated one. The
    kernel counts the undated rows.
    """
    days, limit = query_days(query), query.max_results or DEFAULT_RESULTS
    rows = _ranked_rows(connection, words, plan, near, days=days, limit=limit)
    if days is not None and len(rows) < limit:
        left = limit - len(rows)
        rows += _ranked_rows(connection, words, plan, near, days=UNDATED, limit=left)
    return rows


def _ranked_rows(
    connection: sqlite3.Connection,
    words: Words,
    plan: QueryPlan,
    near: "Nearness | None",
    *,
    days: Days | None,
    limit: int,
) -> list[dict[str, object]]:
    plan = rarest_required_first(words, plan)
    terms = weigh_terms(connection, words, plan)
    documents = make_document_filter(connection, words, plan, days)
    depth = limit if near is None else max(limit, _FUSED_PASSAGES)
    best = _find_best_passages(connection, words, terms, documents, depth)
    if len(terms.engine_terms()) < len(terms.terms) and len(best.best_hits()) < limit:
        terms = msgspec.structs.replace(terms, skipped=frozenset())
        best = _find_best_passages(connection, words, terms, documents, depth)
    # A query that has only a site has no meaning to compare.
    if near is None or not terms.terms:
        hits = best.best_hits()[:limit]
    else:
        nearby = near_passages(words, terms, documents, near, depth)
        hits = _fuse_vectors(
            best.score_candidates(score_passages(words, terms, nearby)), near, limit
        )
    snippets = Snippets(
        {term.text: term.rarity for term in terms.terms if not is_syllable_pair(term.text)},
        [term.text for term in terms.terms if term.is_prefix],
        terms.plan.variants,
    )
    return [_result_row(hit.passage, hit.score, snippets) for hit in hits]


def _find_best_passages(
    connection: sqlite3.Connection,
    words: Words,
    query_terms: QueryTerms,
    documents: DocumentFilter,
    max_results: int,
) -> "_BestPassages":
    """Score passages, likeliest first, until no other passage can be among the results."""
    best = _BestPassages(connection, query_terms, max_results)
    for candidates in candidate_rounds(words, query_terms, documents, max_results):
        if not best.needs_more_candidates(candidates):
            break
    return best


def _fuse_vectors(scored: list[PassageHit], near: "Nearness", max_results: int) -> list[PassageHit]:
    """Return the best passages by words and vectors, one for each document."""
    rankings = [
        PassageScores(
            document=hit.passage.url,
            words=hit.score,
            near=near.passage_nearness(hit.passage.number),
        )
        for hit in scored
    ]
    return [
        PassageHit(passage=scored[index].passage, score=score)
        for index, score in fuse_scores(rankings)[:max_results]
    ]


def _document_languages(connection: sqlite3.Connection) -> list[str]:
    """Return the languages of the documents, English first: it is the fallback language.

    English is left out where no document is in it: its rules would match unrelated words.
    """
    rows = fetch_rows(connection, "SELECT language FROM languages", (), tuple[str])
    languages = {name for (name,) in rows if name in STEMMER_LANGUAGES}
    return sorted(languages, key=lambda name: (name != ENGLISH, name)) or [ENGLISH]


def _plan_query(query: WebSearchQuery, languages: list[str]) -> QueryPlan:
    """Parse the query, and add its filters to those typed into it."""
    typed = plan_query(query.query, languages)
    return msgspec.structs.replace(
        typed,
        within=query.include_domains,
        excluded_sites=typed.excluded_sites + query.exclude_domains,
    )


class _BestPassages:
    """The best passage of each document so far, from candidates that arrive best first."""

    def __init__(self, connection: sqlite3.Connection, terms: QueryTerms, limit: int) -> None:
        self._connection = connection
        self._limit = limit
        # The engine's score does not say how often a passage has words that begin so.
        counted = [row for row in terms.terms if row.text in terms.skipped or row.is_prefix]
        self._counted_pairs = CountedPairs(counted, terms.usual_length)
        self._title_scores: dict[tuple[str, str], float] = {}
        self._rarities = {term.text: term.rarity for term in terms.terms}
        self._prefixes = list(map(term_prefix, self._rarities))
        self._hits: dict[int, PassageHit] = {}
        self._scored_hits: dict[int, PassageHit] = {}

    def needs_more_candidates(self, candidates: list[Candidate]) -> bool:
        """Score candidates; tell whether there are too few documents yet."""
        self.score_candidates(candidates)
        return len(self._hits) < self._limit and len(self._scored_hits) < _MAX_SCORED_PASSAGES

    def best_hits(self) -> list[PassageHit]:
        """Return the hits to show, best first."""
        return nsmallest(
            self._limit, self._hits.values(), key=lambda hit: (-hit.score, hit.passage.url)
        )

    def score_candidates(self, candidates: list[Candidate]) -> list[PassageHit]:
        """Score candidates that are new; return every passage scored so far.

        Passages that are not in the file were removed or never committed.
        """
        new = (row for row in candidates if row.number not in self._scored_hits)
        scores = {row.number: row.score for row in new}
        for passage in fetch_by_numbers(
            self._connection, _SELECT_BY_NUMBERS, list(scores), StoredPassage
        ):
            self._score_candidate(passage, scores[passage.number])
        return list(self._scored_hits.values())

    def _score_candidate(self, passage: StoredPassage, engine_score: float) -> None:
        fields = (passage.title, passage.headings, passage.body)
        score = engine_score + self._counted_pairs.score_pairs(fields, passage.length)
        named = (passage.title, stemmer_language(passage.language))
        if named not in self._title_scores:
            self._title_scores[named] = self._title_score(*named)
        score += self._title_scores[named]
        hit = PassageHit(passage=passage, score=round(score, _SCORE_DIGITS))
        self._scored_hits[passage.number] = hit
        best_hit = self._hits.get(passage.document)
        if best_hit is None or _is_better(hit, best_hit):
            self._hits[passage.document] = hit

    def _title_score(self, title: str, language: str) -> float:
        """Return the score of the terms in a title; few titles have to be stemmed."""
        is_plain = language == ENGLISH and title.isascii()
        if is_plain and not any(map(title.lower().__contains__, self._prefixes)):
            return 0.0
        titled = self._rarities.keys() & text_terms(title, language)
        return _TITLE_WEIGHT * fsum(map(self._rarities.__getitem__, titled))


def _is_better(hit: PassageHit, other: PassageHit) -> bool:
    """Tell whether a passage is shown for its document: the first of those that score the most."""
    if hit.score == other.score:
        return hit.passage.number < other.passage.number
    return hit.score > other.score


def _result_row(passage: StoredPassage, score: float, snippets: Snippets) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": passage.title or passage.url,
        "url": passage.url,
        "snippet": snippets.make_snippet(passage.body, stemmer_language(passage.language)),
        "score": round(score, _SCORE_DIGITS),
    }
    # A document that was added through the library may have any text as its date.
    is_date = passage.published is not None and is_iso_date(passage.published)
    return {**fields, "published_at": passage.published} if is_date else fields
