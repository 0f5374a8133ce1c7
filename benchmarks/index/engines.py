"""The engines: ours, bm25s and tantivy, each with its usual settings; tantivy stems as English.

Ours answers with rows to show. bm25s and ``tantivy`` answer with numbers; ``tantivy+rows`` stores
the texts and makes rows of them by its own means, as a user would by hand.
"""

import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tantivy import Query, Schema, Searcher

Documents: TypeAlias = list[tuple[str, str, str]]
Search: TypeAlias = Callable[[str], list[str]]
# As many characters as a snippet of ours has.
_SNIPPET_CHARS = 320


def webseam(documents: Documents, folder: Path, language: str) -> Search:
    from webseam.adapters.features.index.documents import IndexDocument as Document  # noqa: PLC0415  each in its own process
    from webseam.adapters.features.index.store import DocumentIndex  # noqa: PLC0415
    from webseam.ports import WebSearchQuery  # noqa: PLC0415

    index = DocumentIndex.open_writer(folder / "index.sqlite").unwrap()
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

    from webseam.adapters.language.stems import SNOWBALL_ALGORITHMS, stemmer_language  # noqa: PLC0415

    del folder
    language = language or "en"
    algorithm = SNOWBALL_ALGORITHMS.get(stemmer_language(language))
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
    """Return numbers and scores alone: the least that the engine can do."""
    searcher, parse = _tantivy(documents, folder, stored=False)
    del language

    def search(query: str) -> list[str]:
        hits = searcher.search(parse(query), 10).hits
        return [searcher.doc(address)["number"][0] for _, address in hits]

    return search


def tantivy_rows(documents: Documents, folder: Path, language: str) -> Search:
    """Return what a user shows, as ours does: title, address, date and a snippet with bold words."""
    import tantivy as peer  # noqa: PLC0415

    searcher, parse = _tantivy(documents, folder, stored=True)
    schema = _tantivy_schema(stored=True)
    del language

    def search(query: str) -> list[str]:
        parsed = parse(query)
        generator = peer.SnippetGenerator.create(searcher, parsed, schema, "text")
        generator.set_max_num_chars(_SNIPPET_CHARS)
        rows = []
        for score, address in searcher.search(parsed, 10).hits:
            document = searcher.doc(address)
            rows.append(
                {
                    "title": document.get_first("title") or document.get_first("url"),
                    "url": document.get_first("url"),
                    "snippet": generator.snippet_from_doc(document).to_html(),
                    "score": round(score, 4),
                    "published_at": document.get_first("published"),
                }
            )
        return [str(row["url"]).rpartition("/")[2] for row in rows]

    return search


def _tantivy(
    documents: Documents, folder: Path, *, stored: bool
) -> "tuple[Searcher, Callable[[str], Query]]":
    """Return a searcher over the documents, and what parses a query for it."""
    import tantivy as peer  # noqa: PLC0415

    index = peer.Index(_tantivy_schema(stored=stored), path=str(folder))
    writer = index.writer(128_000_000)
    for number, title, text in documents:
        shown = {"url": f"https://x.example/{number}"} if stored else {"number": number}
        writer.add_document(peer.Document(title=title, text=text, **shown))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()

    def parse(query: str) -> "Query":
        return index.parse_query(re.sub(r"\W+", " ", query).lower(), ["title", "text"])

    return index.searcher(), parse


def _tantivy_schema(*, stored: bool) -> "Schema":
    import tantivy as peer  # noqa: PLC0415

    builder = peer.SchemaBuilder()
    for name in ("url", "published") if stored else ("number",):
        builder.add_text_field(name, stored=True, tokenizer_name="raw")
    for name in ("title", "text"):
        builder.add_text_field(name, stored=stored, tokenizer_name="en_stem")
    return builder.build()


ENGINES: dict[str, Callable[[Documents, Path, str], Search]] = {
    "webseam": webseam,
    "bm25s": bm25s,
    "tantivy": tantivy,
    "tantivy+rows": tantivy_rows,
}
