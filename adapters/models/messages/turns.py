"""Messages of OpenAI's chat API as turns: user and assistant alternate, calls beside their results.

Two wires want this, each with words of its own: those are a ``Spelling``. No text and no result of
a tool is lost on the way; what has no place as itself goes as text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ....ports.models.chat import Message
from ...values.json import listed, mapping, objects, parse, steady_id, text
from .calls import custom_input, is_custom
from .pairing import Block, ChatTurn, Part, ToolResult, ToolUse, pair

EMPTY = "(empty)"
NO_OUTPUT = "(no output)"
_OPENING = "(start)"
_SYSTEM = frozenset({"system", "developer"})
_TEXTS = frozenset({"text", "input_text", "output_text"})


class Spelling(msgspec.Struct, frozen=True, kw_only=True):
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


def system_of(messages: Sequence[Message], spelling: Spelling) -> list[Part]:
    """Return the blocks of all system and developer messages, wherever they stand."""
    leading = (message for message in messages if message.get("role") in _SYSTEM)
    return [part for message in leading for part in _content(message, spelling)]


def turns_of(messages: Sequence[Message], spelling: Spelling) -> list[Spoken]:
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
    placed = pair(turns, spelling.clean_id, spelling.text)
    return [(turn.role, _spelled(turn, spelling)) for turn in placed]


def _spelled(turn: ChatTurn, spelling: Spelling) -> list[Block]:
    blocks = [_block(part, spelling) for part in turn.parts]
    return blocks or [spelling.text(EMPTY)]


def _block(part: Part, spelling: Spelling) -> Block:
    if isinstance(part, ToolUse):
        return spelling.call(part)
    return spelling.answer(part) if isinstance(part, ToolResult) else part


def _parts(message: Message, spelling: Spelling) -> Sequence[Part]:
    role = message.get("role")
    if role in ("tool", "function"):
        parts: Sequence[Part] = [_answer(message, spelling)]
    elif role == "assistant":
        parts = _assistant(message, spelling)
    else:
        parts = _content(message, spelling)
    return spelling.mark(parts, message.get("cache_control"))


def _answer(message: Message, spelling: Spelling) -> ToolResult:
    inside = [part for part in _content(message, spelling) if isinstance(part, dict)]
    return ToolResult(
        id=text(message.get("tool_call_id")),
        blocks=tuple(inside) or (spelling.text(NO_OUTPUT),),
        failed=message.get("is_error") is True,
    )


def _assistant(message: Message, spelling: Spelling) -> Sequence[Part]:
    whole = spelling.turn(message)
    if whole is not None:
        return whole
    parts = _content(message, spelling)
    refused = text(message.get("refusal"))
    if refused.strip() and not parts:
        parts = [spelling.text(refused)]
    # Calls that the content already has, in the wire's own words, are not made twice.
    called = {part.id for part in parts if isinstance(part, ToolUse)}
    calls = [call for call in calls_of(message) if call.id not in called]
    return [*spelling.thoughts(message), *parts, *calls]


def calls_of(message: Message) -> list[ToolUse]:
    """Return the tool calls of an assistant message; what is no JSON object has no arguments."""
    calls = []
    for index, call in enumerate(objects(message.get("tool_calls"))):
        function = mapping(call.get("function")) or call
        name, arguments = text(function.get("name")), function.get("arguments")
        held = parse(arguments) if isinstance(arguments, str) else arguments
        if is_custom(call):
            # Free text has no other place in an object of arguments.
            name, arguments = custom_input(call)
            held = {"input": arguments}
        own = text(call.get("id")) or steady_id(name, str(arguments), index)
        signature = _signature(call)
        calls.append(ToolUse(id=own, name=name, input=dict(mapping(held)), signature=signature))
    return calls


def _signature(call: Mapping[str, object]) -> str:
    """Return the signature of the thought behind a call, from either of Google's two APIs."""
    held = {**call, **mapping(call.get("provider_data"))}
    google = mapping(mapping(held.get("extra_content")).get("google"))
    return text(held.get("thoughtSignature")) or text(google.get("thought_signature"))


def _content(message: Message, spelling: Spelling) -> list[Part]:
    content = message.get("content")
    if isinstance(content, str):
        return _texts(content, spelling)
    return [part for item in listed(content) for part in _read(item, spelling)]


def _read(item: object, spelling: Spelling) -> Sequence[Part]:
    if isinstance(item, str):
        return _texts(item, spelling)
    part = mapping(item)
    if part.get("type") in _TEXTS or part.get("type") == "refusal":
        texts = _texts(text(part.get("text")) or text(part.get("refusal")), spelling)
        return spelling.mark(texts, part.get("cache_control"))
    return spelling.read(part)


def _texts(words: str, spelling: Spelling) -> list[Part]:
    """Return one block of text; blank ones are refused by both APIs."""
    return [spelling.text(words)] if words.strip() else []
