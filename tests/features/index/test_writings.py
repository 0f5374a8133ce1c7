"""Words of a query are found as others write them, behind those that write them so."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.ranking.scoring import find_term_runs
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.language.spelling_variants import spelling_variants
from webseam.ports import WebSearchQuery

from .shelf import shelf, urls


def _shelf(folder: Path, *texts: str, language: str | None = None) -> DocumentIndex:
    return shelf(
        folder,
        *(
            IndexDocument(url=f"https://{at}.example/", text=text, language=language)
            for at, text in enumerate(texts)
        ),
    )


WRITINGS = [
    ("10 kg", "10kg"),
    ("e-mail", "email"),
    ("Wi-Fi", "wifi"),
    ("co-operate", "cooperating"),
    ("get_user_name", "getUserName"),
    ("HTTP server", "HTTPServer"),
    ("Node.js", "NodeJS"),
    ("PEP 484", "PEP484"),
    ("COVID-19", "COVID19"),
    ("Ph.D.", "PhD"),
    ("U.S.A.", "USA"),
    ("1,000", "1000"),
    ("12.345.678", "12345678"),
    ("đường", "duong"),
]


@pytest.mark.parametrize(("one", "other"), WRITINGS)
def test_each_writing_finds_the_other_behind_itself(tmp_path: Path, one: str, other: str) -> None:
    index = _shelf(tmp_path, f"This {one} is here.", f"This {other} is here.", "A cat purrs.")

    if one.isascii():  # who writes the marks of Vietnamese means them
        assert urls(index, one) == ["https://0.example/", "https://1.example/"]
    assert urls(index, other) == ["https://1.example/", "https://0.example/"]


@pytest.mark.parametrize(("one", "other"), WRITINGS)
def test_the_other_writing_is_bold(tmp_path: Path, one: str, other: str) -> None:
    index = _shelf(tmp_path, f"This {one} is here.", f"This {other} is here.", "A cat purrs.")

    rows = index.search(WebSearchQuery(query=other)).unwrap()

    assert [str(row["snippet"]).count("**") for row in rows] == [2, 2]


def test_capitals_find_letters_with_dots_and_small_letters_do_not(tmp_path: Path) -> None:
    index = _shelf(tmp_path, "The U.S. economy.", "A cat purrs.")

    assert urls(index, "US") == ["https://0.example/"]
    assert urls(index, "us") == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Somebody is here.", "some body"),
        ("There is land ahead.", "island"),
        ("It was in 314 years.", "3.14"),
        ("Call 911.", "9/11"),
        ("Your text.", "you're"),
        ("Into the wild.", "in to"),
        ("They told us.", "U.S."),
        ("e is a letter, and mail is sent", "email"),
    ],
)
def test_similar_words_are_no_spelling_of_each_other(tmp_path: Path, text: str, query: str) -> None:
    other = _shelf(tmp_path, text, f"This {query} is here.")

    assert urls(other, query) == ["https://1.example/"]


def test_quoted_and_required_words_match_their_own_spelling(tmp_path: Path) -> None:
    index = _shelf(tmp_path, "An e-mail came.", "An email came.")

    assert urls(index, '"e-mail"') == ["https://0.example/"]
    assert urls(index, "+email") == ["https://1.example/"]


def test_another_writing_changes_nothing_for_those_who_write_it_so(tmp_path: Path) -> None:
    alone = _shelf(tmp_path / "a", "An email came.", "No email at all, but a cat.", "A cat.")
    beside = _shelf(tmp_path / "b", "An email came.", "No email at all, but a cat.", "An e-mail.")

    assert urls(beside, "email") == [*urls(alone, "email"), "https://2.example/"]


def test_other_writings_are_found_in_other_languages(tmp_path: Path) -> None:
    index = _shelf(
        tmp_path, "Die E-Mail ist da.", "Die Email ist da.", "Eine Katze.", language="de"
    )

    assert set(urls(index, "email")) == {"https://0.example/", "https://1.example/"}
    [first, second] = index.search(WebSearchQuery(query="E-Mail")).unwrap()
    assert ("**E**-**Mail**" in str(first["snippet"]), "**Email**" in str(second["snippet"])) == (
        True,
        True,
    )


def test_a_title_counts_too(tmp_path: Path) -> None:
    index = shelf(
        tmp_path,
        IndexDocument(url="https://a.example/", title="Wi-Fi", text="How to connect."),
        IndexDocument(url="https://b.example/", title="Cats", text="A cat has no wifi."),
    )

    assert set(urls(index, "wifi")) == {"https://a.example/", "https://b.example/"}


def test_words_of_a_run_stand_side_by_side() -> None:
    assert find_term_runs("An e-mail, no free mail, E_Mails", ("e", "mail")) == [(3, 9), (25, 32)]
    assert find_term_runs("Eine E-Mail", ("e", "mail"), "de") == [(5, 11)]
    assert find_term_runs("İ E-Mail, mail-e", ("e", "mail")) == [(2, 8)]


@pytest.mark.parametrize("text", ["", "a", "the cat", "2026", "Ärger", "can't"])
def test_most_words_have_one_writing(text: str) -> None:
    assert list(spelling_variants(text)) in ([], [(("2026",), ("2", "026"))])


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("ro", "Gara din Bucureşti e mare.", "bucuresti"),
        ("ro", "Piața Timișoarei e mare.", "timisoara"),
        ("sv", "Fågeln sjunger på grenen.", "fågel"),
        ("cs", "Zpráva o počasí.", "pocasim"),
    ],
)
def test_a_word_that_is_nowhere_is_found_with_another_ending(
    tmp_path: Path, language: str, text: str, query: str
) -> None:
    index = _shelf(tmp_path, text, "Lorem ipsum.", language=language)

    assert urls(index, query) == ["https://0.example/"]
    assert urls(index, f"+{query}") == []


def test_a_word_that_is_somewhere_is_not_looked_for_with_another_ending(tmp_path: Path) -> None:
    index = _shelf(tmp_path, "Fågeln sjunger.", "En fågel.", language="sv")

    assert urls(index, "fågel") == ["https://1.example/"]


@pytest.mark.parametrize("query", ["catalogue", "purring7", "ca"])
def test_words_that_only_begin_alike_are_others(tmp_path: Path, query: str) -> None:
    assert urls(_shelf(tmp_path, "A cat purrs at cats of catalonia."), query) == []


ARABIC = [("لغة", "لغه"), ("القرآن", "القران"), ("مرآة", "مراة")]


@pytest.mark.parametrize(("one", "other"), ARABIC)
def test_arabic_is_found_without_its_points_and_strokes(
    tmp_path: Path, one: str, other: str
) -> None:
    index = _shelf(tmp_path, f"هنا {one} جديد", "قطة", language="ar")
    reverse = _shelf(tmp_path / "reverse", f"هنا {other} جديد", "قطة", language="ar")

    assert urls(index, other) == ["https://0.example/"]
    assert urls(reverse, one) == ["https://0.example/"]
