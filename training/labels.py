"""Tell which runs of a page are in its ground truth, by aligning the two word by word."""

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

WORD = re.compile(r"\w+")
STRETCH = 3
SHINGLE = 4


def label_runs(texts: Sequence[str], wanted: str) -> tuple[list[float], list[int]]:
    """Return, for each run, the share of its words that are wanted, and its number of words.

    A longest common subsequence decides; words that match alone, out of a whole run, do not
    count. A longer run that the ground truth has in another place is found by its shingles. What
    is wanted once is in one run only: a quote of it, or a second telling, is not wanted.

    >>> said = "the tide comes in twice a day"
    >>> label_runs([said, "Share", said], said)
    ([1.0, 0.0, 0.0], [7, 1, 7])
    """
    runs = [WORD.findall(text.lower()) for text in texts]
    goal = WORD.findall(wanted.lower())
    matched, strong, taken = _align(runs, goal)
    left = Counter(
        shingle
        for place, shingle in enumerate(_shingles(goal))
        if not all(taken[place : place + SHINGLE])
    )
    labels = []
    for place, run in enumerate(runs):
        count = len(run)
        share = 0.0
        if count:
            share = 1.0 if matched[place] == count else strong[place] / count
        labels.append(max(share, _share_left(run, left, share)))
    return labels, [len(run) for run in runs]


def _shingles(words: list[str]) -> list[tuple[str, ...]]:
    return list(zip(*[words[start:] for start in range(SHINGLE)], strict=False))


def _share_left(run: list[str], left: Counter[tuple[str, ...]], least: float) -> float:
    """Return the share of a run that is left of the ground truth, and take it if it is more."""
    if len(run) < SHINGLE + 2:
        return 0.0
    shingles = _shingles(run)
    found = Counter(shingles) & left
    share = found.total() / len(shingles)
    if share > least:
        left.subtract(found)
    return share


def _align(runs: list[list[str]], goal: list[str]) -> tuple[list[int], list[int], list[bool]]:
    """Return how many words of each run match, how many in stretches, and which wanted do so."""
    numbers: dict[str, int] = {}
    owners = [place for place, run in enumerate(runs) for _ in run]
    ours = [numbers.setdefault(word, len(numbers)) for run in runs for word in run]
    theirs = [numbers.setdefault(word, len(numbers)) for word in goal]
    matched = [0] * len(runs)
    strong = [0] * len(runs)
    taken = [False] * len(goal)
    for step in LCSseq.opcodes(ours, theirs) if ours and theirs else ():
        if step.tag == "equal":
            is_stretch = step.src_end - step.src_start >= STRETCH
            for place in range(step.src_start, step.src_end):
                matched[owners[place]] += 1
                strong[owners[place]] += is_stretch
            taken[step.dest_start : step.dest_end] = [is_stretch] * (
                step.dest_end - step.dest_start
            )
    return matched, strong, taken
