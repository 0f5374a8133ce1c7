"""Turn pages into rows of numbers, with the reader's own code."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from turbohtml import parse

from webseam.adapters.pages.reader.blocks import Cut
from webseam.adapters.pages.reader.features.measures import measure_opened, open_document
from webseam.adapters.pages.reader.features.pagewide import KINDS, page_features
from webseam.adapters.pages.reader.features.vectors import MASKS, NUMBERS, run_rows

from .corpus import Sample, samples
from .labels import label_runs

COLUMNS = [*NUMBERS, *[f"{mask}:{name}" for mask, names in MASKS for name in names]]
KIND_COLUMNS = [COLUMNS.index(f"kind_{kind}") for kind in KINDS]


@dataclass(frozen=True)
class Example:
    """One page, measured and labelled."""

    sample: Sample
    cut: Cut
    page: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def examples(folder: Path) -> list[Example]:
    """Measure and label every page that has any text."""
    return [example for sample in samples(folder) if (example := _example(sample)) is not None]


def _example(sample: Sample) -> Example | None:
    page = measure_opened(open_document(parse(sample.html, positions=False)), sample.url)
    if page is None:
        return None
    rows = run_rows(page, [0.0] * len(KINDS))
    labels, words = label_runs([run.text for run in page.cut.runs], sample.wanted)
    wanted = max(1, len(sample.wanted.split()))
    return Example(
        sample=sample,
        cut=page.cut,
        page=np.array(page_features(page), np.float32),
        rows=_columns(rows),
        labels=np.array(labels, np.float32),
        # What a run weighs in its page's F1, with a floor so that short runs are learnt too.
        weights=np.minimum(np.array(words) / wanted, 0.5) + 0.002,
    )


def _columns(rows: list[tuple[list[float], tuple[int, ...]]]) -> np.ndarray:
    numbers = np.array([row[0] for row in rows], np.float32)
    masks = np.array([row[1] for row in rows], np.int64)
    bits = [
        (masks[:, place] >> bit) & 1
        for place, (_, names) in enumerate(MASKS)
        for bit in range(len(names))
    ]
    return np.column_stack([numbers, *bits]).astype(np.float32)
