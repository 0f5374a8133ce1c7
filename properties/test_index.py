"""The laws of the index, the cache and the compressor."""

import asyncio
import math
import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from returns.result import Result, Success

from webseam.adapters.compressors.extractive_compressor import (
    OMISSION_MARK,
    extract,
    split_page_units,
)
from webseam.adapters.features.index.documents import (
    MAX_PASSAGE_CHARS,
    IndexDocument,
    split_passages,
)
from webseam.adapters.features.index.query import MAX_QUERY_TERMS, plan_query
from webseam.adapters.features.index.ranking.snippets import Snippets
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.language.folding import fold_letters
from webseam.adapters.language.stems import STEMMER_LANGUAGES, stem_word
from webseam.adapters.language.tokenising import text_terms
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.cached_backend import (
    CacheIdentity,
    canonical_query,
    page_cache_key,
    search_cache_key,
)
from webseam.composition.features.testing.strategies import queries, search_queries
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_search
from webseam.kernel.laws.row_law import check_lawful_rows, split_rows_and_prose
from webseam.ports import WebSearchQuery
from webseam.ports.backends import EVERY_FILTER
from webseam.ports.web import Query
from webseam.testing import FakeBackend

OPERATORS = ["AND", "OR", "NOT", '"', "-", "+", "*", "site:", "(", ")", ":", "^", "NEAR", "'", ";"]
TYPED = st.lists(st.text(max_size=12) | st.sampled_from(OPERATORS), max_size=12).map(" ".join)
PROSE = st.lists(
    st.text(max_size=300)
    | st.sampled_from(
        [
            "# A heading",
            "A sentence about bridges. Another one! And 3.5 more?",
            "```\ncode bridge\n```",
            "| a | b |\n| - | - |\n| bridge | 2 |",
            "- item one\n- item two",
            "word " * 300,
        ]
    ),
    max_size=25,
).map("\n\n".join)
ASKER = CacheIdentity(backend="b", scope="s", policy_version="p")

_SHELF = TemporaryDirectory()
_INDEX = DocumentIndex.open_writer(Path(_SHELF.name) / "index.sqlite").unwrap()
_INDEX.add(
    [
        IndexDocument(
            url="https://a.example/", text="a heat pump, and a NOT gas", published="2026-01-01"
        ),
        IndexDocument(url="https://b.example/", text="東京都 and emoji 🔥 in one text"),
        # A query is read by the rules of each language that a document is in.
        *(
            IndexDocument(url=f"https://{each}.example/", text="a heat pump", language=each)
            for each in sorted(STEMMER_LANGUAGES)
        ),
    ]
)


@given(TYPED)
@example('"')
@example("site:\ud800 -\x00")
@example("a" * 10_000)
@example("'; DROP TABLE terms; --")
@example("heat \u0591 pump")
@example("\u0640 heat \u093c \u064b*")
def test_any_text_is_a_plan_and_a_search(text: str) -> None:
    query_plan = plan_query(text)
    result = _INDEX.search(WebSearchQuery(query=text))

    assert len(query_plan.terms) <= MAX_QUERY_TERMS
    assert isinstance(result, Success)
    assert isinstance(check_lawful_rows(split_rows_and_prose(result.unwrap())), tuple)


@given(search_queries())
def test_any_lawful_query_is_answered_with_lawful_rows(query: WebSearchQuery) -> None:
    result = _INDEX.search(query)

    assert isinstance(check_lawful_rows(split_rows_and_prose(result.unwrap())), tuple)


@given(st.text())
def test_folding_is_idempotent_and_stems_are_never_longer(text: str) -> None:
    assert fold_letters(fold_letters(text)) == fold_letters(text)
    for word in re.findall(r"[a-z]{3,}", text):
        assert 0 < len(stem_word(word)) <= len(word) + 1


@given(st.text() | PROSE)
@example("\r\n\x0b\x85")
def test_passages_put_together_are_the_text(text: str) -> None:
    passages = split_passages(text)

    assert "".join(passage.body for passage in passages) == text
    assert all(len(passage.body) > 0 for passage in passages)


@given(st.text(max_size=9000).map(lambda text: text.replace("#", "")))
def test_no_passage_of_plain_text_is_longer_than_it_may_be(text: str) -> None:
    assert all(len(passage.body) <= MAX_PASSAGE_CHARS for passage in split_passages(text))


@given(st.text(), st.text())
def test_a_snippet_is_short_and_marks_in_pairs(body: str, query: str) -> None:
    shown = Snippets(dict.fromkeys(text_terms(query), 1.0)).make_snippet(body)

    assert shown.count("**") % 2 == 0
    assert "\n" not in shown


TEXT_WORDS = st.lists(
    st.sampled_from(("heat", "pump", "winter", "river", "stone", "cloud")), min_size=1, unique=True
)


def rank_plainly(texts: list[list[str]], asked: list[str]) -> list[float]:
    """Score texts by BM25, and by words in order with at most two between, or side by side."""
    usual = sum(map(len, texts)) / len(texts)

    def rarity(word: str) -> float:
        having = sum(word in text for text in texts)
        return math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))

    def score(text: list[str]) -> float:
        weights = [rarity(word) for word in asked if word in text]
        existing = (word for word in asked if any(word in other for other in texts))
        for first, second in pairwise(existing):
            if {first, second} <= {*text} and -1 <= text.index(second) - text.index(first) <= 3:
                weights.append(0.4 * min(rarity(first), rarity(second)))
        return sum(weights) / (1 + 1.2 * (0.25 + 0.75 * len(text) / usual))

    return [score(text) for text in texts]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=12, deadline=None)
@given(st.lists(TEXT_WORDS, min_size=1, max_size=8), TEXT_WORDS)
def test_the_engine_ranks_as_a_plain_reading_of_every_text_does(
    texts: list[list[str]], asked: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        index = DocumentIndex.open_writer(Path(folder) / "index.sqlite").unwrap()
        index.add(
            IndexDocument(url=f"https://{at}.example/", text=" ".join(text), language="en")
            for at, text in enumerate(texts)
        ).unwrap()
        rows = index.search(WebSearchQuery(query=" ".join(asked), max_results=20)).unwrap()
        index.close()

    scores = {f"https://{at}.example/": each for at, each in enumerate(rank_plainly(texts, asked))}
    assert {row["url"]: row["score"] for row in rows} == {
        url: pytest.approx(score, abs=0.001) for url, score in scores.items() if score
    }


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.text()), max_size=12))
def test_adding_twice_is_adding_once(given_texts: list[tuple[int, str]]) -> None:
    documents = [IndexDocument(url=f"https://{n}.example/", text=text) for n, text in given_texts]
    with TemporaryDirectory() as folder:
        index = DocumentIndex.open_writer(Path(folder) / "i").unwrap()
        index.add(documents).unwrap()
        once = index.statistics().unwrap()
        latest = {document.url: document for document in documents}
        again = index.add(latest.values()).unwrap()

        assert set(again) <= {"unchanged"}
        assert index.statistics().unwrap() == once
        assert once.documents == len(latest)
        assert index.check() == Success(None)
        index.remove(list(latest)).unwrap()
        left = index.statistics().unwrap()
        assert (left.documents, left.passages, left.terms) == (0, 0, 0)
        index.close()


@given(search_queries(), search_queries())
def test_two_questions_share_a_key_only_when_they_are_the_same(
    one: WebSearchQuery, other: WebSearchQuery
) -> None:
    same = canonical_query(one) == canonical_query(other)

    assert (search_cache_key(ASKER, one) == search_cache_key(ASKER, other)) is same
    assert search_cache_key(ASKER, canonical_query(one)) == search_cache_key(ASKER, one)
    assert canonical_query(canonical_query(one)) == canonical_query(one)


@given(st.tuples(st.text(), st.text(), st.text(), st.text()), st.tuples(*[st.text()] * 4))
def test_a_page_s_key_tells_everything_apart(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    def key(parts: tuple[str, ...]) -> bytes:
        backend, scope, policy, url = (part.encode("utf-8", "replace").decode() for part in parts)
        return page_cache_key(
            CacheIdentity(backend=backend, scope=scope, policy_version=policy), url
        )

    def plain(parts: tuple[str, ...]) -> list[bytes]:
        return [part.encode("utf-8", "replace") for part in parts]

    assert (key(one) == key(other)) is (plain(one) == plain(other))


@settings(max_examples=25)
@given(st.lists(queries(), min_size=1, max_size=8))
def test_the_cache_never_serves_another_question_s_answer(asked: list[object]) -> None:
    async def answer(query: WebSearchQuery) -> Result[list[dict[str, str]], object]:
        name = search_cache_key(ASKER, query).hex()
        return Success([{"title": name, "url": f"https://{name}.example/"}])

    backend = FakeBackend(search=answer, abilities=EVERY_FILTER)

    async def ask_all() -> None:
        with TemporaryDirectory() as folder:
            store = CacheStore(Path(folder) / "c")
            cached_backend = with_cache(backend, store)
            deps = WebDeps(backend=cached_backend)
            for query in [*asked, *asked]:
                direct = await web_search(cast("Query", query), WebDeps(backend=backend))
                cached = await web_search(cast("Query", query), deps)
                assert cached.unwrap().rows == direct.unwrap().rows
            store.close()

    asyncio.run(ask_all())


@given(PROSE, st.text(max_size=60) | st.just("What about the bridge?"), st.integers(40, 6000))
def test_a_compressed_page_fits_is_the_same_each_time_and_keeps_blocks_whole(
    page: str, instruction: str, budget: int
) -> None:
    short = extract(page, instruction, budget)

    assert len(short) <= budget
    assert short == extract(page, instruction, budget)
    assert short or not page
    known = {unit.text for unit in split_page_units(page)}
    lines = {*page.splitlines(), OMISSION_MARK}
    if len(page) > budget:
        kept = [unit.text for unit in split_page_units(short) if unit.kind == "whole"]
        # Only of a table that alone is too long, some rows are kept.
        assert all(block in known or lines.issuperset(block.splitlines()) for block in kept)
        assert OMISSION_MARK in short
