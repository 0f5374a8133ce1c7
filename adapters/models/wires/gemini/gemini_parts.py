"""Parts of a turn, as Gemini's own API spells them."""

import re
from collections.abc import Iterable, Mapping, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_mapping, as_objects, text, write_json
from ...declaration.provider import Provider
from ...declaration.wire import Json
from ...messages.media import image_address, read_data_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.tool_calls import wire_name
from ...messages.turns import Spoken, WireSpelling, message_calls
from .gemini_answers import PARTS, read_calls, text_and_thoughts

# What a call goes with that no Gemini made.
UNSIGNED = "skip_thought_signature_validator"
_SIGNING = 3
_ATTACHED = "(attached)"
_ROLES = {"user": "user", "assistant": "model"}


def text_part(words: str) -> Block:
    """Return a part of text."""
    return {"text": words}


def turn_contents(turns: Iterable[Spoken], model: str) -> list[Json]:
    """Return turns as contents; each result gets the name of its call, which is asked for here."""
    names: dict[str, str] = {}
    contents: list[Json] = []
    third = _is_third(model)
    for role, blocks in turns:
        parts = [_named(block, names) for block in blocks]
        parts = _signed(parts) if third else _with_media_behind(parts)
        contents.append({"role": _ROLES[role], "parts": parts})
    return contents


def _is_third(model: str) -> bool:
    """Tell Gemini 3 and later; a name without a number is taken for the newest.

    >>> [_is_third(name) for name in ("gemini-3.1-pro", "gemini-flash-latest", "gemini-2.5-pro")]
    [True, True, False]
    """
    name = model.lower()
    number = re.search(r"gemini-(\d+)", name)
    return "gemini" in name and (number is None or int(number[1]) >= _SIGNING)


def _signed(parts: Sequence[Block]) -> list[Block]:
    """Return a turn whose first call has a signature: Gemini 3 refuses it without one.

    A call that somebody else made has none. The words that stand for it are Google's own:
    https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-15)
    """
    first = next((at for at, part in enumerate(parts) if "functionCall" in part), None)
    if first is None or parts[first].get("thoughtSignature"):
        return list(parts)
    return [*parts[:first], {**parts[first], "thoughtSignature": UNSIGNED}, *parts[first + 1 :]]


def _with_media_behind(parts: Sequence[Block]) -> list[Block]:
    """Return a turn with the pictures of its results beside them: older models take none inside."""
    media: list[Block] = []
    results: list[Block] = []
    for part in parts:
        result = dict(as_mapping(part.get("functionResponse")))
        media += [dict(piece) for piece in as_objects(result.pop("parts", None))]
        results.append({**part, "functionResponse": result} if result else part)
    return [*results, *media]


def _named(block: Block, names: dict[str, str]) -> Block:
    call, result = as_mapping(block.get("functionCall")), as_mapping(block.get("functionResponse"))
    if call:
        names[text(call.get("id"))] = text(call.get("name"))
    if not result:
        return block
    return {"functionResponse": {**result, "name": names.get(text(result.get("id")), "_")}}


def _read(part: Mapping[str, object]) -> Sequence[Part]:
    """Return what a part that is no plain text becomes; what cannot be sent is named in words."""
    url = image_address(part) or text(as_mapping(part.get("file")).get("file_data"))
    media = read_data_url(url)
    if media is not None:
        return [{"inlineData": {"mimeType": media.type, "data": media.data}}]
    if url.startswith(("https://", "http://")):
        return [text_part(f"(image: {url})")]
    words = text(part.get("text"))
    kind = text(part.get("type")) or "a part"
    return [text_part(words if words.strip() else f"({kind} left out)")]


def _call(call: ToolUse) -> Block:
    function_call = {"id": call.id, "name": wire_name(call.name), "args": call.input}
    signed: Block = {"thoughtSignature": call.signature} if call.signature else {}
    return {"functionCall": function_call, **signed}


def _answer(answer: ToolResult) -> Block:
    # https://ai.google.dev/gemini-api/docs/function-calling#multimodal (2026-11-15)
    media = [block for block in answer.blocks if "inlineData" in block]
    rest = [block for block in answer.blocks if "inlineData" not in block]
    words = "\n".join(text(block.get("text")) or write_json(block) for block in rest)
    field = "error" if answer.failed else "result"
    response: Block = {"id": answer.id, "response": {field: words or _ATTACHED * bool(media)}}
    return {"functionResponse": response | ({"parts": media} if media else {})}


def _whole_turn(message: Message, provider: Provider) -> Sequence[Part] | None:
    """Return a turn part by part, in the order it was made, if that still is what it says.

    Signatures stand on words too, and pictures and code that ran are part of the conversation:
    https://ai.google.dev/gemini-api/docs/thought-signatures
    """
    held = as_mapping(message.get("provider_data"))
    parts = as_objects(message.get(PARTS) or held.get(PARTS))
    calls = message_calls(message)
    ids = [call.id for call in read_calls(parts, None)]
    if not parts or held.get("_issuer", provider.name) != provider.name:
        return None
    if ids != [call.id for call in calls] or text_and_thoughts(parts)[0] != (
        message.get("content") or ""
    ):
        return None
    waiting = iter(calls)
    return [
        next(waiting) if as_mapping(part.get("functionCall")).get("name") else dict(part)
        for part in parts
        if part.get("thought") is not True
    ]


def _no_thoughts(_message: Message) -> Sequence[Part]:
    return ()


def _unmarked(parts: Sequence[Part], _mark: object) -> Sequence[Part]:
    return parts


def gemini_spelling(provider: Provider) -> WireSpelling:
    """Return how Gemini spells a conversation; parts go back to their issuer alone."""
    return WireSpelling(
        text=text_part,
        read=_read,
        turn=lambda message: _whole_turn(message, provider),
        thoughts=_no_thoughts,
        call=_call,
        answer=_answer,
        mark=_unmarked,
        clean_id=lambda identity: identity or "call_0",
    )
