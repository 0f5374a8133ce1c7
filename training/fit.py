"""Fit the two models: the kind of a page, then how likely each run is content."""

from collections.abc import Iterable

import lightgbm
import numpy as np

from webseam.adapters.reader.measures.page_features import KINDS

from .corpus import FOLDS
from .dataset import KIND_COLUMNS, Example

SEED = 1
_COMMON = {
    "verbose": -1, "num_threads": 1, "seed": SEED, "deterministic": True, "force_row_wise": True,
    "bagging_freq": 1, "bagging_fraction": 0.8,
}  # fmt: skip
_KIND = {
    **_COMMON, "objective": "multiclass", "num_class": len(KINDS), "learning_rate": 0.12,
    "num_leaves": 7, "min_data_in_leaf": 10, "feature_fraction": 0.4,
}  # fmt: skip
_RUN = {
    **_COMMON, "objective": "cross_entropy", "learning_rate": 0.12, "num_leaves": 48,
    "min_data_in_leaf": 60, "feature_fraction": 0.5, "max_bin": 63,
}  # fmt: skip
# Most pages have an address; at 1.0 the kind is guessed right 2 % less often where there is one.
_BARE_WEIGHT = 0.3
KIND_ROUNDS = 60
RUN_ROUNDS = 120


def fit_kinds(training: Iterable[Example]) -> lightgbm.Booster:
    """Fit the kind of a page, also of one without its address, scripts and linked data."""
    pages = [example for example in training if example.sample.source == "wcxb"]
    goal = [KINDS.index(example.sample.kind) for example in pages]
    rows = [*[example.page for example in pages], *[example.bare for example in pages]]
    weights = [1.0] * len(pages) + [_BARE_WEIGHT] * len(pages)
    data = lightgbm.Dataset(np.array(rows), [*goal, *goal], weight=weights)
    return lightgbm.train(_KIND, data, num_boost_round=KIND_ROUNDS)


def fit_runs(training: list[Example], kinds: dict[str, np.ndarray]) -> lightgbm.Booster:
    """Fit how likely a run is content, given the guessed kind of each page."""
    data = lightgbm.Dataset(
        np.vstack([with_kinds(example, kinds) for example in training]),
        np.concatenate([example.labels for example in training]),
        weight=np.concatenate([example.weights for example in training]),
    )
    return lightgbm.train(_RUN, data, num_boost_round=RUN_ROUNDS)


def guess_kinds(training: list[Example]) -> dict[str, np.ndarray]:
    """Guess the kind of each page with models that have not seen its site."""
    guessed: dict[str, np.ndarray] = {}
    for fold in range(FOLDS):
        inside = [example for example in training if example.sample.fold == fold]
        if inside:
            model = fit_kinds(example for example in training if example.sample.fold != fold)
            guessed.update(predict_kinds(model, inside))
    return guessed


def predict_kinds(model: lightgbm.Booster, pages: list[Example]) -> dict[str, np.ndarray]:
    """Guess the kind of each page with one model; a harder copy is of its original's kind."""
    originals = [example for example in pages if example.sample.source != "harder"]
    chances = model.predict(np.array([example.page for example in originals]))
    return {example.sample.name: row for example, row in zip(originals, chances, strict=True)}


def with_kinds(example: Example, kinds: dict[str, np.ndarray]) -> np.ndarray:
    """Return the rows of a page with its guessed kind filled in."""
    rows = example.rows.copy()
    rows[:, KIND_COLUMNS] = kinds[example.sample.name]
    return rows
