"""A response as the events that the API sends while it is made.

https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-18)
"""

from typing import cast

import msgspec

from ...replies import Reply


def responses_stream_reply(response: dict[str, object]) -> Reply:
    """Return a response as the events that the API sends while it is made."""
    search_call, message = cast("list[dict[str, object]]", response["output"])
    (content,) = cast("list[dict[str, object]]", message["content"])
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    first, second = {"output_index": 0}, {"output_index": 1}
    searching = {**first, "item_id": search_call["id"]}
    writing = {**second, "item_id": message["id"], "content_index": 0}
    whole = {**writing, "text": content["text"], "logprobs": []}
    notes = enumerate(cast("list[object]", content["annotations"]))
    events: list[tuple[str, dict[str, object]]] = [
        ("created", {"response": begun}),
        ("in_progress", {"response": begun}),
        ("output_item.added", {**first, "item": {**search_call, "status": "in_progress"}}),
        ("web_search_call.in_progress", searching),
        ("web_search_call.searching", searching),
        ("web_search_call.completed", searching),
        ("output_item.done", {**first, "item": search_call}),
        ("output_item.added", {**second, "item": {**message, "content": []}}),
        ("content_part.added", {**writing, "part": {**content, "text": "", "annotations": []}}),
        ("output_text.delta", {**writing, "delta": content["text"], "logprobs": []}),
        *(
            (
                "output_text.annotation.added",
                {**writing, "annotation_index": index, "annotation": note},
            )
            for index, note in notes
        ),
        ("output_text.done", whole),
        ("content_part.done", {**writing, "part": content}),
        ("output_item.done", {**second, "item": message}),
        ("completed", {"response": response}),
    ]
    body = b""
    for number, (name, fields) in enumerate(events):
        event = {"type": f"response.{name}", "sequence_number": number, **fields}
        body += f"event: response.{name}\ndata: ".encode() + msgspec.json.encode(event) + b"\n\n"
    return Reply(body=body, media_type="text/event-stream")
