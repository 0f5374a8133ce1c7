"""Tool calls and their results: each result right after its call, each call with a result.

An id that is used twice gets another one, in the call and in its result. A result whose call is
not in the turn before goes as text, and a call without one gets a word that says so.
What stands in the turn of the wrong side goes as text too.
"""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import msgspec

from ...values.json_values import write_json as json_text

NO_RESULT = "(no result)"

# A block as a wire spells it.
Block: TypeAlias = dict[str, object]
CleanId: TypeAlias = Callable[[str], str]
WriteText: TypeAlias = Callable[[str], Block]


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call in an assistant's turn. ``mark`` is the caller's wish to cache up to here.

    ``signature`` is what Gemini wants back with its own call, ``caller`` what Claude does: the code
    that made the call, where it was not the model itself.
    """

    id: str
    name: str
    input: dict[str, object]
    mark: object = None
    signature: str = ""
    caller: object = None


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a tool, in a user's turn."""

    id: str
    blocks: tuple[Block, ...]
    failed: bool = False
    mark: object = None


Part: TypeAlias = Block | ToolUse | ToolResult


class ChatTurn(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one side says before the other one does."""

    role: Literal["user", "assistant"]
    parts: list[Part]


class _Ids:
    """Ids in the letters of a wire, each given out once."""

    def __init__(self, clean: CleanId) -> None:
        self._clean = clean
        self._taken: set[str] = set()

    def take(self, identity: str) -> str:
        name, number = self._clean(identity), 2
        while name in self._taken:
            name, number = self._clean(f"{identity}_{number}"), number + 1
        self._taken.add(name)
        return name


def pair_results(turns: list[ChatTurn], clean_id: CleanId, write: WriteText) -> list[ChatTurn]:
    """Return the turns, one more at the end where calls are left open; the input stays as it is."""
    ids = _Ids(clean_id)
    placed: list[ChatTurn] = []
    open_calls: list[tuple[str, str]] = []
    for turn in turns:
        if turn.role == "assistant":
            parts, open_calls = _called(turn.parts, ids, write)
        else:
            parts, open_calls = list(_answered(turn.parts, open_calls, write)), []
        placed.append(ChatTurn(role=turn.role, parts=parts))
    if open_calls:
        placed.append(ChatTurn(role="user", parts=list(_answered([], open_calls, write))))
    return placed


def _called(
    parts: list[Part], ids: _Ids, write: WriteText
) -> tuple[list[Part], list[tuple[str, str]]]:
    """Give each call its id; return the calls' old and new ones, in order."""
    placed: list[Part] = []
    ids_of_calls: list[tuple[str, str]] = []
    for part in parts:
        if isinstance(part, ToolUse):
            ids_of_calls.append((part.id, ids.take(part.id)))
            placed.append(msgspec.structs.replace(part, id=ids_of_calls[-1][1]))
        else:
            placed.extend(_as_text(part, write) if isinstance(part, ToolResult) else [part])
    return placed, ids_of_calls


def _answered(
    parts: list[Part], open_calls: list[tuple[str, str]], write: WriteText
) -> Iterator[Part]:
    """Give results first, in the order they came, then words for those that did not come."""
    waiting = list(open_calls)
    rest: list[Part] = []
    for part in parts:
        if not isinstance(part, ToolResult):
            rest.append(_call_as_text(part, write) if isinstance(part, ToolUse) else part)
            continue
        # A result without an id is that of the first call that waits for one.
        match = next((pair for pair in waiting if part.id in (pair[0], "")), None)
        if match is None:
            rest.extend(_as_text(part, write))
        else:
            waiting.remove(match)
            yield msgspec.structs.replace(part, id=match[1])
    for _, own in waiting:
        yield ToolResult(id=own, blocks=(write(NO_RESULT),))
    yield from rest


def _as_text(answer: ToolResult, write: WriteText) -> list[Part]:
    return [write(f"(result of tool call {answer.id or 'without id'})"), *answer.blocks]


def _call_as_text(call: ToolUse, write: WriteText) -> Block:
    return write(f"(tool call {call.name} {json_text(call.input)})")
