"""Passages found by meaning: vectors in the file, beside words, and never instead of them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.features.index.shelf import BOILER, BREAD, PUMP, reading, shelf, writing
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.vector_table import EmbeddingModel
from webseam.ports import WebSearchQuery

pytest.importorskip("numpy", reason="an extra")
MODEL = EmbeddingModel("small", 3)
# What the documents are about: warmth, machines, food.
MEANINGS = {PUMP.url: (1.0, 0.4, 0.0), BOILER.url: (0.8, 0.8, 0.0), BREAD.url: (0.1, 0.0, 1.0)}
FOOD = (0.0, 0.0, 5.0)


def embed(index: DocumentIndex) -> None:
    """Give each passage the vector of its document."""
    passages = index.passages_without_vectors(100).unwrap()
    titles = {PUMP.title: PUMP.url, BOILER.title: BOILER.url, BREAD.title: BREAD.url}
    vectors = [MEANINGS[titles[each.title]] for each in passages]
    index.store_vectors(MODEL, [each.number for each in passages], vectors).unwrap()


def embedded(folder: Path) -> DocumentIndex:
    index = shelf(folder, PUMP, BOILER, BREAD)
    embed(index)
    return index


def found(
    index: DocumentIndex, query: str, vector: Sequence[float] = (), **filters: object
) -> list[object]:
    asked = WebSearchQuery(query=query, **filters)  # type: ignore[arg-type]
    return [row["url"] for row in index.answer(asked, vector).unwrap().rows]


def test_a_passage_is_found_that_has_none_of_the_words(tmp_path: Path) -> None:
    index = embedded(tmp_path)

    assert found(index, "baking") == []
    assert found(index, "baking", FOOD) == [BREAD.url]


def test_words_count_more_than_meaning(tmp_path: Path) -> None:
    index = embedded(tmp_path)

    assert found(index, "boiler", FOOD) == [BOILER.url, BREAD.url]


def test_meaning_adds_up_to_a_quarter_and_takes_nothing_away(tmp_path: Path) -> None:
    index = embedded(tmp_path)

    for query, vector in (("house pump gas rye", FOOD), ("rye dough", (1.0, 0.4, 0.0))):
        asked = WebSearchQuery(query=query)
        by_words, by_both = (
            {
                row["url"]: float(str(row["score"]))
                for row in index.answer(asked, each).unwrap().rows
            }
            for each in ((), vector)
        )
        best = max(by_words.values())
        gains = [score - by_words.get(url, 0.0) / best for url, score in by_both.items()]
        assert all(-0.001 < gain < 0.251 for gain in gains), gains


def test_a_document_is_shown_once_by_its_best_passage(tmp_path: Path) -> None:
    long = IndexDocument(url="https://l.example/", text="# A\n\n" + "One two three. " * 400)
    index = shelf(tmp_path, long)
    passages = index.passages_without_vectors(10).unwrap()
    vectors = [(1.0, float(at), 0.0) for at, _ in enumerate(passages)]
    index.store_vectors(MODEL, [each.number for each in passages], vectors).unwrap()

    assert len(passages) > 1
    assert found(index, "two", (0.0, 1.0, 0.0)) == [long.url]


@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ("baking -dough", {}),
        ("baking site:heat.example", {}),
        ("baking", {"exclude_domains": ("bread.example",)}),
        ("baking +boiler", {}),
    ],
)
def test_meaning_brings_in_nothing_that_the_query_leaves_out(
    tmp_path: Path, query: str, filters: dict[str, object]
) -> None:
    index = embedded(tmp_path)
    asked = msgspec.convert({"query": query, **filters}, WebSearchQuery)

    rows = index.answer(asked, FOOD).unwrap().rows

    assert BREAD.url not in [row["url"] for row in rows]


def test_filters_are_looked_through_as_far_as_it_takes(tmp_path: Path) -> None:
    many = [
        IndexDocument(url=f"https://near.example/{n}", text=f"Near {n}.", title=f"{n}")
        for n in range(300)
    ]
    far = IndexDocument(url="https://far.example/", text="Far away.", title="far")
    index = shelf(tmp_path, *many, far)
    passages = index.passages_without_vectors(1000).unwrap()
    vectors = [(1.0, 0.5 if each.title == "far" else 0.0, 0.0) for each in passages]
    vectors[:100] = [(-1.0, 0.0, 0.0)] * 100
    index.store_vectors(MODEL, [each.number for each in passages], vectors).unwrap()

    assert found(index, "elsewhere site:far.example", (1.0, 0.0, 0.0)) == [far.url]


def test_a_vector_goes_with_its_passage(tmp_path: Path) -> None:
    index = embedded(tmp_path)
    index.remove([BREAD.url]).unwrap()
    index.add([msgspec.structs.replace(PUMP, text="Another text.")]).unwrap()

    assert index.statistics().unwrap().vectors == 1
    assert [each.title for each in index.passages_without_vectors(10).unwrap()] == [PUMP.title]
    assert BREAD.url not in found(index, "baking", FOOD)


def test_vectors_of_another_process_are_found(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER, BREAD)
    reader = reading(tmp_path / "index.sqlite").unwrap()
    before = found(reader, "baking", FOOD)

    embed(index)

    assert (before, found(reader, "baking", FOOD)) == ([], [BREAD.url])


def test_vectors_of_another_model_are_not_mixed_in(tmp_path: Path) -> None:
    index = embedded(tmp_path)
    other = EmbeddingModel("large", 2)

    kept = index.store_vectors(other, [2], [(1.0, 2.0)]).unwrap()

    assert kept == MODEL
    assert index.model().unwrap() == MODEL
    # A vector of another length is none that can be compared: words decide.
    assert found(index, "baking", (1.0, 2.0)) == []


def test_dropped_vectors_leave_a_file_of_words(tmp_path: Path) -> None:
    index = embedded(tmp_path)

    index.drop_vectors().unwrap()

    assert index.model().unwrap() is None
    assert found(index, "baking", FOOD) == []
    assert found(index, "dough", FOOD) == [BREAD.url]
    assert index.statistics().unwrap().vectors == 0


def test_a_passage_that_is_gone_gets_no_vector(tmp_path: Path) -> None:
    index = shelf(tmp_path, BREAD)
    (passage,) = index.passages_without_vectors(10).unwrap()
    index.remove([BREAD.url]).unwrap()

    index.store_vectors(MODEL, [passage.number], [FOOD]).unwrap()

    assert index.statistics().unwrap().vectors == 0


def test_a_file_of_words_alone_has_no_table_for_vectors(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP)

    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert not {"vectors", "embedding", "vectors_removed"} & {name for (name,) in names}


def test_damaged_vectors_are_passed_over(tmp_path: Path) -> None:
    index = embedded(tmp_path)
    index.close()
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        (size,) = connection.execute("SELECT length(packed) FROM vectors").fetchone()
        odd = b"\xff" * size
        connection.execute(
            "UPDATE vectors SET packed = ? WHERE passage = (SELECT max(passage) FROM vectors)",
            (odd,),
        )
        connection.execute(
            "UPDATE vectors SET packed = 'text' WHERE passage = (SELECT min(passage) FROM vectors)"
        )
        connection.commit()

    assert found(writing(tmp_path / "index.sqlite").unwrap(), "boiler", FOOD)[0] == BOILER.url


def test_one_vector_alone_is_the_nearest() -> None:
    from webseam.adapters.features.index.vector_matrix import Matrix, pack_vectors  # noqa: PLC0415  an extra

    near = Matrix(list(zip([7], pack_vectors([(3.0, 4.0)]), strict=True)), 2).nearness((3.0, 4.0))

    assert near.nearest_passages(5) == [7]
    assert near.passage_nearness(7) == 1.0
    assert near.passage_nearness(8) == near.passage_nearness(6) == 0.0


def test_no_vectors_are_near_to_nothing() -> None:
    from webseam.adapters.features.index.vector_matrix import Matrix, pack_vectors  # noqa: PLC0415  an extra

    assert Matrix([], 2).nearness((1.0, 0.0)).nearest_passages(5) == []
    zeros = Matrix(list(zip([1], pack_vectors([(0.0, 0.0)]), strict=True)), 2)
    assert zeros.nearness((1.0, 0.0)).nearest_passages(5) == []


def test_words_of_scripts_without_blanks_count_beside_meaning(tmp_path: Path) -> None:
    texts = {"tokyo": "東京の天気は晴れです。", "cat": "猫が眠る。"}
    tokyo, cat = (f"https://{name}.example/" for name in texts)
    documents = [IndexDocument(url=f"https://{name}.example/", text=texts[name]) for name in texts]
    index = shelf(tmp_path, *documents)
    numbers = [each.number for each in index.passages_without_vectors(10).unwrap()]
    index.store_vectors(MODEL, numbers, [(0.2, 1.0, 0.0), (0.0, 1.0, 0.0)]).unwrap()

    assert found(index, "東京の天気") == [tokyo]
    assert found(index, "東京の天気", (0.2, 1.0, 0.0)) == [tokyo]
    assert found(index, "眠る天気", (0.0, 1.0, 0.0)) == [cat, tokyo]
    assert found(index, "眠る", (0.2, 1.0, 0.0)) == [cat, tokyo]


def test_passage_found_by_meaning_scores_its_words(tmp_path: Path) -> None:
    # More than are compared, each of which says the word more often for its length.
    skies = [IndexDocument(url=f"https://{n}.example/", text="東京の空") for n in range(60)]
    long = IndexDocument(url="https://long.example/", text="東京の空と")
    index = shelf(tmp_path, *skies, long)
    numbers = [each.number for each in index.passages_without_vectors(100).unwrap()]
    vectors = [(0.0, 1.0, 0.0)] * len(skies) + [(1.0, 0.0, 0.0)]
    index.store_vectors(MODEL, numbers, vectors).unwrap()

    assert found(index, "東京", (1.0, 0.0, 0.0))[0] == long.url
