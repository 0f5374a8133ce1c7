"""Turn pages into rows of numbers, with the reader's own code."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from webseam.adapters.reader.html_parsing import parse_page
from webseam.adapters.reader.measures.page_features import (
    KINDS,
    MeasuredPage,
    measure_opened,
    open_document,
    page_features,
)
from webseam.adapters.reader.page_segments import PageSegments
from webseam.adapters.reader.scores import FeatureRow

from .columns import MASKS, NUMBERS, bare_feature_page, html_run_rows
from .corpus import Sample, news_samples, samples
from .harder import Stock, harden, leftovers
from .labels import label_runs
from .stored import without_tree

COLUMNS = [*chain(*NUMBERS), *[f"{mask}:{name}" for mask, names in MASKS for name in names]]
KIND_COLUMNS = [COLUMNS.index(f"kind_{kind}") for kind in KINDS]
_HARDER_WEIGHT = 0.5


@dataclass(frozen=True)
class Example:
    """One page, measured and labelled; ``bare`` lacks its address, scripts and data."""

    sample: Sample
    cut: PageSegments
    page: np.ndarray
    bare: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Corpus:
    """Every page that has any text, and the figures of those that have none."""

    examples: list[Example]
    pages: int
    rightly_empty: int


def corpus(folder: Path, news: Path | None, cache: Path | None) -> Corpus:
    """Measure and label every page, or take what ``cache`` holds of an earlier call."""
    if cache is not None and cache.exists():
        with cache.open("rb") as file:
            measured: Corpus = pickle.load(file)  # noqa: S301  our own file of a moment ago
        return measured
    measured = _measured(folder, news)
    if cache is not None:
        with cache.open("wb") as file:
            pickle.dump(measured, file, protocol=pickle.HIGHEST_PROTOCOL)
    return measured


def _measured(folder: Path, news: Path | None) -> Corpus:
    every = list(samples(folder))
    more = list(news_samples(news)) if news else []
    examples: list[Example] = []
    articles: list[tuple[Sample, list[float]]] = []
    pools: dict[int, list[str]] = {}
    stocks: dict[int, Stock] = {}
    for sample in (*every, *more):
        page = _measure(sample)
        if page is not None:
            example = _example(sample, page)
            examples.append(example)
            labels = example.labels.tolist()
            pools.setdefault(sample.fold, []).extend(leftovers(page, labels, sample.kind))
            stocks.setdefault(sample.fold, Stock()).add(page, sample.wanted, sample.kind)
            if sample.kind == "article" and sample.source == "wcxb":
                articles.append((sample, labels))
    with_text = {example.sample.name for example in examples}
    empty = sum(not s.wanted.strip() for s in every if s.name not in with_text)
    return Corpus([*examples, *_harder(articles, pools, stocks)], len(every), empty)


def _harder(
    articles: Iterable[tuple[Sample, list[float]]],
    pools: dict[int, list[str]],
    stocks: dict[int, Stock],
) -> Iterator[Example]:
    for sample, labels in articles:
        page = _measure(sample)
        pool = pools.get(sample.fold, [])
        stock = stocks.get(sample.fold, Stock())
        made = page and harden(page, labels, pool, stock, (sample.name, sample.html))
        if made:
            copy = replace(sample, html=made[0], wanted=made[1], source="harder")
            page = _measure(copy)
            if page is not None:
                yield _example(copy, page)


def _measure(sample: Sample) -> MeasuredPage | None:
    document = parse_page(sample.html)
    return document and measure_opened(open_document(document), sample.url)


def _example(sample: Sample, page: MeasuredPage) -> Example:
    rows = list(html_run_rows(page, [0.0] * len(KINDS)))
    labels, words = label_runs([run.text for run in page.segments.runs], sample.wanted)
    wanted = len(sample.wanted.split())
    # What a run weighs in its page's F1, with a floor so that short runs are learnt too. A page of
    # which nothing is wanted tells nothing but that nobody wrote down what is.
    weights = np.minimum(np.array(words) / max(1, wanted), 0.5) + 0.002
    counts = (_HARDER_WEIGHT if sample.source == "harder" else 1.0) if wanted else 0.0
    return Example(
        sample=replace(sample, html=""),
        cut=without_tree(page.segments),
        page=np.array(page_features(page), np.float32),
        bare=np.array(page_features(bare_feature_page(page)), np.float32),
        rows=_columns(rows),
        labels=np.array(labels, np.float32),
        weights=weights * counts,
    )


def _columns(rows: list[FeatureRow]) -> np.ndarray:
    numbers = np.array([list(chain(*row[0])) for row in rows], np.float32)
    masks = np.array([row[1] for row in rows], np.int64)
    bits = [
        (masks[:, place] >> bit) & 1
        for place, (_, names) in enumerate(MASKS)
        for bit in range(len(names))
    ]
    return np.column_stack([numbers, *bits]).astype(np.float32)
