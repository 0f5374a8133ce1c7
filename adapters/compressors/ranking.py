"""How much each unit of a page is worth to someone with a question, or with none."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ..language.words import STOP_TERMS, terms
from .units import Unit

# What instructions are made of, rather than what they ask about.
_INSTRUCTING = frozenset(
    terms(
        "keep retain include preserve leave omit drop remove ignore focus extract summarize "
        "summarise summary shorten compress answer question tell find list give return explain "
        "describe every fact figure name date number quotation quote code block detail information "
        "relevant important key main reader need page text content article document section "
        "navigation advertising repetition following words sentence paragraph use user want know"
    )
)
_SATURATION = 1.0
_FROM_NEIGHBOUR = 0.4
_FROM_BLOCK = 0.25
_FROM_HEADING = 0.35
_LEAD = 0.15
_FACT = re.compile(r"\d|\b[A-Z][a-z]+ [A-Z][a-z]+")


def rank(units: Sequence[Unit], instruction: str) -> list[float]:
    """Return each unit's worth: by the question in ``instruction``, else by its place."""
    words = [terms(unit.text) for unit in units]
    known = set().union(*words)
    asked = [
        term
        for term in dict.fromkeys(terms(instruction))
        if term in known and term not in STOP_TERMS and term not in _INSTRUCTING
    ]
    return _by_question(units, words, asked) if asked else _by_place(units)


def _by_question(
    units: Sequence[Unit], words: Sequence[Sequence[str]], asked: Sequence[str]
) -> list[float]:
    own = _own(words, _rarities(words, asked))
    headings = _under(units, own)
    blocks: dict[int, float] = {}
    for unit, score in zip(units, own, strict=True):
        blocks[unit.block] = max(blocks.get(unit.block, 0.0), score)
    worth: list[float] = []
    for at, unit in enumerate(units):
        near = max(own[max(0, at - 1) : at] + own[at + 1 : at + 2], default=0.0)
        worth.append(
            own[at]
            + _FROM_NEIGHBOUR * near
            + _FROM_BLOCK * blocks[unit.block]
            + _FROM_HEADING * headings[at]
            + _LEAD * (1 - at / len(units))
        )
    return worth


def _rarities(words: Sequence[Sequence[str]], asked: Sequence[str]) -> dict[str, float]:
    having = Counter(term for unit in words for term in set(unit))
    return {
        term: math.log(1 + (len(words) - having[term] + 0.5) / (having[term] + 0.5))
        for term in asked
    }


def _own(words: Sequence[Sequence[str]], rarities: dict[str, float]) -> list[float]:
    """Score each unit by itself, as BM25 does; to hold several of the terms counts extra."""
    usual = sum(map(len, words)) / len(words)
    scores: list[float] = []
    for unit in words:
        counts = Counter(term for term in unit if term in rarities)
        soft = _SATURATION * (0.5 + 0.5 * min(len(unit) / usual, 3.0))
        base = sum(rarities[term] * count / (count + soft) for term, count in counts.items())
        scores.append(base * (1 + len(counts) / len(rarities)))
    return scores


def _under(units: Sequence[Unit], own: Sequence[float]) -> list[float]:
    """Return for each unit what the heading above it is worth."""
    current = 0.0
    found: list[float] = []
    for unit, score in zip(units, own, strict=True):
        if unit.kind == "heading":
            current = score
        found.append(current)
    return found


def _by_place(units: Sequence[Unit]) -> list[float]:
    """Prefer the start of the page and of each section, and what holds names and figures."""
    since, section = 0, 0
    worth: list[float] = []
    for unit in units:
        if unit.kind == "heading":
            since, section = 0, section + 1
        else:
            since += 1
        lead = 1.0 if section <= 1 else 0.7
        fact = 0.2 if _FACT.search(unit.text) else 0.0
        worth.append(lead / (1 + since) + fact + (0.3 if unit.kind == "whole" else 0.0))
    return worth
