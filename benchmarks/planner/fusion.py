"""Is a fused list as good as the best of its members? A collection made into imperfect engines.

Six engines rank by different rules, and each knows only its own part of the documents. Who is
better, and so named first, is learned on half of the queries and tried on the other half.

python -m benchmarks.planner.fusion [--lee] [--collection FOLDER] [--cuts 3]

Without a collection one is made up. ``--lee`` takes the fifty news texts of Lee, Pincombe and Welsh
(2005), each a query for itself and the others, by what 83 people said of their likeness: `pip install
gensim` brings them along.
"""

import argparse
import importlib.util
import itertools
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from benchmarks.index.collection import Collection, load, make
from webseam.kernel.planner.fusion import MemberRows, default_fusion_weight, fuse_member_rows
from webseam.ports.web import WebSearchResult

_ROWS = 10
_WORD = re.compile(r"[a-z0-9]+")
_LIKE = 0.25
Ranking = list[str]
# The planner's own weights: by the order in which the members are named.
ROUTE = "order of the route"


class FusionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Groups of members, the change of nDCG@10 against the best one, and how many groups gain."""

    members: str
    weights: str
    groups: int
    change: float
    not_below: float


class Engine:
    """One imperfect engine: a rule of ranking over a part of the documents."""

    def __init__(
        self,
        collection: Collection,
        score: Callable[["Engine", str, str], float],
        chance: random.Random,
        *,
        titles: bool = False,
        noise: float = 0.0,
    ) -> None:
        self.score, self.noise, self.chance = score, noise, chance
        share = chance.uniform(0.5, 0.8)
        known = [one for one in collection.documents if chance.random() < share]
        self.words = {
            number: Counter(_WORD.findall((title if titles else f"{title} {text}").lower()))
            for number, title, text in known
        }
        self.length = {number: sum(words.values()) or 1 for number, words in self.words.items()}
        self.mean = sum(self.length.values()) / max(len(self.length), 1)
        self.holding: dict[str, set[str]] = defaultdict(set)
        for number, words in self.words.items():
            for word in words:
                self.holding[word].add(number)

    def rarity(self, word: str) -> float:
        held = len(self.holding.get(word, ()))
        return math.log(1 + (len(self.words) - held + 0.5) / (held + 0.5))

    def search(self, query: str) -> Ranking:
        scores: dict[str, float] = defaultdict(float)
        for word in set(_WORD.findall(query.lower())):
            for number in self.holding.get(word, ()):
                scores[number] += self.score(self, word, number)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))[:_ROWS]
        everybody = list(self.words)
        return [
            self.chance.choice(everybody) if self.chance.random() < self.noise else number
            for number in ranked
        ]


def _bm25(engine: Engine, word: str, number: str) -> float:
    count = engine.words[number][word]
    norm = 0.4 + 0.6 * engine.length[number] / engine.mean
    return engine.rarity(word) * count * 2.2 / (count + 1.2 * norm)


def _tf_idf(engine: Engine, word: str, number: str) -> float:
    return (
        (1 + math.log(engine.words[number][word]))
        * engine.rarity(word)
        / math.sqrt(engine.length[number])
    )


def _likelihood(engine: Engine, word: str, number: str) -> float:
    share = engine.words[number][word] / engine.length[number]
    return math.log(1 + share * 2000 / (1 + len(engine.holding[word])))


def _overlap(_engine: Engine, _word: str, _number: str) -> float:
    return 1.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.fusion", description=__doc__)
    parser.add_argument("--collection", type=Path, help="a folder in BEIR's layout")
    parser.add_argument("--lee", action="store_true", help="the texts that come with gensim")
    parser.add_argument("--cuts", type=int, default=3, help="of the collection into engines")
    options = parser.parse_args(arguments)
    print("\n".join(lines_of(measure(_chosen(options), options.cuts))))
    return 0


def _chosen(options: argparse.Namespace) -> Collection:
    if options.lee:
        return lee()
    return load(options.collection) if options.collection else make(3000, 200)


def lee() -> Collection:
    """Return the texts of Lee, Pincombe and Welsh; those that people find alike are relevant."""
    package = importlib.util.find_spec("gensim")
    if package is None or package.origin is None:
        sys.exit("--lee needs the texts that come with gensim: pip install gensim")
    folder = Path(package.origin).parent / "test" / "test_data"
    texts = (folder / "lee.cor").read_text("latin-1").splitlines()
    rows = (folder / "similarities0-1.txt").read_text().splitlines()
    # How alike two texts are, from 0 to 1; what is above a quarter counts, in three grades.
    alike = [[float(cell) for cell in row.split()] for row in rows]
    documents = [(str(place), text[:60], text) for place, text in enumerate(texts)]
    relevant = {
        str(place): {
            str(other): int(share * 4) for other, share in enumerate(shares) if share > 0.25
        }
        for place, shares in enumerate(alike)
    }
    queries = [(number, text) for number, _, text in documents if relevant[number]]
    return Collection(documents, queries, relevant)


def lines_of(fused: Sequence[FusionFigures]) -> list[str]:
    """Return the figures as lines of a table."""
    return [
        "",
        "fusion, nDCG@10 against the best member     groups  change  not below",
        *(
            f"{one.members:22} {one.weights:18} {one.groups:8d} {one.change:+7.1%} {one.not_below:9.0%}"
            for one in fused
        ),
    ]


def measure(collection: Collection, cuts: int = 3) -> list[FusionFigures]:
    """Fuse every group of two to four engines, in several cuts of the collection."""
    changes_by_kind: dict[tuple[str, str], list[float]] = defaultdict(list)
    for seed in range(cuts):
        chance = random.Random(seed)
        engines = [
            Engine(collection, _bm25, chance),
            Engine(collection, _tf_idf, chance),
            Engine(collection, _likelihood, chance),
            Engine(collection, _bm25, chance, titles=True),
            Engine(collection, _bm25, chance, noise=0.25),
            Engine(collection, _overlap, chance),
        ]
        _fuse_groups(collection, [_answers(one, collection) for one in engines], changes_by_kind)
    return [
        FusionFigures(
            members=members,
            weights=weights,
            groups=len(changes),
            change=sum(changes) / len(changes),
            not_below=sum(change >= 0 for change in changes) / len(changes),
        )
        for (members, weights), changes in sorted(changes_by_kind.items())
    ]


def _answers(engine: Engine, collection: Collection) -> dict[str, Ranking]:
    return {number: engine.search(text) for number, text in collection.queries}


def _fuse_groups(
    collection: Collection,
    answers: Sequence[dict[str, Ranking]],
    changes_by_kind: dict[tuple[str, str], list[float]],
) -> None:
    numbers = [number for number, _ in collection.queries]
    learning, trying = numbers[::2], numbers[1::2]
    learned_of = {place: _quality(collection, one, learning) for place, one in enumerate(answers)}
    # As a user would name them: who seems best first.
    ranked = sorted(learned_of, key=lambda place: -learned_of[place])
    for size in (2, 3, 4):
        by_order = [default_fusion_weight(place, size) for place in range(size)]
        for places in itertools.combinations(ranked, size):
            group = [answers[place] for place in places]
            learned = [learned_of[place] for place in places]
            quality = [_quality(collection, one, trying) for one in group]
            best = max(quality) or 1e-9
            like = min(quality) >= best * (1 - _LIKE)
            squared = [max((one / (max(learned) or 1e-9)) ** 2, 0.1) for one in learned]
            rules = {"none": [1.0] * size, "quality squared": squared, ROUTE: by_order}
            for name, weights in rules.items():
                fused = {
                    number: _fused([one[number] for one in group], weights) for number in trying
                }
                change = _quality(collection, fused, trying) / best - 1
                changes_by_kind[f"{size} {'of like quality' if like else 'uneven'}", name].append(
                    change
                )


def _fused(rankings: Sequence[Ranking], weights: Sequence[float]) -> Ranking:
    listings = [
        MemberRows(backend=str(place), rows=_rows(ranking), weight=weights[place])
        for place, ranking in enumerate(rankings)
    ]
    return [one.row.title for one in fuse_member_rows(listings)[:_ROWS]]


def _rows(ranking: Ranking) -> list[WebSearchResult]:
    return [
        WebSearchResult(
            title=number, url=f"https://d.example/{number}", snippet="", position=place, source=""
        )
        for place, number in enumerate(ranking, 1)
    ]


def _quality(collection: Collection, answers: dict[str, Ranking], numbers: Sequence[str]) -> float:
    """Return the mean nDCG@10."""
    return sum(_ndcg(answers[one], collection.relevant[one]) for one in numbers) / len(numbers)


def _ndcg(ranking: Ranking, relevant: dict[str, int]) -> float:
    gained = sum(
        relevant.get(number, 0) / math.log2(place + 1)
        for place, number in enumerate(dict.fromkeys(ranking), 1)
    )
    ideal = sum(
        grade / math.log2(place + 1)
        for place, grade in enumerate(sorted(relevant.values(), reverse=True)[:_ROWS], 1)
    )
    return gained / ideal if ideal else 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
