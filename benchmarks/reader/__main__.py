"""The page reader beside trafilatura, in one run over pages with ground truth.

    python -m benchmarks.reader FOLDER [--alone] [--every N]

FOLDER is laid out as WCXB is. Word F1 is taken of the text: link targets and escapes are markup.
The shipped model was trained on WCXB's development split, so on that folder our F1 is not a
measure of quality: ``python -m training FOLDER --evaluate`` cross-validates it.
"""

import argparse
import gc
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from returns.result import Success

from benchmarks.reader import fidelity
from training.corpus import Sample, samples
from training.measure import bag, f1
from webseam.adapters.reader import read_html

Reader: TypeAlias = Callable[[str, str], str]
Figures: TypeAlias = tuple[
    dict[str, dict[str, list[float]]],
    dict[str, list[float]],
    Counter[tuple[str, int]],
    Counter[tuple[str, int]],
]
RIGHT = 0.9
YOUNG = 10_000
TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")


def ours(html: str, url: str) -> str:
    result = read_html(html, url)
    return result.unwrap().content if isinstance(result, Success) else ""


def trafilatura(html: str, url: str) -> str:
    from trafilatura import extract  # noqa: PLC0415 # a peer, only there when it is asked for

    return str(extract(html, url=url, include_comments=False) or "")


def text_of(markdown: str) -> str:
    return TARGET.sub("]", markdown).replace("\\", "")


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("folder", type=Path)
    ask.add_argument("--alone", action="store_true", help="without the peer")
    ask.add_argument("--every", type=int, default=1, help="only every n-th page")
    options = ask.parse_args()
    readers: list[Reader] = [ours] if options.alone else [ours, trafilatura]
    # As in the process that pages are read in: what the benchmark holds is not looked through.
    gc.freeze()
    gc.set_threshold(YOUNG)
    pages = islice(samples(options.folder), 0, None, options.every)
    scores, spent, figures, right = run(readers, pages)
    for reader in readers:
        show(reader.__name__, scores[reader.__name__], spent[reader.__name__])
    if not options.alone:
        print(f"\nspeed: {sum(spent['trafilatura']) / sum(spent['ours']):.1f} x trafilatura")
    print("\nmarkdown fidelity, every page")
    fidelity.report(figures)
    print(f"\nmarkdown fidelity, pages whose text is right (F1 of {RIGHT} or more)")
    fidelity.report(right)


def run(readers: list[Reader], pages: Iterable[Sample]) -> Figures:
    scores: dict[str, dict[str, list[float]]] = {r.__name__: defaultdict(list) for r in readers}
    spent: dict[str, list[float]] = {reader.__name__: [] for reader in readers}
    kept: Counter[tuple[str, int]] = Counter()
    right: Counter[tuple[str, int]] = Counter()
    for sample in pages:
        for reader in readers:
            start = time.process_time()
            text = reader(sample.html, sample.url)
            spent[reader.__name__].append(time.process_time() - start)
            score = f1(bag(text_of(text) if reader is ours else text), bag(sample.wanted))
            scores[reader.__name__][sample.kind].append(score)
            if reader is ours:
                counts = fidelity.compare(sample.html, text, sample.wanted)
                fidelity.add(kept, counts)
                fidelity.add(right, counts if score >= RIGHT else {})
    return scores, spent, kept, right


def show(name: str, scores: dict[str, list[float]], spent: list[float]) -> None:
    every = [score for values in scores.values() for score in values]
    print(
        f"\n{name}: F1 {statistics.mean(every):.4f} over {len(every)} pages,"
        f" {len(spent) / sum(spent):.1f} pages/s CPU, worst page {max(spent):.3f} s"
    )
    for kind, values in sorted(scores.items()):
        print(f"  {kind:14} {len(values):5}  F1 {statistics.mean(values):.4f}")


if __name__ == "__main__":
    main()
