"""Name the fields of messages that a provider is not sent.

Texts, calls and ids are converted by every wire. Any other field of a message, such as ``name`` or
the ``detail`` of an image, is tried alone: a short conversation with it is built again with other
values. A part that is not text may also become words, where an API has no place for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text, write_json
from webseam.ports.models import ChatRequest, Message

from .provider import Provider
from .wire import Json, Wire, other_field_values

Path = tuple[str | int, ...]

# Fields of a message that every wire sends or translates.
_PLAIN_FIELDS = frozenset({"role", "content", "refusal", "tool_calls", "tool_call_id"})
# What agents note on a message for themselves, and the thoughts of earlier turns, which go back
# only to the models that take them.
_AGENT_FIELDS = frozenset({
    "anthropic_content_blocks", "api_content", "bedrock_content_blocks", "codex_message_items",
    "codex_reasoning_items", "effect_disposition", "finish_reason", "provider_data", "reasoning",
    "reasoning_content", "reasoning_details", "timestamp", "tool_name",
})  # fmt: skip
_PLAIN_PART_FIELDS = frozenset({"type", "text"})
_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal"})
# Thoughts of earlier turns in the form of other APIs.
_THOUGHT_TYPES = frozenset({"thinking", "redacted_thinking", "reasoningContent"})
# Calls and their results, which every wire pairs. Alone, such a part is none.
_PAIRED_TYPES = frozenset({"tool_use", "tool_result", "toolUse", "toolResult"})
_SKIPPED_TYPES = _THOUGHT_TYPES | _PAIRED_TYPES
_RESULT_ROLES = ("tool", "function")
_MAX_PROBE_CHARS, _MAX_PATH_STEPS = 300, 8
_TEXT: Message = {"type": "text", "text": "."}
_QUESTION: Message = {"role": "user", "content": "."}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_CALL_TURN: Message = {"role": "assistant", "content": None, "tool_calls": [_CALL]}


def message_probes(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield short messages with the unusual fields of these, the same one once."""
    seen: set[str] = set()
    for message in messages:
        for probe in _probes(message):
            key = write_json(probe)
            if key not in seen:
                seen.add(key)
                yield probe


def find_unsent_message_fields(
    request: ChatRequest, wire: Wire, provider: Provider
) -> tuple[str, ...]:
    """Return the fields of messages that change nothing in what is sent, each name once.

    They are named without an index, such as ``messages[].content[].image_url.detail``.
    """
    comparison = _Comparison(wire, provider, request.model)
    unsent: dict[str, None] = {}
    for probe in message_probes(request.messages):
        unsent |= dict.fromkeys(comparison.unsent_fields(probe))
    return tuple(unsent)


def _probes(message: Message) -> Iterator[Message]:
    """Yield short messages with the unusual fields of a message: its own ones, and each part's."""
    role = text(message.get("role")) or "user"
    own = {
        name: value
        for name, value in message.items()
        if name not in _PLAIN_FIELDS and _is_for_the_model(name, value)
    }
    if role in _RESULT_ROLES:
        # The call of a result has the name of the tool, too.
        own.pop("name", None)
    if own:
        yield {"role": role, "content": [_TEXT], **_shorten(own)}
    for part in as_objects(message.get("content")):
        is_plain = part.get("type") in _TEXT_TYPES and part.keys() <= _PLAIN_PART_FIELDS
        if not is_plain and part.get("type") not in _SKIPPED_TYPES:
            yield {"role": role, "content": [_shorten(part)]}


def _is_for_the_model(name: str, value: object) -> bool:
    is_noted = name.startswith("_") or name in _AGENT_FIELDS
    return not is_noted and value not in (None, "", [], {})


def _shorten(value: object) -> Json:
    """Return an object with its long texts cut: the kind of a file decides, not its bytes."""
    return {name: _short_value(item) for name, item in as_mapping(value).items()}


def _short_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _shorten(value)
    if isinstance(value, list | tuple):
        return [_short_value(item) for item in value]
    if not isinstance(value, str) or len(value) <= _MAX_PROBE_CHARS:
        return value
    head, comma, _ = value[:_MAX_PROBE_CHARS].partition(",")
    return f"{head},AAAA" if comma and head.startswith("data:") else "AAAA"


class _Comparison(msgspec.Struct, frozen=True):
    """Compares what is sent for one message with what is sent for another."""

    wire: Wire
    provider: Provider
    model: str

    def unsent_fields(self, message: Message) -> Iterator[str]:
        """Yield the fields of a short message that change nothing in what is sent."""
        sent = self._body(message)
        (part,) = as_objects(message["content"])
        kind = text(part.get("type"))
        words = self._body({**message, "content": [_TEXT]})
        if kind not in _TEXT_TYPES and _shape(sent) == _shape(words):
            # The part became words, or nothing.
            yield f"messages[].content[].{kind or 'part'}"
            return
        for path, value in _leaves(message):
            others = (_put(message, path, other) for other in other_field_values(value))
            if all(self._body(other) == sent for other in others):
                yield f"messages[]{_path_name(path)}"

    def _body(self, message: Message) -> Json:
        conversation: tuple[Message, ...] = (message, _QUESTION)
        if message["role"] == "assistant":
            conversation = (_QUESTION, message, _QUESTION)
        elif message["role"] in _RESULT_ROLES:
            conversation = (_QUESTION, _CALL_TURN, {**message, "tool_call_id": "call_1"})
        request = ChatRequest(model=self.model, messages=conversation)
        return self.wire.build_request(request, self.provider).body


def _shape(value: object) -> object:
    """Return a JSON value without its texts and numbers."""
    if isinstance(value, Mapping):
        return {name: _shape(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shape(item) for item in value]
    return None


def _leaves(message: Message) -> Iterator[tuple[Path, object]]:
    """Yield the path and the value of each field that is tried."""
    for name, value in message.items():
        if name not in _PLAIN_FIELDS:
            yield from _leaves_inside(value, (name,))
    for part in as_objects(message["content"]):
        for name, value in part.items():
            if name not in _PLAIN_PART_FIELDS and _is_for_the_model(name, value):
                yield from _leaves_inside(value, ("content", 0, name))


def _leaves_inside(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    if not isinstance(value, Mapping) or not value or len(path) == _MAX_PATH_STEPS:
        yield path, value
        return
    for name, item in value.items():
        yield from _leaves_inside(item, (*path, name))


def _put(value: object, path: Path, leaf: object) -> Any:  # noqa: ANN401  JSON is anything
    """Return a JSON value with another leaf at ``path``."""
    if not path:
        return leaf
    key, *rest = path
    if isinstance(key, int):
        items = as_list(value)
        return [*items[:key], _put(items[key], tuple(rest), leaf), *items[key + 1 :]]
    fields = as_mapping(value)
    return {**fields, key: _put(fields[key], tuple(rest), leaf)}


def _path_name(path: Path) -> str:
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path)
