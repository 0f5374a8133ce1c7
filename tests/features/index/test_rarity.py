"""How rare a term is."""

from contextlib import closing
from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.index_words import IndexWords
from webseam.adapters.features.index.query import plan_query
from webseam.adapters.features.index.ranking import scoring as query_terms
from webseam.adapters.features.index.ranking.candidates import weigh_terms
from webseam.adapters.features.index.ranking.scoring import QueryTerms
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.stores.sqlite import open_for_reading
from webseam.ports import WebSearchQuery

from .shelf import PUMP, shelf, urls


def _weighed(folder: Path, query: str, *languages: str) -> QueryTerms:
    path = folder / "index.sqlite"
    with closing(open_for_reading(path, INDEX).unwrap()) as connection:
        words = IndexWords(path, is_reader=True).current_words(connection)
        assert words is not None
        return weigh_terms(connection, words, plan_query(query, languages or ("en",)))


def test_a_term_is_counted(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()

    [heat, zebra, beginning] = _weighed(tmp_path, "heat zebra pum*").terms

    assert (heat.count, zebra.count, beginning.count) == (1, 0, 1)
    assert heat.rarity < zebra.rarity


def test_a_term_that_the_query_has_twice_counts_twice(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()

    [heat, pump] = _weighed(tmp_path, "heat pump heat").terms

    assert (heat.times, pump.times) == (2, 1)
    assert heat.rarity == 2 * pump.rarity


def test_a_word_is_as_rare_as_it_is_in_all_languages_together(tmp_path: Path) -> None:
    texts = [("de", "Ein Haus."), ("de", "Viele Häuser."), ("en", "The Häuser of a town.")]
    documents = (
        IndexDocument(url=f"https://{at}.example/", text=text, language=language)
        for at, (language, text) in enumerate(texts)
    )
    index = shelf(tmp_path, *documents)

    [english, german] = _weighed(tmp_path, "Häuser", "en", "de").terms

    assert (english.text, english.count, german.text, german.count) == ("hauser", 1, "haus", 2)
    assert english.rarity == german.rarity
    assert english.times < german.times < 1
    assert set(urls(index, "Häuser")) == {f"https://{at}.example/" for at in range(3)}


def test_the_usual_length_is_that_of_the_passages(tmp_path: Path) -> None:
    shelf(tmp_path, IndexDocument(url="https://a.example/", text="one two three")).close()

    assert _weighed(tmp_path, "one").usual_length == 3.0


TOWERS = (
    IndexDocument(url="https://a.example/", text="東京都の電波塔は高い。東京都の塔です。"),
    IndexDocument(url="https://b.example/", text="東京都の公園です。"),
    IndexDocument(url="https://c.example/", text="大阪府の電波塔です。"),
)


def test_pairs_that_many_passages_have_are_counted_where_others_were_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "東京都の高い電波塔ですか"
    index = shelf(tmp_path, *TOWERS)
    by_all = index.search(WebSearchQuery(query=question)).unwrap()
    monkeypatch.setattr(query_terms, "MAX_LISTED_PASSAGES", 3)

    by_some = index.search(WebSearchQuery(query=question)).unwrap()
    index.close()
    weighed = _weighed(tmp_path, question)

    assert {"都の", "です", "高い"} & weighed.skipped == {"都の", "です"}
    assert by_some[0] == {**by_all[0], "score": by_some[0]["score"]}
    assert float(str(by_some[0]["score"])) == pytest.approx(
        float(str(by_all[0]["score"])), rel=0.05
    )


def test_no_pair_is_set_aside_in_a_small_index_and_no_word_in_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf(tmp_path, *TOWERS).close()

    assert _weighed(tmp_path, "東京都の高い電波塔ですか").skipped == frozenset()
    monkeypatch.setattr(query_terms, "MAX_LISTED_PASSAGES", 0)
    words = "one two three four five six seven eight"
    assert _weighed(tmp_path, words).skipped == frozenset()


def test_pairs_set_aside_are_asked_for_where_the_others_find_too_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "東京都の高い電波塔はどこですか"
    index = shelf(tmp_path, *TOWERS)
    monkeypatch.setattr(query_terms, "MAX_LISTED_PASSAGES", 3)

    assert "です" in _weighed(tmp_path, question).skipped
    assert set(urls(index, question)) == {document.url for document in TOWERS}
    assert urls(index, question, include_domains=("c.example",)) == ["https://c.example/"]


def test_passages_with_the_commonest_word_alone_are_found_before_long_ones(tmp_path: Path) -> None:
    rare = ["amber", "birch", "cedar", "quartz", "ember", "fjord", "grove", "heron"]
    long = [f"{word} {'stone ' * 350}" for word in rare for _ in range(3)]
    texts = [*long, *["river river river"] * 12]
    documents = (
        IndexDocument(url=f"https://{at}.example/", text=text) for at, text in enumerate(texts)
    )
    index = shelf(tmp_path, *documents)

    found = urls(index, " ".join([*rare, "river"]))

    assert set(found) <= {f"https://{at}.example/" for at in range(len(long), len(texts))}
    assert len(found) == 10
