"""Ids of tool calls that came without one: a call and its result must find each other."""

from collections.abc import Mapping, Sequence

from ...ports.models import Message
from ..values.json import mapping, objects, steady_id, text, write


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with an id on each call, and on each result that has a call before it.

    A result without one is that of the first call that waits; what has an id keeps it.
    """
    waiting: list[str] = []
    named: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant":
            given = _called(message)
            found = (text(call.get("id")) for call in objects(given.get("tool_calls")))
            waiting = [own for own in found if own]
        else:
            given = _answered(message, waiting) if message.get("role") == "tool" else message
        named.append(given)
    return named


def _called(message: Message) -> Message:
    calls = objects(message.get("tool_calls"))
    if all(text(call.get("id")) for call in calls):
        return message
    return {**message, "tool_calls": [_named(call, place) for place, call in enumerate(calls)]}


def _named(call: Mapping[str, object], place: int) -> Mapping[str, object]:
    function = mapping(call.get("function"))
    name, given = text(function.get("name")), function.get("arguments")
    if text(call.get("id")) or not name:
        return call
    arguments = write(given) if isinstance(given, Mapping) else text(given)
    return {**call, "id": steady_id(name, arguments, place)}


def _answered(message: Message, waiting: list[str]) -> Message:
    own = text(message.get("tool_call_id"))
    if own in waiting:
        waiting.remove(own)
    elif not own and waiting:
        return {**message, "tool_call_id": waiting.pop(0)}
    return message
