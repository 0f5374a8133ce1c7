"""Tool calls in an answer, with arguments in every state that servers send them in."""

import json
from collections.abc import Iterator, Mapping

from ....ports.models import ToolCall
from ...values.json import mapping, steady_id, text, write
from .chat_fragments import calls_in

_DECODER = json.JSONDecoder()


def read_calls(message: Mapping[str, object]) -> Iterator[ToolCall]:
    """Yield the calls of a message; one without a name is none."""
    for place, call in enumerate(calls_in(message)):
        function = mapping(call.get("function"))
        name = text(function.get("name"))
        if name:
            yield from _read_call(call, name, _arguments(function.get("arguments")), place)


def _read_call(
    call: Mapping[str, object], name: str, arguments: list[str], place: int
) -> Iterator[ToolCall]:
    extra = call.get("extra_content")
    for number, text_of_one in enumerate(arguments):
        # The id belongs to the first of what was glued together.
        given = text(call.get("id")) if number == 0 else ""
        yield ToolCall(
            id=given or steady_id(name, text_of_one, place + number),
            name=name,
            arguments=text_of_one,
            provider_data={"extra_content": extra} if extra else None,
        )


def _arguments(given: object) -> list[str]:
    """Return arguments as JSON texts: one, or several where a server glued calls together."""
    if not isinstance(given, str):
        return [write(given) if isinstance(given, Mapping) else "{}"]
    if given.strip() in ("", '""', "null"):
        return ["{}"]
    return _unglued(given) or [given]


def _unglued(given: str) -> list[str]:
    """Split ``{...}{...}`` into its objects; nothing if it is anything else."""
    parts: list[str] = []
    rest = given.strip()
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
