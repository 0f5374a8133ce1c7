"""One search: from a query to rows, over an open connection."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

import msgspec

from ...ports.web import WebSearchQuery
from ..language.stems import ENGLISH, LANGUAGES, language_of
from ..stores.sqlite.calls import fetch, fetch_by
from .analysis import Text
from .candidates import best, candidates
from .evidence import Wanted
from .query import QueryPlan, plan, without_phrases
from .ranking import Sought, score, weigh
from .snippets import snippet

EVERY_PASSAGE = 2**31
_CHUNK = 500
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"
_WITHIN = """
    SELECT passages.id FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
      AND documents.published BETWEEN ? AND ?
"""


def is_dated(query: WebSearchQuery) -> bool:
    """Tell whether a query asks for a range of dates."""
    return query.published_after is not None or query.published_before is not None


def within(
    connection: sqlite3.Connection, numbers: Sequence[int], query: WebSearchQuery, most: int
) -> list[int]:
    """Return the first ``most`` passages of documents from the range, in the order given."""
    after, before = query.published_after, query.published_before
    first = after.isoformat() if after else _FIRST_DAY
    last = before.isoformat() if before else _LAST_DAY
    dated: list[int] = []
    for start in range(0, len(numbers), _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        parameters = (msgspec.json.encode(chunk).decode(), first, last)
        inside = {number for (number,) in connection.execute(_WITHIN, parameters)}
        dated += [number for number in chunk if number in inside]
        if len(dated) >= most:
            break
    return dated[:most]


USUAL_RESULTS = 10
_FEWEST_CANDIDATES = 50
_CANDIDATES_PER_RESULT = 5
_CANDIDATES_PER_TERM = 2
_ROUNDS = 5
_PASSAGES = """
    SELECT passages.id, passages.document, passages.headings, passages.body, documents.title,
           documents.url, documents.published, documents.language
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
"""


class _PassageRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    document: int
    headings: str
    body: str
    title: str
    url: str
    published: str | None
    language: str


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was found, and how well it answers."""

    passage: _PassageRow
    score: float


class IndexAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a search, and what there is to say about it."""

    rows: list[dict[str, object]]
    warnings: tuple[str, ...] = ()


LOOSENED = "no passage has the quoted words side by side: they were looked for one by one"


def find(connection: sqlite3.Connection, query: WebSearchQuery) -> IndexAnswer:
    """Return a row for each of the best documents, out of the passage that answers best.

    A quoted phrase that is nowhere is looked for by its words, and the answer says so.
    """
    planned = _planned(query, _languages(connection))
    rows = _rows(connection, query, planned)
    loose = planned if rows else without_phrases(planned)
    if loose == planned:
        return IndexAnswer(rows=rows)
    loosened = _rows(connection, query, loose)
    return IndexAnswer(rows=loosened, warnings=(LOOSENED,) if loosened else ())


def _rows(
    connection: sqlite3.Connection, query: WebSearchQuery, planned: QueryPlan
) -> list[dict[str, object]]:
    sought = weigh(connection, planned)
    most = query.max_results or USUAL_RESULTS
    hits = _best_of_each(connection, _rounds(connection, query, sought), sought, most)
    chosen = nlargest(most, hits, key=lambda hit: (hit.score, -hit.passage.document))
    worth = {term.text: term.rarity for term in sought.terms}
    return [_row(hit.passage, hit.score, worth) for hit in chosen]


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


def _languages(connection: sqlite3.Connection) -> list[str]:
    """Return the languages of the documents, English first: it is that of what tells nothing."""
    rows = fetch(connection, "SELECT language FROM languages", (), tuple[str])
    return [ENGLISH, *sorted({name for (name,) in rows if name in LANGUAGES} - {ENGLISH})]


def _planned(query: WebSearchQuery, languages: list[str]) -> QueryPlan:
    """Read the query, and join its filters with those typed into it."""
    typed = plan(query.query, languages)
    return msgspec.structs.replace(
        typed,
        sites=typed.sites or query.include_domains,
        excluded_sites=typed.excluded_sites + query.exclude_domains,
    )


def _scored(connection: sqlite3.Connection, numbers: list[int], sought: Sought) -> list[Hit]:
    wanted = Wanted(
        [term.text for term in sought.terms if not term.begins],
        [term.text for term in sought.terms if term.begins],
    )
    passages = fetch_by(connection, _PASSAGES, numbers, _PassageRow)
    return [
        Hit(passage=each, score=score(wanted.evidence(_text(each)), sought.terms, sought.usual))
        for each in passages
    ]


def _text(passage: _PassageRow) -> Text:
    return Text(
        title=passage.title,
        headings=passage.headings,
        body=passage.body,
        url=passage.url,
        language=language_of(passage.language),
    )


def _best_of_each(
    connection: sqlite3.Connection, rounds: Iterable[list[int]], sought: Sought, most: int
) -> list[Hit]:
    """Score the candidates round by round, until they come from enough documents."""
    best_hits: dict[int, Hit] = {}
    for numbers in rounds:
        for hit in _scored(connection, numbers, sought):
            known = best_hits.get(hit.passage.document)
            if known is None or hit.score > known.score:
                best_hits[hit.passage.document] = hit
        if len(best_hits) >= most:
            break
    return list(best_hits.values())


def _row(passage: _PassageRow, total: float, worth: dict[str, float]) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": passage.title or passage.url,
        "url": passage.url,
        "snippet": snippet(passage.body, worth, language_of(passage.language)),
        "score": round(total, 4),
    }
    return fields if passage.published is None else {**fields, "published_at": passage.published}
