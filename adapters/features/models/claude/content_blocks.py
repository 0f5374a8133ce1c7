"""Content blocks of the Messages API, from parts in OpenAI's shape or in the API's own.

https://platform.claude.com/docs/en/api/messages (2026-11-15)
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text
from webseam.ports.models import Message

from ..messages.media import IMAGE_FORMATS, decode_media_text, image_part_url, read_media_url
from ..messages.pairing import Block, Part, ToolResult, ToolUse
from ..messages.tool_calls import wire_name
from ..messages.turns import NO_OUTPUT_TEXT, WireSpelling, change_newest_user_turns

MAX_CACHE_MARKS = 4
EPHEMERAL_MARK: Mapping[str, object] = {"type": "ephemeral"}
_UNMARKABLE_TYPES = frozenset({"thinking", "redacted_thinking"})
_DISALLOWED_ID_PATTERN = re.compile(r"[^A-Za-z0-9_-]")
# Fields to send back by type of block: the API returns more fields than it accepts.
_REPLAYED_BLOCK_FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "citations"), "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",), "image": ("source",),
    "document": ("source", "title", "context", "citations"),
    "search_result": ("source", "title", "content", "citations"),
    "server_tool_use": ("id", "name", "input", "caller"),
    "mcp_tool_use": ("id", "name", "server_name", "input"), "container_upload": ("file_id",),
    "compaction": ("content",), "tool_reference": ("tool_name",),
    "fallback": ("from", "to", "trigger"),
}  # fmt: skip
# Fields of results of tools, whatever tool it is.
_RESULT_FIELDS = ("tool_use_id", "content", "is_error", "caller")
_CALL_FIELDS = frozenset({"type", "id", "name", "input", "caller"})
THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})


def mark_claude_block(block: Block, mark: object) -> Block:
    """Return the block with a cache mark, if one is given and the block may have it."""
    if not isinstance(mark, Mapping) or block.get("type") in _UNMARKABLE_TYPES:
        return block
    return {**block, "cache_control": dict(mark)}


def mark_claude_parts(parts: Sequence[Part], mark: object) -> Sequence[Part]:
    """Return the parts with a cache mark on the last one."""
    if not isinstance(mark, Mapping) or not parts:
        return parts
    *before, last = parts
    if isinstance(last, ToolUse | ToolResult):
        return [*before, msgspec.structs.replace(last, mark=dict(mark))]
    return [*before, mark_claude_block(last, mark)]


def mark_claude_body(body: Mapping[str, object]) -> dict[str, object]:
    """Return the body with cache marks on the system or tools, and on the newest user turns."""
    marked_body = dict(body)
    head_field = "system" if body.get("system") else "tools"
    if body.get(head_field):
        marked_body[head_field] = _mark_last_block(body[head_field])
    turns = as_objects(body.get("messages"))
    return {**marked_body, "messages": change_newest_user_turns(turns, _mark_last_block)}


def limit_claude_marks(body: Mapping[str, object]) -> dict[str, object]:
    """Return the body with its last four cache marks; the API refuses more."""
    total = sum(1 for _ in _cache_marks(body))
    excess = iter(range(total - MAX_CACHE_MARKS))

    def drop_excess_mark(block: Mapping[str, object]) -> Block:
        if "cache_control" in block and next(excess, None) is not None:
            return drop_block_field(block, "cache_control")
        return dict(block)

    if total <= MAX_CACHE_MARKS:
        return dict(body)
    trimmed = dict(body)
    for name in ("tools", "system"):
        if isinstance(body.get(name), list):
            trimmed[name] = [drop_excess_mark(block) for block in as_objects(body[name])]
    trimmed["messages"] = [
        {**turn, "content": [drop_excess_mark(block) for block in as_objects(turn.get("content"))]}
        for turn in as_objects(body.get("messages"))
    ]
    return trimmed


def drop_block_field(block: Mapping[str, object], name: str) -> Block:
    """Return a block without one of its fields."""
    return {field: value for field, value in block.items() if field != name}


def _cache_marks(body: Mapping[str, object]) -> Iterator[object]:
    turns = as_objects(body.get("messages"))
    lists = (body.get("tools"), body.get("system"), *(turn.get("content") for turn in turns))
    blocks = (block for content_list in lists for block in as_objects(content_list))
    return (block["cache_control"] for block in blocks if "cache_control" in block)


def _mark_last_block(content: object) -> list[Block]:
    blocks = [claude_text(content)] if isinstance(content, str) else map(dict, as_objects(content))
    *before, last = blocks
    return [*before, last if "cache_control" in last else mark_claude_block(last, EPHEMERAL_MARK)]


def claude_spelling(
    turn: Callable[[Message], Sequence[Part] | None], thoughts: Callable[[Message], Sequence[Part]]
) -> WireSpelling:
    """Return the Messages spelling of a conversation, with these functions for thoughts."""
    return WireSpelling(
        text=claude_text,
        read=read_claude_part,
        turn=turn,
        thoughts=thoughts,
        call=_tool_use,
        answer=_tool_result,
        mark=mark_claude_parts,
        clean_id=clean_claude_id,
    )


def clean_claude_id(identity: str) -> str:
    """Return an id in the characters that the API allows.

    >>> clean_claude_id("call.1|x")
    'call_1_x'
    """
    return _DISALLOWED_ID_PATTERN.sub("_", identity) or "tool_0"


def claude_text(content: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": content}


def read_claude_part(part: Mapping[str, object]) -> Sequence[Part]:
    """Convert a part that is not text; one that cannot be sent becomes a text that names it."""
    kind = text(part.get("type"))
    if kind in THINKING_TYPES:
        return []
    reader = _PART_READERS.get(kind)
    block = claude_block(part) if reader is None else reader(part)
    if block is None:
        part_text = text(part.get("text"))
        block = claude_text(part_text if part_text.strip() else f"({kind or 'a part'} left out)")
    return mark_claude_parts([block], part.get("cache_control"))


def claude_block(part: Mapping[str, object]) -> Block | None:
    """Return a block of the API with only the fields that it accepts; None for other parts."""
    kind = text(part.get("type"))
    if kind.endswith("_tool_result") and "tool_use_id" in part:
        names: Sequence[str] = _RESULT_FIELDS
    else:
        names = _REPLAYED_BLOCK_FIELDS.get(kind, ())
    if not names or part.get(names[0]) is None:
        return None
    return {"type": kind, **{name: part[name] for name in names if part.get(name) is not None}}


def unread_block_fields(block: Mapping[str, object], path: str) -> dict[str, object]:
    """Return what of an answer's block is neither read nor stored, by its path."""
    kind = text(block.get("type"))
    if kind == "tool_use":
        known_names = _CALL_FIELDS
    elif claude_block(block) is None:
        return {path: block}
    elif kind.endswith("_tool_result"):
        known_names = frozenset({"type", *_RESULT_FIELDS})
    else:
        known_names = frozenset({"type", *_REPLAYED_BLOCK_FIELDS[kind]})
    if block.keys() <= known_names:
        return {}
    return {
        f"{path}.{name}": value
        for name, value in block.items()
        if name not in known_names and value not in (None, "", [], {})
    }


def _read_tool_use(part: Mapping[str, object]) -> Part | None:
    arguments = dict(as_mapping(part.get("input")))
    call_id, name = text(part.get("id")), text(part.get("name"))
    return ToolUse(id=call_id, name=name, input=arguments, caller=claude_caller(part))


def claude_caller(block: Mapping[str, object]) -> object:
    """Return the caller of a tool call, if it was code and not the model itself."""
    caller = block.get("caller")
    return None if as_mapping(caller).get("type") == "direct" else caller


def _read_tool_result(part: Mapping[str, object]) -> Part | None:
    content = part.get("content")
    text_content = [claude_text(content)] if isinstance(content, str) and content.strip() else []
    blocks = [block for item in as_objects(content) for block in _result_blocks(item)]
    return ToolResult(
        id=text(part.get("tool_use_id")),
        blocks=tuple(text_content or blocks) or (claude_text(NO_OUTPUT_TEXT),),
        failed=part.get("is_error") is True,
    )


def _result_blocks(item: Mapping[str, object]) -> list[Block]:
    if item.get("type") == "text":
        item_text = text(item.get("text"))
        return (
            [mark_claude_block(claude_text(item_text), item.get("cache_control"))]
            if item_text.strip()
            else []
        )
    return [part for part in read_claude_part(item) if isinstance(part, dict)]


def _image(part: Mapping[str, object]) -> Block | None:
    url = image_part_url(part)
    if url.lower().startswith(("https://", "http://")):
        return {"type": "image", "source": {"type": "url", "url": url}}
    media = read_media_url(url)
    if media is None or media.type not in IMAGE_FORMATS:
        return None if media is None else claude_text(f"(an image of type {media.type} left out)")
    source = {"type": "base64", "media_type": media.type, "data": media.data}
    return {"type": "image", "source": source}


def _document(part: Mapping[str, object]) -> Block | None:
    file_fields = as_mapping(part.get("file"))
    media = read_media_url(text(file_fields.get("file_data")))
    title = text(file_fields.get("filename"))
    title_field: Block = {"title": title} if title else {}
    if media is None:
        return claude_text(f"(the file {title} left out)") if title else None
    if media.type == "application/pdf":
        source = {"type": "base64", "media_type": media.type, "data": media.data}
        return {"type": "document", "source": source, **title_field}
    if not media.type.startswith("text/"):
        return claude_text(f"(a file of type {media.type} left out)")
    source = {"type": "text", "media_type": "text/plain", "data": decode_media_text(media)}
    return {"type": "document", "source": source, **title_field}


_PART_READERS: Mapping[str, Callable[[Mapping[str, object]], Part | None]] = {
    "image_url": _image, "input_image": _image, "file": _document,
    "tool_use": _read_tool_use, "tool_result": _read_tool_result,
}  # fmt: skip


def _tool_use(call: ToolUse) -> Block:
    name = wire_name(call.name)
    block: Block = {"type": "tool_use", "id": call.id, "name": name, "input": call.input}
    if call.caller is not None:
        block["caller"] = call.caller
    return mark_claude_block(block, call.mark)


def _tool_result(result: ToolResult) -> Block:
    # Move a cache mark inside a result to the result itself, where it is counted.
    inner = (block.get("cache_control") for block in result.blocks)
    mark = result.mark or next((mark for mark in inner if mark), None)
    blocks = [drop_block_field(block, "cache_control") for block in result.blocks]
    is_plain_text = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    content: object = blocks[0]["text"] if is_plain_text else blocks
    block: Block = {"type": "tool_result", "tool_use_id": result.id, "content": content}
    if result.failed:
        block["is_error"] = True
    return mark_claude_block(block, mark)


def join_claude_text(blocks: object) -> str:
    """Return the text of blocks; adjacent text blocks are joined, others start a new line.

    Citations split one sentence into many text blocks.
    """
    joined = ""
    is_adjacent = True
    for block in (as_mapping(item) for item in as_list(blocks)):
        if block.get("type") != "text":
            is_adjacent = False
        elif piece := text(block.get("text")):
            joined += piece if is_adjacent or not joined else f"\n{piece}"
            is_adjacent = True
    return joined
