"""The first pass: which passages are worth scoring exactly.

Rare terms come first. Once the common ones that are left could not lift a passage of their own
among the best, they only add to passages that have a rare one (Turtle and Flood's MaxScore).
"""

import math
import sqlite3
from heapq import nlargest

import msgspec

from ..stores.fetching import fetch, fetch_one
from .analysis import LEVELS, level_value
from .matching import any_of, filtered, only_filter, prefix, quoted
from .query import Plan

# How far a beginning is counted: more is just very common. How many entries are read for terms of
# their own, and how many of the terms after that are looked up at all: what is left out here is
# still scored by the second pass.
_COMMON = 30_000
_BUDGET = 4000
_ADDED = 4
# How many passages count as the best, for the question whether any others can still join them.
_BEST = 40
# What a term counts where its level is not looked up, and what terms of one passage hardly
# ever count more than together.
_USUAL_SHARE = 0.45
_HIGH_SHARE = 0.8

_ROWS = msgspec.json.Decoder(list[int])


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked for, and how rare it is. ``begins`` stands for every word that begins so."""

    text: str
    begins: bool
    count: int
    rarity: float

    @property
    def expression(self) -> str:
        """Every passage that has it."""
        return prefix(self.text) if self.begins else quoted(self.text)


class _Pass:
    """One first pass: the scores so far, and how to get at more."""

    def __init__(self, connection: sqlite3.Connection, plan: Plan, most: int) -> None:
        self.scores: dict[int, float] = {}
        self._connection = connection
        self._plan = plan
        self._most = most

    def is_settled(self, rest: float) -> bool:
        """Tell whether ``rest`` more could not bring a new passage among the best."""
        best = min(self._most, _BEST)
        if len(self.scores) < best or max(self.scores.values()) <= rest:
            return False
        return nlargest(best, self.scores.values())[-1] > rest

    def add_levels(self, term: Term, *, alone: bool) -> None:
        """Add a term by its levels, high ones first; an only term needs no more than enough."""
        for level in reversed(range(LEVELS)):
            self._add(quoted(f"{term.text}.{level}"), term.rarity * level_value(level))
            if alone and len(self.scores) >= self._most:
                break

    def add_whole(self, term: Term, gate: str = "") -> None:
        """Add a term as if it stood equally often everywhere; ``gate`` must be there too."""
        core = f"({term.expression}) AND {gate}" if gate else term.expression
        self._add(core, term.rarity * _USUAL_SHARE)

    def _add(self, core: str, worth: float) -> None:
        scores = self.scores
        found = rows(self._connection, filtered(core, self._plan))
        if not scores:
            scores.update(dict.fromkeys(found, worth))
            return
        for row in found:
            scores[row] = scores.get(row, 0.0) + worth


def weigh(connection: sqlite3.Connection, plan: Plan) -> list[Term]:
    """Return the plan's terms with their rarity, BM25's inverse document frequency."""
    (passages,) = fetch_one(connection, "SELECT passages FROM totals", tuple[int])
    asked = [(text, False) for text in plan.terms] + [(text, True) for text in plan.prefixes]
    return [_weighed(connection, text, passages, begins=begins) for text, begins in asked]


def candidates(
    connection: sqlite3.Connection, plan: Plan, terms: list[Term], most: int
) -> dict[int, float]:
    """Return the numbers of promising passages, at least ``most`` if there are, with a score."""
    if not terms:
        alone = only_filter(plan)
        return {} if alone is None else dict.fromkeys(rows(connection, alone, most), 0.0)
    known = sorted((term for term in terms if term.count), key=lambda term: term.count)
    first_pass = _Pass(connection, plan, most)
    telling = _telling(first_pass, known)
    gate = any_of([term.expression for term in known[:telling]])
    for term in known[telling : telling + _ADDED]:
        first_pass.add_whole(term, gate)
    return first_pass.scores


def _telling(first_pass: _Pass, known: list[Term]) -> int:
    """Add the rare terms, each for itself; return how many it took until others cannot matter."""
    spent = 0
    for at, term in enumerate(known):
        rest = sum(left.rarity for left in known[at:]) * _HIGH_SHARE
        if at and (spent + term.count > _BUDGET or first_pass.is_settled(rest)):
            return at
        spent += term.count
        if term.begins:
            first_pass.add_whole(term)
        else:
            first_pass.add_levels(term, alone=len(known) == 1)
    return len(known)


def rows(connection: sqlite3.Connection, expression: str, most: int = -1) -> list[int]:
    """Return the numbers of the passages that match."""
    # One JSON text for all rows: half the time of a Python tuple for each.
    (found,) = connection.execute(
        "SELECT json_group_array(rowid) FROM (SELECT rowid FROM terms WHERE terms MATCH ? LIMIT ?)",
        (expression, most),
    ).fetchone()
    return _ROWS.decode(found)


def best(scores: dict[int, float], most: int) -> list[int]:
    """Return the best, best first; most passages are far below them and never sorted."""
    floor = max(scores.values(), default=0.0) / 2
    high = [(total, -number) for number, total in scores.items() if total >= floor]
    if len(high) < most:
        high = [(total, -number) for number, total in scores.items()]
    return [-number for _, number in nlargest(most, high)]


def _weighed(connection: sqlite3.Connection, text: str, passages: int, *, begins: bool) -> Term:
    count = _beginning(connection, text) if begins else _exactly(connection, text)
    rarity = math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))
    return Term(text=text, begins=begins, count=count, rarity=rarity)


def _exactly(connection: sqlite3.Connection, text: str) -> int:
    known = fetch(connection, "SELECT passages FROM rarity WHERE term = ?", (text,), tuple[int])
    return known[0][0] if known else 0


def _beginning(connection: sqlite3.Connection, begin: str) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)",
        (prefix(begin), _COMMON),
    ).fetchone()
    return int(count)
