"""Names of programs are found by the words that they are put together of, and compounds by theirs."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.language.spelling_variants import identifier_positions, identifier_terms
from webseam.adapters.language.stems import stem_word, stemmer_language
from webseam.ports import WebSearchQuery

from .shelf import shelf, urls


def _document(name: str, text: str, language: str | None = None, title: str = "") -> IndexDocument:
    return IndexDocument(url=f"https://{name}.example/", text=text, language=language, title=title)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("call userProfile now", ["user", "profil"]),
        ("class UserProfileView:", ["user", "profil", "view"]),
        ("LibreOffice and PowerPoint", []),
        ("an iPhone", ["phone"]),
        ("parseHTTPResponse2", ["pars", "http", "respons"]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_names_have_parts(text: str, terms: list[str]) -> None:
    assert identifier_terms(text) == terms
    assert [term for _, _, parts in identifier_positions(text) for term in parts] == terms


@pytest.mark.parametrize("query", ["profile", "user profiles", "userProfile", "user_profile"])
@pytest.mark.parametrize(
    "text",
    ["Set userProfile first.", "A UserProfileView is shown.", "Write user_profile to the file."],
)
def test_a_name_is_found_by_its_parts(tmp_path: Path, text: str, query: str) -> None:
    index = shelf(tmp_path, _document("a", text), _document("b", "A cat purrs."))

    assert urls(index, query) == ["https://a.example/"]


def test_a_name_in_a_heading_is_found_by_its_parts(tmp_path: Path) -> None:
    index = shelf(
        tmp_path,
        _document("a", "# getUserName\n\nReturns a text.", title="getUserName"),
        _document("b", "A cat purrs."),
    )

    assert urls(index, "name") == ["https://a.example/"]


def test_a_word_counts_more_than_a_part_of_a_name(tmp_path: Path) -> None:
    index = shelf(
        tmp_path,
        _document("part", "The userProfile userProfile userProfile is kept."),
        _document("word", "The text of a profile, with more words beside it than the other has."),
    )

    assert urls(index, "profile") == ["https://word.example/", "https://part.example/"]


def test_a_name_is_bold_where_it_is_found_by_a_part(tmp_path: Path) -> None:
    index = shelf(tmp_path, _document("a", "Before it. " * 100 + "Set the userProfile first."))

    [row] = index.search(WebSearchQuery(query="profile")).unwrap()

    assert "**userProfile**" in str(row["snippet"])


@pytest.mark.parametrize(
    ("text", "language", "query"),
    [
        ("Run it with node.js here.", None, "nodejs"),
        ("Ein Schiff fährt mit Dampf.", "de", "Dampfschiff"),
        ("Wärme kommt aus der Pumpe.", "de", "Wärmepumpe"),
        ("De fiets staat in de stal.", "nl", "fietsstal"),
    ],
)
def test_a_word_that_is_nowhere_is_looked_for_as_the_two_it_is_made_of(
    tmp_path: Path, text: str, language: str | None, query: str
) -> None:
    index = shelf(tmp_path, _document("a", text, language), _document("b", "A cat purrs."))

    assert urls(index, query) == ["https://a.example/"]


def test_a_word_is_cut_only_where_the_index_has_both_halves(tmp_path: Path) -> None:
    index = shelf(tmp_path, _document("a", "A ship is at sea."))

    assert urls(index, "shipxyzzy") == []


@pytest.mark.parametrize(
    ("text", "language", "query"),
    [
        ("Die Wärmepumpe spart Geld.", "de", "Pumpe"),
        ("Zwei Wärmepumpen sparen Geld.", "de", "Pumpen"),
        ("Krankenhäuser schließen.", "de", "Haus"),
        ("De fietsenstalling is vol.", "nl", "stalling"),
        ("En sjukhuslampa lyser.", "sv", "lampa"),
    ],
)
def test_a_compound_is_found_by_the_word_that_ends_it(
    tmp_path: Path, text: str, language: str, query: str
) -> None:
    index = shelf(tmp_path, _document("a", text, language), _document("b", "A cat purrs."))

    [row] = index.search(WebSearchQuery(query=query)).unwrap()

    assert (row["url"], str(row["snippet"]).count("**")) == ("https://a.example/", 2)


def test_a_word_counts_more_than_a_compound_that_it_ends(tmp_path: Path) -> None:
    index = shelf(
        tmp_path,
        _document("part", "Die Wärmepumpe, die Wärmepumpe, die Wärmepumpe.", "de"),
        _document("word", "Aus dem Brunnen fördert seit Jahren eine alte Pumpe Wasser.", "de"),
        _document("title", "Sie spart Geld.", "de", title="Wärmepumpe"),
    )

    first, *others = urls(index, "Pumpe")

    assert first == "https://word.example/"
    assert set(others) == {"https://part.example/", "https://title.example/"}


@pytest.mark.parametrize(
    ("text", "language", "query"),
    [
        ("Der Apparat steht.", "de", "Rat"),
        ("A heatpump, a warmpump.", "en", "pump"),
        ("Die Pumpenwärme bleibt.", "de", "Pumpe"),
        ("Unwetter", "de", "Wetter"),
    ],
)
def test_not_every_end_of_a_word_is_one(
    tmp_path: Path, text: str, language: str, query: str
) -> None:
    assert urls(shelf(tmp_path, _document("a", text, language)), query) == []


@pytest.mark.parametrize("text", ["הבית הגדול", "בבית גדול", "ולבית הגדול", "שבבית", "מהבית"])
def test_a_word_of_hebrew_is_found_behind_what_is_written_as_one_with_it(
    tmp_path: Path, text: str
) -> None:
    index = shelf(tmp_path, _document("a", text), _document("b", "חתול ישן"))

    assert urls(index, "בית") == ["https://a.example/"]


def test_a_word_of_hebrew_that_begins_like_an_article_is_the_same_behind_one() -> None:
    assert stem_word("המחשב", "he") == stem_word("מחשב", "he")
    assert stem_word("שלום", "he") == stem_word("והשלום", "he")
    assert stem_word("מים", "he") == "מים"
    assert [stemmer_language(tag) for tag in ("he-IL", "iw")] == ["he", "he"]


def test_points_of_hebrew_and_arabic_hide_no_article() -> None:
    assert stem_word("הַיֶּלֶד", "he") == stem_word("ילד", "he")
    assert stem_word("وَالْكِتَابُ", "ar") == stem_word("كتاب", "ar")


@pytest.mark.parametrize("word", ["والكتاب", "فالكتاب", "الكتاب", "وكتاب", "بالكتاب", "للكتاب"])
def test_a_word_of_arabic_is_found_behind_what_is_written_as_one_with_it(word: str) -> None:
    assert stem_word(word, "ar") == stem_word("كتاب", "ar")


@pytest.mark.parametrize("word", ["والدين", "والدة", "والدته", "والدي", "والده", "والدها"])
def test_parents_are_no_article(word: str) -> None:
    assert stem_word(word, "ar") == stem_word("والد", "ar")
