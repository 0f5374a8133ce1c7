"""System messages in the middle of a conversation, where the model takes them in their place.

https://platform.claude.com/docs/build-with-claude/mid-conversation-system-messages (2026-11-15):
from Claude 4.8 on, right after a turn of the user; ``tool_addition`` and ``tool_removal`` need a
beta header. For an older model their text stands with the rest of the system prompt.
"""

from collections.abc import Iterator, Mapping, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_list, as_mapping, as_objects, text
from ...claude.content_blocks import text_block
from ...claude.facts import identify_claude
from ...declaration.wire import Json
from ...messages.pairing import Block
from ...messages.turns import EMPTY, Spoken

# Not of the API: what stands in a user's turn until the turns are made.
PLACED = "placed_system"
_SYSTEM = frozenset({"system", "developer"})
_CHANGES = frozenset({"tool_addition", "tool_removal"})
_FIRST = (4, 8)
_BY_NAME, _BY_VALUE = "mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"


def place_system_messages(messages: Sequence[Message], model: str) -> list[Message]:
    """Return the messages with later system messages as parts of the user's turn before them."""
    claude = identify_claude(model)
    able = claude is not None and claude.version >= _FIRST
    begun = False
    placed: list[Message] = []
    for message in messages:
        blocks = _blocks(message) if begun and message.get("role") in _SYSTEM else []
        if blocks and (able or any(block["type"] in _CHANGES for block in blocks)):
            part = {"type": PLACED, "content": blocks}
            placed.append({"role": "user", "content": [part]})
        else:
            begun = begun or message.get("role") not in _SYSTEM
            placed.append(message)
    return placed


def _blocks(message: Message) -> list[Block]:
    content = message.get("content")
    if isinstance(content, str):
        return [text_block(content)] if content.strip() else []
    parts = (text_block(part) if isinstance(part, str) else part for part in as_list(content))
    kinds = _CHANGES | {"text"}
    return [dict(as_mapping(part)) for part in parts if as_mapping(part).get("type") in kinds]


def as_placed_part(part: Mapping[str, object]) -> list[Block]:
    """Return a part that ``place_system_messages`` made, as it is; nothing for any other."""
    return [dict(part)] if part.get("type") == PLACED else []


def take_unplaced(turns: Sequence[Spoken]) -> tuple[list[Spoken], list[Block]]:
    """Return the turns without a system message that has no place, and its blocks.

    It is one at the end, where no word of the user stands before it.
    """
    *earlier, (_, blocks) = turns
    if earlier and all(block.get("type") == PLACED for block in blocks):
        return earlier, list(_system(blocks))
    return list(turns), []


def separate_system(turns: Sequence[Spoken]) -> list[Json]:
    """Return the turns as messages, each system message behind the user's words before it.

    Where there are none, the user's turn says that it is empty, so that turns go on to alternate.
    """
    messages: list[Json] = []
    for role, blocks in turns:
        words = [block for block in blocks if block.get("type") != PLACED]
        system = list(_system(blocks))
        messages.append({"role": role, "content": words or [text_block(EMPTY)]})
        messages += [{"role": "system", "content": system}] if system else []
    return messages


def _system(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.get("type") == PLACED:
            yield from (dict(inner) for inner in as_objects(block.get("content")))


def tool_beta(messages: Sequence[Json]) -> str:
    """Return the beta that changes of tools in these messages take; nothing if there are none."""
    system = (message for message in messages if message.get("role") == "system")
    blocks = [block for message in system for block in as_objects(message.get("content"))]
    changes = [block for block in blocks if block.get("type") in _CHANGES]
    by_value = any(_kind(block) == "tool_definition" for block in changes)
    return (_BY_VALUE if by_value else _BY_NAME) if changes else ""


def _kind(block: Mapping[str, object]) -> str:
    return text(as_mapping(block.get("tool")).get("type"))
