"""The first pass: which passages are worth scoring exactly.

Rare terms come first. Once the common ones that are left could not lift a passage of their own
among the best, they only add to passages that have a rare one (Turtle and Flood's MaxScore).
"""

import sqlite3

import msgspec

from .analysis import COUNTS, count_mark, place_mark, softness
from .ranking import Sought, Term, any_of, filtered, only_filter, quoted
from .schema import SIZE, USUAL_LENGTHS

# How many entries are read for terms of their own, and how many of the terms after that are looked
# up at all: what is left out here is still scored by the second pass.
_BUDGET = 4000
_ADDED = 4
# How many passages count as the best, for the question whether any others can still join them.
_BEST = 40
# What terms of one passage hardly ever count more than together.
_HIGH_SHARE = 0.8

_ROWS = msgspec.json.Decoder(list[int])


class _Pass:
    """One first pass: the scores so far, and how to get at more."""

    def __init__(self, connection: sqlite3.Connection, sought: Sought) -> None:
        self.scores: dict[int, float] = {}
        self._connection = connection
        self._plan = sought.plan
        # By size, what a term counts that is there so many times.
        self._shares = {
            count: [count / (count + softness(length, sought.usual)) for length in USUAL_LENGTHS]
            for count in (1, *COUNTS)
        }

    def is_settled(self, rest: float, most: int) -> bool:
        """Tell whether ``rest`` more could not bring a new passage among the best."""
        best = min(most, _BEST)
        if len(self.scores) < best or max(self.scores.values()) <= rest:
            return False
        return sorted(self.scores.values())[-best] > rest

    def add(self, term: Term) -> None:
        """Add a term wherever it is, and more where it is often."""
        self.add_once(term)
        if not term.begins:
            once = self._shares[1]
            for count in COUNTS:
                shares = zip(self._shares[count], once, strict=True)
                worth = [term.rarity * (share - known) for share, known in shares]
                self._add(quoted(count_mark(term.text, count)), worth)

    def add_once(self, term: Term, gate: str = "") -> None:
        """Add a term as if it were nowhere twice; ``gate`` must be there too."""
        core = f"({term.expression}) AND {gate}" if gate else term.expression
        self._add(core, [term.rarity * share for share in self._shares[1]])

    def add_places(self, terms: list[Term]) -> None:
        """Add passages whose address has one of the terms, for what that is worth: nearly none."""
        marks = [quoted(place_mark(term.text)) for term in terms]
        self._add(any_of(marks), [0.0] * len(USUAL_LENGTHS))

    def _add(self, core: str, worth: list[float]) -> None:
        scores = self.scores
        known = scores.get
        for row in rows(self._connection, filtered(core, self._plan)):
            scores[row] = known(row, 0.0) + worth[row & SIZE]


def candidates(connection: sqlite3.Connection, sought: Sought, most: int) -> dict[int, float]:
    """Return the numbers of promising passages, at least ``most`` if there are, with a score."""
    if not sought.terms:
        alone = only_filter(sought.plan)
        return {} if alone is None else dict.fromkeys(rows(connection, alone, most), 0.0)
    known = sorted((term for term in sought.terms if term.count), key=lambda term: term.count)
    first_pass = _Pass(connection, sought)
    telling = _telling(first_pass, known, most)
    gate = any_of([term.expression for term in known[:telling]])
    for term in known[telling : telling + _ADDED]:
        first_pass.add_once(term, gate)
    if len(first_pass.scores) < most:
        first_pass.add_places(sought.terms)
    return first_pass.scores


def _telling(first_pass: _Pass, known: list[Term], most: int) -> int:
    """Add the rare terms, each for itself; return how many it took until others cannot matter."""
    spent = 0
    for at, term in enumerate(known):
        rest = sum(others.rarity for others in known[at:]) * _HIGH_SHARE
        if at and (spent + term.count > _BUDGET or first_pass.is_settled(rest, most)):
            return at
        spent += term.count
        first_pass.add(term)
    return len(known)


def rows(connection: sqlite3.Connection, expression: str, most: int = -1) -> list[int]:
    """Return the numbers of the passages that match."""
    # One JSON text for all rows: half the time of a Python tuple for each.
    (passages,) = connection.execute(
        "SELECT json_group_array(rowid) FROM (SELECT rowid FROM terms WHERE terms MATCH ? LIMIT ?)",
        (expression, most),
    ).fetchone()
    return _ROWS.decode(passages)


def best(scores: dict[int, float], most: int) -> list[int]:
    """Return the best, best first; most passages are far below them and never sorted."""
    floor = sorted(scores.values())[-most] if len(scores) > most else 0.0
    high = [(-total, number) for number, total in scores.items() if total >= floor]
    return [number for _, number in sorted(high)[:most]]
