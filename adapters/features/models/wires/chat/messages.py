"""Messages for a chat completions API, without the fields that only agents use."""

from collections.abc import Mapping, Sequence

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text, write_json
from webseam.ports.models import Message

from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json
from ...messages import tool_calls

# Fields that agents add to a message; strict servers answer 400 or 422 to them.
_AGENT_FIELDS = frozenset({
    "anthropic_content_blocks", "api_content", "bedrock_content_blocks", "codex_message_items",
    "codex_reasoning_items", "effect_disposition", "finish_reason", "is_error", "provider_data",
    "timestamp", "tool_name",
})  # fmt: skip
_AGENT_CALL_FIELDS = frozenset({"call_id", "provider_data", "response_item_id"})
_REASONING_FIELDS = frozenset({"reasoning", "reasoning_content", "reasoning_details"})
# Gemini wants its thought signatures back with each call; all others refuse them.
_SIGNED_MODELS = ("gemini", "gemma")
_CACHE_MARK = {"type": "ephemeral"}


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the messages as this provider accepts them; the format is already its own."""
    cleaned = [
        _clean_message(message, provider, model)
        for message in tool_calls.add_tool_call_ids(messages)
    ]
    prepared = [dict(message) for message in provider.changes.prepare_messages(cleaned, model)]
    with_roles = _set_system_role(prepared, provider, model)
    if provider.history.images_in_tool_results:
        return Conversation(messages=with_roles)
    return Conversation(messages=move_result_images(with_roles))


def merge_instructions(messages: Sequence[Message], instructions: str) -> list[Message]:
    """Return the messages with instructions in front, merged into a leading system message."""
    if not instructions:
        return list(messages)
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        joined = f"{instructions}\n\n{first['content']}"
        return [{**first, "content": joined}, *messages[1:]]
    return [{"role": "system", "content": instructions}, *messages]


def add_cache_marks(messages: Sequence[Json]) -> list[Json]:
    """Return the messages with a cache mark on the first and on the last."""
    last = len(messages) - 1
    return [
        _mark_message(message) if index in (0, last) else message
        for index, message in enumerate(messages)
    ]


def move_result_images(messages: list[Json]) -> list[Json]:
    """Return the messages with images of tool results moved to a user message after them."""
    moved: list[Json] = []
    pending_images: list[object] = []
    for message in messages:
        if message.get("role") != "tool" and pending_images:
            moved.append({"role": "user", "content": pending_images})
            pending_images = []
        parts = as_list(message.get("content")) if message.get("role") == "tool" else ()
        images = [part for part in parts if as_mapping(part).get("type") not in (None, "text")]
        moved.append({**message, "content": _tool_result_text(parts)} if images else message)
        pending_images += images
    return [*moved, {"role": "user", "content": pending_images}] if pending_images else moved


def _clean_message(message: Message, provider: Provider, model: str) -> Json:
    dropped = _AGENT_FIELDS | (_REASONING_FIELDS - provider.history.reasoning_fields)
    provider_data = as_mapping(message.get("provider_data"))
    replayed = {name: provider_data[name] for name in provider_data if name == "reasoning_details"}
    cleaned: Json = {
        name: value
        for name, value in {**replayed, **message}.items()
        if not name.startswith("_") and name not in dropped
    }
    if "tool_calls" in cleaned:
        cleaned["tool_calls"] = [
            _clean_call(call, provider, model) for call in as_objects(cleaned["tool_calls"])
        ]
        if not cleaned["tool_calls"]:
            # Servers refuse null and an empty list.
            del cleaned["tool_calls"]
    return cleaned


def _clean_call(call: Mapping[str, object], provider: Provider, model: str) -> Json:
    if tool_calls.is_custom_tool_call(call):
        name, free_text = tool_calls.custom_tool_input(call)
        return {
            "id": call.get("id"),
            "type": tool_calls.CUSTOM_TOOL,
            "custom": {"name": name, "input": free_text},
        }
    has_signatures = provider.history.tool_call_extras or any(
        name in model.lower() for name in _SIGNED_MODELS
    )
    provider_data = as_mapping(call.get("provider_data"))
    extras = {name: provider_data[name] for name in provider_data if name == "extra_content"}
    return {
        name: _encode_arguments(value) if name == "function" else value
        for name, value in {**extras, **call}.items()
        if not name.startswith("_")
        and name not in _AGENT_CALL_FIELDS
        and (has_signatures or name != "extra_content")
    }


def _encode_arguments(function: object) -> object:
    """Return a function with text arguments: some servers send objects, none accept them."""
    call = as_mapping(function)
    if not isinstance(call.get("arguments"), Mapping):
        return function
    return {**call, "arguments": write_json(call["arguments"])}


def _set_system_role(messages: list[Json], provider: Provider, model: str) -> list[Json]:
    """Return the messages with the role that the model knows: "system" or OpenAI's "developer"."""
    if not any(part in model.lower() for part in provider.history.developer_models):
        return [_change_role("system", message, "developer") for message in messages]
    return [_change_role("developer", turn, "system") for turn in messages[:1]] + messages[1:]


def _change_role(role: str, message: Json, old_role: str) -> Json:
    return {**message, "role": role} if message.get("role") == old_role else message


def _tool_result_text(parts: Sequence[object]) -> str:
    texts = [
        part if isinstance(part, str) else text(as_mapping(part).get("text")) for part in parts
    ]
    return "\n".join(part for part in texts if part) or "(see the image that follows)"


def _mark_message(message: Json) -> Json:
    content = message.get("content")
    if isinstance(content, str) and content:
        part = {"type": "text", "text": content, "cache_control": _CACHE_MARK}
        return {**message, "content": [part]}
    parts = as_list(content)
    if not parts or not isinstance(parts[-1], Mapping):
        return message
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": _CACHE_MARK}]}
