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
from webseam.kernel.features.evidence.passages import score_relevance
from webseam.kernel.relevance import rerank

from .comparison import compare, report_text

_CANDIDATES = 24
_ROWS = 10
ORDERS = ("words", "vectors", "both")


def rankings(collection: Collection, most: int, characters: int) -> dict[str, dict[str, list[str]]]:
    """Return what each order has for each query, the best first."""
    numbers = [number for number, _, _ in collection.documents]
    texts = [text[:characters] for _, _, text in collection.documents]
    queries = collection.queries[:most]
    itself = _own_texts(collection)
    reranker = LocalReranker()
    ranked: dict[str, dict[str, list[str]]] = {name: {} for name in ORDERS}
    for number, query in queries:
        scores = score_relevance(query, texts)
        by_words = sorted(range(len(texts)), key=lambda place: -scores[place])
        others = [each for each in by_words if number not in itself or numbers[each] != number]
        first = others[:_CANDIDATES]
        orders = asyncio.run(_orders(query, [texts[place] for place in first], reranker))
        for name, order in zip(ORDERS, orders, strict=True):
            ranked[name][number] = [numbers[first[place]] for place in order]
    return ranked


def judgments(collection: Collection) -> dict[str, dict[str, int]]:
    """Return the grades of documents by query, without the text of the query."""
    itself = _own_texts(collection)
    return {
        number: {
            document: grade
            for document, grade in collection.relevant[number].items()
            if number not in itself or document != number
        }
        for number, _ in collection.queries
    }


def _own_texts(collection: Collection) -> set[str]:
    """Return the queries that are texts of the collection: each would find itself too easily."""
    texts = {text for _, _, text in collection.documents}
    return {number for number, query in collection.queries if query in texts}


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
    ranked = rankings(chosen, options.queries, options.characters)
    print(report_text(compare(judgments(chosen), ranked, _ROWS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
