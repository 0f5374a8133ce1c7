"""Documents in several languages, found by any form of a word."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.folder_files import read_markdown
from webseam.ports import WebSearchQuery

DOCUMENTS = [
    IndexDocument(url="https://a.example/de", language="de-AT", title="Bauen", text="Die alten Häuser stehen am Hafen."),
    IndexDocument(url="https://a.example/fr", language="fr", title="Ferme", text="Les chevaux courent dans le pré."),
    IndexDocument(url="https://a.example/en", language="en", title="Boats", text="The boats are sailing from the harbour."),
    IndexDocument(url="https://a.example/none", title="Plain", text="Houses were built here."),
    IndexDocument(url="https://a.example/ja", language="ja", title="都", text="東京都の港です。"),
]  # fmt: skip

Ask = Callable[[str], list[str]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    path = tmp_path / "index.sqlite"
    with closing(DocumentIndex.open_writer(path).unwrap()) as index:
        index.add(DOCUMENTS).unwrap()

    def found(query: str) -> list[str]:
        with closing(DocumentIndex.open_reader(path).unwrap()) as index:
            rows = index.search(WebSearchQuery(query=query)).unwrap()
        return [str(row["url"]).rpartition("/")[2] for row in rows]

    return found


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Hauses", ["de"]),
        ("hauser", ["de"]),
        ("cheval", ["fr"]),
        ("sail", ["en"]),
        ("house", ["none"]),
        ('"altes Haus"', ["de"]),
        ("+Haus", ["de"]),
        ("Haus AND Hafen", ["de"]),
        ("cheval NOT courent", []),
        ("häus*", ["de"]),
        ("東京", ["ja"]),
        ("Haus -Hafens", []),
    ],
)
def test_a_word_is_found_in_every_form_of_its_language(
    ask: Ask, query: str, expected: list[str]
) -> None:
    assert ask(query) == expected


def test_the_word_is_bold_as_it_is_written(tmp_path: Path) -> None:
    with closing(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()) as index:
        index.add(DOCUMENTS).unwrap()
        (row,) = index.search(WebSearchQuery(query="Hauses")).unwrap()

    assert row["snippet"] == "Die alten **Häuser** stehen am Hafen."


def _found(folder: Path, query: str, *documents: IndexDocument) -> list[str]:
    with closing(DocumentIndex.open_writer(folder / "index.sqlite").unwrap()) as index:
        index.add(documents).unwrap()
        return [str(row["url"]) for row in index.search(WebSearchQuery(query=query)).unwrap()]


CHANGE = IndexDocument(url="https://a.example/change", language="de", text="Eine Änderung.")
OTHERS = IndexDocument(url="https://a.example/others", language="de", text="Die anderen kommen.")
ENGLISH = IndexDocument(url="https://a.example/en", language="en", text="A sander and a pander.")


def test_the_rules_of_english_find_nothing_where_no_document_is_in_english(tmp_path: Path) -> None:
    assert _found(tmp_path, "andere", CHANGE, OTHERS) == [OTHERS.url]


def test_the_rules_of_english_count_where_a_document_is_in_english(tmp_path: Path) -> None:
    assert _found(tmp_path, "sanders", CHANGE, OTHERS, ENGLISH) == [ENGLISH.url]


def test_words_of_an_address_are_found_by_the_rules_of_its_document(tmp_path: Path) -> None:
    page = IndexDocument(url="https://a.example/alte-häuser.html", language="de", text="Ein Bild.")

    assert _found(tmp_path, "Hauses", page) == [page.url]


def test_a_long_text_of_another_language_is_read_by_those_of_the_documents(tmp_path: Path) -> None:
    assert _found(tmp_path, "the old house by the river " * 15 + "andere", OTHERS) == [OTHERS.url]


def test_markdown_says_its_language_in_its_front_matter() -> None:
    reading = read_markdown(b"---\ntitle: Bauen\nlang: de\n---\n\nText\n", "a.md").unwrap()

    assert reading.language == "de"


def test_a_text_that_tells_no_language_is_found_by_the_one_it_seems_to_be(tmp_path: Path) -> None:
    text = "Die alten Häuser stehen am Hafen, und wer sie sieht, der ist nicht von hier."
    with closing(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()) as index:
        index.add([IndexDocument(url="https://a.example/de", text=text)]).unwrap()

        assert index.search(WebSearchQuery(query="haus")).unwrap()


WRITINGS = {
    "ko": "서울에서는 책을 읽는 학생들이 많다.",
    "tr": "\u0130stanbul'da \u0131\u015f\u0131k var. ISPARTA ve su.",
    "ja": "東京都庁は新宿にあります。",
    "hyphen": "A co\xadoperation of friends.",
    "hi": "हिन्दी और क़ानून",
    "letters": "Łódź, Ørsted and co",
    "ru": "Москва и музеи",
    "el": "Ο παγκόσμιος ιστός είναι εδώ.",
    "points": "A house \u0591 by \u064b the \u0640 river.",
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("서울", "ko"),
        ("학생", "ko"),
        ("책", "ko"),
        ("istanbul", "tr"),
        ("isik", "tr"),
        ("\u0131sparta", "tr"),
        ("庁", "ja"),
        ("+庁", "ja"),
        ("東京都*", "ja"),
        ("新宿 -庁", None),
        ("cooperation", "hyphen"),
        ("हिंदी", "hi"),
        ("कानून", "hi"),
        ("lodz", "letters"),
        ("orsted", "letters"),
        ("москве", "ru"),
        ("ιστός", "el"),
        ("Ιστός*", "el"),
        ("+ιστός", "el"),
        ("παγκόσμιος -ιστός", None),
        ("\u0591 house", "points"),
        ("house \u064b river", "points"),
        ("\u0640 house", "points"),
    ],
)
def test_a_word_is_found_however_it_is_written(
    tmp_path: Path, query: str, found: str | None
) -> None:
    with closing(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()) as index:
        index.add(
            IndexDocument(
                url=f"https://a.example/{name}", text=text, language="tr" if name == "tr" else None
            )
            for name, text in WRITINGS.items()
        ).unwrap()
        rows = index.search(WebSearchQuery(query=query)).unwrap()

    best = [str(row["url"]).rpartition("/")[2] for row in rows[:1]]
    assert best == ([found] if found else [])
    assert all("**" in str(row["snippet"]) for row in rows[:1])


def test_an_index_without_documents_has_no_language_and_no_answer(tmp_path: Path) -> None:
    with closing(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()) as index:
        assert index.search(WebSearchQuery(query="house")).unwrap() == []
