"""Fit the reader's model to a folder of pages, or cross-validate it."""

import argparse
from pathlib import Path

from .compiler import kind_model_source, run_model_source
from .corpus import samples
from .dataset import examples
from .evaluate import cross_validate
from .fit import fit_kinds, fit_runs, guess_kinds

_MODEL = Path(__file__).parents[1] / "adapters" / "pages" / "reader" / "model"


def main() -> None:
    """Fit on the whole folder and write the model, or only say how good it is on unseen sites."""
    ask = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    ask.add_argument("folder", type=Path, help="pages with ground truth, laid out as WCXB")
    ask.add_argument("--evaluate", action="store_true", help="cross-validate and write nothing")
    asked = ask.parse_args()
    pages = examples(asked.folder)
    if asked.evaluate:
        everything = [(sample.name, sample.wanted.strip()) for sample in samples(asked.folder)]
        read = {example.sample.name for example in pages}
        empty = sum(not wanted for name, wanted in everything if name not in read)
        cross_validate(pages, empty, len(everything))
        return
    (_MODEL / "kinds.py").write_text(kind_model_source(fit_kinds(pages)))
    (_MODEL / "runs.py").write_text(run_model_source(fit_runs(pages, guess_kinds(pages))))
    print(f"trained on {len(pages)} pages, wrote {_MODEL.name}/kinds.py and {_MODEL.name}/runs.py")


if __name__ == "__main__":
    main()
