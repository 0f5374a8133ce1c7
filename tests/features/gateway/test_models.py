"""Where models are set: Responses with an answer over the rows, and documents in order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answering
from tests.features.gateway.models import Models
from webseam.adapters.features.gateway.asks import NOTHING_FOUND
from webseam.ports.backends import EVERY_FILTER
from webseam.ports.web import SearchAnswer
from webseam.testing import FakeBackend

from .asgi import ROWS, Site


@pytest.fixture
def models() -> Iterator[Models]:
    one = Models()
    with answering(one.answer) as address:
        one.url = f"{address}/v1"
        yield one


def site_over(home: Path, models: Models, rows: list[Any] | None = None) -> Site:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        f"providers: {{custom: {{base_url: '{models.url}', api_key: k}}}}\nsmall_work: {{provider: custom, model: m}}\n"
        "rerank: {provider: custom, model: r}\nembeddings: {provider: custom, model: e}\n"
    )
    return Site(home) if rows is None else Site(home, FakeBackend(rows))


def test_a_response_is_an_answer_with_the_search_behind_it(tmp_path: Path, models: Models) -> None:
    site = site_over(tmp_path, models)
    body = {
        "model": "webseam",
        "input": "When is high tide?",
        "tools": [{"type": "web_search"}],
        "include": ["web_search_call.action.sources"],
    }

    answer = site.post("/v1/responses", body)

    assert answer.status == 200, answer.body
    searched, message = answer.json["output"]
    (content,) = message["content"]
    (note,) = content["annotations"]
    assert [source["url"] for source in searched["action"]["sources"]] == [
        row["url"] for row in ROWS
    ]
    assert content["text"] == "High tide is at noon [1]."
    assert (note["url"], content["text"][note["start_index"] : note["end_index"]]) == (
        "https://example.com/tides",
        "[1]",
    )
    assert "https://example.com/tides" in json.dumps(models.asked)


def test_a_model_that_fails_is_openais_own_error(tmp_path: Path, models: Models) -> None:
    models.status = 401

    answer = site_over(tmp_path, models).post(
        "/v1/responses", {"input": "tides", "tools": [{"type": "web_search"}]}
    )

    assert (answer.status, answer.json["error"]["type"]) == (503, "server_error")


@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank", "/jina/v1/rerank"])
def test_documents_come_back_in_order(tmp_path: Path, models: Models, path: str) -> None:
    body = {
        "model": "r",
        "query": "tides",
        "documents": ["cats", {"text": "the sea"}],
        "top_n": 1,
        "return_documents": True,
    }

    answer = site_over(tmp_path, models).post(path, body)

    assert answer.status == 200, answer.body
    assert answer.json["results"] == [
        {"index": 1, "relevance_score": 0.9, "document": {"text": "the sea"}}
    ]


SEARCHES = {"type": "web_search"}


def test_instructions_turns_lengths_and_forms_reach_the_model(
    tmp_path: Path, models: Models
) -> None:
    site = site_over(tmp_path, models)
    models.text = '{"noon": true}'
    schema = {"type": "object", "properties": {"noon": {"type": "boolean"}}}
    form = {"type": "json_schema", "name": "tide", "schema": schema}
    messages = [
        {"role": "developer", "content": "In one line."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": [{"type": "input_text", "text": "When is high tide?"}]},
    ]
    body = {
        "input": messages,
        "tools": [SEARCHES],
        "instructions": "Like a sailor.",
        "max_output_tokens": 99,
        "text": {"format": form},
        "temperature": 0.5,
    }

    answer = site.post("/v1/responses", body)

    (asked,) = models.asked
    system, *turns = asked["messages"]
    assert answer.status == 200, answer.body
    assert all(words in system["content"] for words in ("In one line.", "Like a sailor."))
    assert [turn["content"] for turn in turns[:-1]] == ["Hello", "Hi"]
    assert 99 in asked.values()
    assert asked["response_format"]["json_schema"]["name"] == "tide"
    assert (answer.json["usage"]["input_tokens"], answer.json["usage"]["total_tokens"]) == (20, 27)
    assert answer.headers["x-webseam-ignored"] == "temperature"


def test_a_response_goes_on_from_the_one_before_by_its_id(tmp_path: Path, models: Models) -> None:
    site = site_over(tmp_path, models)
    first = site.post("/v1/responses", {"input": "Tides?", "tools": [SEARCHES]}).json
    body = {"input": "And?", "tools": [SEARCHES], "previous_response_id": first["id"]}

    # Another process, without anything in memory.
    second = site_over(tmp_path, models).post("/v1/responses", body)
    strange = site.post("/v1/responses", {**body, "previous_response_id": "resp_7_x"})

    texts = [message["content"] for message in models.asked[1]["messages"][1:3]]
    assert (second.status, texts) == (200, ["Tides?", "High tide is at noon [1]."])
    assert (strange.status, strange.json["error"]["param"]) == (400, "previous_response_id")


def test_a_response_streams_the_events_of_the_api(tmp_path: Path, models: Models) -> None:
    body = {"input": "Tides?", "tools": [SEARCHES], "stream": True}

    answer = site_over(tmp_path, models).post("/v1/responses", body)

    events = [
        json.loads(line[6:]) for line in answer.body.decode().split("\n") if line[:6] == "data: "
    ]
    deltas = [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
    assert answer.headers["content-type"] == "text/event-stream"
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert "".join(deltas) == "High tide is at noon [1]."
    assert events[-1]["response"]["usage"]["output_tokens"] == 7


# A model that quotes the first row, and says something else.
CHOSEN = json.dumps(
    {"claims": [{"quotes": [{"passage": "p1", "quote": "High at noon."}], "claim": "At night."}]}
)
WRITTEN: tuple[tuple[str, Any, str], ...] = (
    ("/exa/answer", {"query": "tides", "text": True, "systemPrompt": "Short."}, "/answer"),
    ("/exa/search", {"query": "tides", "contents": {"summary": {"query": "when"}}}, "summary"),
    ("/exa/contents", {"urls": ["https://a.example/"], "summary": True}, "summary"),
    ("/firecrawl/v2/scrape", {"url": "https://a.example/", "formats": ["summary"]}, "summary"),
    ("/firecrawl/v2/scrape", {"url": "https://a.example/", "formats": [{"type": "json", "prompt": "when"}]}, "json"),
    ("/tavily/search", {"query": "tides", "include_answer": True}, "include_answer"),
)  # fmt: skip


@pytest.mark.parametrize(("path", "body", "field"), WRITTEN)
def test_written_answer_is_returned_or_named_as_ignored(
    tmp_path: Path, models: Models, path: str, body: object, field: str
) -> None:
    is_sourced = field in ("/answer", "include_answer")
    if is_sourced:
        models.text = CHOSEN
    elif field == "json":
        models.text = '{"when": "High at noon."}'
    answer = site_over(tmp_path / "with", models).post(path, body)
    without = Site(tmp_path / "without").post(path, body)

    # Answers with sources are the rows' own words.
    words = "High at noon. [1]" if is_sourced else "High tide is at noon"
    # Data are the words of the page.
    words = '{"when":"High at noon."}' if field == "json" else words
    assert (answer.status, words in answer.body.decode()) == (200, True), answer.body
    if field == "include_answer":
        # Some clients send it by default.
        assert (without.status, without.headers["x-webseam-ignored"]) == (200, field)
        assert without.json["answer"] is None
    else:
        assert (without.status, field in without.body.decode()) == (400, True)


def test_linkup_answers_with_sources_and_with_data(tmp_path: Path, models: Models) -> None:
    site = site_over(tmp_path, models)
    schema = json.dumps({"type": "object", "properties": {"noon": {"type": "boolean"}}})
    search = {"q": "tides", "depth": "standard"}

    models.text = CHOSEN
    answered = site.post("/linkup/v1/search", {**search, "outputType": "sourcedAnswer"})
    models.text = '{"noon": true}'
    structured = {**search, "outputType": "structured", "structuredOutputSchema": schema}
    data = site.post("/linkup/v1/search", structured)
    sourced = site.post("/linkup/v1/search", {**structured, "includeSources": True})
    models.text = '{"when": "high at noon"}'
    schema = json.dumps({"type": "object", "properties": {"when": {"type": "string"}}})
    page = site.post("/linkup/v1/fetch", {"url": "https://example.com/a", "schema": schema})

    assert answered.json["answer"] == "From the pages:\nHigh at noon. [1]"
    assert answered.json["sources"][0] | {"snippet": ""} == {
        "type": "text",
        "name": "Tides",
        "url": "https://example.com/tides",
        "snippet": "",
        "favicon": "",
    }
    assert data.json == {"noon": True}
    assert (sourced.json["data"], len(sourced.json["sources"])) == ({"noon": True}, len(ROWS))
    assert page.json["data"] == {"when": "High at noon."}


def test_firecrawls_extract_merges_the_data_of_pages(tmp_path: Path, models: Models) -> None:
    site_over(tmp_path, models)
    page = "# Tides\n\nDover\n\n- Monday\n- Tuesday"
    site = Site(tmp_path, FakeBackend(ROWS, page, abilities=EVERY_FILTER))
    models.text = '{"days": ["Monday", "Tuesday"], "sea": {"port": "Dover", "deep": null}}'
    body = {
        "urls": ["https://example.com/a", "https://example.com/b", "http://10.0.0.1/"],
        "prompt": "When is high tide?",
        "schema": {"type": "object"},
        "showSources": True,
    }

    answer = site.post("/v2/extract", body)

    days = ["Monday", "Tuesday"]
    assert answer.json["data"] == {"days": [*days, *days], "sea": {"port": "Dover"}}
    assert (answer.json["status"], answer.json["sources"]) == ("completed", {"urls": body["urls"]})
    assert "private" in answer.json["warning"]


@pytest.mark.parametrize("path", ["/v1/embeddings", "/jina/v1/embeddings"])
def test_texts_become_vectors(tmp_path: Path, models: Models, path: str) -> None:
    body = {
        "model": "jina-embeddings-v4",
        "input": ["cats", {"text": "the sea"}],
        "task": "retrieval.query",
    }

    answer = site_over(tmp_path, models).post(path, body)

    assert answer.status == 200, answer.body
    assert [each["embedding"] for each in answer.json["data"]] == [[0.5, 0.0], [0.5, 1.0]]
    assert answer.json["usage"]["total_tokens"] == 4


NO_EVIDENCE: tuple[tuple[str, dict[str, Any], tuple[str | int, ...], object], ...] = (
    ("/tavily/search", {"query": "tides", "include_answer": True}, ("answer",), None),
    ("/exa/answer", {"query": "tides"}, ("answer",), NOTHING_FOUND),
    ("/linkup/v1/search", {"q": "tides", "depth": "standard", "outputType": "sourcedAnswer"}, ("answer",), NOTHING_FOUND),
    ("/v1/responses", {"input": "tides", "tools": [SEARCHES]}, ("output", 1, "content", 0, "text"), NOTHING_FOUND),
)  # fmt: skip


def test_without_evidence_no_door_answers_and_no_model_is_asked(
    tmp_path: Path, models: Models
) -> None:
    site = site_over(tmp_path, models, rows=[])
    for path, body, place, nothing in NO_EVIDENCE:
        answer = site.post(path, body)

        value: Any = answer.json
        for name in place:
            value = value[name]
        assert (answer.status, value) == (200, nothing), answer.body
    assert models.asked == []


def test_response_over_rows_without_text_asks_no_model(tmp_path: Path, models: Models) -> None:
    body = {"input": "tides", "tools": [SEARCHES]}
    bare = [{"url": "https://a.example/", "title": "", "snippet": ""}]

    empty = site_over(tmp_path / "bare", models, rows=bare).post("/v1/responses", body)
    prose = [SearchAnswer(text="At noon."), *bare]
    written = site_over(tmp_path / "prose", models, rows=prose).post("/v1/responses", body)

    texts = [answer.json["output"][1]["content"][0]["text"] for answer in (empty, written)]
    assert texts == [NOTHING_FOUND, "At noon."]
    assert (written.json["model"], models.asked) == ("fake", [])


PICTURE = "![x](https://e.example/p) <img src=https://e.example/p>"
CHAT = {"model": "m", "messages": [{"role": "user", "content": "tides"}]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/openai/v1/chat/completions", CHAT),
        ("/perplexity/chat/completions", CHAT),
        ("/jina/s/", {"q": "tides", "respondWith": "no-content"}),
        ("/jina/r/", {"url": "https://a.example/"}),
    ],
)
def test_no_title_or_snippet_is_a_picture_in_the_text_of_a_door(
    tmp_path: Path, path: str, body: object
) -> None:
    row = {"url": "https://a.example/", "title": PICTURE, "snippet": PICTURE}
    page = {"url": "https://a.example/", "title": PICTURE, "content": "text"}

    answer = Site(tmp_path, FakeBackend([row], page)).post(path, body, accept="text/plain")

    assert answer.status == 200, answer.body
    written = answer.body.decode()
    if "chat" in path:
        written = answer.json["choices"][0]["message"]["content"]
    assert "![" not in written
    assert "<img" not in written
