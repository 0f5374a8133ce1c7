"""Words alone and words with meaning, on test collections: what vectors add to the local index.

    python -m benchmarks.index.meaning FOLDER... [--language de] [--provider openai --model NAME]

FOLDER is a collection as ``benchmarks.index`` takes it. Without a provider the vectors are those of
``webseam[rerank]``, on this machine. Both are measured on one file, in one run; beside the gain
stands its standard error over the queries.
"""

import argparse
import asyncio
import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.index.__main__ import ndcg
from benchmarks.index.collection import Collection, load
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.composition.features.index.index_vectors import embed_index
from webseam.composition.features.models.relevance import OpenEmbedder, open_embedder
from webseam.composition.wiring.root import read_settings_root
from webseam.ports import WebSearchQuery


async def measure(
    collection: Collection, embedder: OpenEmbedder, language: str | None, file: Path
) -> str:
    index = DocumentIndex.open_writer(file).unwrap()
    index.add(
        IndexDocument(url=f"https://x.example/{number}", title=title, text=text, language=language)
        for number, title, text in collection.documents
    ).unwrap()
    (await embed_index(index, embedder, lambda _: None)).unwrap()
    vectors = (await embedder([text for _, text in collection.queries], "query")).unwrap().vectors
    words = _run(index, collection, [()] * len(vectors))
    both = _run(index, collection, vectors)
    index.close()
    gains = [two - one for (one, _), (two, _) in zip(words, both, strict=True)]
    error = statistics.stdev(gains) / math.sqrt(len(gains))
    scores = [statistics.mean(score for score, _ in each) for each in (words, both)]
    times = [statistics.median(spent for _, spent in each) * 1000 for each in (words, both)]
    return (
        f"{len(collection.documents):>7,}{len(gains):>6}{scores[0]:>9.4f}{scores[1]:>9.4f}"
        f"{statistics.mean(gains):>+9.4f} ±{error:.4f}{times[0]:>8.1f}{times[1]:>8.1f}"
    )


def _run(
    index: DocumentIndex, collection: Collection, vectors: Sequence[Sequence[float]]
) -> list[tuple[float, float]]:
    """Return the score of each query, and how long it took."""
    measured = []
    for (number, text), vector in zip(collection.queries, vectors, strict=True):
        query = WebSearchQuery(query=text[:4000], max_results=10)
        began = time.process_time()
        rows = index.answer(query, vector).unwrap().rows
        spent = time.process_time() - began
        ranked = [str(row["url"]).split("/", 3)[3] for row in rows]
        measured.append((ndcg(ranked, collection.relevant[number]), spent))
    return measured


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--language")
    parser.add_argument("--provider", default="local")
    parser.add_argument("--model")
    options = parser.parse_args()
    root = read_settings_root().unwrap()
    opened = open_embedder(root, provider=options.provider, model=options.model)
    print(
        f"{'':<16}{'texts':>7}{'asked':>6}{'words':>9}{'both':>9}{'gain':>9}{'':9}{'ms':>8}{'ms':>8}"
    )
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as place:
            work = measure(
                load(folder), opened.unwrap(), options.language, Path(place) / "index.sqlite"
            )
            print(f"{folder.name:<16}{asyncio.run(work)}", flush=True)


if __name__ == "__main__":
    main()
