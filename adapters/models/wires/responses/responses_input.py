"""Messages of a chat as the items of the Responses API.

https://platform.openai.com/docs/guides/migrate-to-responses (2026-11-15)
"""

from collections.abc import Iterator, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_list, as_mapping, as_objects, text
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json
from ...messages.tool_calls import is_custom, with_ids
from ..chat.messages import with_images_moved
from .content import input_content, plain_text
from .replay import assistant_items, call_id

_SYSTEM = ("system", "developer")
_RESULTS = ("function_call_output", "custom_tool_call_output")


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system text that leads, and the rest as items; one message may make several."""
    named = with_ids(messages)
    prepared = [dict(message) for message in provider.changes.prepare_messages(named, model)]
    if not provider.history.images_in_tool_results:
        prepared = with_images_moved(prepared)
    start = next(
        (place for place, message in enumerate(prepared) if message.get("role") not in _SYSTEM),
        None,
    )
    # Nothing but system messages: the API wants some input, so they are it.
    leading = prepared[: start or 0]
    instructions = [plain_text(message.get("content")) for message in leading]
    free = _free_calls(prepared)
    rest = prepared[start or 0 :]
    items = _answered([item for message in rest for item in _items(message, provider, free)])
    if provider.responses.typed_items:
        items = [{"type": "message", **item} if "role" in item else item for item in items]
    return Conversation(
        system="\n\n".join(part for part in instructions if part) or None, messages=items
    )


def _free_calls(messages: Sequence[Message]) -> frozenset[str]:
    """Return the ids of calls whose input is free text: their results are items of another kind."""
    calls = (call for message in messages for call in as_objects(message.get("tool_calls")))
    return frozenset(call_id(text(call.get("id"))) for call in calls if is_custom(call))


def _answered(items: list[Json]) -> list[Json]:
    """Return the items with each result told to the program that called for it, where one did."""
    callers = {item.get("call_id"): item["caller"] for item in items if "caller" in item}
    return [
        {**item, "caller": callers[item["call_id"]]}
        if text(item.get("type")) in _RESULTS and item["call_id"] in callers
        else item
        for item in items
    ]


def _items(message: Json, provider: Provider, free: frozenset[str]) -> Iterator[Json]:
    role = message.get("role")
    if role == "assistant":
        yield from assistant_items(message, provider)
    elif role == "tool" and text(message.get("tool_call_id")):
        output = input_content(message.get("content"))
        call = call_id(text(message["tool_call_id"]))
        kind = "custom_tool_call_output" if call in free else "function_call_output"
        yield {"type": kind, "call_id": call, "output": output}
    else:
        yield from _spoken(role if role in _SYSTEM else "user", message.get("content"))


def _spoken(role: object, content: object) -> Iterator[Json]:
    """Yield a message, and beside it the items that the caller put among its parts.

    An approval, or the result of a patch, has no place inside of a message.
    """
    parts = as_list(content)
    items = [dict(as_mapping(part)) for part in parts if _is_item(part)]
    yield from items
    rest = input_content([part for part in parts if not _is_item(part)] if items else content)
    if rest:
        yield {"role": role, "content": rest}


def _is_item(part: object) -> bool:
    kind = text(as_mapping(part).get("type"))
    return kind.endswith(("_call_output", "_response")) or kind == "compaction"
