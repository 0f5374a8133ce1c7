"""Tool calls in a conversation: their ids, and names in the letters that a wire allows."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

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


# Which of its tools a request lets a model call, in the two spellings that OpenAI has for it.

_TYPE = "allowed_tools"


class AllowedTools(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that may be called, and whether one of them must be."""

    tools: tuple[Mapping[str, object], ...]
    required: bool

    @property
    def mode(self) -> str:
        """The word that OpenAI has for it."""
        return "required" if self.required else "auto"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those that have one."""
        return tuple(filter(None, map(tool_name, self.tools)))

    def has(self, tool: Tool) -> bool:
        """Tell whether a tool is listed: by its name, else as one of its type."""
        name, kind = tool_name(tool), tool.get("type")
        if name and name in self.names:
            return True
        return any(not tool_name(each) and each.get("type") == kind for each in self.tools)


def allowed_tools(choice: object) -> AllowedTools | None:
    """Return the list in a tool choice, None where it is no list."""
    held = as_mapping(choice)
    inner = as_mapping(held.get(_TYPE)) or held
    tools = as_objects(inner.get("tools"))
    if held.get("type") != _TYPE and not tools:
        return None
    return AllowedTools(tools=tuple(tools), required=inner.get("mode") != "auto")


def allows_nothing(request: ChatRequest) -> bool:
    """Tell whether a request has tools, and lets none of them be called by any of their names."""
    allowed = allowed_tools(request.tool_choice)
    return allowed is not None and not any(map(allowed.has, request.tools))


def narrow_tools(request: ChatRequest) -> ChatRequest:
    """Return the request with those tools alone that may be called, for an API without a list."""
    allowed = allowed_tools(request.tool_choice)
    if allowed is None:
        return request
    tools = tuple(filter(allowed.has, request.tools))
    return msgspec.structs.replace(request, tools=tools, tool_choice=allowed.mode)
