"""``python -m benchmarks.evidence.statistics``: our intervals and tests beside scipy's.

scipy is not one of ours: run it in an environment that has it. 1 when a figure is not within what
drawing another 2,000 times would change.
"""

import random
import sys
from collections.abc import Iterator
from importlib import import_module

from .comparison import (
    bootstrap_mean,
    holm_correction,
    paired_test,
    sign_test,
    wilson_share,
)

# Three standard errors of a share near 0.5 out of 2,000 draws; for percentiles of means, less.
_DRAWN, _EXACT, _BETWEEN = 0.035, 1e-9, 0.02


def samples() -> Iterator[tuple[list[float], list[float]]]:
    """Yield gains of two routes on the same questions: few and many, alike and not."""
    for seed, count, shift in (
        (1, 8, 0.1),
        (2, 11, 0.0),
        (3, 40, 0.05),
        (4, 100, 0.08),
        (5, 300, 0.02),
    ):
        chance = random.Random(seed)
        one = [round(chance.betavariate(2, 2), 3) for _ in range(count)]
        yield one, [round(min(1.0, max(0.0, it - shift + chance.gauss(0, 0.2))), 3) for it in one]


def comparisons() -> Iterator[tuple[str, float, float, float]]:
    """Yield a name, our figure, scipy's, and how far apart they may be."""
    stats = import_module("scipy.stats")  # not one of ours
    average = import_module("numpy").mean

    for one, two in samples():
        name = f"{len(one)} questions"
        by = [a - b for a, b in zip(one, two, strict=True)]
        own = bootstrap_mean(by)
        assert own is not None
        theirs = stats.bootstrap(
            (by,), average, method="percentile", n_resamples=9999, rng=7
        ).confidence_interval
        yield f"{name}: bootstrap low", own.low, theirs.low, _BETWEEN
        yield f"{name}: bootstrap high", own.high, theirs.high, _BETWEEN
        flips = stats.permutation_test(
            (by,), average, permutation_type="samples", n_resamples=9999, rng=7
        ).pvalue
        yield f"{name}: sign flips p", paired_test(by), flips, _DRAWN
    for wins, count in ((9, 10), (30, 100), (3, 6), (0, 5)):
        yield (
            f"sign test {wins}/{count}",
            sign_test(wins, count - wins),
            stats.binomtest(wins, count).pvalue,
            _EXACT,
        )
        part = wilson_share([1.0] * wins + [0.0] * (count - wins))
        assert part is not None
        wilson = stats.binomtest(wins, count).proportion_ci(method="wilson")
        yield f"Wilson {wins}/{count} low", part.low, wilson.low, 1e-6
        yield f"Wilson {wins}/{count} high", part.high, wilson.high, 1e-6
    # By hand from Holm 1979: scipy has Benjamini's and Hochberg's alone.
    for at, value in enumerate(holm_correction([0.01, 0.04, 0.03, 0.005])):
        yield f"Holm {at}", value, (0.03, 0.06, 0.06, 0.02)[at], _EXACT


def main() -> int:
    """Print all of them."""
    far = 0
    for name, own, other, apart in comparisons():
        verdict = "" if abs(own - other) <= apart else "  FAR"
        far += bool(verdict)
        print(f"{name:32} {own:9.5f} {other:9.5f}{verdict}")
    return int(far > 0)


if __name__ == "__main__":
    sys.exit(main())
