"""Parts of a turn, as Gemini's own API spells them."""

from collections.abc import Iterable, Mapping, Sequence

from .....ports.models import Message
from ....values.json import mapping, objects, text, write
from ...declaration.provider import Provider
from ...declaration.wire import Json
from ...messages.calls import wire_name
from ...messages.media import image_address, read_data_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.turns import Spelling, Spoken, calls_of
from .answers import PARTS, read_calls, spoken

_ROLES = {"user": "user", "assistant": "model"}


def text_part(words: str) -> Block:
    """Return a part of text."""
    return {"text": words}


def contents_of(turns: Iterable[Spoken]) -> list[Json]:
    """Return turns as contents; each result gets the name of its call, which is asked for here."""
    names: dict[str, str] = {}
    contents: list[Json] = []
    for role, blocks in turns:
        parts = [_named(block, names) for block in blocks]
        contents.append({"role": _ROLES[role], "parts": parts})
    return contents


def _named(block: Block, names: dict[str, str]) -> Block:
    call, result = mapping(block.get("functionCall")), mapping(block.get("functionResponse"))
    if call:
        names[text(call.get("id"))] = text(call.get("name"))
    if not result:
        return block
    return {"functionResponse": {**result, "name": names.get(text(result.get("id")), "_")}}


def _read(part: Mapping[str, object]) -> Sequence[Part]:
    """Return what a part that is no plain text becomes; what cannot be sent is named in words."""
    url = image_address(part) or text(mapping(part.get("file")).get("file_data"))
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
    texts = [text(block.get("text")) or write(block) for block in answer.blocks]
    field = "error" if answer.failed else "result"
    return {"functionResponse": {"id": answer.id, "response": {field: "\n".join(texts)}}}


def _whole_turn(message: Message, provider: Provider) -> Sequence[Part] | None:
    """Return a turn part by part, in the order it was made, if that still is what it says.

    Signatures stand on words too, and pictures and code that ran are part of the conversation:
    https://ai.google.dev/gemini-api/docs/thought-signatures
    """
    held = mapping(message.get("provider_data"))
    parts = objects(message.get(PARTS) or held.get(PARTS))
    calls = calls_of(message)
    ids = [call.id for call in read_calls(parts, None)]
    if not parts or held.get("_issuer", provider.name) != provider.name:
        return None
    if ids != [call.id for call in calls] or spoken(parts)[0] != (message.get("content") or ""):
        return None
    waiting = iter(calls)
    return [
        next(waiting) if mapping(part.get("functionCall")).get("name") else dict(part)
        for part in parts
        if part.get("thought") is not True
    ]


def _no_thoughts(_message: Message) -> Sequence[Part]:
    return ()


def _unmarked(parts: Sequence[Part], _mark: object) -> Sequence[Part]:
    return parts


def spelling(provider: Provider) -> Spelling:
    """Return how Gemini spells a conversation; parts go back to their issuer alone."""
    return Spelling(
        text=text_part,
        read=_read,
        turn=lambda message: _whole_turn(message, provider),
        thoughts=_no_thoughts,
        call=_call,
        answer=_answer,
        mark=_unmarked,
        clean_id=lambda identity: identity or "call_0",
    )
