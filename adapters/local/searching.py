"""One search: from a query to rows, over an open connection."""

import sqlite3
from collections.abc import Iterable, Iterator
from heapq import nlargest

import msgspec

from ...ports.web import WebSearchQuery
from ..stores.fetching import fetch_by
from .analysis import fields_of
from .candidates import best, candidates
from .dates import EVERY_PASSAGE, is_dated, within
from .query import Plan, plan
from .rarity import Sought, weigh
from .scoring import score
from .snippets import snippet

USUAL_RESULTS = 10
_FEWEST_CANDIDATES = 50
_CANDIDATES_PER_RESULT = 5
_CANDIDATES_PER_TERM = 2
_ROUNDS = 5

_ENTRIES = """
    SELECT id, document, entry FROM passages WHERE id IN (SELECT value FROM json_each(?))
"""
_PASSAGES = """
    SELECT passages.id, passages.body, documents.title, documents.url, documents.published
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
"""


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    number: int
    document: int
    line: str


class _Passage(msgspec.Struct, frozen=True, array_like=True):
    number: int
    body: str
    title: str
    url: str
    published: str | None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was found, and the document it is from."""

    number: int
    document: int
    score: float


def find(connection: sqlite3.Connection, query: WebSearchQuery) -> list[dict[str, object]]:
    """Return a row for each of the best documents, out of the passage that answers best."""
    sought = weigh(connection, _planned(query))
    most = query.max_results or USUAL_RESULTS
    hits = _best_of_each(connection, _rounds(connection, query, sought), sought, most)
    chosen = nlargest(most, hits, key=lambda hit: (hit.score, -hit.document))
    numbers = [hit.number for hit in chosen]
    passages = {each.number: each for each in fetch_by(connection, _PASSAGES, numbers, _Passage)}
    worth = {term.text: term.rarity for term in sought.terms}
    return [
        _row(passages[hit.number], hit.score, worth) for hit in chosen if hit.number in passages
    ]


def _rounds(
    connection: sqlite3.Connection, query: WebSearchQuery, sought: Sought
) -> Iterator[list[int]]:
    """Yield the candidates: first as many as are nearly always enough, then some more."""
    few = max(
        _FEWEST_CANDIDATES,
        (query.max_results or USUAL_RESULTS) * _CANDIDATES_PER_RESULT,
        len(sought.terms) * _CANDIDATES_PER_TERM,
    )
    many = few * _ROUNDS
    if is_dated(query):
        every = candidates(connection, sought, EVERY_PASSAGE)
        yield within(connection, best(every, EVERY_PASSAGE), query, many)
        return
    scores = candidates(connection, sought, many)
    yield best(scores, few)
    yield best(scores, many)[few:]


def _planned(query: WebSearchQuery) -> Plan:
    """Read the query, and join its filters with those typed into it."""
    typed = plan(query.query)
    return msgspec.structs.replace(
        typed,
        sites=typed.sites or query.include_domains,
        excluded_sites=typed.excluded_sites + query.exclude_domains,
    )


def _scored(connection: sqlite3.Connection, numbers: list[int], sought: Sought) -> list[Hit]:
    return [
        Hit(
            number=each.number,
            document=each.document,
            score=score(fields_of(each.line), sought.terms, sought.usual),
        )
        for each in fetch_by(connection, _ENTRIES, numbers, _Entry)
    ]


def _best_of_each(
    connection: sqlite3.Connection, rounds: Iterable[list[int]], sought: Sought, most: int
) -> list[Hit]:
    """Score the candidates round by round, until they come from enough documents."""
    found: dict[int, Hit] = {}
    for numbers in rounds:
        for hit in _scored(connection, numbers, sought):
            known = found.get(hit.document)
            if known is None or hit.score > known.score:
                found[hit.document] = hit
        if len(found) >= most:
            break
    return list(found.values())


def _row(passage: _Passage, total: float, worth: dict[str, float]) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": passage.title or passage.url,
        "url": passage.url,
        "snippet": snippet(passage.body, worth),
        "score": round(total, 4),
    }
    return fields if passage.published is None else {**fields, "published_at": passage.published}
