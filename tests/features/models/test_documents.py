"""Embeddings, rerank and lists of models: what is sent, what is read, what is refused."""

import asyncio
import json
from collections.abc import Callable

import httpx
import msgspec
import pytest
from returns.result import Failure

from tests.features.models.clients import KEY, PROVIDER, at_once, run
from webseam.adapters.features.models.client.exchange import JsonCalls
from webseam.adapters.features.models.declaration.provider import Account, Provider
from webseam.adapters.features.models.embedding_apis import (
    EMBEDDING_APIS,
    OPENAI_API,
    ModelEmbedder,
)
from webseam.adapters.features.models.model_lists import list_models
from webseam.adapters.features.models.rerank import ModelReranker
from webseam.adapters.features.models.word_vectors import LocalEmbedder, LocalReranker
from webseam.composition.features.models.clients import model_deps
from webseam.composition.features.models.relevance import open_embedder, open_reranker
from webseam.composition.features.models.settings import RerankSettings
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.kernel.relevance import rerank
from webseam.ports.errors import AuthFailed, BadPayload, NotConfigured, UnsupportedCapability
from webseam.ports.models import TextRole
from webseam.ports.secrets import Secret

KEYS = "first-key-0123, second-key-4567"
Handler = Callable[[httpx.Request], httpx.Response]


def calls(handler: Handler, provider: Provider = PROVIDER) -> JsonCalls:
    deps = msgspec.structs.replace(model_deps(httpx.MockTransport(handler)), retry=at_once)
    account = Account(base_url="https://acme.example/v1", key=Secret(KEY))
    return JsonCalls(provider, account, deps)


def test_texts_are_embedded_in_their_order_some_at_a_time() -> None:
    sent: list[dict[str, object]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        sent.append(body)
        entries = [
            {"index": place, "embedding": [float(text), 1]}
            for place, text in enumerate(body["input"])
        ]
        usage = {"total_tokens": len(entries)}
        return httpx.Response(200, json={"data": entries[::-1], "usage": usage})

    texts = [str(number) for number in range(OPENAI_API.batch_texts + 3)]
    embedded = run(ModelEmbedder(calls(handler), "m", 2)(texts, "document")).unwrap()

    assert [vector[0] for vector in embedded.vectors] == list(map(float, texts))
    assert embedded.tokens == len(texts)
    assert [len(each["input"]) for each in sent] == [OPENAI_API.batch_texts, 3]  # type: ignore[arg-type]
    assert sent[0]["dimensions"] == 2


def test_a_model_that_was_taught_prefixes_gets_them() -> None:
    sent: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.extend(json.loads(request.content)["input"])
        return httpx.Response(200, json={"data": [{"embedding": [1.0]}]})

    embedder = ModelEmbedder(calls(handler), "intfloat/multilingual-e5-small")
    run(embedder(["tides"], "query"))
    run(embedder(["tides"], "document"))

    assert sent == ["query: tides", "passage: tides"]


@pytest.mark.parametrize(
    ("name", "role", "sent"),
    [
        ("jina", "query", {"task": "retrieval.query", "dimensions": 2, "truncate": True}),
        ("jina", "document", {"task": "retrieval.passage", "dimensions": 2, "truncate": True}),
        ("voyage", "query", {"input_type": "query", "output_dimension": 2}),
        ("voyage", "document", {"input_type": "document", "output_dimension": 2}),
    ],
)
def test_jina_and_voyage_are_told_what_a_text_is_in_their_words(
    name: str, role: TextRole, sent: dict[str, object]
) -> None:
    bodies: list[dict[str, object]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        entries = [{"index": 0, "embedding": [1, 0.5]}]
        return httpx.Response(200, json={"data": entries, "usage": {"total_tokens": 4}})

    embedder = ModelEmbedder(calls(handler), "m", 2, EMBEDDING_APIS[name])
    embedded = run(embedder(["tides"], role)).unwrap()

    assert (embedded.vectors, embedded.tokens) == (((1.0, 0.5),), 4)
    assert bodies == [{"model": "m", "input": ["tides"], **sent}]


def test_cohere_is_asked_at_its_own_address_and_read_in_its_own_words() -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, json.loads(request.content)))
        vectors = {"float": [[1, 2], [3, 4]]}
        meta = {"billed_units": {"input_tokens": 7}}
        return httpx.Response(200, json={"embeddings": vectors, "meta": meta})

    embedded = run(
        ModelEmbedder(calls(handler), "m", api=EMBEDDING_APIS["cohere"])(["a", "b"], "query")
    )

    assert embedded.unwrap().vectors == ((1.0, 2.0), (3.0, 4.0))
    assert embedded.unwrap().tokens == 7
    body = {"model": "m", "texts": ["a", "b"], "input_type": "search_query"}
    assert asked == [("/v1/embed", {**body, "embedding_types": ["float"]})]


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"data": []},
        {"data": [{"index": 1, "embedding": [1]}]},
        {"data": [{"embedding": ["x"]}]},
    ],
)
def test_vectors_of_another_shape_are_a_bad_payload(payload: object) -> None:
    handler: Handler = lambda _: httpx.Response(200, json=payload)  # noqa: E731

    failed = run(ModelEmbedder(calls(handler), "m")(["a"], "query")).failure()

    assert isinstance(failed, BadPayload)
    assert failed.backend == "acme"


def test_documents_are_ranked_in_the_words_of_jina_and_cohere() -> None:
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        rows = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0}]
        return httpx.Response(200, json={"results": rows})

    ranked = run(ModelReranker(calls(handler), "r1")("tides", ["a", "b"])).unwrap()

    assert [(each.index, each.score) for each in ranked] == [(1, 0.9), (0, 0.0)]
    assert sent[0].url == "https://acme.example/v1/rerank"
    assert sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(sent[0].content) == {
        "model": "r1",
        "query": "tides",
        "documents": ["a", "b"],
        "top_n": 2,
    }


@pytest.mark.parametrize(
    "payload", [[], {"results": []}, {"results": [{"index": "0", "relevance_score": 1}]}]
)
def test_a_ranking_of_another_shape_is_a_bad_payload(payload: object) -> None:
    handler: Handler = lambda _: httpx.Response(200, json=payload)  # noqa: E731

    failed = run(ModelReranker(calls(handler), "m")("q", ["a"])).failure()

    assert isinstance(failed, BadPayload)


def test_a_refused_key_is_named_and_not_shown() -> None:
    handler: Handler = lambda _: httpx.Response(  # noqa: E731
        401, json={"error": {"message": f"bad key {KEY}"}}
    )

    failed = run(ModelReranker(calls(handler), "m")("q", ["a"])).failure()

    assert isinstance(failed, AuthFailed)
    assert failed.backend == "acme"
    assert KEY not in repr(failed)


@pytest.mark.parametrize("status", [401, 402, 429])
def test_the_next_of_several_keys_is_tried_and_kept(status: int) -> None:
    sent: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["authorization"])
        if "first" in sent[-1]:
            return httpx.Response(status, json={"error": {"message": "no, not first-key-0123"}})
        return httpx.Response(200, json={"data": [{"embedding": [1.0]}]})

    deps = model_deps(httpx.MockTransport(handler))
    account = Account(base_url="https://acme.example/v1", key=Secret(KEYS))
    embedder = ModelEmbedder(JsonCalls(PROVIDER, account, deps), "m")
    run(embedder(["a"], "query")).unwrap()
    run(embedder(["a"], "query")).unwrap()

    assert sent == ["Bearer first-key-0123", "Bearer second-key-4567", "Bearer second-key-4567"]


def test_refused_keys_are_not_shown() -> None:
    handler: Handler = lambda _: httpx.Response(  # noqa: E731
        401, json={"error": {"message": "neither first-key-0123 nor second-key-4567"}}
    )
    deps = model_deps(httpx.MockTransport(handler))
    account = Account(base_url="https://acme.example/v1", key=Secret(KEYS))

    failed = run(ModelReranker(JsonCalls(PROVIDER, account, deps), "m")("q", ["a"])).failure()

    assert isinstance(failed, AuthFailed)
    assert "key-" not in failed.message


def test_a_query_of_the_provider_goes_along() -> None:
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={})

    http = msgspec.structs.replace(PROVIDER.http, query=(("api-version", "1"),))
    provider = msgspec.structs.replace(PROVIDER, http=http)
    run(calls(handler, provider).call_json("/models?limit=9"))
    run(calls(handler, provider).call_json("/embeddings", {}))

    assert [request.url.query for request in sent] == [b"limit=9&api-version=1", b"api-version=1"]


def test_passing_error_is_retried() -> None:
    answers = [
        httpx.Response(503),
        httpx.Response(200, json={"results": [{"index": 0, "relevance_score": 1}]}),
    ]
    handler: Handler = lambda _: answers.pop(0)  # noqa: E731

    assert run(ModelReranker(calls(handler), "m")("q", ["a"])).unwrap()
    assert answers == []


def test_a_body_that_is_no_json_is_a_bad_payload() -> None:
    handler: Handler = lambda _: httpx.Response(200, text="<html>")  # noqa: E731

    assert run(calls(handler).call_json("/x")).failure().kind == "bad_payload"


def test_a_key_that_no_header_can_carry_is_a_setting_to_mend() -> None:
    handler: Handler = lambda _: httpx.Response(200, json={})  # noqa: E731
    account = Account(base_url="https://acme.example/v1", key=Secret("schlüssel"))
    deps = model_deps(httpx.MockTransport(handler))

    failed = run(JsonCalls(PROVIDER, account, deps).call_json("/x")).failure()

    assert isinstance(failed, NotConfigured)
    assert "ACME_API_KEY" in failed.settings


@pytest.mark.parametrize(
    ("mode", "path", "payload"),
    [
        ("chat_completions", "/v1/models", {"data": [{"id": "b"}, {"id": "a"}, {}]}),
        ("responses", "/v1/models", [{"id": "b"}, {"id": "a"}]),
        ("anthropic_messages", "/v1/models", {"data": [{"id": "a"}, {"id": "b"}]}),
        ("gemini_generate", "/v1/models", {"models": [{"name": "models/a"}, {"name": "b"}]}),
    ],
)
def test_models_are_listed_by_their_names(mode: str, path: str, payload: object) -> None:
    provider = msgspec.structs.replace(PROVIDER, api_mode=mode)
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=payload)

    assert run(list_models(provider, calls(handler, provider))).unwrap() == ("a", "b")
    assert sent[0].method == "GET"
    assert sent[0].url.path == path


def test_a_list_in_pages_is_read_to_its_end() -> None:
    provider = msgspec.structs.replace(PROVIDER, api_mode="anthropic_messages")
    pages = [
        {"data": [{"id": "a"}], "has_more": True, "last_id": "a"},
        {"data": [{"id": "b"}], "has_more": False, "last_id": "b"},
    ]
    requests: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request.url.query.decode())
        return httpx.Response(200, json=pages.pop(0))

    assert run(list_models(provider, calls(handler, provider))).unwrap() == ("a", "b")
    assert requests == ["limit=1000", "limit=1000&after_id=a"]


def test_provider_without_a_list_of_models_says_so() -> None:
    provider = msgspec.structs.replace(PROVIDER, api_mode="bedrock_converse")
    handler: Handler = lambda _: httpx.Response(200, json={})  # noqa: E731

    failed = run(list_models(provider, calls(handler, provider))).failure()

    assert isinstance(failed, UnsupportedCapability)


def test_a_list_of_another_shape_is_a_bad_payload() -> None:
    handler: Handler = lambda _: httpx.Response(200, json={"data": 5})  # noqa: E731

    assert run(list_models(PROVIDER, calls(handler))).failure().kind == "bad_payload"


UNSET = SettingsRoot(settings=Settings())


@pytest.mark.parametrize(
    ("opened", "setting"),
    [
        (lambda: open_embedder(UNSET), "embeddings.provider"),
        (lambda: open_embedder(UNSET, provider="openai"), "embeddings.model"),
        (lambda: open_reranker(UNSET), "rerank.provider"),
        (lambda: open_reranker(UNSET, provider="openai"), "rerank.model"),
        (lambda: open_reranker(UNSET, provider="jina"), "JINA_API_KEY"),
    ],
)
def test_missing_model_setting_is_named(opened: Callable[[], object], setting: str) -> None:
    failed = opened().failure()  # type: ignore[attr-defined]

    assert isinstance(failed, NotConfigured)
    assert setting in failed.settings


class Vectors:
    """Documents are as alike to a query as they are long."""

    def rank(self, _query: str, docs: list[str], sort: bool) -> list[tuple[str, float]]:  # noqa: FBT001  as the package has it
        assert not sort
        assert len(docs) > 1
        return [(document, float(len(document))) for document in docs]

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]


def test_this_machine_embeds_with_weights_that_are_loaded_once() -> None:
    loaded: list[Vectors] = []

    def load() -> Vectors:
        loaded.append(Vectors())
        return loaded[-1]

    embedder = LocalEmbedder(load)
    first = run(embedder(["low", "neap"], "document")).unwrap()
    second = run(embedder(["tide"], "query")).unwrap()
    asyncio.run(embedder.aclose())

    assert (first.vectors, first.model) == (((3.0, 1.0), (4.0, 1.0)), "wordllama")
    assert second.vectors == ((4.0, 1.0),)
    assert len(loaded) == 1


def test_this_machine_ranks_with_weights_that_are_loaded_once() -> None:
    loaded: list[Vectors] = []

    def load() -> Vectors:
        loaded.append(Vectors())
        return loaded[-1]

    async def ranked() -> list[list[int]]:
        reranker = LocalReranker(load)
        one = await rerank("q", ["a"], reranker)
        many = await rerank("q", ["a", "ccc", "bb"], reranker)
        await reranker.aclose()
        return [[each.index for each in it.unwrap()] for it in (one, many)]

    assert asyncio.run(ranked()) == [[0], [1, 2, 0]]
    assert len(loaded) == 1


def test_this_machine_is_set_up_by_an_extra() -> None:
    settings = Settings(feature_blocks=(RerankSettings(provider="local"),))
    opened = open_reranker(SettingsRoot(settings=settings))

    if isinstance(opened, Failure):
        assert "webseam[rerank]" in opened.failure().message
