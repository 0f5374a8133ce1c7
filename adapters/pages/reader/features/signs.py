"""Short runs that say what follows: "Related", "12 comments", a date, a price.

A sign is a heading, or a run that stands alone in its box and is mostly not a link: a teaser's own
words are neither.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from ..page_segments import BlockBox, TextRun
from . import cues

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
