"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

import math
import sqlite3
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from ..stores.sqlite.calls import fetch_one
from .analysis import HEADINGS_WEIGHT, TITLE_WEIGHT, site_mark, softness
from .evidence import Evidence
from .query import QueryPlan


def quoted(term: str) -> str:
    """Return one term, or a run of them, as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def phrase(run: tuple[str, ...]) -> str:
    """Return a run of terms as a phrase."""
    return quoted(" ".join(run))


def prefix(begin: str) -> str:
    """Return an expression for every term that begins so."""
    return f"{quoted(begin)} *"


def any_of(expressions: list[str]) -> str:
    """Join expressions of which one must hold."""
    return f"({' OR '.join(expressions)})"


def filtered(core: str, plan: QueryPlan) -> str:
    """Return ``core`` with what the plan requires and excludes."""
    required = [core, *(any_of(list(map(phrase, runs))) for runs in plan.required)]
    if plan.sites:
        required.append(any_of([quoted(site_mark(name)) for name in plan.sites]))
    excluded = [
        *map(phrase, plan.excluded),
        *(quoted(site_mark(name)) for name in plan.excluded_sites),
    ]
    wanted = " AND ".join(required)
    return f"({wanted}) NOT {any_of(excluded)}" if excluded else wanted


def only_filter(plan: QueryPlan) -> str | None:
    """Return what a plan without a word to look for still asks for: a site, as a whole."""
    if not plan.sites:
        return None
    core = any_of([quoted(site_mark(name)) for name in plan.sites])
    return filtered(core, plan)


# How rare a term is: BM25's inverse document frequency.

_COUNTED = 4000
_STRETCHES = 8
_SHARE = 0.1
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)"
_COUNT_WITHIN = "SELECT count(*) FROM terms WHERE terms MATCH ? AND rowid >= ? AND rowid < ?"


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked for, and how rare it is: times the number it is asked for.

    ``begins`` stands for every word that begins so.
    """

    text: str
    begins: bool
    count: int
    rarity: float

    @property
    def expression(self) -> str:
        """Every passage that has it."""
        return _expression(self.text, begins=self.begins)

    def times(self, count: int) -> "Term":
        """Return the term as it is worth when it is asked for so many times."""
        return msgspec.structs.replace(self, rarity=self.rarity * count) if count > 1 else self


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for: a plan, its terms, and the length that passages usually have."""

    plan: QueryPlan
    terms: list[Term]
    usual: float


def weigh(connection: sqlite3.Connection, plan: QueryPlan) -> Sought:
    """Find out how rare the plan's terms are."""
    (passages, length) = fetch_one(
        connection, "SELECT passages, terms FROM totals", tuple[int, int]
    )
    wanted = [(text, False) for text in plan.terms] + [(text, True) for text in plan.prefixes]
    repeated = dict(plan.repeated)
    terms = [
        _weighed(connection, text, passages, begins=begins).times(repeated.get(text, 1))
        for text, begins in wanted
    ]
    return Sought(plan=plan, terms=terms, usual=max(length, 1) / max(passages, 1))


def _weighed(connection: sqlite3.Connection, text: str, passages: int, *, begins: bool) -> Term:
    count = _count(connection, _expression(text, begins=begins), passages)
    rarity = math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))
    return Term(text=text, begins=begins, count=count, rarity=rarity)


def _expression(text: str, *, begins: bool) -> str:
    return prefix(text) if begins else quoted(text)


def _count(connection: sqlite3.Connection, expression: str, passages: int) -> int:
    (count,) = connection.execute(_COUNT, (expression, _COUNTED)).fetchone()
    return int(count) if count < _COUNTED else _estimate(connection, expression, passages)


def _estimate(connection: sqlite3.Connection, expression: str, passages: int) -> int:
    # Each for itself: for both at once, SQLite would read the whole table.
    (first, last) = connection.execute(
        "SELECT (SELECT min(id) FROM passages), (SELECT max(id) FROM passages)"
    ).fetchone()
    step = (last - first) / _STRETCHES
    starts = [first + int(step * at) for at in range(_STRETCHES)]
    stretches = [(expression, start, start + int(step * _SHARE)) for start in starts]
    count = sum(connection.execute(_COUNT_WITHIN, each).fetchone()[0] for each in stretches)
    return min(passages, max(_COUNTED, int(count / _SHARE)))


# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
_TOGETHER = 0.2
_NEAR = 8
_MOST_PLACES = 50


def score(found: Evidence, terms: Sequence[Term], usual_length: float) -> float:
    """Return how well a passage answers the terms; more is better."""
    soft = softness(found.length, usual_length)
    places = found.places
    total = 0.0
    for term in terms:
        count = len(places.get(term.text, ())) + _above(found, term)
        total += term.rarity * count / (count + soft)
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = _TOGETHER * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


def _above(found: Evidence, term: Term) -> float:
    """Return how often a term is in the title and the headings, by their weight."""
    if not found.title and not found.headings:
        return 0.0

    def count(words: list[str]) -> int:
        if term.begins:
            return sum(word.startswith(term.text) for word in words)
        return words.count(term.text)

    return TITLE_WEIGHT * count(found.title) + HEADINGS_WEIGHT * count(found.headings)


def _closeness(ones: list[int], others: list[int]) -> float:
    """Add up 1 for each pair side by side in the right order, less for farther or the other way."""
    total, first = 0.0, 0
    near = others[:_MOST_PLACES]
    for one in ones[:_MOST_PLACES]:
        # Both go up: what is too far back for this one is too far back for all that follow.
        while first < len(near) and near[first] < one - _NEAR:
            first += 1
        for other in near[first:]:
            distance = other - one
            if distance > _NEAR:
                break
            if distance:
                total += 1 / distance if distance > 0 else -0.5 / distance
    return total
