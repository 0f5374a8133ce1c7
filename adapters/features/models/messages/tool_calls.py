"""Tool calls in a conversation: their ids, names that a wire allows, and allowed tools."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from webseam.adapters.values.json_values import as_mapping, as_objects, stable_id, text, write_json
from webseam.ports.models import ChatRequest, Message, Tool

# The type of a call of OpenAI's free-form tools.
CUSTOM_TOOL = "custom"
_DISALLOWED_NAME_PATTERN = re.compile(r"[^A-Za-z0-9_-]")
_MAX_TOOL_NAME_CHARS = 64
_NAME_DIGEST_CHARS = 8
_ALLOWED_TOOLS_TYPE = "allowed_tools"


def add_tool_call_ids(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with an id on each call, and on each result that has a call before it.

    A result without an id gets that of the first open call; existing ids stay.
    """
    open_ids: list[str] = []
    messages_with_ids: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant":
            sent = _add_message_ids(message)
            ids = (text(call.get("id")) for call in as_objects(sent.get("tool_calls")))
            open_ids = [call_id for call_id in ids if call_id]
        else:
            sent = _add_result_id(message, open_ids) if message.get("role") == "tool" else message
        messages_with_ids.append(sent)
    return messages_with_ids


def _add_message_ids(message: Message) -> Message:
    calls = as_objects(message.get("tool_calls"))
    if all(text(call.get("id")) for call in calls):
        return message
    return {**message, "tool_calls": [_add_call_id(call, i) for i, call in enumerate(calls)]}


def _add_call_id(call: Mapping[str, object], index: int) -> Mapping[str, object]:
    function = as_mapping(call.get("function"))
    name, raw_value = text(function.get("name")), function.get("arguments")
    if text(call.get("id")) or not name:
        return call
    arguments = write_json(raw_value) if isinstance(raw_value, Mapping) else text(raw_value)
    return {**call, "id": stable_id(name, arguments, index)}


def _add_result_id(message: Message, open_ids: list[str]) -> Message:
    call_id = text(message.get("tool_call_id"))
    if call_id in open_ids:
        open_ids.remove(call_id)
    elif not call_id and open_ids:
        return {**message, "tool_call_id": open_ids.pop(0)}
    return message


def is_custom_tool_call(call: Mapping[str, object]) -> bool:
    """Tell whether a call is of a free-form tool, whose input is a text instead of JSON."""
    return CUSTOM_TOOL in (call.get("type"), as_mapping(call.get("provider_data")).get("type"))


def custom_tool_input(call: Mapping[str, object]) -> tuple[str, str]:
    """Return name and input of a free-form call, from ``custom`` or from ``function``."""
    custom, function = as_mapping(call.get("custom")), as_mapping(call.get("function"))
    name = text(custom.get("name")) or text(function.get("name"))
    return name, text(custom.get("input")) or text(function.get("arguments"))


def wire_name(name: str) -> str:
    """Return a name of at most 64 letters, digits, ``_`` and ``-``; a valid name stays.

    >>> wire_name("web.search")
    'web_search'
    >>> wire_name("lookup")
    'lookup'
    """
    clean = _DISALLOWED_NAME_PATTERN.sub("_", name) or "_"
    if len(clean) <= _MAX_TOOL_NAME_CHARS:
        return clean
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_DIGEST_CHARS]
    return f"{clean[: _MAX_TOOL_NAME_CHARS - _NAME_DIGEST_CHARS - 1]}_{digest}"


def is_openai_function(tool: Tool) -> bool:
    """Tell whether a tool is a function in OpenAI's format."""
    return isinstance(tool.get("function"), Mapping) or tool.get("type") == "function"


def tool_name(tool: Tool) -> str:
    """Return the name of a tool, a function or not; blank if it has none."""
    return text(as_mapping(tool.get("function")).get("name")) or text(tool.get("name"))


def callers_tool_name(name: str, request: ChatRequest | None) -> str:
    """Return the caller's own name of a tool."""
    tools: Iterable[Tool] = () if request is None else request.tools
    names = [tool_name(tool) for tool in tools]
    if name in names:
        return name
    return next((own_name for own_name in names if own_name and wire_name(own_name) == name), name)


class AllowedTools(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that a model may call, and whether it must call one."""

    tools: tuple[Mapping[str, object], ...]
    required: bool

    @property
    def mode(self) -> str:
        """OpenAI's name of the mode."""
        return "required" if self.required else "auto"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools that have one."""
        return tuple(filter(None, map(tool_name, self.tools)))

    def allows_tool(self, tool: Tool) -> bool:
        """Tell whether a tool is listed, by its name or else by its type."""
        name, kind = tool_name(tool), tool.get("type")
        if name and name in self.names:
            return True
        return any(not tool_name(allowed) and allowed.get("type") == kind for allowed in self.tools)


def allowed_tools(choice: object) -> AllowedTools | None:
    """Return the allowed tools in either of OpenAI's shapes; None without a list."""
    fields = as_mapping(choice)
    inner = as_mapping(fields.get(_ALLOWED_TOOLS_TYPE)) or fields
    tools = as_objects(inner.get("tools"))
    if fields.get("type") != _ALLOWED_TOOLS_TYPE and not tools:
        return None
    return AllowedTools(tools=tuple(tools), required=inner.get("mode") != "auto")


def allows_no_tool(request: ChatRequest) -> bool:
    """Tell whether a request's tool choice allows none of its tools."""
    allowed = allowed_tools(request.tool_choice)
    return allowed is not None and not any(map(allowed.allows_tool, request.tools))


def is_tool_forced(request: ChatRequest) -> bool:
    """Tell whether the model must call a tool."""
    choice = request.tool_choice
    if choice is None or not request.tools:
        return False
    if isinstance(choice, str):
        return choice not in ("auto", "none")
    allowed = allowed_tools(choice)
    return choice.get("type") not in ("auto", "none") if allowed is None else allowed.required


def narrow_tools(request: ChatRequest) -> ChatRequest:
    """Return the request with only its allowed tools, for an API without such a list."""
    allowed = allowed_tools(request.tool_choice)
    if allowed is None:
        return request
    tools = tuple(filter(allowed.allows_tool, request.tools))
    return msgspec.structs.replace(request, tools=tools, tool_choice=allowed.mode)
