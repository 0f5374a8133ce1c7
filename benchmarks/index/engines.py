"""The engines: ours, bm25s and tantivy, each with its usual settings; tantivy stems as English."""

import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Documents: TypeAlias = list[tuple[str, str, str]]
Search: TypeAlias = Callable[[str], list[str]]


def webseam(documents: Documents, folder: Path, language: str) -> Search:
    from webseam.adapters.index.documents import IndexDocument as Document  # noqa: PLC0415  each in its own process
    from webseam.adapters.index.store import DocumentIndex  # noqa: PLC0415
    from webseam.ports import WebSearchQuery  # noqa: PLC0415

    index = DocumentIndex.writing(folder / "index.sqlite").unwrap()
    index.add(
        Document(
            url=f"https://x.example/{number}", title=title, text=text, language=language or None
        )
        for number, title, text in documents
    ).unwrap()
    index.tidy().unwrap()

    def search(query: str) -> list[str]:
        rows = index.search(WebSearchQuery(query=query, max_results=10)).unwrap()
        return [str(row["url"]).rpartition("/")[2] for row in rows]

    weakref.finalize(search, index.close)
    return search


def bm25s(documents: Documents, folder: Path, language: str) -> Search:
    import bm25s as peer  # noqa: PLC0415
    import Stemmer  # noqa: PLC0415

    from webseam.adapters.language.stems import ALGORITHMS, stemmer_language  # noqa: PLC0415

    del folder
    language = language or "en"
    algorithm = ALGORITHMS.get(stemmer_language(language))
    stemmer = Stemmer.Stemmer(algorithm) if algorithm else None
    stops = language if language in ("en", "de", "fr", "es", "pt", "it", "ru", "sv") else None

    def tokens(texts: list[str]) -> object:
        return peer.tokenize(texts, stopwords=stops, stemmer=stemmer, show_progress=False)

    index = peer.BM25()
    index.index(tokens([f"{title} {text}" for _, title, text in documents]), show_progress=False)

    def search(query: str) -> list[str]:
        numbers, scores = index.retrieve(tokens([query]), k=10, show_progress=False)
        pairs = zip(numbers[0], scores[0], strict=True)
        return [documents[int(number)][0] for number, score in pairs if score > 0]

    return search


def tantivy(documents: Documents, folder: Path, language: str) -> Search:
    import tantivy as peer  # noqa: PLC0415

    del language
    builder = peer.SchemaBuilder()
    builder.add_text_field("number", stored=True, tokenizer_name="raw")
    builder.add_text_field("title", tokenizer_name="en_stem")
    builder.add_text_field("text", tokenizer_name="en_stem")
    index = peer.Index(builder.build(), path=str(folder))
    writer = index.writer(128_000_000)
    for number, title, text in documents:
        writer.add_document(peer.Document(number=number, title=title, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[str]:
        parsed = index.parse_query(re.sub(r"\W+", " ", query).lower(), ["title", "text"])
        hits = searcher.search(parsed, 10).hits
        return [searcher.doc(address)["number"][0] for _, address in hits]

    return search


ENGINES: dict[str, Callable[[Documents, Path, str], Search]] = {
    "webseam": webseam,
    "bm25s": bm25s,
    "tantivy": tantivy,
}
