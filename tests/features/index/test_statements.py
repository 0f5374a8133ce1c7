"""Words that only build a sentence: they find nothing, and tell statements apart."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.query import plan_query
from webseam.adapters.features.index.ranking import scoring as query_terms
from webseam.adapters.features.index.store import DocumentIndex
from webseam.ports import WebSearchQuery

HE = "He gave his sons a boat, and he sailed with them to the island where his house was."
THEY = "They gave their sons a boat, and they sailed with them to the island of their houses."
OTHERS = [f"Nothing but a list of number {number} of the boats." for number in range(30)]
OTHERS += [f"An island, number {number}." for number in range(30)]


@pytest.fixture
def index(tmp_path: Path) -> DocumentIndex:
    opened = DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()
    texts = {"they": THEY, "he": HE} | {str(at): text for at, text in enumerate(OTHERS)}
    opened.add(
        IndexDocument(url=f"https://a.example/{name}", title="", text=text)
        for name, text in texts.items()
    ).unwrap()
    return opened


def _found(index: DocumentIndex, query: str) -> list[str]:
    rows = index.search(WebSearchQuery(query=query)).unwrap()
    return [str(row["url"]).rpartition("/")[2] for row in rows]


@pytest.mark.parametrize("listed", [0, 50_000])
def test_a_statement_finds_what_is_written_as_it_is(
    index: DocumentIndex, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whether the engine is asked for them, or they are only counted in the texts.
    monkeypatch.setattr(query_terms, "_MAX_FRAMING_PASSAGES", listed)
    assert _found(index, "sailed to the island where he has his sons")[0] == "he"
    assert _found(index, "sailed to the island where they have their sons")[0] == "they"


def test_they_find_nothing_by_themselves(index: DocumentIndex) -> None:
    assert _found(index, "he and his whereabouts, which are of the sea") == []
    assert set(_found(index, "he with his sons")) == {"he", "they"}


def test_they_are_found_where_there_is_nothing_else(index: DocumentIndex) -> None:
    assert _found(index, "he and his")[0] == "he"


def test_they_are_not_shown_in_bold(index: DocumentIndex) -> None:
    (row, *_) = index.search(WebSearchQuery(query="he sailed with his sons")).unwrap()
    assert "**sons**" in str(row["snippet"])
    assert "**his**" not in str(row["snippet"])


def test_a_prefix_beside_them_changes_nothing(index: DocumentIndex) -> None:
    assert _found(index, "the island where he has his son*")[0] == "he"


@pytest.mark.parametrize(
    ("query", "languages", "terms", "framing"),
    [
        ("the history of the pump", ["en"], ("histori", "pump"), ("the", "of")),
        ("what is the history of the pump", ["en"], ("histori", "pump"), ()),
        ("the history of the pump?", ["en"], ("histori", "pump"), ()),
        ("to be or not to be", ["en"], ("to", "be", "or", "not"), ()),
        ("the 東京都", ["en"], ("東京", "京都"), ()),
        ("der hund und die katze", ["de"], ("hund", "katz"), ("der", "und", "die")),
        ("wie der hund und die katze sind", ["de"], ("hund", "katz"), ()),
        ("the history of the pump", ["en", "sv"], ("histori", "pump", "history"), ()),
        ("lịch sử của thành phố", ["vi"], ("lich", "su", "thanh", "pho"), ()),
    ],
)
def test_words_of_a_statement_are_told_from_those_of_a_question(
    query: str, languages: list[str], terms: tuple[str, ...], framing: tuple[str, ...]
) -> None:
    planned = plan_query(query, languages)
    assert (planned.terms, planned.framing) == (terms, framing)


def test_rare_function_word_counts_little() -> None:
    rare = query_terms.function_word_term("his", 1, 1, 100_000)
    common = query_terms.function_word_term("his", 60_000, 1, 100_000)
    assert common.rarity < rare.rarity < 2
    assert query_terms.function_word_term("his", 1, 2, 100_000).rarity == 2 * rare.rarity
