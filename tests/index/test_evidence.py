"""What a passage has of the terms: found by their beginnings as if it were taken apart."""

import pytest

from webseam.adapters.index.passage_terms import PassageText
from webseam.adapters.index.ranking.term_matches import TermMatcher, TermMatches
from webseam.adapters.language.tokenising import text_terms

TEXT = """The studies of dying stars: skies, flies and a study. Hoping's possibility -- it\u2019s possible,
isn't it? He_ran run-time runs; the café's RUNNING costs cost 3.5 more. Generalization of general things."""
WORDS = "study dying sky fly hope possible run cafe cost general star thing it"


def evidence(query: str, body: str, language: str = "en", **above: str) -> TermMatches:
    wanted = text_terms(query, language)
    text = PassageText(
        title=above.get("title", ""),
        headings=above.get("headings", ""),
        body=body,
        url="",
        language=language,
    )
    return TermMatcher(wanted).match_passage(text)


@pytest.mark.parametrize("word", WORDS.split())
def test_a_term_is_found_where_taking_the_text_apart_finds_it(word: str) -> None:
    [term] = text_terms(word)
    places = [at for at, each in enumerate(text_terms(TEXT)) if each == term]

    found = evidence(word, TEXT)

    assert [at - found.positions[term][0] for at in found.positions[term]] == [
        at - places[0] for at in places
    ]


def test_titles_and_headings_are_terms() -> None:
    found = evidence("pumps", "nothing here", title="Heat pumps", headings="Pumping")

    assert (found.title, found.headings) == (["heat", "pump"], ["pump"])


def test_words_that_begin_so_count_for_a_prefix() -> None:
    text = PassageText(title="", headings="", body="configure the configuration, con", url="")

    assert TermMatcher([], ["config"]).match_passage(text).positions == {"config": [0, 2]}


@pytest.mark.parametrize(
    ("query", "body", "language", "places"),
    [
        ("haus", "Die Häuser", "de", {"haus": [1]}),
        ("naive", "東京都の naïve", "en", {"naiv": [3]}),
        ("naive", "a naïve one", "en", {"naiv": [1]}),
    ],
)
def test_a_text_where_beginnings_tell_nothing_is_taken_apart(
    query: str, body: str, language: str, places: dict[str, list[int]]
) -> None:
    assert evidence(query, body, language).positions == places
