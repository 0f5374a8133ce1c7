"""Tool calls among the items of the Responses API, under the names the caller gave.

https://platform.openai.com/docs/guides/function-calling (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from .....ports.models.chat import ChatRequest, ToolCall
from ....values.json_values import as_mapping, steady_id, text, write_json
from ...messages.tool_calls import CUSTOM_TOOL
from .content import message_text, refusal_text
from .replay import RENAMED, correlation_fields

_UNFINISHED = ("queued", "in_progress")
_FREE = "custom_tool_call"


def read_calls(
    output: Sequence[Mapping[str, object]], request: ChatRequest | None, *, cut: bool = False
) -> Iterator[ToolCall]:
    """Yield the calls that are for the caller.

    In an answer that was ``cut`` off, a call that is not finished is none. In one that is complete
    it is: some servers never change the status that a call began with.
    """
    declared = declared_names(request)
    spoken = max((at for at, item in enumerate(output) if _speaks(item)), default=-1)
    for place, item in enumerate(output):
        name = caller_name(text(item.get("name")), declared)
        ours = is_caller_call(item, name, request) or (place > spoken and awaits_result(item, name))
        status = item.get("status")
        if ours and status != "incomplete" and not (cut and status in _UNFINISHED):
            yield _call(item, name, place)


def awaits_result(item: Mapping[str, object], name: str) -> bool:
    """Tell whether an item looks like a call that somebody has to answer.

    At the end of an answer, with nothing said after it, it is the caller's even if the tool was not
    listed by name: it may come from a namespace, a stored prompt or a search for tools.
    """
    kind = item.get("type")
    return bool(name) and (
        kind == "function_call" or (kind == _FREE and bool(text(item.get("call_id"))))
    )


def _speaks(item: Mapping[str, object]) -> bool:
    return item.get("type", "message") == "message" and bool(
        message_text(item) or refusal_text([item])
    )


def is_caller_call(item: Mapping[str, object], name: str, request: ChatRequest | None) -> bool:
    """Tell whether an item is a call for the caller: providers show their own tools' calls too.

    A custom call is, if it was declared. A function's call is, unless the caller has none: a name
    that was made up is still the model's wish, and the caller may tell it so.
    """
    declared = declared_names(request)
    if item.get("type") == _FREE:
        return name in declared
    return (
        bool(name) and item.get("type") == "function_call" and (request is None or bool(declared))
    )


def declared_names(request: ChatRequest | None) -> frozenset[str]:
    """Return the names of the functions that a request declares."""
    tools = () if request is None else request.tools
    names = (text(as_mapping(tool.get("function", tool)).get("name")) for tool in tools)
    return frozenset(name for name in names if name)


def caller_name(name: str, declared: frozenset[str]) -> str:
    """Return the name that the caller knows: the one before it was renamed for the wire."""
    bare = name.removeprefix(RENAMED)
    return bare if name not in declared and bare in declared else name


def item_call_id(item: Mapping[str, object]) -> str:
    """Return the id of a call item; blank if it has none."""
    identity = text(item.get("id"))
    bare = "call_" + identity.removeprefix("fc_") if identity.startswith("fc_") else identity
    return text(item.get("call_id")) or bare


def _call(item: Mapping[str, object], name: str, place: int) -> ToolCall:
    if item.get("type") == _FREE:
        words = text(item.get("input"))
        own = item_call_id(item) or steady_id(name, words, place)
        held = {"type": CUSTOM_TOOL, **correlation_fields(item)}
        return ToolCall(id=own, name=name, arguments=words, provider_data=held)
    written = item.get("arguments", item.get("input"))
    arguments = (
        write_json(written) if isinstance(written, Mapping) else text(written).strip() or "{}"
    )
    return ToolCall(
        id=item_call_id(item) or steady_id(name, arguments, place),
        name=name,
        arguments=arguments,
        provider_data=correlation_fields(item) or None,
    )
