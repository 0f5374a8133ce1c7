"""Public collections: TREC judgments and runs, measured beside pytrec_eval.

``python -m benchmarks.evidence.collections QRELS RUN [RUN]`` reads files as trec_eval does and
prints hit@10 and nDCG@10; without files it makes up fifty topics and two runs. Where pytrec_eval
can be imported its success_10 and ndcg_cut_10 stand beside them. The figures that trec_eval itself
publishes for three topics of TREC-6 are held against ours in any case. The end is 1 when a third
digit differs.
"""

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from .comparison import Comparison, compare, report_text

Judgments = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
MOST = 10


def read_judgments(lines: Sequence[str]) -> Judgments:
    """Return the grades of documents by topic: ``TOPIC 0 DOCUMENT GRADE``."""
    judgments: Judgments = {}
    for topic, _, document, grade in (line.split()[:4] for line in lines if line.strip()):
        judgments.setdefault(topic, {})[document] = int(float(grade))
    return judgments


def read_run(lines: Sequence[str]) -> Run:
    """Return the scores of documents by topic: ``TOPIC Q0 DOCUMENT RANK SCORE NAME``."""
    run: Run = {}
    for topic, _, document, _, score in (line.split()[:5] for line in lines if line.strip()):
        run.setdefault(topic, {})[document] = float(score)
    return run


def rankings(judgments: Judgments, runs: Mapping[str, Run]) -> dict[str, dict[str, list[str]]]:
    """Return the documents of each run by topic, the best first.

    As trec_eval does, ranks come from the scores, equal ones by the document's name backwards, and
    topics without a run are left out.
    """
    topics = sorted(topic for topic in judgments if all(topic in run for run in runs.values()))
    return {name: {topic: _ranked(run[topic]) for topic in topics} for name, run in runs.items()}


def _ranked(scores: Mapping[str, float]) -> list[str]:
    # By score, then by name, both from high to low (trec_eval, form_res_rels.c).
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


def made_up_runs(seed: int = 3) -> tuple[Judgments, dict[str, Run]]:
    """Return made-up judgments of fifty topics and two runs, with equal scores and odd grades."""
    chance = random.Random(seed)
    judgments: Judgments = {}
    runs: dict[str, Run] = {"one": {}, "two": {}}
    for topic in map(str, range(301, 351)):
        documents = [f"FT{chance.randrange(900, 999)}-{at}" for at in range(60)]
        grades = [-1, 0, 0, 0, 1, 1, 2, 3]
        judgments[topic] = {document: chance.choice(grades) for document in documents[:30]}
        for run in runs.values():
            shown = chance.sample(documents, 40)
            run[topic] = {document: round(chance.random(), 2) for document in shown}
    return judgments, runs


class Published(NamedTuple):
    """A topic as trec_eval prints it: ranks with a relevant document, how many there are, figures."""

    topic: str
    relevant_ranks: str
    relevant: int
    success: Mapping[int, float]
    ndcg: Mapping[int, float]


# https://github.com/usnistgov/trec_eval, test/out.test.aq (read 2026-11-16): relstring, num_rel,
# success_5, success_10, ndcg_cut_5, ndcg_cut_10 of the run STANDARD on topics of TREC-6.
PUBLISHED = (
    Published("301", "0000011000", 474, {5: 0.0, 10: 1.0}, {5: 0.0, 10: 0.1518}),
    Published("302", "1101110110", 77, {5: 1.0, 10: 1.0}, {5: 0.8304, 10: 0.7530}),
    Published("303", "0000000000", 10, {5: 0.0, 10: 0.0}, {5: 0.0, 10: 0.0}),
)
# The same of all three together.
PUBLISHED_MEANS = {5: (0.3333, 0.2768), 10: (0.6667, 0.3016)}


def published_run(topics: Sequence[Published] = PUBLISHED) -> tuple[Judgments, Run]:
    """Return judgments and a run that have relevant documents where the topics have them."""
    judgments: Judgments = {}
    run: Run = {}
    for topic in topics:
        ranks = [at for at, mark in enumerate(topic.relevant_ranks) if mark == "1"]
        elsewhere = [f"unranked-{at}" for at in range(topic.relevant - len(ranks))]
        judgments[topic.topic] = dict.fromkeys([*(f"rank-{at}" for at in ranks), *elsewhere], 1)
        run[topic.topic] = {f"rank-{at}": -float(at) for at in range(len(topic.relevant_ranks))}
    return judgments, run


def published_differ() -> bool:
    """Print our figures beside those of trec_eval's own test; tell whether a third digit differs."""
    judgments, run = published_run()
    differs = False
    for rows, theirs_of_all in PUBLISHED_MEANS.items():
        (own,) = route_means(compare(judgments, rankings(judgments, {"STANDARD": run}), rows))
        shown = f"ours {own[0]:.4f} {own[1]:.4f}, trec_eval {theirs_of_all[0]:.4f} {theirs_of_all[1]:.4f}"
        print(f"TREC-6, topics 301 to 303, first {rows}: {shown}")
        differs |= any(abs(a - b) >= 0.0005 for a, b in zip(own, theirs_of_all, strict=True))
    return differs


def trec_eval_means(judgments: Judgments, run: Run) -> tuple[float, float] | None:
    """Return success_10 and ndcg_cut_10 by pytrec_eval; None where it is not installed."""
    try:
        pytrec_eval = import_module("pytrec_eval")
    except ImportError:
        return None
    judge = pytrec_eval.RelevanceEvaluator(judgments, {"success", "ndcg_cut"})
    figures = judge.evaluate(run).values()
    return (
        sum(each["success_10"] for each in figures) / len(figures),
        sum(each["ndcg_cut_10"] for each in figures) / len(figures),
    )


def route_means(comparison: Comparison) -> list[tuple[float, float]]:
    """Return hit@10 and nDCG@10 of each run."""
    return [
        (score.hit.mean, score.ndcg.mean)
        for score in comparison.scores
        if score.hit is not None and score.ndcg is not None
    ]


def _read(qrels: Path, files: Sequence[Path]) -> tuple[Judgments, dict[str, Run]]:
    runs = {file.name: read_run(file.read_text().splitlines()) for file in files}
    return read_judgments(qrels.read_text().splitlines()), runs


def main() -> int:
    """Print the figures; 1 when a third digit differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence.collections")
    parser.add_argument("qrels", type=Path, nargs="?")
    parser.add_argument("runs", type=Path, nargs="*")
    options = parser.parse_args()
    judgments, runs = _read(options.qrels, options.runs) if options.runs else made_up_runs()
    comparison = compare(judgments, rankings(judgments, runs), MOST)
    print(report_text(comparison))
    differing = 0
    for (name, run), own in zip(runs.items(), route_means(comparison), strict=True):
        other = trec_eval_means(judgments, run)
        if other is None:
            print("pytrec_eval is not installed here: nothing to hold the figures against.")
            break
        print(f"{name}: ours {own[0]:.4f} {own[1]:.4f}, pytrec_eval {other[0]:.4f} {other[1]:.4f}")
        differing += any(abs(a - b) >= 0.0005 for a, b in zip(own, other, strict=True))
    return int(published_differ() or differing > 0)


if __name__ == "__main__":
    sys.exit(main())
