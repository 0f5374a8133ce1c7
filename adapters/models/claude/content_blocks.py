"""Content blocks of the Messages API, from parts in OpenAI's shape or in the API's own.

https://platform.claude.com/docs/en/api/messages (2026-11-15)
"""

import re
from collections.abc import Callable, Mapping, Sequence

from ....ports.models.chat import Message
from ...values.json_values import as_list, as_mapping, as_objects, text
from ..messages.media import IMAGE_FORMATS, decoded_text, image_address, read_data_url
from ..messages.pairing import Block, Part, ToolResult, ToolUse
from ..messages.tool_calls import wire_name
from ..messages.turns import NO_OUTPUT, WireSpelling
from .marks import mark_block, mark_parts, without_field

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
# What may be sent back of each kind of block: the API adds fields that it does not take.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "citations"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "image": ("source",),
    "document": ("source", "title", "context", "citations"),
    "search_result": ("source", "title", "content", "citations"),
    "server_tool_use": ("id", "name", "input", "caller"),
    "mcp_tool_use": ("id", "name", "server_name", "input"),
    "container_upload": ("file_id",),
    "compaction": ("content",),
    "tool_reference": ("tool_name",),
}
THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def messages_spelling(
    turn: Callable[[Message], Sequence[Part] | None],
    thoughts: Callable[[Message], Sequence[Part]],
) -> WireSpelling:
    """Return how Messages spells a conversation, given what to do with a turn's thoughts."""
    return WireSpelling(
        text=text_block,
        read=read_part,
        turn=turn,
        thoughts=thoughts,
        call=_call,
        answer=_answer,
        mark=mark_parts,
        clean_id=clean_id,
    )


def clean_id(identity: str) -> str:
    """Return an id in the letters that the API allows.

    >>> clean_id("call.1|x")
    'call_1_x'
    """
    return _FOREIGN.sub("_", identity) or "tool_0"


def text_block(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def read_part(part: Mapping[str, object]) -> Sequence[Part]:
    """Return what a part that is no plain text becomes; what cannot be sent is named in words."""
    kind = text(part.get("type"))
    if kind in THOUGHTS:
        return []
    reader = _READERS.get(kind)
    block = own_block(part) if reader is None else reader(part)
    if block is None:
        words = text(part.get("text"))
        block = text_block(words if words.strip() else f"({kind or 'a part'} left out)")
    return mark_parts([block], part.get("cache_control"))


def own_block(part: Mapping[str, object]) -> Block | None:
    """Return a block of the API's own with just the fields it takes back; None for other things."""
    kind = text(part.get("type"))
    if kind.endswith("_tool_result") and "tool_use_id" in part:
        names: Sequence[str] = ("tool_use_id", "content", "is_error", "caller")
    else:
        names = _FIELDS.get(kind, ())
    if not names or part.get(names[0]) is None:
        return None
    return {"type": kind, **{name: part[name] for name in names if part.get(name) is not None}}


def _call_part(part: Mapping[str, object]) -> Part | None:
    held = dict(as_mapping(part.get("input")))
    own, name = text(part.get("id")), text(part.get("name"))
    return ToolUse(id=own, name=name, input=held, caller=block_caller(part))


def block_caller(block: Mapping[str, object]) -> object:
    """Return who made a call, where it was not the model itself but code that it runs."""
    caller = block.get("caller")
    return None if as_mapping(caller).get("type") == "direct" else caller


def _answer_part(part: Mapping[str, object]) -> Part | None:
    content = part.get("content")
    whole = [text_block(content)] if isinstance(content, str) and content.strip() else []
    inside = [block for item in as_objects(content) for block in _inside(item)]
    return ToolResult(
        id=text(part.get("tool_use_id")),
        blocks=tuple(whole or inside) or (text_block(NO_OUTPUT),),
        failed=part.get("is_error") is True,
    )


def _inside(item: Mapping[str, object]) -> list[Block]:
    if item.get("type") == "text":
        words = text(item.get("text"))
        return [mark_block(text_block(words), item.get("cache_control"))] if words.strip() else []
    return [part for part in read_part(item) if isinstance(part, dict)]


def _image(part: Mapping[str, object]) -> Block | None:
    url = image_address(part)
    if url.lower().startswith(("https://", "http://")):
        return {"type": "image", "source": {"type": "url", "url": url}}
    media = read_data_url(url)
    if media is None or media.type not in IMAGE_FORMATS:
        return None if media is None else text_block(f"(an image of type {media.type} left out)")
    source = {"type": "base64", "media_type": media.type, "data": media.data}
    return {"type": "image", "source": source}


def _file(part: Mapping[str, object]) -> Block | None:
    held = as_mapping(part.get("file"))
    media = read_data_url(text(held.get("file_data")))
    title = text(held.get("filename"))
    named: Block = {"title": title} if title else {}
    if media is None:
        return text_block(f"(the file {title} left out)") if title else None
    if media.type == "application/pdf":
        source = {"type": "base64", "media_type": media.type, "data": media.data}
        return {"type": "document", "source": source, **named}
    if not media.type.startswith("text/"):
        return text_block(f"(a file of type {media.type} left out)")
    source = {"type": "text", "media_type": "text/plain", "data": decoded_text(media)}
    return {"type": "document", "source": source, **named}


_READERS: Mapping[str, Callable[[Mapping[str, object]], Part | None]] = {
    "image_url": _image,
    "input_image": _image,
    "file": _file,
    "tool_use": _call_part,
    "tool_result": _answer_part,
}


def _call(call: ToolUse) -> Block:
    name = wire_name(call.name)
    block: Block = {"type": "tool_use", "id": call.id, "name": name, "input": call.input}
    if call.caller is not None:
        block["caller"] = call.caller
    return mark_block(block, call.mark)


def _answer(answer: ToolResult) -> Block:
    # A mark inside a result is put on the result, where it is counted.
    inner = (block.get("cache_control") for block in answer.blocks)
    mark = answer.mark or next((mark for mark in inner if mark), None)
    blocks = [without_field(block, "cache_control") for block in answer.blocks]
    alone = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    content: object = blocks[0]["text"] if alone else blocks
    block: Block = {"type": "tool_result", "tool_use_id": answer.id, "content": content}
    if answer.failed:
        block["is_error"] = True
    return mark_block(block, mark)


def join_text_blocks(blocks: object) -> str:
    """Return the text of blocks: neighbours are one text, others stand on lines of their own.

    Citations split one sentence into many blocks; between other blocks a new thought begins.
    """
    joined = ""
    follows = True
    for block in (as_mapping(item) for item in as_list(blocks)):
        if block.get("type") != "text":
            follows = False
        elif piece := text(block.get("text")):
            joined += piece if follows or not joined else f"\n{piece}"
            follows = True
    return joined
