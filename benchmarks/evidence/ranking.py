"""Is an order by word vectors better than one by words? ``python -m benchmarks.evidence.ranking``.

``--lee`` takes the news texts of Lee, Pincombe and Welsh (2005) that come with gensim, each a query
for the others, ``--collection FOLDER`` a collection in BEIR's layout or pages with titles, each title
a query for its page; without either one is made up. The first 24 passages by words are ranked anew by
``webseam[rerank]``: by its order alone, as ``ask`` and ``search --rerank`` do, and by both together.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.index.collection import Collection, load, make
from benchmarks.planner.fusion import lee
from webseam.adapters.features.models.word_vectors import LocalReranker, is_wordllama_installed
from webseam.kernel.features.evidence.bench_comparison import compare_routes
from webseam.kernel.features.evidence.bench_report import report_text
from webseam.kernel.features.evidence.passages import score_relevance
from webseam.kernel.relevance import rerank
from webseam.ports.bench import BenchQuestion, BenchReply, BenchRow, Recording

_CANDIDATES = 24
_ROWS = 10
ROUTES = ("words", "vectors", "both")


def recording(collection: Collection, most: int, characters: int) -> Recording:
    """Return each query with what each order has first."""
    numbers = [number for number, _, _ in collection.documents]
    texts = [text[:characters] for _, _, text in collection.documents]
    queries = collection.queries[:most]
    # A text that is its own query would be found too easily.
    every = {text for _, _, text in collection.documents}
    itself = {number for number, query in queries if query in every}
    questions = tuple(
        BenchQuestion(
            question=f"{number}",
            judgments={
                _url(one): grade
                for one, grade in collection.relevant[number].items()
                if number not in itself or one != number
            },
        )
        for number, _ in queries
    )
    reranker = LocalReranker()
    replies: list[BenchReply] = []
    for at, (number, query) in enumerate(queries):
        scores = score_relevance(query, texts)
        by_words = sorted(range(len(texts)), key=lambda place: -scores[place])
        others = [each for each in by_words if number not in itself or numbers[each] != number]
        first = others[:_CANDIDATES]
        orders = asyncio.run(_orders(query, [texts[place] for place in first], reranker))
        replies += [
            _reply(route, at, [numbers[first[place]] for place in order])
            for route, order in zip(ROUTES, orders, strict=True)
        ]
    return Recording(questions=questions, routes=ROUTES, replies=tuple(replies))


async def _orders(
    query: str, candidates: list[str], reranker: LocalReranker
) -> tuple[list[int], list[int], list[int]]:
    ranking = (await rerank(query[:8000], candidates, reranker)).unwrap()
    vectors = [each.index for each in ranking]
    words = [*range(len(candidates))]
    return words, vectors, fused(vectors)


def fused(order: Sequence[int]) -> list[int]:
    """Return places in the order of both: that in which they were sent, and ``order``."""
    scores = {place: 1 / (60 + place) + 1 / (60 + rank) for rank, place in enumerate(order)}
    return sorted(scores, key=lambda place: (-scores[place], place))


def _reply(route: str, question: int, numbers: Sequence[str]) -> BenchReply:
    rows = tuple(BenchRow(url=_url(one), title="", snippet="") for one in numbers[:_ROWS])
    return BenchReply(route=route, question=question, seconds=0.0, rows=rows)


def _url(number: str) -> str:
    return f"https://collection.example/{number}"


def main() -> int:
    """Print hits and nDCG@10 of each order, and whether they differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence.ranking")
    parser.add_argument("--lee", action="store_true", help="the texts that come with gensim")
    parser.add_argument("--collection", type=Path, metavar="FOLDER")
    parser.add_argument("--queries", type=int, default=300, help="at most this many; 300")
    parser.add_argument("--characters", type=int, default=1200, help="of each text; 1200")
    options = parser.parse_args()
    if not is_wordllama_installed():
        sys.exit("This needs the weights: pip install 'webseam[rerank]'")
    chosen = (
        lee() if options.lee else load(options.collection) if options.collection else make(2000)
    )
    whole = recording(chosen, options.queries, options.characters)
    print(report_text(compare_routes(whole, _ROWS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
