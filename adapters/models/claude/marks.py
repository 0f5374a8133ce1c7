"""Marks that ask the Messages API to cache a prompt up to a block: at most four of them.

https://platform.claude.com/docs/en/build-with-claude/prompt-caching (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ...values.json_values import as_objects
from ..messages.pairing import Block, Part, ToolResult, ToolUse

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
