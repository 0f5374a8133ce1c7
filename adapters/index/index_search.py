"""One search: from a query to rows, over an open connection and its words."""

import sqlite3
from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from ...ports.web import WebSearchQuery
from ..language.scripts import is_unspaced
from ..language.stems import ENGLISH, LANGUAGES, is_pair, stemmer_language
from ..stores.sqlite import fetch_by_numbers, fetch_rows
from .passage_terms import PassageText, term_saturation
from .query import QueryPlan, embeddable_text, plan_index_query, without_phrases
from .ranking.candidates import (
    Candidate,
    candidate_rounds,
    near_passages,
    score_passages,
    weigh_terms,
)
from .ranking.scoring import PROXIMITY_WEIGHT, CountedPairs, QueryTerms, counted_runs, score_passage
from .ranking.snippets import Snippets
from .ranking.term_matches import TermMatcher
from .variants import widen_plan
from .words.engine import Words

if TYPE_CHECKING:
    from .vectors.matrix import Nearness


VECTOR_WEIGHT = 0.25


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """What a passage counts by its words, and how near it is, from 0 to 1."""

    document: int
    words: float
    near: float


def fuse_scores(passages: Sequence[Ranking]) -> list[tuple[int, float]]:
    """Return where the best passage of each document stands, and its score; the best first."""
    most = max((each.words for each in passages), default=0.0) or 1.0
    scores = [each.words / most + VECTOR_WEIGHT * each.near for each in passages]
    best: dict[int, int] = {}
    for at, each in enumerate(passages):
        known = best.get(each.document)
        if known is None or scores[at] > scores[known]:
            best[each.document] = at
    order = sorted(best.values(), key=lambda at: (-scores[at], passages[at].document))
    return [(at, scores[at]) for at in order]


# One search: from a query to rows, over an open connection and its words.

DEFAULT_RESULTS = 10
# How many passages are scored before those that were found must do.
_MAX_SCORED_PASSAGES = 300
# How many passages are compared by words and meaning together.
_FUSED = 50
# What words that stand together add, of the most that they could; and of what the words count.
_EXPECTED_PROXIMITY = 0.5
_MAX_PROXIMITY_SHARE = 0.15
# What terms that are set aside add to a passage beyond what they add to others, of all they could.
_EXPECTED_SKIPPED_SHARE = 0.3
_PASSAGES = """
    SELECT passages.id, passages.document, passages.length, passages.headings, passages.body,
           documents.title, documents.url, documents.published, documents.language
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
"""


class _PassageRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    document: int
    length: int
    headings: str
    body: str
    title: str
    url: str
    published: str | None
    language: str


class PassageHit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was found, and how well it answers."""

    passage: _PassageRow
    score: float


class IndexAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a search, and what there is to say about it."""

    rows: list[dict[str, object]]
    warnings: tuple[str, ...] = ()


LOOSENED_WARNING = "no passage has the quoted words side by side: they were looked for one by one"


def find_rows(
    connection: sqlite3.Connection,
    words: Words,
    query: WebSearchQuery,
    near: "Nearness | None" = None,
) -> IndexAnswer:
    """Return a row for each of the best documents, out of the passage that answers best.

    A quoted phrase that is nowhere is looked for by its words, and the answer says so. ``near`` is
    how near passages are to the query in meaning; without it, words decide alone.
    """
    languages = _languages(connection)
    planned = widen_plan(_planned(query, languages), embeddable_text(query.query), languages, words)
    rows = _rows(connection, words, query, planned, near)
    loose = planned if rows else without_phrases(planned)
    if loose == planned:
        return IndexAnswer(rows=rows)
    loosened = _rows(connection, words, query, loose, near)
    return IndexAnswer(rows=loosened, warnings=(LOOSENED_WARNING,) if loosened else ())


def _rows(
    connection: sqlite3.Connection,
    words: Words,
    query: WebSearchQuery,
    planned: QueryPlan,
    near: "Nearness | None",
) -> list[dict[str, object]]:
    sought = weigh_terms(connection, words, planned)
    most = query.max_results or DEFAULT_RESULTS
    depth = most if near is None else max(most, _FUSED)
    best = _best(connection, words, sought, query, depth)
    if len(sought.asked()) < len(sought.terms) and len(best.hits()) < most:
        sought = msgspec.structs.replace(sought, aside=frozenset())
        best = _best(connection, words, sought, query, depth)
    # A site alone asks for no meaning.
    if near is None or not sought.terms:
        hits = best.hits()[:most]
    else:
        others = near_passages(words, sought, query, near, depth)
        hits = _with_meaning(best.scored(score_passages(words, sought, others)), near, most)
    snippets = Snippets(
        {term.text: term.rarity for term in sought.terms if not is_pair(term.text)},
        [term.text for term in sought.terms if term.begins],
        sought.plan.writings,
    )
    return [_row(hit.passage, hit.score, snippets) for hit in hits]


def _best(
    connection: sqlite3.Connection,
    words: Words,
    sought: QueryTerms,
    query: WebSearchQuery,
    most: int,
) -> "_Best":
    """Score passages, the likeliest first, until others cannot be among those to show."""
    best = _Best(connection, sought, most)
    for candidates in candidate_rounds(words, sought, query, most):
        if not best.is_wanting(candidates):
            break
    return best


def _with_meaning(scored: list[PassageHit], near: "Nearness", most: int) -> list[PassageHit]:
    """Return the best of what words and meaning have found, each document once."""
    rankings = [
        Ranking(document=hit.passage.document, words=hit.score, near=near.of(hit.passage.number))
        for hit in scored
    ]
    return [
        PassageHit(passage=scored[at].passage, score=score)
        for at, score in fuse_scores(rankings)[:most]
    ]


def _languages(connection: sqlite3.Connection) -> list[str]:
    """Return the languages of the documents, English first: it is that of what tells nothing.

    Where no document is in English, its rules would only find other words that look alike.
    """
    rows = fetch_rows(connection, "SELECT language FROM languages", (), tuple[str])
    known = {name for (name,) in rows if name in LANGUAGES}
    return sorted(known, key=lambda name: (name != ENGLISH, name)) or [ENGLISH]


def _planned(query: WebSearchQuery, languages: list[str]) -> QueryPlan:
    """Read the query, and join its filters with those typed into it."""
    typed = plan_index_query(query.query, languages)
    return msgspec.structs.replace(
        typed,
        within=query.include_domains,
        excluded_sites=typed.excluded_sites + query.exclude_domains,
    )


class _Best:
    """The best passage of each document so far, of candidates that come best first."""

    def __init__(self, connection: sqlite3.Connection, sought: QueryTerms, most: int) -> None:
        self._connection = connection
        self._sought = sought
        self._most = most
        # Pairs of characters overlap, so that they say by themselves what stands together: such
        # passages count what the engine says. To look for the pairs in each text took as long as
        # all else, and ranked no better (docs/document-index.md).
        # So do pairs of syllables.
        is_settled = any(is_unspaced(term.text) or is_pair(term.text) for term in sought.terms)
        self._wanted = None if is_settled else _wanted(sought)
        self._runs = frozenset(writing.other for writing in sought.plan.writings)
        self._nearness = PROXIMITY_WEIGHT * _together(sought) * _EXPECTED_PROXIMITY
        aside = [term for term in sought.terms if term.text in sought.aside or term.pairs]
        self._aside = CountedPairs(aside, sought.usual)
        framing = [term for term in sought.framing if term.text in sought.aside]
        self._more = sum(term.rarity for term in (*aside, *framing)) * _EXPECTED_SKIPPED_SHARE
        self._hits: dict[int, PassageHit] = {}
        self._seen: dict[int, PassageHit] = {}

    def is_wanting(self, candidates: list[Candidate]) -> bool:
        """Score candidates until the next ones cannot be shown; tell whether more are needed."""
        passages = self._passages(candidate.number for candidate in candidates)
        for candidate in candidates:
            if candidate.score + self._most_added(candidate.score) < self._floor():
                return False
            if candidate.number in passages:
                self._score(passages[candidate.number], candidate.score)
        return len(self._hits) < self._most and len(self._seen) < _MAX_SCORED_PASSAGES

    def hits(self) -> list[PassageHit]:
        """Return those to show, best first."""
        return nlargest(
            self._most, self._hits.values(), key=lambda hit: (hit.score, -hit.passage.document)
        )

    def scored(self, others: list[Candidate]) -> list[PassageHit]:
        """Return every passage that was scored, and these others too."""
        further = {each.number: each.score for each in others if each.number not in self._seen}
        for passage in self._passages(further).values():
            self._score(passage, further[passage.number])
        return list(self._seen.values())

    def _passages(self, numbers: Iterable[int]) -> dict[int, _PassageRow]:
        """Return the passages that are in the file; others were removed, or never kept."""
        rows = fetch_by_numbers(self._connection, _PASSAGES, list(numbers), _PassageRow)
        return {row.number: row for row in rows}

    def _score(self, passage: _PassageRow, counted: float) -> None:
        if self._wanted is None:
            fields = (passage.title, passage.headings, passage.body)
            total = counted + self._aside.score(fields, passage.length)
        else:
            text, terms = _text(passage), self._sought.terms
            soft = term_saturation(passage.length, self._sought.usual)
            others = counted_runs(text, self._runs) if self._runs else {}
            found = self._wanted.evidence(text)
            total = score_passage(found, terms, soft, others, self._sought.framing)
        hit = PassageHit(passage=passage, score=total)
        self._seen[passage.number] = hit
        known = self._hits.get(passage.document)
        if known is None or total > known.score:
            self._hits[passage.document] = hit

    def _most_added(self, counted: float) -> float:
        """Return how much more a passage may count by its text than by what the engine says."""
        near = 0.0 if self._wanted is None else min(self._nearness, counted * _MAX_PROXIMITY_SHARE)
        return self._more + near

    def _floor(self) -> float:
        """Return what a passage must count to be shown."""
        if len(self._hits) < self._most:
            return 0.0
        return sorted(hit.score for hit in self._hits.values())[-self._most]


def _wanted(sought: QueryTerms) -> TermMatcher:
    return TermMatcher(
        [term.text for term in sought.terms if not term.begins],
        [term.text for term in sought.terms if term.begins],
        [term.text for term in sought.terms if term.is_inside],
        [term.text for term in sought.terms if term.is_end],
        [term.text for term in sought.framing],
    )


def _together(sought: QueryTerms) -> float:
    """Return what the words of a query can count for standing together."""
    return sum(min(one.rarity, other.rarity) for one, other in pairwise(sought.terms))


def _text(passage: _PassageRow) -> PassageText:
    return PassageText(
        title=passage.title,
        headings=passage.headings,
        body=passage.body,
        url=passage.url,
        language=stemmer_language(passage.language),
    )


def _row(passage: _PassageRow, total: float, snippets: Snippets) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": passage.title or passage.url,
        "url": passage.url,
        "snippet": snippets.snippet(passage.body, stemmer_language(passage.language)),
        "score": round(total, 4),
    }
    return fields if passage.published is None else {**fields, "published_at": passage.published}
