"""Where models are set: Responses with an answer over the rows, and documents in order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.answering import Asked, Reply, answering

from .asgi import ROWS, Site


class Models:
    """A chat model and a reranker on loopback."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        if asked.path.endswith("/rerank"):
            scores = ((1, 0.9), (0, 0.2))
            ranked = [{"index": index, "relevance_score": score} for index, score in scores]
            return Reply({"results": ranked}, status=self.status)
        message = {"role": "assistant", "content": "High tide is at noon [1]."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Reply({"id": "1", "model": "m", "choices": [choice]}, status=self.status)


@pytest.fixture
def models() -> Iterator[Models]:
    one = Models()
    with answering(one.answer) as address:
        one.url = f"{address}/v1"
        yield one


def site_over(home: Path, models: Models) -> Site:
    (home / "config.yaml").write_text(
        f"providers: {{custom: {{base_url: '{models.url}', api_key: k}}}}\nsmall_work: {{provider: custom, model: m}}\n"
        "rerank: {provider: custom, model: r}\n"
    )
    return Site(home)


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
