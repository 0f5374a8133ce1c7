"""How near a text comes to the one wanted: WCXB's word F1, and the article benchmark's shingles."""

import re
from collections import Counter

WORD = re.compile(r"\w+")
SHINGLE = 4


def bag(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(WORD.findall(text.lower()))


def f1(got: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two bags; two empty bags agree."""
    if not got or not wanted:
        return float(not got and not wanted)
    same = (got & wanted).total()
    return 2 * same / (got.total() + wanted.total())


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Count the stretches of four words; a shorter text is one stretch."""
    words = WORD.findall(text.lower())
    starts = range(max(1, len(words) - SHINGLE + 1)) if words else range(0)
    return Counter(tuple(words[start : start + SHINGLE]) for start in starts)


def precision_recall(got: str, wanted: str) -> tuple[float, float]:
    """Return the share of the stretches of ``got`` that are wanted, and of those wanted got."""
    ours, theirs = shingles(got), shingles(wanted)
    same = (ours & theirs).total()
    return same / (ours.total() or 1), same / (theirs.total() or 1)


def f1_of_means(pairs: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Return F1, precision and recall as the article benchmark does: the F1 of the two means."""
    precision = sum(pair[0] for pair in pairs) / (len(pairs) or 1)
    recall = sum(pair[1] for pair in pairs) / (len(pairs) or 1)
    return 2 * precision * recall / ((precision + recall) or 1), precision, recall
