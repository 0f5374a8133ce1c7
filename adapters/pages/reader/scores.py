"""Ask the model: which kind of page is this, and how likely is each run content."""

from math import exp

import msgspec

from .features.pagewide import KINDS, Whole, page_features
from .features.vectors import run_rows
from .model import kinds as kind_model, runs as run_model


class Scored(msgspec.Struct, frozen=True):
    """How likely each kind of page is, and how likely each run is content."""

    kinds: list[float]
    likely: list[float]

    @property
    def kind(self) -> str:
        """Return the likeliest kind."""
        return KINDS[self.kinds.index(max(self.kinds))]


def score(page: Whole) -> Scored:
    """Score every run of a page."""
    chances = _softmax(kind_model.scores(page_features(page)))
    rows = run_rows(page, chances)
    return Scored(
        kinds=chances,
        likely=[1 / (1 + exp(-run_model.score(numbers, masks))) for numbers, masks in rows],
    )


def _softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
