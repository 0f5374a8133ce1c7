"""System messages after the first turn of a conversation with Claude.

From version 4.8 on, Claude takes them where they stand. Until the turns are built, such a message
is a part of a user's turn, so that turns still alternate.
"""

from collections.abc import Iterator, Sequence

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects
from webseam.ports.models import Message

from ...claude import facts
from ...claude.content_blocks import claude_text
from ...declaration.wire import Json
from ...messages.pairing import Block
from ...messages.turns import EMPTY_TURN_TEXT, Spoken

PLACED_SYSTEM_TYPE = "placed_system"
_SYSTEM_ROLES = frozenset({"system", "developer"})
_CHANGE_TYPES = frozenset({"tool_addition", "tool_removal"})
_FIRST_PLACED_SYSTEM_VERSION = (4, 8)
_TOOL_CHANGE_BETA = "mid-conversation-tool-changes-2026-07-01"
_INLINE_TOOLS_BETA = "inline-tools-2026-09-15"


def place_system(messages: Sequence[Message], model: str) -> list[Message]:
    """Return the messages with later system messages as parts of a user's turn."""
    claude = facts.identify_claude(model)
    is_supported = claude is not None and claude.version >= _FIRST_PLACED_SYSTEM_VERSION
    has_started = False
    placed: list[Message] = []
    for message in messages:
        is_system = message.get("role") in _SYSTEM_ROLES
        blocks = _system_blocks(message) if has_started and is_system else []
        if blocks and (is_supported or any(block["type"] in _CHANGE_TYPES for block in blocks)):
            part = {"type": PLACED_SYSTEM_TYPE, "content": blocks}
            placed.append({"role": "user", "content": [part]})
        else:
            has_started = has_started or not is_system
            placed.append(message)
    return placed


def _system_blocks(message: Message) -> list[Block]:
    content = message.get("content")
    if isinstance(content, str):
        return [claude_text(content)] if content.strip() else []
    parts = (claude_text(part) if isinstance(part, str) else part for part in as_list(content))
    kinds = _CHANGE_TYPES | {"text"}
    return [dict(as_mapping(part)) for part in parts if as_mapping(part).get("type") in kinds]


def split_trailing_system(turns: Sequence[Spoken]) -> tuple[list[Spoken], list[Block]]:
    """Return the turns without a trailing system message, and its blocks.

    The API refuses a system message at the end that follows no text of the user.
    """
    *earlier, (_, blocks) = turns
    if earlier and all(block.get("type") == PLACED_SYSTEM_TYPE for block in blocks):
        return earlier, list(_placed_blocks(blocks))
    return list(turns), []


def separate_system(turns: Sequence[Spoken]) -> list[Json]:
    """Return the turns as messages, each system message after the user's text before it.

    A user's turn without text gets a placeholder, so that turns still alternate.
    """
    messages: list[Json] = []
    for role, blocks in turns:
        user_blocks = [block for block in blocks if block.get("type") != PLACED_SYSTEM_TYPE]
        system = list(_placed_blocks(blocks))
        messages.append({"role": role, "content": user_blocks or [claude_text(EMPTY_TURN_TEXT)]})
        messages += [{"role": "system", "content": system}] if system else []
    return messages


def _placed_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.get("type") == PLACED_SYSTEM_TYPE:
            yield from (dict(inner) for inner in as_objects(block.get("content")))


def tool_change_beta(messages: Sequence[Json]) -> str:
    """Return the beta feature for tool changes in these messages; blank without any."""
    system = (message for message in messages if message.get("role") == "system")
    blocks = [block for message in system for block in as_objects(message.get("content"))]
    changes = [block for block in blocks if block.get("type") in _CHANGE_TYPES]
    if not changes:
        return ""
    kinds = [as_mapping(block.get("tool")).get("type") for block in changes]
    return _INLINE_TOOLS_BETA if "tool_definition" in kinds else _TOOL_CHANGE_BETA
