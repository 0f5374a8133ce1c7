"""Is a fused list as good as the best of its members? A collection made into imperfect engines.

Six engines rank by different rules, and each knows only its own part of the documents. Weights are
learned on half of the queries and tried on the other half.
"""

import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import msgspec

from benchmarks.index_collection import Collection
from webseam.kernel.planner.fusion import Listing, fuse
from webseam.ports.web import WebSearchResult

_ROWS = 10
_WORD = re.compile(r"[a-z0-9]+")
_LIKE = 0.25
Ranking = list[str]


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


def measure(collection: Collection, cuts: int = 3) -> list[FusionFigures]:
    """Fuse every group of two to four engines, in several cuts of the collection."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
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
        _fuse_groups(collection, [_answers(one, collection) for one in engines], found)
    return [
        FusionFigures(
            members=members,
            weights=weights,
            groups=len(changes),
            change=sum(changes) / len(changes),
            not_below=sum(change >= 0 for change in changes) / len(changes),
        )
        for (members, weights), changes in sorted(found.items())
    ]


def _answers(engine: Engine, collection: Collection) -> dict[str, Ranking]:
    return {number: engine.search(text) for number, text in collection.queries}


def _fuse_groups(
    collection: Collection,
    answers: Sequence[dict[str, Ranking]],
    found: dict[tuple[str, str], list[float]],
) -> None:
    numbers = [number for number, _ in collection.queries]
    learning, trying = numbers[::2], numbers[1::2]
    for size in (2, 3, 4):
        for group in itertools.combinations(answers, size):
            learned = [_quality(collection, one, learning) for one in group]
            quality = [_quality(collection, one, trying) for one in group]
            best = max(quality) or 1e-9
            like = min(quality) >= best * (1 - _LIKE)
            squared = [max((one / (max(learned) or 1e-9)) ** 2, 0.1) for one in learned]
            for weights, name in (([1.0] * size, "none"), (squared, "quality squared")):
                fused = {
                    number: _fused([one[number] for one in group], weights) for number in trying
                }
                change = _quality(collection, fused, trying) / best - 1
                found[f"{size} {'of like quality' if like else 'uneven'}", name].append(change)


def _fused(rankings: Sequence[Ranking], weights: Sequence[float]) -> Ranking:
    listings = [
        Listing(backend=str(place), rows=_rows(ranking), weight=weights[place])
        for place, ranking in enumerate(rankings)
    ]
    return [one.row.title for one in fuse(listings)[:_ROWS]]


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
