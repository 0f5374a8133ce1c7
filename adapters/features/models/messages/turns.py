"""Messages of OpenAI's chat API as turns: user and assistant alternate, results follow calls.

Two wires need turns, each in its own format, a ``WireSpelling``. No text and no tool result is
lost: a part that the format lacks becomes text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from webseam.adapters.values.json_values import (
    as_list,
    as_mapping,
    as_objects,
    json_or_none,
    stable_id,
    text,
    write_json,
)
from webseam.ports.models import ChatRequest, Message

from .pairing import Block, ChatTurn, Part, ToolResult, ToolUse, pair_tool_results
from .tool_calls import custom_tool_input, is_custom_tool_call

EMPTY_TURN_TEXT = "(empty)"
NO_OUTPUT_TEXT = "(no output)"
_FIRST_USER_TEXT = "(start)"
_SYSTEM_ROLES = frozenset({"system", "developer"})
_TEXT_PART_TYPES = frozenset({"text", "input_text", "output_text"})


def instructions_with_schema(request: ChatRequest, *, has_schema_field: bool) -> str:
    """Return the instructions; with the schema, where the API has no field for it."""
    instructions = request.instructions or ""
    requested = request.output_schema
    if requested is None or has_schema_field:
        return instructions
    schema = f"Answer with JSON alone, following this JSON schema:\n{write_json(requested.schema)}"
    return f"{instructions}\n\n{schema}" if instructions else schema


# Messages of OpenAI's chat API as turns: user and assistant alternate, results follow calls.


class WireSpelling(msgspec.Struct, frozen=True, kw_only=True):
    """How a wire writes the parts of a message.

    ``read`` converts a content part that is not text, in OpenAI's shape or the wire's own. ``turn``
    may convert an assistant message that has the wire's own blocks. ``thoughts`` returns the
    thoughts before the rest. ``mark`` adds a cache mark to the last part.
    """

    text: Callable[[str], Block]
    read: Callable[[Mapping[str, object]], Sequence[Part]]
    turn: Callable[[Message], Sequence[Part] | None]
    thoughts: Callable[[Message], Sequence[Part]]
    call: Callable[[ToolUse], Block]
    answer: Callable[[ToolResult], Block]
    mark: Callable[[Sequence[Part], object], Sequence[Part]]
    clean_id: Callable[[str], str]


Spoken: TypeAlias = tuple[Literal["user", "assistant"], list[Block]]


def prepend_instructions(request: ChatRequest, *, has_schema_field: bool) -> Sequence[Message]:
    """Return the messages with the instructions, and a schema without a field, in front."""
    instructions = instructions_with_schema(request, has_schema_field=has_schema_field)
    if not instructions:
        return request.messages
    return ({"role": "system", "content": instructions}, *request.messages)


def system_parts(messages: Sequence[Message], spelling: WireSpelling) -> list[Part]:
    """Return the blocks of all system and developer messages, at any position."""
    leading = (message for message in messages if message.get("role") in _SYSTEM_ROLES)
    return [part for message in leading for part in _content_parts(message, spelling)]


def change_newest_user_turns(
    turns: Sequence[Mapping[str, object]], change: Callable[[object], object]
) -> list[Mapping[str, object]]:
    """Return the turns with the content of the two newest user turns changed.

    A cache mark there covers the cache of the last call, and the cache for the next one.
    """
    user_indices = [index for index, turn in enumerate(turns) if turn.get("role") == "user"][-2:]
    return [
        {**turn, "content": change(turn["content"])} if index in user_indices else turn
        for index, turn in enumerate(turns)
    ]


def build_message_turns(messages: Sequence[Message], spelling: WireSpelling) -> list[Spoken]:
    """Return the other messages as alternating turns that begin with the user; none is empty."""
    turns: list[ChatTurn] = []
    for message in messages:
        if message.get("role") in _SYSTEM_ROLES:
            continue
        is_answer = message.get("role") == "assistant"
        role: Literal["user", "assistant"] = "assistant" if is_answer else "user"
        if not turns or turns[-1].role != role:
            turns.append(ChatTurn(role=role, parts=[]))
        turns[-1].parts.extend(_chat_parts(message, spelling))
    if not turns or turns[0].role == "assistant":
        turns.insert(0, ChatTurn(role="user", parts=[spelling.text(_FIRST_USER_TEXT)]))
    empty = [spelling.text(EMPTY_TURN_TEXT)]
    return [
        (turn.role, [_spell_part(part, spelling) for part in turn.parts] or empty)
        for turn in pair_tool_results(turns, spelling.clean_id, spelling.text)
    ]


def _spell_part(part: Part, spelling: WireSpelling) -> Block:
    if isinstance(part, ToolUse):
        return spelling.call(part)
    return spelling.answer(part) if isinstance(part, ToolResult) else part


def _chat_parts(message: Message, spelling: WireSpelling) -> Sequence[Part]:
    role = message.get("role")
    if role in ("tool", "function"):
        parts: Sequence[Part] = [_tool_result(message, spelling)]
    elif role == "assistant":
        parts = _assistant_parts(message, spelling)
    else:
        parts = _content_parts(message, spelling)
    return spelling.mark(parts, message.get("cache_control"))


def _tool_result(message: Message, spelling: WireSpelling) -> ToolResult:
    blocks = [part for part in _content_parts(message, spelling) if isinstance(part, dict)]
    return ToolResult(
        id=text(message.get("tool_call_id")),
        blocks=tuple(blocks) or (spelling.text(NO_OUTPUT_TEXT),),
        failed=message.get("is_error") is True,
    )


def _assistant_parts(message: Message, spelling: WireSpelling) -> Sequence[Part]:
    original_turn = spelling.turn(message)
    if original_turn is not None:
        return original_turn
    parts = _content_parts(message, spelling)
    refusal = text(message.get("refusal"))
    if refusal.strip() and not parts:
        parts = [spelling.text(refusal)]
    # Skip calls that the content already has in the wire's own format.
    content_call_ids = {part.id for part in parts if isinstance(part, ToolUse)}
    calls = [call for call in message_calls(message) if call.id not in content_call_ids]
    return [*spelling.thoughts(message), *parts, *calls]


def message_calls(message: Message) -> list[ToolUse]:
    """Return the tool calls of an assistant message; arguments that are no object become ``{}``."""
    calls = []
    for index, call in enumerate(as_objects(message.get("tool_calls"))):
        function = as_mapping(call.get("function")) or call
        name, arguments = text(function.get("name")), function.get("arguments")
        parsed = json_or_none(arguments) if isinstance(arguments, str) else arguments
        if is_custom_tool_call(call):
            # Wrap the free text in an object of arguments.
            name, arguments = custom_tool_input(call)
            parsed = {"input": arguments}
        call_id = text(call.get("id")) or stable_id(name, str(arguments), index)
        signature, parsed = _thought_signature(call), dict(as_mapping(parsed))
        calls.append(ToolUse(id=call_id, name=name, input=parsed, signature=signature))
    return calls


def _thought_signature(call: Mapping[str, object]) -> str:
    """Return the thought signature of a call, from either of Google's two APIs."""
    fields = {**call, **as_mapping(call.get("provider_data"))}
    google = as_mapping(as_mapping(fields.get("extra_content")).get("google"))
    return text(fields.get("thoughtSignature")) or text(google.get("thought_signature"))


def _content_parts(message: Message, spelling: WireSpelling) -> list[Part]:
    content = message.get("content")
    if isinstance(content, str):
        return _text_parts(content, spelling)
    return [part for item in as_list(content) for part in _item_parts(item, spelling)]


def _item_parts(item: object, spelling: WireSpelling) -> Sequence[Part]:
    if isinstance(item, str):
        return _text_parts(item, spelling)
    part = as_mapping(item)
    if part.get("type") in _TEXT_PART_TYPES or part.get("type") == "refusal":
        texts = _text_parts(text(part.get("text")) or text(part.get("refusal")), spelling)
        return spelling.mark(texts, part.get("cache_control"))
    return spelling.read(part)


def _text_parts(content: str, spelling: WireSpelling) -> list[Part]:
    """Return a block of text, or none for a blank text, which both APIs refuse."""
    return [spelling.text(content)] if content.strip() else []
