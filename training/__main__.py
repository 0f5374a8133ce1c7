"""Fit the reader's model to a folder of pages, or cross-validate it."""

import argparse
from pathlib import Path

from .compiler import kind_model_source, run_model_source
from .corpus import FOLDS
from .dataset import corpus
from .evaluate import readings, report
from .fit import fit_kinds, fit_runs, guess_kinds

_READER = Path(__file__).parents[1] / "adapters" / "reader"


def main() -> None:
    """Fit on everything and write the model, or only say how good it is on unseen sites."""
    ask = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    ask.add_argument("folder", type=Path, help="pages with ground truth, laid out as WCXB")
    ask.add_argument("--news", type=Path, help="a file of news pages with content selectors")
    ask.add_argument("--cache", type=Path, help="keep what was measured here, or take it from here")
    ask.add_argument("--evaluate", action="store_true", help="cross-validate and write nothing")
    ask.add_argument("--folds", type=int, nargs="+", default=range(FOLDS), help="which folds: 0 1")
    options = ask.parse_args()
    pages = corpus(options.folder, options.news, options.cache)
    if options.evaluate:
        report(list(readings(pages.examples, options.folds)), pages)
        return
    examples = pages.examples
    (_READER / "page_kind_model.py").write_text(kind_model_source(fit_kinds(examples)))
    (_READER / "run_model.py").write_text(
        run_model_source(fit_runs(examples, guess_kinds(examples)))
    )
    print(f"trained on {len(examples)} pages, wrote page_kind_model.py and run_model.py")


if __name__ == "__main__":
    main()
