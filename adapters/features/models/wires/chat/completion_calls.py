"""Tool calls of a chat completion, complete or in fragments.

https://platform.openai.com/docs/api-reference/chat-streaming (2026-11-15): ``index`` says which
call a fragment belongs to; servers that omit it or get it wrong are read by ids and names.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from webseam.adapters.values.json_values import as_mapping, as_objects, stable_id, text, write_json
from webseam.ports.models import ToolCall, ToolCallDelta

from ...declaration.wire import Json
from ...messages.tool_calls import CUSTOM_TOOL

_KNOWN_CALL_FIELDS = frozenset({
    "id", "type", "index", "function", "custom", "extra_content",
})  # fmt: skip
_JSON_DECODER = json.JSONDecoder()
_BLANKS_PATTERN = re.compile(r"\s+")


def delta_calls(delta: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the calls in a message or a delta; the oldest format has one ``function_call``.

    A few servers, such as TGI, send a single call without a list.
    """
    listed_calls = delta.get("tool_calls")
    calls = as_objects([listed_calls] if isinstance(listed_calls, Mapping) else listed_calls)
    single_call = delta.get("function_call")
    return [{"function": single_call}] if not calls and isinstance(single_call, Mapping) else calls


def _extend_call_name(name: str, piece: str, *, has_arguments: bool) -> str:
    """Return the name so far; servers send it once, with every fragment, or in fragments."""
    if piece.startswith(name):
        return piece
    return name if has_arguments else name + piece


class StreamedCalls:
    """The calls of one streamed answer, each a dict with the fields so far."""

    def __init__(self) -> None:
        self.parts: list[Json] = []
        self._arguments: list[list[str]] = []
        self._positions: dict[object, int] = {}

    def add_fragment(self, call: Mapping[str, object]) -> ToolCallDelta:
        """Add one fragment to its call, and return it as a delta."""
        function = _call_function(call)
        arguments = function.get("arguments")
        call_id, name = text(call.get("id")), text(function.get("name"))
        # A fragment with arguments and no name continues a call, even with another id.
        starts_call = bool(name or not self.parts or not arguments)
        index = self._position(call.get("index"), call_id if starts_call else "", name)
        call_so_far = self.parts[index]
        id_so_far = text(call_so_far["id"])
        if call_id and starts_call and id_so_far != call_id:
            # An id may come in pieces, too.
            call_so_far["id"] = call_id if call_id.startswith(id_so_far) else id_so_far + call_id
        name_so_far = _extend_call_name(
            text(call_so_far["name"]), name, has_arguments=bool(self._arguments[index])
        )
        piece = ToolCallDelta(
            index=index,
            id="" if call_so_far["id"] == id_so_far else text(call_so_far["id"]),
            name="" if name_so_far == call_so_far["name"] else name_so_far,
            arguments=write_json(arguments) if isinstance(arguments, Mapping) else text(arguments),
        )
        call_so_far["name"] = name_so_far
        if piece.arguments:
            self._arguments[index].append(piece.arguments)
        if call.get("extra_content"):
            call_so_far["extra_content"] = call["extra_content"]
        if not call.keys() <= _KNOWN_CALL_FIELDS:
            call_so_far["unread"] = {
                **as_mapping(call_so_far.get("unread")),
                **{field: call[field] for field in call if field not in _KNOWN_CALL_FIELDS},
            }
        if _is_custom_call(call):
            call_so_far["custom"] = True
        return piece

    def complete_calls(self) -> list[Json]:
        """Return the complete calls, in the format of an answer without streaming."""
        arguments = map("".join, self._arguments)
        return [*map(_complete_call, self.parts, arguments)]

    def _position(self, index: object, identity: str, name: str) -> int:
        """Return the position of a fragment's call.

        Another name with another id at the same index is a new call; an id without a name is the
        next piece of the id there.
        """
        key = index if isinstance(index, int) else (identity or None)
        # A fragment without index and id continues the last call.
        continues_last = bool(self.parts) and key is None
        position = self._positions.get(key, len(self.parts) - 1 if continues_last else None)
        if position is None or self._is_other_call(
            position, identity, name, has_index=isinstance(index, int)
        ):
            self.parts.append({"id": "", "name": ""})
            self._arguments.append([])
            position = len(self.parts) - 1
        self._positions[key] = position
        return position

    def _is_other_call(self, position: int, identity: str, name: str, *, has_index: bool) -> bool:
        call = self.parts[position]
        is_other_id = bool(identity and call["id"] and identity != call["id"])
        is_piece = has_index and not (name and call["name"])
        return is_other_id and not is_piece


def _is_custom_call(call: Mapping[str, object]) -> bool:
    """Tell whether a call is to a free-form tool; Snowflake sends a blank one with each call."""
    return any(as_mapping(call.get("custom")).values())


def _call_function(call: Mapping[str, object]) -> Mapping[str, object]:
    """Return name and arguments of a call; a free-form tool's input counts as arguments."""
    if not _is_custom_call(call):
        return as_mapping(call.get("function"))
    custom = as_mapping(call["custom"])
    return {"name": custom.get("name"), "arguments": custom.get("input")}


def _complete_call(part: Json, arguments: str) -> Json:
    unread = as_mapping(part.get("unread"))
    if part.get("custom"):
        custom = {"name": part["name"], "input": arguments}
        return {**unread, "id": part["id"], "type": CUSTOM_TOOL, "custom": custom}
    function = {"name": part["name"], "arguments": arguments}
    extra = part.get("extra_content")
    return {**unread, "id": part["id"], "function": function, "extra_content": extra}


def is_named_call(call: Mapping[str, object]) -> bool:
    """Tell whether a call has a name: without one nobody can answer it."""
    return bool(text(_call_function(call).get("name")))


def read_chat_calls(message: Mapping[str, object]) -> Iterator[ToolCall]:
    """Yield the calls of a message; skip those without a name."""
    for index, call in enumerate(delta_calls(message)):
        function = _call_function(call)
        name = text(function.get("name"))
        if name and _is_custom_call(call):
            free_text = text(function.get("arguments"))
            call_id = text(call.get("id")) or stable_id(name, free_text, index)
            custom = {"type": CUSTOM_TOOL}
            yield ToolCall(id=call_id, name=name, arguments=free_text, provider_data=custom)
        elif name:
            arguments = _read_arguments(function.get("arguments"))
            extra = call.get("extra_content")
            for number, argument_text in enumerate(arguments):
                # The id belongs to the first of several concatenated calls.
                identity = text(call.get("id")) if number == 0 else ""
                yield ToolCall(
                    id=identity or stable_id(name, argument_text, index + number),
                    name=name,
                    arguments=argument_text,
                    provider_data={"extra_content": extra} if extra else None,
                )


def _read_arguments(arguments: object) -> list[str]:
    """Return arguments as JSON texts: several, if a server concatenated calls."""
    if not isinstance(arguments, str):
        return [write_json(arguments) if isinstance(arguments, Mapping) else "{}"]
    if arguments.strip() in ("", '""', "null"):
        return ["{}"]
    return _split_arguments(arguments) or [arguments]


def _split_arguments(arguments: str) -> list[str]:
    """Split ``{...}{...}`` into its objects; return nothing for other texts."""
    objects: list[str] = []
    start, stripped = 0, arguments.strip()
    while start < len(stripped):
        try:
            value, end = _JSON_DECODER.raw_decode(stripped, start)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        objects.append(stripped[start:end])
        gap = _BLANKS_PATTERN.match(stripped, end)
        start = gap.end() if gap else end
    return objects if len(objects) > 1 else []
