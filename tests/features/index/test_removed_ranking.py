"""Documents that were removed or replaced do not steer the ranking of the others."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from webseam.adapters.features.index.contents import has_removed_passages
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.passage_terms import PassageText, term_entry
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.word_engine import make_words_in_memory
from webseam.adapters.features.index.word_folders import words_folder
from webseam.adapters.features.index.word_queries import phrase_query
from webseam.ports import WebSearchQuery

from .commands import Command
from .shelf import lent

WORDS = [f"word{number}" for number in range(60)]


def _documents(name: str, count: int, seed: int) -> list[IndexDocument]:
    chance = random.Random(seed)  # noqa: S311  not a secret
    return [
        IndexDocument(
            url=f"https://{name}.example/{number}",
            text=" ".join(chance.choices(WORDS, k=chance.randrange(5, 120))),
            language="en",
        )
        for number in range(count)
    ]


def _answers(index: DocumentIndex) -> list[list[dict[str, object]]]:
    chance = random.Random(7)  # noqa: S311  not a secret
    queries = [" ".join(chance.sample(WORDS, chance.randrange(1, 4))) for _ in range(40)]
    return [index.search(WebSearchQuery(query=query)).unwrap() for query in queries]


def _fresh_answers(folder: Path, documents: list[IndexDocument]) -> list[list[dict[str, object]]]:
    fresh = lent(DocumentIndex.open_writer(folder / "fresh.sqlite").unwrap())
    fresh.add(documents).unwrap()
    return _answers(fresh)


def test_engine_counts_no_match_in_a_removed_passage() -> None:
    words = make_words_in_memory()
    text = PassageText(title="", headings="", body="gas", url="https://a.example/")
    with words.open_writer() as writer:
        writer.add_passages([(number, term_entry(text), None) for number in (2, 4, 6)])
        writer.commit()
    with words.open_writer() as writer:
        writer.remove_passages([4])
        writer.commit()

    words.reload()

    assert words.first_passages(phrase_query(["gas"]), 9) == [2, 6]
    assert words.count_matches(phrase_query(["gas"])) == words.passage_count() == 2


def test_added_and_removed_documents_leave_no_trace(tmp_path: Path) -> None:
    kept, gone = _documents("kept", 200, 1), _documents("gone", 300, 2)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add(kept[:100]).unwrap()
    index.add(gone).unwrap()
    index.add(kept[100:]).unwrap()

    index.remove([document.url for document in gone]).unwrap()

    assert _answers(index) == _fresh_answers(tmp_path, kept)
    assert len(list(words_folder(tmp_path / "index.sqlite").iterdir())) == 1


def test_each_removal_from_an_index_of_some_thousand_passages_leaves_no_trace(
    tmp_path: Path,
) -> None:
    kept, gone = _documents("kept", 1100, 1), _documents("gone", 20, 2)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add([*gone, *kept]).unwrap()

    index.remove([document.url for document in gone]).unwrap()

    assert _answers(index) == _fresh_answers(tmp_path, kept)


@pytest.mark.parametrize("end", ["renew_words", "tidy"])
def test_large_index_is_as_new_after_the_last_of_several_changes(tmp_path: Path, end: str) -> None:
    kept, gone = _documents("kept", 5100, 1), _documents("gone", 20, 2)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add([*gone, *kept]).unwrap()
    index.remove([document.url for document in gone]).unwrap()

    getattr(index, end)()

    assert _answers(index) == _fresh_answers(tmp_path, kept)
    assert len(list(words_folder(tmp_path / "index.sqlite").iterdir())) == 1


def test_commands_leave_no_trace_of_removed_passages_in_a_large_index(
    tmp_path: Path, notes: Path, command: Command
) -> None:
    kept = _documents("kept", 5100, 1)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add(kept).unwrap()
    command("index", "add", str(notes))
    changes: list[tuple[str, Callable[[], object]]] = [
        ("add", lambda: (notes / "cats.md").write_text("word1 word2 word3")),
        ("refresh", (notes / "dogs.txt").unlink),
        ("remove", lambda: None),
    ]

    for name, change in changes:
        change()
        assert command("index", name, str(notes)).code == 0
        with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
            assert not has_removed_passages(connection), name

    assert _answers(index) == _fresh_answers(tmp_path, kept)
