"""Short runs that say what follows: "Related", "12 comments", a date, a price.

A sign is a heading, or a run that stands alone in its box and is mostly not a link: a teaser's own
words are neither.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log1p
from typing import Final

import msgspec

from ....language.scripts import has_unspaced
from ..page_segments import BlockBox, TextRun
from . import cues
from .repeats import Tallies

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
RELATED, COMMENTS = 1, 2
_SIGN_WORDS: Final = 10
_MAX_SHORT_RUN_WORDS: Final = 25
_LABEL_WORDS: Final = 12
_START: Final = 120
_LOOSE: Final = 0.5
_COUNT: Final = "0123456789.,() "
_MONTHS: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# Each begins with a digit, so that most of a text is passed over quickly.
_DATE: Final = re.compile(
    r"\d(?:(?<!\w\d)(?:\d?[:h.]\d\d|(?:(?<=1)9|(?<=2)0)\d\d)\b|[./-]\d{1,2}[./-]\d"
    rf"|\d? {_MONTHS}|[年月월]|{cues.AGO_AFTER})"
)
_WORDED_DATE: Final = re.compile(rf"(?:\b{_MONTHS}[a-z]*\.?|{cues.AGO_BEFORE}) \d")
_PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|usd|eur|kr|zł)")
_DIGIT: Final = re.compile(r"\d")


def _by_start(languages: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the phrases by their first two letters: most runs begin like none of them."""
    starts: dict[str, list[str]] = {}
    for phrase in "|".join(languages.values()).split("|"):
        starts.setdefault(phrase[:2], []).append(phrase)
    return {start: tuple(some) for start, some in starts.items()}


_BY_START: Final = (
    (RELATED, _by_start(cues.RELATED)),
    (COMMENTS, _by_start(cues.COMMENTS)),
)


class SignScope(msgspec.Struct, frozen=True, gc=False):
    """The runs that a sign speaks of, itself the first; ``what`` is RELATED or COMMENTS."""

    what: int
    first: int
    last: int


class SectionSigns(msgspec.Struct, frozen=True, gc=False):
    """What was seen on the short runs: scopes, and one flag for each run and sort of mark.

    ``starts`` is how each begins, in lower case; blank for a long one.
    """

    scopes: tuple[SignScope, ...]
    starts: list[str]
    dates: list[int]
    prices: list[int]

    def under(self, what: int) -> list[SignScope | None]:
        """Return of each run the nearest sign of a sort that it stands under, and its scope."""
        signs: list[SignScope | None] = [None] * len(self.dates)
        # Those inside another one come after it; of those that begin with one run, the last counts.
        for scope in {scope.first: scope for scope in self.scopes if scope.what == what}.values():
            signs[scope.first : scope.last] = [scope] * (scope.last - scope.first)
        return signs


def read_signs(runs: list[TextRun], boxes: list[BlockBox]) -> SectionSigns:
    """Look at every short run once."""
    starts = [
        run.text[:_START].lower() if run.words <= _MAX_SHORT_RUN_WORDS else "" for run in runs
    ]
    digits = [
        run.words <= _MAX_SHORT_RUN_WORDS and _DIGIT.search(run.text) is not None for run in runs
    ]
    meanings = [
        (what, place)
        for place, start in enumerate(starts)
        if (what := _meaning(start)) and _stands_out(runs[place], boxes)
    ]
    return SectionSigns(
        scopes=_scopes(meanings, runs, boxes) if meanings else (),
        starts=starts,
        dates=[int(has and _has_date(start)) for has, start in zip(digits, starts, strict=True)],
        prices=[int(has and _has_price(run)) for has, run in zip(digits, runs, strict=True)],
    )


def _has_price(run: TextRun) -> bool:
    return run.words < _LABEL_WORDS and _PRICE.search(run.text.lower()) is not None


def _has_date(start: str) -> bool:
    return _DATE.search(start) is not None or _WORDED_DATE.search(start) is not None


def _meaning(start: str) -> int:
    """Return what a short run announces: RELATED, COMMENTS, or 0 for nothing.

    >>> _meaning("related stories"), _meaning("12 comments"), _meaning("the tides")
    (1, 2, 0)
    """
    plain = start.lstrip(_COUNT)
    for what, phrases in _BY_START:
        some = phrases.get(plain[:2])
        if some is not None and plain.startswith(some):
            return what
    return 0


def _stands_out(run: TextRun, boxes: list[BlockBox]) -> bool:
    if run.words > _SIGN_WORDS:
        return False
    box = boxes[run.box]
    alone = box.last - box.first == 1
    return run.tag in HEADINGS or (alone and run.linked < _LOOSE * len(run.text))


def _scopes(
    meanings: list[tuple[int, int]], runs: list[TextRun], boxes: list[BlockBox]
) -> tuple[SignScope, ...]:
    """Return, for each sign, the box that it opens, or the runs up to the next heading as high."""
    levels = {place: _level(runs[place]) for _, place in meanings}
    ends = {level: _next_headings(runs, level) for level in set(levels.values())}
    scopes: list[SignScope] = []
    for what, place in meanings:
        number = runs[place].box
        while boxes[number].last - boxes[number].first == 1 and boxes[number].parent >= 0:
            number = boxes[number].parent
        box = boxes[number]
        end = len(runs) if box.first == place else ends[levels[place]][place]
        scopes.append(SignScope(what, place, min(end, box.last)))
    return tuple(scopes)


def _level(run: TextRun) -> str:
    """Return the tag of a heading; other runs are lower than any."""
    return run.tag if run.tag in HEADINGS else "h9"


def _next_headings(runs: list[TextRun], level: str) -> list[int]:
    """Return, for each run, where after it the next heading stands that is at least so high."""
    following = len(runs)
    places = [following] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        places[place] = following
        if runs[place].tag in HEADINGS and runs[place].tag <= level:
            following = place
    return places


# The words of a text, to compare it with others.


def split_words(text: str) -> list[str]:
    """Return what stands between blanks, in lower case; where a script has none, each two letters.

    >>> split_words("Low tide"), split_words("iPhone 今天发布")
    (['low', 'tide'], ['iphone', '今天', '天发', '发布'])
    """
    words = text.lower().split()
    if not has_unspaced(text):
        return words
    return [piece for word in words for piece in _pieces(word)]


def _pieces(word: str) -> list[str]:
    if not has_unspaced(word):
        return [word]
    return [first + second for first, second in pairwise(word)] or [word]


# Two places that the rest of a page is seen from: the likeliest body, and the title's heading.

_MAX_COUNTED_WORDS: Final = 150
_UPWARDS: Final = 0.5
_LIKE_TITLE: Final = 0.4


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """A range of runs, its box, and the way up: where another box parts from it, and how far."""

    first: int
    last: int
    box: int
    path: dict[int, float]

    def distances(self, places: Sequence[int]) -> list[float]:
        """Return how far before (negative) or after the range each run stands, as logarithms."""
        first, last = self.first, self.last
        return [
            -log1p(first - place) if place < first
            else log1p(place - last + 1) if place >= last
            else 0.0
            for place in places
        ]  # fmt: skip


def likeliest_body(runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies) -> Anchor:
    """Return the box with the most running text right inside it; the page where there is none.

    Each long loose run counts for its parent, and half for the box above that.
    """
    weights: dict[int, float] = {}
    for run, is_long, share in zip(runs, tallies.is_long, tallies.shares, strict=True):
        if is_long:
            weight = min(run.words, _MAX_COUNTED_WORDS) * (1 - share)
            parent = max(boxes[run.box].parent, 0)
            weights[parent] = weights.get(parent, 0.0) + weight
            above = boxes[parent].parent
            if above >= 0:
                weights[above] = weights.get(above, 0.0) + _UPWARDS * weight
    best = max(weights, key=weights.__getitem__, default=0)
    return Anchor(boxes[best].first, boxes[best].last, best, _path(boxes, best))


def title_heading(runs: list[TextRun], boxes: list[BlockBox], titles: frozenset[str]) -> Anchor:
    """Return the heading most like the page's title, the first ``h1``, or else the page's start."""
    best, place = 0.0, -1
    for number, run in enumerate(runs):
        if run.tag in HEADINGS:
            words = frozenset(split_words(run.text))
            likeness = len(words & titles) / len(words)
            # Among equals the longer one: "News" is also a word of the title.
            likeness *= min(len(words), 5) / 5
            if likeness > best:
                best, place = likeness, number
    if best < _LIKE_TITLE:
        place = next((number for number, run in enumerate(runs) if run.tag == "h1"), -1)
    box = runs[place].box if place >= 0 else 0
    return Anchor(max(place, 0), place + 1, box, _path(boxes, box))


def _path(boxes: list[BlockBox], number: int) -> dict[int, float]:
    """Return the box and every one above it, each with the steps up to it."""
    path: dict[int, float] = {}
    steps = 0.0
    while number >= 0:
        path[number] = steps
        steps += 1.0
        number = boxes[number].parent
    return path
