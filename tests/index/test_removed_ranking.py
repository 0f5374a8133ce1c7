"""Documents that were removed or replaced do not steer the ranking of the others."""

import random
from pathlib import Path

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.word_folders import words_folder
from webseam.ports import WebSearchQuery

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


def test_added_and_removed_documents_leave_no_trace(tmp_path: Path) -> None:
    kept, gone = _documents("kept", 200, 1), _documents("gone", 300, 2)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add(kept[:100]).unwrap()
    index.add(gone).unwrap()
    index.add(kept[100:]).unwrap()

    index.remove([document.url for document in gone]).unwrap()

    assert _answers(index) == _fresh_answers(tmp_path, kept)
    assert len(list(words_folder(tmp_path / "index.sqlite").iterdir())) == 1


def test_large_index_is_as_new_after_tidying(tmp_path: Path) -> None:
    kept, gone = _documents("kept", 1100, 1), _documents("gone", 20, 2)
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add([*gone, *kept]).unwrap()
    index.remove([document.url for document in gone]).unwrap()

    index.tidy().unwrap()

    assert _answers(index) == _fresh_answers(tmp_path, kept)
    assert len(list(words_folder(tmp_path / "index.sqlite").iterdir())) == 1
