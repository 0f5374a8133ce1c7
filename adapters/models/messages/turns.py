"""Messages of OpenAI's chat API as turns: user and assistant alternate, calls beside their results.

Two wires want this, each with words of its own: those are a ``WireSpelling``. No text and no result
of a tool is lost on the way; what has no place as itself goes as text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ....ports.models.chat import Message
from ...values.json_values import as_list, as_mapping, as_objects, json_or_none, steady_id, text
from .pairing import Block, ChatTurn, Part, ToolResult, ToolUse, pair_results
from .tool_calls import custom_input, is_custom

EMPTY = "(empty)"
NO_OUTPUT = "(no output)"
_OPENING = "(start)"
_SYSTEM = frozenset({"system", "developer"})
_TEXTS = frozenset({"text", "input_text", "output_text"})


class WireSpelling(msgspec.Struct, frozen=True, kw_only=True):
    """How a wire writes what a message may hold.

    ``read`` takes any part of a content that is no plain text, in OpenAI's shape or the wire's
    own. ``turn`` may give a whole assistant message at once, when it came with its own blocks;
    ``thoughts`` are those that stand before the rest. ``mark`` asks for caching up to here.
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


def system_blocks(messages: Sequence[Message], spelling: WireSpelling) -> list[Part]:
    """Return the blocks of all system and developer messages, wherever they stand."""
    leading = (message for message in messages if message.get("role") in _SYSTEM)
    return [part for message in leading for part in _content(message, spelling)]


def build_turns(messages: Sequence[Message], spelling: WireSpelling) -> list[Spoken]:
    """Return the rest as turns that alternate, beginning with the user; none of them is empty."""
    turns: list[ChatTurn] = []
    for message in messages:
        if message.get("role") in _SYSTEM:
            continue
        role: Literal["user", "assistant"] = (
            "assistant" if message.get("role") == "assistant" else "user"
        )
        if not turns or turns[-1].role != role:
            turns.append(ChatTurn(role=role, parts=[]))
        turns[-1].parts.extend(_parts(message, spelling))
    if not turns or turns[0].role == "assistant":
        turns.insert(0, ChatTurn(role="user", parts=[spelling.text(_OPENING)]))
    placed = pair_results(turns, spelling.clean_id, spelling.text)
    return [(turn.role, _spelled(turn, spelling)) for turn in placed]


def _spelled(turn: ChatTurn, spelling: WireSpelling) -> list[Block]:
    blocks = [_block(part, spelling) for part in turn.parts]
    return blocks or [spelling.text(EMPTY)]


def _block(part: Part, spelling: WireSpelling) -> Block:
    if isinstance(part, ToolUse):
        return spelling.call(part)
    return spelling.answer(part) if isinstance(part, ToolResult) else part


def _parts(message: Message, spelling: WireSpelling) -> Sequence[Part]:
    role = message.get("role")
    if role in ("tool", "function"):
        parts: Sequence[Part] = [_answer(message, spelling)]
    elif role == "assistant":
        parts = _assistant(message, spelling)
    else:
        parts = _content(message, spelling)
    return spelling.mark(parts, message.get("cache_control"))


def _answer(message: Message, spelling: WireSpelling) -> ToolResult:
    inside = [part for part in _content(message, spelling) if isinstance(part, dict)]
    return ToolResult(
        id=text(message.get("tool_call_id")),
        blocks=tuple(inside) or (spelling.text(NO_OUTPUT),),
        failed=message.get("is_error") is True,
    )


def _assistant(message: Message, spelling: WireSpelling) -> Sequence[Part]:
    whole = spelling.turn(message)
    if whole is not None:
        return whole
    parts = _content(message, spelling)
    refused = text(message.get("refusal"))
    if refused.strip() and not parts:
        parts = [spelling.text(refused)]
    # Calls that the content already has, in the wire's own words, are not made twice.
    called = {part.id for part in parts if isinstance(part, ToolUse)}
    calls = [call for call in message_calls(message) if call.id not in called]
    return [*spelling.thoughts(message), *parts, *calls]


def message_calls(message: Message) -> list[ToolUse]:
    """Return the tool calls of an assistant message; what is no JSON object has no arguments."""
    calls = []
    for index, call in enumerate(as_objects(message.get("tool_calls"))):
        function = as_mapping(call.get("function")) or call
        name, arguments = text(function.get("name")), function.get("arguments")
        held = json_or_none(arguments) if isinstance(arguments, str) else arguments
        if is_custom(call):
            # Free text has no other place in an object of arguments.
            name, arguments = custom_input(call)
            held = {"input": arguments}
        own = text(call.get("id")) or steady_id(name, str(arguments), index)
        signature = _signature(call)
        calls.append(ToolUse(id=own, name=name, input=dict(as_mapping(held)), signature=signature))
    return calls


def _signature(call: Mapping[str, object]) -> str:
    """Return the signature of the thought behind a call, from either of Google's two APIs."""
    held = {**call, **as_mapping(call.get("provider_data"))}
    google = as_mapping(as_mapping(held.get("extra_content")).get("google"))
    return text(held.get("thoughtSignature")) or text(google.get("thought_signature"))


def _content(message: Message, spelling: WireSpelling) -> list[Part]:
    content = message.get("content")
    if isinstance(content, str):
        return _texts(content, spelling)
    return [part for item in as_list(content) for part in _read(item, spelling)]


def _read(item: object, spelling: WireSpelling) -> Sequence[Part]:
    if isinstance(item, str):
        return _texts(item, spelling)
    part = as_mapping(item)
    if part.get("type") in _TEXTS or part.get("type") == "refusal":
        texts = _texts(text(part.get("text")) or text(part.get("refusal")), spelling)
        return spelling.mark(texts, part.get("cache_control"))
    return spelling.read(part)


def _texts(words: str, spelling: WireSpelling) -> list[Part]:
    """Return one block of text; blank ones are refused by both APIs."""
    return [spelling.text(words)] if words.strip() else []
