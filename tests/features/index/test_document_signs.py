"""Signs in a query hold for documents, however far apart their words stand."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.vector_table import EmbeddingModel
from webseam.ports import WebSearchQuery

from .shelf import shelf

FILLER = "Plain words about weather and roads. " * 200
BOTH = IndexDocument(
    url="https://both.example/", text=f"# A\n\nkiwi fruit\n\n{FILLER}\n\n# B\n\nmango fruit"
)
KIWI = IndexDocument(url="https://kiwi.example/", text="a kiwi alone")
MANGO = IndexDocument(url="https://mango.example/", text="a mango alone")

QUERIES = {
    "kiwi": {"both", "kiwi"},
    "kiwi -mango": {"kiwi"},
    "kiwi NOT mango": {"kiwi"},
    'kiwi -"mango fruit"': {"kiwi"},
    "+kiwi +mango": {"both"},
    "kiwi +mango": {"both", "mango"},
    "kiwi AND mango": {"both"},
    '"kiwi fruit" AND "mango fruit"': {"both"},
    # No document has both, so the phrase is looked for as words.
    '"kiwi fruit" +alone': {"kiwi", "mango"},
    "fruit +kiwi +mango -weather": set(),
    "fruit +kiwi +mango +weather": {"both"},
    "alone -kiwi -mango": set(),
    "kiwi -man*": {"kiwi"},
    "kiwi NOT man*": {"kiwi"},
    "+ki* +man*": {"both"},
    "kiwi AND man*": {"both"},
    '"mango fruit" OR ki*': {"both", "kiwi"},
    "fruit -ki*": set(),
    "alone -man*": {"kiwi"},
}


def _found(index: DocumentIndex, query: str, vector: tuple[float, ...] = ()) -> set[str]:
    rows = index.answer(WebSearchQuery(query=query), vector).unwrap().rows
    return {str(row["url"]).removeprefix("https://").removesuffix(".example/") for row in rows}


@pytest.mark.parametrize(("query", "names"), QUERIES.items(), ids=QUERIES)
def test_signs_hold_for_documents(query: str, names: set[str], tmp_path: Path) -> None:
    index = shelf(tmp_path, BOTH, KIWI, MANGO)

    assert _found(index, query) == names


def test_signs_hold_for_documents_that_are_found_by_meaning(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    index = shelf(tmp_path, BOTH, KIWI, MANGO)
    passages = index.passages_without_vectors(100).unwrap()
    vectors = [(1.0, 0.5)] * len(passages)
    numbers = [passage.number for passage in passages]
    index.store_vectors(EmbeddingModel("m", 2), numbers, vectors).unwrap()

    for query in ("kiwi -mango", "+kiwi +mango", "kiwi +mango"):
        assert _found(index, query, (1.0, 0.5)) == QUERIES[query], query


def test_excluded_word_hides_many_likelier_documents(tmp_path: Path) -> None:
    hidden = [
        IndexDocument(
            url=f"https://{number}.example/", text=f"kiwi kiwi kiwi\n\n{FILLER}\n\n# End\n\nmango"
        )
        for number in range(100)
    ]
    index = shelf(tmp_path, *hidden, KIWI)

    assert _found(index, "kiwi -mango") == {"kiwi"}
