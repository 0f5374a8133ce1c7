"""Tool calls in an answer, whole or in fragments, with arguments in every state.

https://platform.openai.com/docs/api-reference/chat-streaming (2026-11-15): a fragment belongs to
its ``index``; servers that leave that out, or write it wrong, are read by ids and names.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from .....ports.models.chat import ToolCall, ToolCallDelta
from ....values.json_values import as_mapping, as_objects, steady_id, text, write_json
from ...declaration.wire import Json
from ...messages.tool_calls import CUSTOM_TOOL


def delta_calls(delta: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the calls in a message or a piece of one; the oldest way has no list but a function.

    A few servers, TGI among them, leave the list out around a single call.
    """
    listed_calls = delta.get("tool_calls")
    calls = as_objects([listed_calls] if isinstance(listed_calls, Mapping) else listed_calls)
    alone = delta.get("function_call")
    return [{"function": alone}] if not calls and isinstance(alone, Mapping) else calls


def _known_name(held: Json, piece: str) -> str:
    """Return the name so far: it comes once, with every fragment, or in fragments itself."""
    name = text(held["name"])
    if piece.startswith(name):
        return piece
    return name if held["arguments"] else name + piece


class CallParts:
    """The calls of one streamed answer, each a dict of what has come so far."""

    def __init__(self) -> None:
        """Begin with no call."""
        self.parts: list[Json] = []
        self._places: dict[object, int] = {}

    def add(self, call: Mapping[str, object]) -> ToolCallDelta:
        """Add one fragment to the call it belongs to, and return it for a reader."""
        function = _function(call)
        arguments = function.get("arguments")
        own, name = text(call.get("id")), text(function.get("name"))
        # Without a name it goes on with a call, whatever id it has.
        place = self._place(call.get("index"), own if name or not self.parts else "")
        held = self.parts[place]
        known = _known_name(held, name)
        piece = ToolCallDelta(
            index=place,
            id=own,
            name="" if known == held["name"] else known,
            arguments=write_json(arguments) if isinstance(arguments, Mapping) else text(arguments),
        )
        held["id"] = held["id"] or piece.id
        held["name"] = known
        held["arguments"] = text(held["arguments"]) + piece.arguments
        held.update(
            {field: call[field] for field in ("extra_content", "custom") if call.get(field)}
        )
        return piece

    def whole(self) -> list[Json]:
        """Return the calls as an answer that was not streamed would have them."""
        return [_whole(part) for part in self.parts]

    def _place(self, index: object, identity: str) -> int:
        """Find the call by its index; another id under the same index is another call."""
        key = index if isinstance(index, int) else (identity or None)
        place = self._places.get(key, None if self._is_new(key, identity) else len(self.parts) - 1)
        if place is None or self._differs(place, identity):
            self.parts.append({"id": "", "name": "", "arguments": ""})
            place = len(self.parts) - 1
        self._places[key] = place
        return place

    def _is_new(self, key: object, identity: str) -> bool:
        return not self.parts or key is not None or bool(identity)

    def _differs(self, place: int, identity: str) -> bool:
        held = self.parts[place]["id"]
        return bool(identity and held and identity != held)


_DECODER = json.JSONDecoder()


def _function(call: Mapping[str, object]) -> Mapping[str, object]:
    """Return name and arguments of a call; a free-form tool's input stands for arguments."""
    custom = as_mapping(call.get("custom"))
    if not custom:
        return as_mapping(call.get("function"))
    return {"name": custom.get("name"), "arguments": custom.get("input")}


def _whole(part: Json) -> Json:
    if part.get("custom"):
        named = {"name": part["name"], "input": part["arguments"]}
        return {"id": part["id"], "type": CUSTOM_TOOL, "custom": named}
    return {
        "id": part["id"],
        "function": {"name": part["name"], "arguments": part["arguments"]},
        "extra_content": part.get("extra_content"),
    }


def read_calls(message: Mapping[str, object]) -> Iterator[ToolCall]:
    """Yield the calls of a message; one without a name is none."""
    for place, call in enumerate(delta_calls(message)):
        function = _function(call)
        name = text(function.get("name"))
        if name and call.get("custom"):
            words = text(function.get("arguments"))
            own = text(call.get("id")) or steady_id(name, words, place)
            yield ToolCall(id=own, name=name, arguments=words, provider_data={"type": CUSTOM_TOOL})
        elif name:
            yield from _read_call(call, name, _arguments(function.get("arguments")), place)


def _read_call(
    call: Mapping[str, object], name: str, arguments: list[str], place: int
) -> Iterator[ToolCall]:
    extra = call.get("extra_content")
    for number, text_of_one in enumerate(arguments):
        # The id belongs to the first of what was glued together.
        identity = text(call.get("id")) if number == 0 else ""
        yield ToolCall(
            id=identity or steady_id(name, text_of_one, place + number),
            name=name,
            arguments=text_of_one,
            provider_data={"extra_content": extra} if extra else None,
        )


def _arguments(arguments: object) -> list[str]:
    """Return arguments as JSON texts: one, or several where a server glued calls together."""
    if not isinstance(arguments, str):
        return [write_json(arguments) if isinstance(arguments, Mapping) else "{}"]
    if arguments.strip() in ("", '""', "null"):
        return ["{}"]
    return _unglued(arguments) or [arguments]


def _unglued(arguments: str) -> list[str]:
    """Split ``{...}{...}`` into its objects; nothing if it is anything else."""
    parts: list[str] = []
    rest = arguments.strip()
    while rest:
        try:
            value, end = _DECODER.raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        parts.append(rest[:end])
        rest = rest[end:].lstrip()
    return parts if len(parts) > 1 else []
