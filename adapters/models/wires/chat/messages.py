"""Messages on their way to a chat completions API: what is ours stays here, the rest goes on."""

from collections.abc import Mapping, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_list, as_mapping, as_objects, text, write_json
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json
from ...messages.tool_calls import CUSTOM_TOOL, custom_input, is_custom, with_tool_call_ids

# What an agent keeps beside a message; strict servers answer 400 or 422 to any of it.
_OURS = frozenset(
    {
        "anthropic_content_blocks",
        "api_content",
        "bedrock_content_blocks",
        "codex_message_items",
        "codex_reasoning_items",
        "effect_disposition",
        "finish_reason",
        "provider_data",
        "timestamp",
        "tool_name",
    }
)
_OURS_IN_CALLS = frozenset({"call_id", "provider_data", "response_item_id"})
_REASONING = frozenset({"reasoning", "reasoning_content", "reasoning_details"})
# Gemini wants its thought signatures back with each call; everybody else refuses them.
_SIGNED_CALLS = ("gemini", "gemma")
_MARK = {"type": "ephemeral"}


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the messages as this provider takes them; they are its format already."""
    sent = [_sent(message, provider, model) for message in with_tool_call_ids(messages)]
    prepared = [dict(message) for message in provider.changes.prepare_messages(sent, model)]
    spoken = _with_developer(prepared, provider, model)
    if provider.history.images_in_tool_results:
        return Conversation(messages=spoken)
    return Conversation(messages=with_images_moved(spoken))


def with_instructions(messages: Sequence[Message], instructions: str) -> list[Message]:
    """Put instructions before everything, in one system message with the first if it is one."""
    if not instructions:
        return list(messages)
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        joined = f"{instructions}\n\n{first['content']}"
        return [{**first, "content": joined}, *messages[1:]]
    return [{"role": "system", "content": instructions}, *messages]


def with_cache_marks(messages: Sequence[Json]) -> list[Json]:
    """Mark the end of the first message and of the last, so that a cache keeps all up to there."""
    last = len(messages) - 1
    return [
        _marked(message) if index in (0, last) else message
        for index, message in enumerate(messages)
    ]


def with_images_moved(messages: list[Json]) -> list[Json]:
    """Leave the text of tool results where it is, and show their images in a user's turn after."""
    moved: list[Json] = []
    waiting: list[object] = []
    for message in messages:
        if message.get("role") != "tool" and waiting:
            moved.append({"role": "user", "content": waiting})
            waiting = []
        parts = as_list(message.get("content")) if message.get("role") == "tool" else ()
        shown = [part for part in parts if as_mapping(part).get("type") not in (None, "text")]
        moved.append({**message, "content": _text_of(parts)} if shown else message)
        waiting += shown
    return [*moved, {"role": "user", "content": waiting}] if waiting else moved


def _sent(message: Message, provider: Provider, model: str) -> Json:
    left_out = _OURS | (_REASONING - provider.history.reasoning_fields)
    held = as_mapping(message.get("provider_data"))
    replayed = {name: held[name] for name in held if name == "reasoning_details"}
    sent: Json = {
        name: value
        for name, value in {**replayed, **message}.items()
        if not name.startswith("_") and name not in left_out
    }
    if "tool_calls" in sent:
        sent["tool_calls"] = [
            _call(call, provider, model) for call in as_objects(sent["tool_calls"])
        ]
        if not sent["tool_calls"]:
            # Null and an empty list mean the same, and servers refuse either.
            del sent["tool_calls"]
    return sent


def _call(call: Mapping[str, object], provider: Provider, model: str) -> Json:
    if is_custom(call):
        name, words = custom_input(call)
        return {"id": call.get("id"), "type": CUSTOM_TOOL, "custom": {"name": name, "input": words}}
    signed = provider.history.tool_call_extras or any(
        name in model.lower() for name in _SIGNED_CALLS
    )
    held = as_mapping(call.get("provider_data"))
    extras = {name: held[name] for name in held if name == "extra_content"}
    return {
        name: _written(value) if name == "function" else value
        for name, value in {**extras, **call}.items()
        if not name.startswith("_")
        and name not in _OURS_IN_CALLS
        and (signed or name != "extra_content")
    }


def _written(function: object) -> object:
    """Return a function with its arguments as text; some servers give objects, none takes them."""
    call = as_mapping(function)
    if not isinstance(call.get("arguments"), Mapping):
        return function
    return {**call, "arguments": write_json(call["arguments"])}


def _with_developer(messages: list[Json], provider: Provider, model: str) -> list[Json]:
    """Return the messages with the role that the model knows: OpenAI's own have a second name."""
    if not any(part in model.lower() for part in provider.history.developer_models):
        return [_as("system", message, "developer") for message in messages]
    return [_as("developer", message, "system") for message in messages[:1]] + messages[1:]


def _as(role: str, message: Json, other: str) -> Json:
    return {**message, "role": role} if message.get("role") == other else message


def _text_of(parts: Sequence[object]) -> str:
    texts = [
        part if isinstance(part, str) else text(as_mapping(part).get("text")) for part in parts
    ]
    return "\n".join(part for part in texts if part) or "(see the image that follows)"


def _marked(message: Json) -> Json:
    content = message.get("content")
    if isinstance(content, str) and content:
        part = {"type": "text", "text": content, "cache_control": _MARK}
        return {**message, "content": [part]}
    parts = as_list(content)
    if not parts or not isinstance(parts[-1], Mapping):
        return message
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": _MARK}]}
