"""The versions of Messages tools, and the message that a stream makes."""

import json
from typing import Any

from .asgi import Answer

VERSIONS = (
    "web_search_20250305", "web_search_20260209", "web_search_20260318", "web_fetch_20250910",
    "web_fetch_20260209", "web_fetch_20260309", "web_fetch_20260318",
)  # fmt: skip


def fold(answer: Answer) -> dict[str, Any]:
    """Return the message of a stream, as a client puts it together."""
    assert answer.headers["content-type"] == "text/event-stream"
    message: dict[str, Any] = {}
    inputs: dict[int, str] = {}
    open_blocks: set[int] = set()
    fields: dict[str, Any] = {}
    for event in answer.body.decode().strip().split("\n\n"):
        name, data = event.split("\n")
        fields = json.loads(data.removeprefix("data: "))
        assert name == f"event: {fields['type']}"
        index: int = fields.get("index", -1)
        match fields["type"]:
            case "message_start":
                message = fields["message"]
            case "content_block_start":
                assert (index, open_blocks) == (len(message["content"]), set())
                message["content"].append(fields["content_block"])
                open_blocks.add(index)
            case "content_block_delta":
                block, delta = message["content"][index], fields["delta"]
                kind = delta["type"].removesuffix("_delta")
                if kind == "input_json":
                    inputs[index] = inputs.get(index, "") + delta["partial_json"]
                    block["input"] = json.loads(inputs[index])
                elif kind == "citations":
                    block.setdefault("citations", []).append(delta["citation"])
                else:
                    block[kind] += delta[kind]
            case "content_block_stop":
                open_blocks.remove(index)
            case "message_delta":
                message |= fields["delta"]
                message["usage"] = fields["usage"]
    assert not open_blocks
    assert fields["type"] == "message_stop", fields
    return message
