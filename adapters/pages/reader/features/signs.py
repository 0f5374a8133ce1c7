"""Short runs that say what follows: "Related", "12 comments", a date, "Reply", "Read more".

A sign is a heading, or a run that stands alone in its box and is mostly not a link: a teaser's own
words are neither.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from ..blocks import Box, Run
from . import cues

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
RELATED, COMMENTS = 1, 2
_SIGN_WORDS: Final = 10
_SHORT_WORDS: Final = 25
_LABEL_WORDS: Final = 12
_TEASER_WORDS: Final = 60
_START: Final = 120
_END: Final = 20
_LOOSE: Final = 0.5

_COUNT: Final = "0123456789.,() "
_DATE: Final = re.compile(
    r"\b\d{1,2}[:h.]\d\d\b|\b(?:19|20)\d\d\b|\d[./-]\d{1,2}[./-]\d|\d (?:\w+ )?ago\b|\d[年月월]"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d"
    rf"|\d\d? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|{cues.AGO}"
)
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


class Scope(msgspec.Struct, frozen=True, gc=False):
    """The runs that a sign speaks of, itself the first; ``what`` is RELATED or COMMENTS."""

    what: int
    first: int
    last: int


class Signs(msgspec.Struct, frozen=True, gc=False):
    """What was seen on the short runs: scopes, and one flag for each run and sort of mark."""

    scopes: tuple[Scope, ...]
    dates: list[int]
    talk: list[int]
    teases: list[int]
    prices: list[int]

    def under(self, what: int) -> list[bool]:
        """Tell of each run whether it stands under a sign that says so."""
        marks = [False] * len(self.dates)
        for scope in self.scopes:
            if scope.what == what:
                marks[scope.first : scope.last] = [True] * (scope.last - scope.first)
        return marks


def read_signs(runs: list[Run], boxes: list[Box]) -> Signs:
    """Look at every short run once."""
    starts = [run.text[:_START].lower() if run.words <= _SHORT_WORDS else "" for run in runs]
    signs = [
        start if run.words <= _SIGN_WORDS else "" for run, start in zip(runs, starts, strict=True)
    ]
    scopes = [
        _scope(what, place, runs, boxes)
        for place, start in enumerate(signs)
        if (what := _meaning(start)) and _stands_out(runs[place], boxes)
    ]
    return Signs(
        scopes=tuple(scopes),
        dates=[int(_has_date(start)) for start in starts],
        talk=[int(not cues.TALK.isdisjoint(start.split())) for start in signs],
        teases=[int(_is_teaser(run)) for run in runs],
        prices=[int(run.words < _LABEL_WORDS and _has_price(run.text)) for run in runs],
    )


def _has_price(text: str) -> bool:
    return _DIGIT.search(text) is not None and _PRICE.search(text.lower()) is not None


def _has_date(start: str) -> bool:
    return _DIGIT.search(start) is not None and _DATE.search(start) is not None


def _is_teaser(run: Run) -> bool:
    return run.words < _TEASER_WORDS and run.text[-_END:].lower().endswith(cues.TEASES)


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


def _stands_out(run: Run, boxes: list[Box]) -> bool:
    box = boxes[run.box]
    alone = box.last - box.first == 1
    return run.tag in HEADINGS or (alone and run.linked < _LOOSE * len(run.text))


def _scope(what: int, place: int, runs: list[Run], boxes: list[Box]) -> Scope:
    """Return the box that the sign opens, or the runs up to the next heading of its level."""
    number = runs[place].box
    while boxes[number].last - boxes[number].first == 1 and boxes[number].parent >= 0:
        number = boxes[number].parent
    box = boxes[number]
    if box.first == place:
        return Scope(what, place, box.last)
    return Scope(what, place, _next_heading(runs, place, box.last))


def _next_heading(runs: list[Run], place: int, last: int) -> int:
    """Return where the next heading at least as high as the sign stands; other runs are lowest."""
    tag = runs[place].tag
    level = tag if tag in HEADINGS else "h9"
    for later in range(place + 1, last):
        other = runs[later].tag
        if other in HEADINGS and other <= level:
            return later
    return last


def scoped_shares(
    scopes: Iterable[Scope], what: int, words: list[int], total: int
) -> tuple[list[float], list[float]]:
    """Return, for each run, the share of the page that its scope holds, and 1 on a sign itself."""
    count = len(words) - 1
    shares, marks = [0.0] * count, [0.0] * count
    for scope in scopes:
        if scope.what == what:
            share = (words[scope.last] - words[scope.first]) / total
            shares[scope.first : scope.last] = [share] * (scope.last - scope.first)
            marks[scope.first] = 1.0
    return shares, marks
