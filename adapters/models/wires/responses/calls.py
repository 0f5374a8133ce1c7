"""Tool calls among the items of the Responses API, under the names the caller gave."""

from collections.abc import Iterator, Mapping, Sequence

from .....ports.models import ChatRequest, ToolCall
from ....values.json import mapping, steady_id, text, write
from .input import RENAMED

_UNFINISHED = ("queued", "in_progress", "incomplete")


def read_calls(
    output: Sequence[Mapping[str, object]], request: ChatRequest | None
) -> Iterator[ToolCall]:
    """Yield the calls that are for the caller; one that was cut off is none."""
    declared = declared_names(request)
    for place, item in enumerate(output):
        name = caller_name(text(item.get("name")), declared)
        if is_ours(item, name, request) and item.get("status") not in _UNFINISHED:
            yield _call(item, name, place)


def is_ours(item: Mapping[str, object], name: str, request: ChatRequest | None) -> bool:
    """Tell whether an item is a call for the caller: providers show their own tools' calls too.

    A custom call is, if it was declared. A function's call is, unless the caller has none: a name
    that was made up is still the model's wish, and the caller may tell it so.
    """
    declared = declared_names(request)
    if item.get("type") == "custom_tool_call":
        return name in declared
    return (
        bool(name) and item.get("type") == "function_call" and (request is None or bool(declared))
    )


def declared_names(request: ChatRequest | None) -> frozenset[str]:
    """Return the names of the functions that a request declares."""
    tools = () if request is None else request.tools
    names = (text(mapping(tool.get("function", tool)).get("name")) for tool in tools)
    return frozenset(name for name in names if name)


def caller_name(name: str, declared: frozenset[str]) -> str:
    """Return the name that the caller knows: the one before it was renamed for the wire."""
    bare = name.removeprefix(RENAMED)
    return bare if name not in declared and bare in declared else name


def call_id_of(item: Mapping[str, object]) -> str:
    """Return the id of a call item; blank if it has none."""
    identity = text(item.get("id"))
    bare = "call_" + identity.removeprefix("fc_") if identity.startswith("fc_") else identity
    return text(item.get("call_id")) or bare


def _call(item: Mapping[str, object], name: str, place: int) -> ToolCall:
    held = item.get("arguments", item.get("input"))
    arguments = write(held) if isinstance(held, Mapping) else text(held).strip() or "{}"
    return ToolCall(
        id=call_id_of(item) or steady_id(name, arguments, place), name=name, arguments=arguments
    )
