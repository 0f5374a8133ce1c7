"""Word F1, the measure of WCXB: the bag of words of a text against the one wanted."""

import re
from collections import Counter

WORD = re.compile(r"\w+")


def bag(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(WORD.findall(text.lower()))


def f1(got: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two bags; two empty bags agree."""
    if not got or not wanted:
        return float(not got and not wanted)
    same = (got & wanted).total()
    return 2 * same / (got.total() + wanted.total())
