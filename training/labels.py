"""Tell which runs of a page are in its ground truth, by aligning the two word by word."""

import re
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

WORD = re.compile(r"\w+")
STRETCH = 3
SHINGLE = 4


def label_runs(texts: Sequence[str], wanted: str) -> tuple[list[float], list[int]]:
    """Return, for each run, the share of its words that are wanted, and its number of words.

    A longest common subsequence decides; words that match alone, out of a whole run, do not
    count. A longer run that the ground truth has in another place is found by its shingles.
    """
    runs = [WORD.findall(text.lower()) for text in texts]
    goal = WORD.findall(wanted.lower())
    matched, strong = _align(runs, goal)
    shingles = set(zip(*[goal[start:] for start in range(SHINGLE)], strict=False))
    labels = []
    for place, run in enumerate(runs):
        count = len(run)
        share = 0.0
        if count:
            share = 1.0 if matched[place] == count else strong[place] / count
        if count >= SHINGLE + 2:
            found = [s in shingles for s in zip(*[run[n:] for n in range(SHINGLE)], strict=False)]
            share = max(share, sum(found) / len(found))
        labels.append(share)
    return labels, [len(run) for run in runs]


def _align(runs: list[list[str]], goal: list[str]) -> tuple[list[int], list[int]]:
    numbers: dict[str, int] = {}
    owners = [place for place, run in enumerate(runs) for _ in run]
    ours = [numbers.setdefault(word, len(numbers)) for run in runs for word in run]
    theirs = [numbers.setdefault(word, len(numbers)) for word in goal]
    matched = [0] * len(runs)
    strong = [0] * len(runs)
    for step in LCSseq.opcodes(ours, theirs) if ours and theirs else ():
        if step.tag == "equal":
            for place in range(step.src_start, step.src_end):
                matched[owners[place]] += 1
                strong[owners[place]] += step.src_end - step.src_start >= STRETCH
    return matched, strong
