"""Ask the model: which kind of page is this, and how likely is each run content."""

from collections.abc import Iterator, Sequence
from itertools import compress
from math import exp
from typing import Final

import msgspec

from .features.feature_rows import PageMeasures, measure_page
from .features.page_features import KINDS, MeasuredPage, page_features
from .model import kinds as kind_model, runs as run_model

# On a large page every fourth of many runs of one make, such as the names on all cards, is asked
# for, or 16 of very many; and those between two only where these are not as likely as each other.
# Cross-validated: as good as to ask for all.
_MIN_SAMPLED_RUNS: Final = 300
_MIN_STRETCH_RUNS: Final = 8
_MIN_SAMPLE_STEP: Final = 4
_ASKED: Final = 16
_ALIKE: Final = 0.05


class PageScores(msgspec.Struct, frozen=True):
    """How likely each kind of page is, and how likely each run is content."""

    kinds: list[float]
    likely: list[float]

    @property
    def kind(self) -> str:
        """Return the likeliest kind."""
        return KINDS[self.kinds.index(max(self.kinds))]


def score_page(page: MeasuredPage) -> PageScores:
    """Score every run of a page."""
    chances = _softmax(kind_model.scores(page_features(page)))
    return PageScores(kinds=chances, likely=_likely(measure_page(page, chances)))


def _likely(measures: PageMeasures) -> list[float]:
    cut = measures.page.cut
    likely = [0.0] * len(cut.runs)
    stretches = list(_stretches(cut.makes)) if len(likely) >= _MIN_SAMPLED_RUNS else []
    _ask(measures, _all_but(likely, stretches), likely)
    unlike = [places for places in stretches if not _settled(places, likely)]
    if unlike:
        _ask(measures, [not asked for asked in _all_but(likely, unlike)], likely)
    return likely


def _all_but(likely: list[float], stretches: list[list[int]]) -> list[bool]:
    """Return for each run whether it stands in no stretch, but for the two that bound it."""
    asked = [True] * len(likely)
    for places in stretches:
        for place in places[1:-1]:
            asked[place] = False
    return asked


def _settled(places: list[int], likely: list[float]) -> bool:
    first, last = likely[places[0]], likely[places[-1]]
    if abs(first - last) > _ALIKE:
        return False
    for place in places[1:-1]:
        likely[place] = (first + last) / 2
    return True


def _stretches(makes: list[list[int]]) -> Iterator[list[int]]:
    """Yield parts of the larger makes; each ends with the run that the next one begins with."""
    for places in makes:
        if len(places) >= _MIN_STRETCH_RUNS:
            last = len(places) - 1
            step = max(_MIN_SAMPLE_STEP, last // _ASKED)
            for start in range(0, last - 1, step):
                yield places[start : min(start + step, last) + 1]


def _ask(measures: PageMeasures, asked: Sequence[bool], likely: list[float]) -> None:
    places = list(compress(range(len(asked)), asked))
    for place, (numbers, masks) in zip(places, measures.rows(places), strict=True):
        likely[place] = 1 / (1 + exp(-run_model.score(numbers, masks)))


def _softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
