"""Tool calls in a conversation: their ids, and names in the letters that a wire allows."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

from ....ports.models.chat import ChatRequest, Message, Tool
from ...values.json_values import as_mapping, as_objects, steady_id, text, write_json


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with an id on each call, and on each result that has a call before it.

    A result without one is that of the first call that waits; what has an id keeps it.
    """
    waiting: list[str] = []
    named: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant":
            sent = _called(message)
            ids = (text(call.get("id")) for call in as_objects(sent.get("tool_calls")))
            waiting = [own for own in ids if own]
        else:
            sent = _answered(message, waiting) if message.get("role") == "tool" else message
        named.append(sent)
    return named


def _called(message: Message) -> Message:
    calls = as_objects(message.get("tool_calls"))
    if all(text(call.get("id")) for call in calls):
        return message
    return {**message, "tool_calls": [_named(call, place) for place, call in enumerate(calls)]}


def _named(call: Mapping[str, object], place: int) -> Mapping[str, object]:
    function = as_mapping(call.get("function"))
    name, held = text(function.get("name")), function.get("arguments")
    if text(call.get("id")) or not name:
        return call
    arguments = write_json(held) if isinstance(held, Mapping) else text(held)
    return {**call, "id": steady_id(name, arguments, place)}


def _answered(message: Message, waiting: list[str]) -> Message:
    own = text(message.get("tool_call_id"))
    if own in waiting:
        waiting.remove(own)
    elif not own and waiting:
        return {**message, "tool_call_id": waiting.pop(0)}
    return message


# What a call of OpenAI's free-form tools is marked with on its way through an agent.
CUSTOM_TOOL = "custom"
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_MAX_TOOL_NAME_CHARS = 64
_DIGITS = 8


def is_custom(call: Mapping[str, object]) -> bool:
    """Tell whether a call is one of a free-form tool, whose input is a text and no JSON."""
    return CUSTOM_TOOL in (call.get("type"), as_mapping(call.get("provider_data")).get("type"))


def custom_input(call: Mapping[str, object]) -> tuple[str, str]:
    """Return name and input of a free-form call, in OpenAI's shape or in that of a function."""
    custom, function = as_mapping(call.get("custom")), as_mapping(call.get("function"))
    name = text(custom.get("name")) or text(function.get("name"))
    return name, text(custom.get("input")) or text(function.get("arguments"))


def wire_name(name: str) -> str:
    """Return a name of at most 64 letters, digits, ``_`` and ``-``; such a one is kept as it is.

    >>> wire_name("web.search"), wire_name("lookup")
    ('web_search', 'lookup')
    """
    clean = _FOREIGN.sub("_", name) or "_"
    if len(clean) <= _MAX_TOOL_NAME_CHARS:
        return clean
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{clean[: _MAX_TOOL_NAME_CHARS - _DIGITS - 1]}_{digest}"


def tool_name(tool: Tool) -> str:
    """Return the name of a tool, a function or not; nothing if it has none."""
    return text(as_mapping(tool.get("function")).get("name")) or text(tool.get("name"))


def given_name(name: str, request: ChatRequest | None) -> str:
    """Return the name that the caller knows the tool by."""
    tools: Iterable[Tool] = () if request is None else request.tools
    names = [tool_name(tool) for tool in tools]
    if name in names:
        return name
    return next((known for known in names if known and wire_name(known) == name), name)
