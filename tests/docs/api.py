"""Services and providers on loopback that have an answer to everything, for what examples ask."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tests.answering import EVENTS, Asked, Reply

ROWS = [
    {"title": "Tide tables", "url": "https://example.com/tides", "description": "High and low."}
]
SENTENCE = "The tide rises and falls twice a day."
USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
CHAT = {"id": "c", "object": "chat.completion", "model": "m", "usage": USAGE}
STREAM = b"".join(
    b"data: %b\n\n" % part
    for part in (
        msgspec.json.encode({**CHAT, "choices": [{"index": 0, "delta": {"content": SENTENCE}}]}),
        msgspec.json.encode(
            {**CHAT, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        ),
        b"[DONE]",
    )
)


def prose(asked: dict[str, Any]) -> str:
    """Return what a model says: an object where one was asked for."""
    return "{}" if "json_schema" in str(asked) else SENTENCE


def page(asked: dict[str, Any]) -> object:
    content = f"{SENTENCE}\n\nThe moon pulls the sea.\n\n" * 90
    return {"url": asked.get("url"), "title": "Tides", "content": content}


def chat(asked: dict[str, Any]) -> object:
    if asked.get("stream"):
        return STREAM
    message = {"role": "assistant", "content": prose(asked)}
    return {**CHAT, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def response(asked: dict[str, Any]) -> object:
    parts = [{"type": "output_text", "text": prose(asked), "annotations": []}]
    item = {"type": "message", "role": "assistant", "content": parts}
    usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    return {"id": "r", "status": "completed", "output": [item], "usage": usage}


def message(asked: dict[str, Any]) -> object:
    text = [{"type": "text", "text": prose(asked)}]
    usage = {"input_tokens": 9, "output_tokens": 9}
    return {"role": "assistant", "content": text, "stop_reason": "end_turn", "usage": usage}


def vectors(asked: dict[str, Any]) -> object:
    rows = [{"index": number, "embedding": [1.0, 0.5]} for number in range(len(asked["input"]))]
    return {"data": rows, "model": "m", "usage": USAGE}


# By the end of the path.
ANSWERS: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "/web/search": lambda _: {"web": {"results": ROWS}},
    "/extract": page,
    "/api.php": lambda _: {"query": {"search": [{"title": "Tide", "snippet": SENTENCE}]}},
    "/models": lambda _: {"data": [{"id": "small-1"}]},
    "/completions": chat,
    "/responses": response,
    "/messages": message,
    "/embeddings": vectors,
    "": lambda _: {"results": ROWS},
}


def answer(asked: Asked) -> Reply:
    """Return what the service at the end of a path answers; bytes are a stream of events."""
    path = asked.path.partition("?")[0]
    content = next(answers for end, answers in ANSWERS.items() if path.endswith(end))(asked.body)
    return Reply(content, EVENTS) if isinstance(content, bytes) else Reply(content)
