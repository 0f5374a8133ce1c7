"""Cross-validate: every page is read by models that have not seen its site."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import mean

from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.run_choice import choose_runs

from .dataset import COLUMNS, Corpus, Example
from .fit import fit_kinds, fit_runs, guess_kinds, predict_kinds, with_kinds
from .measure import bag, f1, f1_of_means, precision_recall


@dataclass(frozen=True)
class Reading:
    """An unseen page with what the models say about it."""

    example: Example
    kinds: list[float]
    likely: list[float]


def readings(examples: list[Example], folds: Iterable[int]) -> Iterator[Reading]:
    """Yield every page of the folds, read by models of the other folds."""
    for fold in folds:
        training = [example for example in examples if example.sample.fold != fold]
        testing = [
            example
            for example in examples
            if example.sample.fold == fold and example.sample.source != "harder"
        ]
        kinds = predict_kinds(fit_kinds(training), testing)
        model = fit_runs(training, guess_kinds(training))
        for example in testing:
            likely = model.predict(with_kinds(example, kinds)).tolist()
            yield Reading(example, kinds[example.sample.name].tolist(), likely)


def report(pages: list[Reading], corpus: Corpus) -> None:
    """Print word F1 by kind of page, and the shingles of articles and of news."""
    scores: dict[str, list[float]] = defaultdict(list)
    stretches: dict[str, list[tuple[float, float]]] = defaultdict(list)
    right = 0
    for page in pages:
        sample = page.example.sample
        text = _text(page)
        kind = "news" if sample.source == "news" else sample.kind
        scores[kind].append(f1(bag(text), bag(sample.wanted)))
        stretches[kind].append(precision_recall(text, sample.wanted))
        right += kind != "news" and page.kinds.index(max(page.kinds)) == KINDS.index(sample.kind)
    news = scores.pop("news", [])
    every = [score for values in scores.values() for score in values]
    print(f"kind guessed right {right / len(every):.3f}")
    for kind, values in sorted(scores.items()):
        print(f"  {kind:14} {len(values):5}  F1 {mean(values):.4f}")
    for kind in ("article", "news"):
        print(
            "  {:14} shingles F1 {:.4f} ({:.4f} / {:.4f})".format(
                kind, *f1_of_means(stretches[kind])
            )
        )
    if news:
        print(f"  {'news':14} {len(news):5}  F1 {mean(news):.4f}")
    # Pages that rightly gave no text at all count as right.
    whole = len(every) + corpus.rightly_empty >= corpus.pages
    total = corpus.pages if whole else len(every)
    empty = corpus.rightly_empty if whole else 0
    print(f"cross-validated mean word F1 {(sum(every) + empty) / total:.4f} over {total} pages")


def _text(page: Reading) -> str:
    cut = page.example.cut
    related = page.example.rows[:, COLUMNS.index("related_share")] > 0
    kept = choose_runs(cut, page.likely, page.kinds, related.tolist()).kept
    return " ".join(run.text for run, keep in zip(cut.runs, kept, strict=True) if keep)
