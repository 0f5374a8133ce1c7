"""How rare a term is: BM25's inverse document frequency.

A term that is in few passages is counted. One that is in many is counted in some stretches of the
index only, evenly spread: nothing has to be kept up to date for it when documents come and go.
"""

import math
import sqlite3

import msgspec

from ..stores.fetching import fetch_one
from .matching import prefix, quoted
from .query import Plan

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

    plan: Plan
    terms: list[Term]
    usual: float


def weigh(connection: sqlite3.Connection, plan: Plan) -> Sought:
    """Find out how rare the plan's terms are."""
    (passages, length) = fetch_one(
        connection, "SELECT passages, terms FROM totals", tuple[int, int]
    )
    asked = [(text, False) for text in plan.terms] + [(text, True) for text in plan.prefixes]
    repeated = dict(plan.repeated)
    terms = [
        _weighed(connection, text, passages, begins=begins).times(repeated.get(text, 1))
        for text, begins in asked
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
    found = sum(connection.execute(_COUNT_WITHIN, each).fetchone()[0] for each in stretches)
    return min(passages, max(_COUNTED, int(found / _SHARE)))
