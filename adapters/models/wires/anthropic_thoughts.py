"""Thinking blocks on their way back: which of them, signed or not, a host wants to see again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from ....ports.models import Message
from ..claude import claude_of
from ..pairing import Block, Call, Part
from ..provider import Provider
from ..turns import calls_of
from ..values import listed, mapping, objects, text
from .anthropic_blocks import THOUGHTS, own_block, text_block, texts_of

# The ordered blocks of a turn, as ``normalize_response`` puts them into ``provider_data``.
BLOCKS = "anthropic_content_blocks"
Replay: TypeAlias = Literal["signed", "unsigned", "as_given", "none"]
Wanted: TypeAlias = Callable[[Message], Replay]


def wanted_by(provider: Provider, model: str, messages: Sequence[Message]) -> Wanted:
    """Return what is replayed of each message's thoughts.

    An older Claude takes those of the turn that is still open, where tools answer it; the newer
    ones take all.
    """
    claude = claude_of(model)
    if provider.thinking_replay != "signed" or claude is None or claude.remembers:
        return lambda _message: provider.thinking_replay
    still_open = {id(message) for message in _open_turn(messages)}
    return lambda message: "signed" if id(message) in still_open else "none"


def _open_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages from the question on that the last assistant message works at."""
    spoke = [at for at, message in enumerate(messages) if message.get("role") == "assistant"]
    before = messages[: spoke[-1]] if spoke else ()
    asked = [at for at, message in enumerate(before) if _asks(message)]
    return messages[asked[-1] :] if asked else messages


def _asks(message: Message) -> bool:
    """Tell a question from results of tools in the API's own words."""
    kinds = {block.get("type") for block in objects(message.get("content"))}
    return message.get("role") == "user" and kinds != {"tool_result"}


def thoughts_of(message: Message, replay: Replay) -> list[Part]:
    """Return the thinking blocks that stand before what the message says."""
    found = [block for given in _sources(message) if (block := _thought(given)) is not None]
    if not found and replay in ("unsigned", "as_given"):
        said = message.get("reasoning_content")
        found = [{"type": "thinking", "thinking": said}] if isinstance(said, str) else []
    return [block for block in found if _goes_back(block, replay)]


def whole_turn(message: Message, replay: Replay) -> list[Part] | None:
    """Return a turn block by block, in the order it was made, if that still is what it says.

    A message whose text or calls were changed since is built from its fields instead.
    """
    blocks = objects(_held(message, BLOCKS)) or _own_content(message)
    calls = {call.id: call for call in calls_of(message)}
    made = {text(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
    if not blocks or (calls and made != set(calls)) or not _says(message, blocks):
        return None
    return list(_replayed(blocks, calls, replay))


def _replayed(
    blocks: Sequence[Mapping[str, object]], calls: Mapping[str, Call], replay: Replay
) -> Iterator[Part]:
    for block in blocks:
        kind = block.get("type")
        own = _thought(block) if kind in THOUGHTS else own_block(block)
        if kind == "tool_use":
            name, given = text(block.get("name")), dict(mapping(block.get("input")))
            call = Call(id=text(block.get("id")), name=name, input=given)
            # The call as the message has it: what was redacted there stays so.
            yield calls.get(call.id, call)
        elif own is not None and _is_sent(own, replay):
            yield own


def _is_sent(block: Block, replay: Replay) -> bool:
    if block["type"] in THOUGHTS:
        return _goes_back(block, replay)
    return block["type"] != "text" or bool(text(block["text"]).strip())


def _says(message: Message, blocks: Sequence[Mapping[str, object]]) -> bool:
    content = message.get("content")
    said = content if isinstance(content, str) else texts_of(_as_blocks(content))
    return said == texts_of(blocks)


def _as_blocks(content: object) -> list[Block]:
    given = (text_block(item) if isinstance(item, str) else item for item in listed(content))
    return [dict(mapping(item)) for item in given]


def _own_content(message: Message) -> list[Mapping[str, object]]:
    """Return the content itself if it is in the API's own words, with thoughts in their places."""
    content = objects(message.get("content"))
    kinds = {text(block.get("type")) for block in content}
    known = kinds <= {"text", "tool_use", *THOUGHTS} or "server_tool_use" in kinds
    return content if known and kinds & {*THOUGHTS, "server_tool_use"} else []


def _sources(message: Message) -> list[Mapping[str, object]]:
    for name in ("reasoning_details", BLOCKS):
        if found := objects(_held(message, name)):
            return found
    return objects(message.get("content"))


def _held(message: Message, name: str) -> object:
    """Return what a message carries for this wire, beside its fields or in ``provider_data``."""
    return message.get(name) or mapping(message.get("provider_data")).get(name)


def _thought(given: Mapping[str, object]) -> Block | None:
    """Read a thinking block, in the API's own words or in those of OpenRouter."""
    kind = given.get("type")
    if kind in THOUGHTS:
        return own_block(given)
    if not text(given.get("format")).startswith("anthropic"):
        return None
    if kind == "reasoning.encrypted":
        return own_block({"type": "redacted_thinking", "data": given.get("data")})
    said, signature = given.get("text"), given.get("signature")
    return own_block({"type": "thinking", "thinking": said, "signature": signature})


def _goes_back(block: Mapping[str, object], replay: Replay) -> bool:
    signed = block.get("type") == "redacted_thinking" or bool(block.get("signature"))
    return {"signed": signed, "unsigned": not signed, "as_given": True, "none": False}[replay]
