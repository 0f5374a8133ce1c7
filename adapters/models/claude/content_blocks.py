"""Content blocks of the Messages API, from parts in OpenAI's shape or in the API's own.

https://platform.claude.com/docs/en/api/messages (2026-11-15)
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from ....ports.models.chat import Message
from ...values.json_values import as_list, as_mapping, as_objects, text
from ..messages.media import IMAGE_FORMATS, decoded_text, image_address, read_data_url
from ..messages.pairing import Block, Part, ToolResult, ToolUse
from ..messages.tool_calls import wire_name
from ..messages.turns import NO_OUTPUT, WireSpelling

MAX_CACHE_MARKS = 4
EPHEMERAL: Mapping[str, object] = {"type": "ephemeral"}
_UNMARKED = frozenset({"thinking", "redacted_thinking"})
# The newest turns of the user: what was cached last time, and what will be next time.
_TURNS = 2


def mark_block(block: Block, mark: object) -> Block:
    """Return the block with a mark, if there is one and the block may have it."""
    if not isinstance(mark, Mapping) or block.get("type") in _UNMARKED:
        return block
    return {**block, "cache_control": dict(mark)}


def mark_parts(parts: Sequence[Part], mark: object) -> Sequence[Part]:
    """Put the mark of a message, or of a part of it, on the last block it became."""
    if not isinstance(mark, Mapping) or not parts:
        return parts
    *before, last = parts
    if isinstance(last, ToolUse | ToolResult):
        return [*before, msgspec.structs.replace(last, mark=dict(mark))]
    return [*before, mark_block(last, mark)]


def mark_body(body: Mapping[str, object]) -> dict[str, object]:
    """Return the body with marks on the system, else the tools, and on the user's newest turns."""
    marked_body = dict(body)
    head = "system" if body.get("system") else "tools"
    if body.get(head):
        marked_body[head] = _mark_last(_blocks(body[head]))
    turns = as_objects(body.get("messages"))
    users = [at for at, turn in enumerate(turns) if turn.get("role") == "user"][-_TURNS:]
    marked_body["messages"] = [
        {**turn, "content": _mark_last(_blocks(turn["content"]))} if at in users else turn
        for at, turn in enumerate(turns)
    ]
    return marked_body


def limit_marks(body: Mapping[str, object]) -> dict[str, object]:
    """Return the body with its last four marks; more are refused."""
    total = sum(1 for _ in _marks(body))
    excess = iter(range(total - MAX_CACHE_MARKS))

    def kept(block: Mapping[str, object]) -> Block:
        if "cache_control" in block and next(excess, None) is not None:
            return without_field(block, "cache_control")
        return dict(block)

    if total <= MAX_CACHE_MARKS:
        return dict(body)
    trimmed = dict(body)
    for name in ("tools", "system"):
        if isinstance(body.get(name), list):
            trimmed[name] = [kept(block) for block in as_objects(body[name])]
    trimmed["messages"] = [
        {**turn, "content": [kept(block) for block in as_objects(turn.get("content"))]}
        for turn in as_objects(body.get("messages"))
    ]
    return trimmed


def without_field(block: Mapping[str, object], name: str) -> Block:
    """Return a block without one of its fields."""
    return {field: value for field, value in block.items() if field != name}


def _marks(body: Mapping[str, object]) -> Iterator[object]:
    turns = as_objects(body.get("messages"))
    lists = (body.get("tools"), body.get("system"), *(turn.get("content") for turn in turns))
    blocks = (block for blocks_of_one in lists for block in as_objects(blocks_of_one))
    return (block["cache_control"] for block in blocks if "cache_control" in block)


def _blocks(content: object) -> list[Block]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [dict(block) for block in as_objects(content)]


def _mark_last(blocks: list[Block]) -> list[Block]:
    *before, last = blocks
    return [*before, last if "cache_control" in last else mark_block(last, EPHEMERAL)]


# Content blocks of the Messages API, from parts in OpenAI's shape or in the API's own.

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
