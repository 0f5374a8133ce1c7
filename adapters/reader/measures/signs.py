"""Find short runs that announce other pages ("Related"), dates and prices.

A sign is a heading, or a run alone in its box that is mostly not a link; teasers are neither.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from math import log1p
from typing import Final

import msgspec

from ...language.scripts import has_unspaced
from ..page_segments import HEADINGS, BlockBox, TextRun
from . import cues
from .repeats import Tallies

_MAX_SIGN_WORDS: Final = 10
_MAX_SHORT_WORDS: Final = 25
_MAX_LABEL_WORDS: Final = 12
_START_CHARS: Final = 120
_MAX_SIGN_LINK_SHARE: Final = 0.5
_LABEL_LEVEL: Final = "h9"
_COUNT_CHARS: Final = "0123456789.,() "
_MONTH_FORMS: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# Each alternative begins with a digit, so the search skips most of a text quickly.
_DATE_PATTERN: Final = re.compile(
    r"\d(?:(?<!\w\d)(?:\d?[:h.]\d\d|(?:(?<=1)9|(?<=2)0)\d\d)\b|[./-]\d{1,2}[./-]\d"
    rf"|\d? {_MONTH_FORMS}|[年月월]|{cues.AGO_AFTER})"
)
_WORDED_DATE_PATTERN: Final = re.compile(rf"(?:\b{_MONTH_FORMS}[a-z]*\.?|{cues.AGO_BEFORE}) \d")
_DATE_PATTERNS: Final = (_DATE_PATTERN, _WORDED_DATE_PATTERN)
_PRICE_PATTERN: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|usd|eur|kr|zł)")
_DIGIT_PATTERN: Final = re.compile(r"\d")


# The phrases by their first two letters, which rule out most runs.
_PHRASES_BY_START: Final[dict[str, tuple[str, ...]]] = {}
for _phrase in cues.RELATED:
    _PHRASES_BY_START[_phrase[:2]] = (*_PHRASES_BY_START.get(_phrase[:2], ()), _phrase)

_MAX_COUNTED_WORDS: Final = 150
_GRANDPARENT_WEIGHT: Final = 0.5
_MIN_TITLE_LIKENESS: Final = 0.4
_MIN_OWN_WORDS: Final = 40


class SectionSigns(msgspec.Struct, frozen=True, gc=False):
    """Scopes of signs, and for each run whether it has a date or a price.

    A scope is the runs that a sign announces, from the sign on. ``starts`` holds the start of each
    run in lower case; blank for a long run.
    """

    scopes: list[range]
    starts: list[str]
    dates: list[int]
    prices: list[int]

    def scopes_over_runs(self) -> list[range | None]:
        """Return for each run the scope of the nearest sign; None if none."""
        signs: list[range | None] = [None] * len(self.dates)
        # Inner scopes come after outer ones and replace them.
        for scope in self.scopes:
            signs[scope.start : scope.stop] = [scope] * len(scope)
        return signs


def read_section_signs(runs: list[TextRun], boxes: list[BlockBox]) -> SectionSigns:
    """Read the signs, dates and prices of all short runs."""
    starts = [
        run.text[:_START_CHARS].lower() if run.words <= _MAX_SHORT_WORDS else "" for run in runs
    ]
    digits = [
        run.words <= _MAX_SHORT_WORDS and _DIGIT_PATTERN.search(run.text) is not None
        for run in runs
    ]
    signs = [
        index
        for index, start in enumerate(starts)
        if is_related_label(start) and _is_standout_run(runs[index], boxes)
    ]
    return SectionSigns(
        scopes=_find_sign_scopes(signs, runs, boxes) if signs else [],
        starts=starts,
        dates=[
            int(has_digit and any(pattern.search(start) for pattern in _DATE_PATTERNS))
            for has_digit, start in zip(digits, starts, strict=True)
        ],
        prices=[
            int(
                has_digit
                and run.words < _MAX_LABEL_WORDS
                and _PRICE_PATTERN.search(run.text.lower()) is not None
            )
            for has_digit, run in zip(digits, runs, strict=True)
        ],
    )


def is_related_label(start: str) -> bool:
    """Tell whether a short run announces other pages.

    >>> is_related_label("related stories"), is_related_label("the tides")
    (True, False)
    """
    label = start.lstrip(_COUNT_CHARS)
    phrases = _PHRASES_BY_START.get(label[:2])
    return phrases is not None and label.startswith(phrases)


def _is_standout_run(run: TextRun, boxes: list[BlockBox]) -> bool:
    if run.words > _MAX_SIGN_WORDS:
        return False
    box = boxes[run.box]
    is_alone = box.last - box.first == 1
    return run.tag in HEADINGS or (is_alone and run.linked < _MAX_SIGN_LINK_SHARE * len(run.text))


def _find_sign_scopes(signs: list[int], runs: list[TextRun], boxes: list[BlockBox]) -> list[range]:
    """Return each sign's scope: its box, up to the next heading of the sign's level or above.

    A label that opens a box announces all of it: the headings inside are those of its cards. So is
    a heading that is a link, of whatever level.
    """
    # Other runs rank below all headings.
    levels = [runs[i].tag if runs[i].tag in HEADINGS else _LABEL_LEVEL for i in signs]
    ends = {level: _next_headings(runs, level) for level in set(levels)}
    scopes: list[range] = []
    for index, level in zip(signs, levels, strict=True):
        number = runs[index].box
        while boxes[number].last - boxes[number].first == 1 and boxes[number].parent >= 0:
            number = boxes[number].parent
        box = boxes[number]
        is_label_of_box = level == _LABEL_LEVEL and box.first == index
        end = len(runs) if is_label_of_box else ends[level][index]
        scopes.append(range(index, min(end, box.last)))
    return scopes


def _next_headings(runs: list[TextRun], level: str) -> list[int]:
    """Return, for each run, the index of the next plain heading of at least this level."""
    following = len(runs)
    indexes = [following] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        run = runs[index]
        indexes[index] = following
        is_heading = run.tag in HEADINGS and run.tag <= level
        if is_heading and run.linked < _MAX_SIGN_LINK_SHARE * len(run.text):
            following = index
    return indexes


def page_words(text: str) -> list[str]:
    """Return the words in lower case; pairs of letters in a script without blanks.

    >>> page_words("Low tide"), page_words("iPhone 今天发布")
    (['low', 'tide'], ['iphone', '今天', '天发', '发布'])
    """
    words = text.lower().split()
    if not has_unspaced(text):
        return words
    pairs = ([a + b for a, b in pairwise(word)] if has_unspaced(word) else [] for word in words)
    return [piece for word, cut in zip(words, pairs, strict=True) for piece in cut or [word]]


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """A range of runs, its box, and the steps from that box to each of its ancestors."""

    first: int
    last: int
    box: int
    path: dict[int, float]

    def run_distances(self, run_indexes: Sequence[int]) -> list[float]:
        """Return each run's distance before (negative) or after the range, as logarithms."""
        return [self._distance(index) for index in run_indexes]

    def _distance(self, index: int) -> float:
        if index < self.first:
            return -log1p(self.first - index)
        return log1p(index - self.last + 1) if index >= self.last else 0.0


def likeliest_body(runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies) -> Anchor:
    """Return the box with the most running text directly inside it, or else the page.

    Each long run counts for its parent box, and half for the box above that.
    """
    weights: dict[int, float] = {}
    for run, is_long, share in zip(runs, tallies.is_long, tallies.shares, strict=True):
        if is_long:
            weight = min(run.words, _MAX_COUNTED_WORDS) * (1 - share)
            parent = max(boxes[run.box].parent, 0)
            weights[parent] = weights.get(parent, 0.0) + weight
            above = boxes[parent].parent
            if above >= 0:
                weights[above] = weights.get(above, 0.0) + _GRANDPARENT_WEIGHT * weight
    best = max(weights, key=weights.__getitem__, default=0)
    return Anchor(boxes[best].first, boxes[best].last, best, _steps_to_ancestors(boxes, best))


def title_heading(runs: list[TextRun], boxes: list[BlockBox], titles: frozenset[str]) -> Anchor:
    """Return the heading most like the page's title, or else the first h1 or the page's start."""
    best, index = 0.0, -1
    for number, run in enumerate(runs):
        if run.tag in HEADINGS:
            words = frozenset(page_words(run.text))
            likeness = len(words & titles) / len(words)
            # Prefer longer headings: "News" is also a word of the title.
            likeness *= min(len(words), 5) / 5
            if likeness > best:
                best, index = likeness, number
    if best < _MIN_TITLE_LIKENESS:
        index = next((number for number, run in enumerate(runs) if run.tag == "h1"), -1)
    box = runs[index].box if index >= 0 else 0
    return Anchor(max(index, 0), index + 1, box, _steps_to_ancestors(boxes, box))


class OwnText(msgspec.Struct, frozen=True, gc=False):
    """The runs from the title to the end of the part with the first paragraphs after it.

    ``end`` is where the smallest box with the title and these paragraphs ends.
    """

    first: int
    last: int
    end: int


def find_own_text(
    runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies, title: Anchor
) -> OwnText:
    """Return the page's own text: what stands under its title, as far as the boxes tell."""
    sums = tallies.long_words
    enough = sums[title.last] + _MIN_OWN_WORDS
    holder = next((number for number in title.path if sums[boxes[number].last] >= enough), None)
    if holder is None:
        return OwnText(title.first, len(runs), len(runs))
    number = runs[bisect_left(sums, enough) - 1].box
    last = bisect_left(sums, enough)
    while number != holder:
        last = boxes[number].last
        number = boxes[number].parent
    return OwnText(title.first, last, boxes[holder].last)


def _steps_to_ancestors(boxes: list[BlockBox], number: int) -> dict[int, float]:
    """Return a box and its ancestors, each with the steps up to it."""
    path: dict[int, float] = {}
    steps = 0.0
    while number >= 0:
        path[number] = steps
        steps += 1.0
        number = boxes[number].parent
    return path
