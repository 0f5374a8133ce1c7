"""Cross-validate: every page is read by models that have not seen its site."""

from collections import Counter, defaultdict
from statistics import mean

from webseam.adapters.pages.reader.choice import choose
from webseam.adapters.pages.reader.features.pagewide import KINDS

from .corpus import FOLDS
from .dataset import Example
from .fit import fit_kinds, fit_runs, guess_kinds, predict_kinds, with_kinds
from .measure import bag, f1


def cross_validate(pages: list[Example], empty: int, total: int) -> None:
    """Print the mean word F1 by kind of page; ``empty`` pages rightly gave no text at all."""
    scores: dict[str, list[float]] = defaultdict(list)
    right = 0
    for fold in range(FOLDS):
        training = [example for example in pages if example.sample.fold != fold]
        testing = [example for example in pages if example.sample.fold == fold]
        kinds = predict_kinds(fit_kinds(training), testing)
        model = fit_runs(training, guess_kinds(training))
        for example in testing:
            likely = model.predict(with_kinds(example, kinds)).tolist()
            scores[example.sample.kind].append(_score(example, choose(example.cut, likely)))
            right += int(kinds[example.sample.name].argmax() == _number(example))
    print(f"kind guessed right {right / len(pages):.3f}")
    for kind, values in sorted(scores.items()):
        print(f"  {kind:14} {len(values):5}  F1 {mean(values):.4f}")
    everything = sum(sum(values) for values in scores.values())
    print(f"cross-validated mean word F1 {(everything + empty) / total:.4f} over {total} pages")


def _number(example: Example) -> int:
    return KINDS.index(example.sample.kind)


def _score(example: Example, kept: list[bool]) -> float:
    got: Counter[str] = Counter()
    for run, keep in zip(example.cut.runs, kept, strict=True):
        if keep:
            got.update(bag(run.text))
    return f1(got, bag(example.sample.wanted))
