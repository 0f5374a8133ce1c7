"""``model embed``, ``model rerank``, ``models NAME --live`` and ``search --rerank``, for real."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import Ran, webseam
from webseam.adapters.features.models.rerank import ModelReranker
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.composition.doors.cli.commands.demo import DemoApi

ASKED: list[Asked] = []


def _answer(asked: Asked) -> Reply:
    if asked.path.endswith("/models"):
        return Reply({"data": [{"id": "small"}, {"id": "large"}]})
    ASKED.append(asked)
    if asked.path.endswith("/embeddings"):
        texts = asked.body["input"]
        vectors = [{"index": index, "embedding": [0.5, 1.0]} for index in range(len(texts))]
        return Reply({"data": vectors, "usage": {"total_tokens": 3}})
    count = len(asked.body["documents"])
    ranked = [{"index": index, "relevance_score": index / count} for index in range(count)]
    return Reply({"results": ranked})


@pytest.fixture
def server() -> Iterator[str]:
    with answering(_answer) as address:
        yield f"{address}/v1"


def own(server: str, *arguments: str) -> Ran:
    """Run with a provider that is the server on this machine."""
    return webseam(
        *arguments,
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL=server,
        WEBSEAM_EMBEDDINGS_PROVIDER="openai",
        WEBSEAM_EMBEDDINGS_MODEL="small",
        WEBSEAM_RERANK_PROVIDER="openai",
        WEBSEAM_RERANK_MODEL="ranker",
    )


def _noted(noted: Counter[type], kind: type, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is counted."""

    def call(*arguments: object, **named: object) -> object:
        noted[kind] += 1
        return method(*arguments, **named)

    return call


def test_texts_become_vectors(server: str) -> None:
    plain = own(server, "model", "embed", "tides", "moons")
    whole = json.loads(own(server, "model", "embed", "tides", "--json").out)

    assert plain.out == "[0.5000, 1.0000, ...] 2 numbers\n" * 2
    assert whole["data"]["vectors"] == [[0.5, 1.0]]
    assert whole["data"]["tokens"] == 3


def test_texts_are_put_in_the_order_of_a_question(server: str) -> None:
    plain = own(server, "model", "rerank", "which?", "first", "second")
    whole = json.loads(own(server, "model", "rerank", "which?", "a", "b", "--json").out)

    assert plain.out == "score  text\n0.500  second\n0.000  first\n"
    assert [each["index"] for each in whole["data"]["results"]] == [1, 0]


def test_the_models_of_a_provider_are_listed_when_it_is_asked(server: str) -> None:
    listed = own(server, "models", "openai", "--live")
    unasked = own(server, "models", "openai")

    assert (listed.code, listed.out) == (0, "large\nsmall\n")
    assert unasked.code == 2
    assert "--live" in unasked.err


def test_a_search_is_reranked(server: str, api: DemoApi) -> None:
    usual = json.loads(own(server, "search", "q", "--json", "--endpoint", api.url("search")).out)
    ranked = json.loads(
        own(server, "search", "q", "--rerank", "--json", "--endpoint", api.url("search")).out
    )

    before = [row["url"] for row in usual["data"]["web"]]
    assert [row["url"] for row in ranked["data"]["web"]] == before[::-1]


def test_a_reranker_that_is_not_set_is_named(api: DemoApi) -> None:
    ran = webseam("search", "q", "--rerank", "--endpoint", api.url("search"))

    assert ran.code == 3
    assert "rerank.provider" in ran.err


def test_a_provider_that_there_is_not_is_no_nobody() -> None:
    unknown, known = webseam("models", "nobody"), webseam("models", "openai")

    assert (unknown.code, known.code) == (2, 2)
    assert "No provider of models is called 'nobody'" in unknown.err
    assert "add --live to ask openai" in known.err


@pytest.mark.parametrize("options", [("--rerank",), ("--rerank", "--json"), ()])
def test_all_that_a_search_opened_is_closed(
    options: tuple[str, ...], server: str, api: DemoApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, closed = Counter[type](), Counter[type]()
    for kind in (ServiceBackend, ModelReranker):
        monkeypatch.setattr(kind, "__init__", _noted(opened, kind, kind.__init__))
        monkeypatch.setattr(kind, "aclose", _noted(closed, kind, kind.aclose))
    command = ("search", "q", *options, "--endpoint", api.url("search"))

    own(server, *command)
    webseam(*command)

    assert opened[ServiceBackend] == 2
    assert opened[ModelReranker] == len(options[:1])
    assert closed == opened


@pytest.mark.parametrize(
    ("provider", "model"),
    [("jina", "jina-reranker-v2-base-multilingual"), ("cohere", "rerank-v3.5")],
)
def test_jina_and_cohere_rank_rows_passages_and_claims(
    provider: str, model: str, server: str, api: DemoApi
) -> None:
    environment = {
        f"{provider.upper()}_API_KEY": "k",
        f"{provider.upper()}_RERANK_BASE_URL": server,
        "WEBSEAM_RERANK_PROVIDER": provider,
        "WEBSEAM_JSON_SEARCH_URL": api.url("search"),
        "WEBSEAM_JSON_EXTRACT_URL": api.url("extract"),
        "WEBSEAM_BACKEND": "json",
        "WEBSEAM_CACHE_ENABLED": "false",
    }
    ASKED.clear()

    searched = webseam("search", "every row", "--rerank", "--json", **environment)
    asked = webseam("ask", "Is every row checked again?", "--receipt", **environment)

    assert (searched.code, asked.code) == (0, 0), asked.err
    assert json.loads(asked.out)["receipt"]["warnings"] == []
    # The rows of the search, then the passages of the answer; its sentences are their own quotes.
    assert len(ASKED) == 2
    for path, key, body in ASKED:
        assert (path, key, body["model"]) == ("/v1/rerank", "Bearer k", model)
        assert body["top_n"] == len(body["documents"])
