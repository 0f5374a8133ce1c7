"""Pairing of tool calls and results: each result follows its call, and each call has a result.

A repeated id is replaced in the call and in its result. A result whose call is not in the turn
before becomes text, and so does a call or result in a turn of the wrong role. A call without a
result gets one that says so.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress
from typing import Literal, TypeAlias

import msgspec

from webseam.adapters.values.json_values import write_json as json_text

NO_RESULT = "(no result)"

# A content block in a wire's format.
Block: TypeAlias = dict[str, object]
CleanId: TypeAlias = Callable[[str], str]
WriteText: TypeAlias = Callable[[str], Block]


class UniqueNames:
    """The names in use, and for each repeated name the next number to try."""

    def __init__(self) -> None:
        """Start without names."""
        self._used_names: set[str] = set()
        self._next_numbers: dict[str, int] = {}

    def reserve_name(self, name: str, add_number: Callable[[int], str]) -> str:
        """Return ``name``, or if it is in use, the first free one that ``add_number`` makes."""
        free_name, number = name, self._next_numbers.get(name, 2)
        while free_name in self._used_names:
            free_name, number = add_number(number), number + 1
        self._next_numbers[name] = number
        self._used_names.add(free_name)
        return free_name


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call in an assistant's turn. ``mark`` is the caller's cache mark.

    Gemini wants ``signature`` back with its call, Claude wants ``caller``: the code that made the
    call, if the model did not make it itself.
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
    """Consecutive messages of one role."""

    role: Literal["user", "assistant"]
    parts: list[Part]


def pair_tool_results(turns: list[ChatTurn], clean_id: CleanId, write: WriteText) -> list[ChatTurn]:
    """Return new turns; calls open at the end get results in one more turn."""
    ids = UniqueNames()
    paired: list[ChatTurn] = []
    open_calls: list[tuple[str, str]] = []
    for turn in turns:
        if turn.role == "assistant":
            parts, open_calls = _assign_call_ids(turn.parts, ids, clean_id, write)
        else:
            parts, open_calls = list(_match_tool_results(turn.parts, open_calls, write)), []
        paired.append(ChatTurn(role=turn.role, parts=parts))
    if open_calls:
        paired.append(ChatTurn(role="user", parts=list(_match_tool_results([], open_calls, write))))
    return paired


def _assign_call_ids(
    parts: list[Part], ids: UniqueNames, clean_id: CleanId, write: WriteText
) -> tuple[list[Part], list[tuple[str, str]]]:
    """Give each call a unique id; return the parts, and each call's old and new id."""
    new_parts: list[Part] = []
    call_ids: list[tuple[str, str]] = []
    for part in parts:
        if isinstance(part, ToolUse):
            numbered = partial(_number_call_id, part.id, clean_id)
            call_ids.append((part.id, ids.reserve_name(clean_id(part.id), numbered)))
            new_parts.append(msgspec.structs.replace(part, id=call_ids[-1][1]))
        else:
            new_parts.extend(
                _result_to_text(part, write) if isinstance(part, ToolResult) else [part]
            )
    return new_parts, call_ids


def _number_call_id(call_id: str, clean_id: CleanId, number: int) -> str:
    return clean_id(f"{call_id}_{number}")


class _OpenCalls:
    """The calls that wait for a result, as pairs of old and new id."""

    def __init__(self, calls: list[tuple[str, str]]) -> None:
        self._calls = calls
        self._is_open = [True] * len(calls)
        # The numbers of all calls under "", and of each call under its old id.
        self._queues: dict[str, deque[int]] = {"": deque(range(len(calls)))}
        for number, (old_id, _) in enumerate(calls):
            if old_id:
                self._queues.setdefault(old_id, deque()).append(number)

    def close_call(self, old_id: str) -> str | None:
        """Close the first open call with an id, or the first of all without one."""
        queue = self._queues.get(old_id, deque())
        while queue:
            number = queue.popleft()
            if self._is_open[number]:
                self._is_open[number] = False
                return self._calls[number][1]
        return None

    def unanswered_ids(self) -> list[str]:
        """Return the new ids of the calls without a result."""
        return [new_id for _, new_id in compress(self._calls, self._is_open)]


def _match_tool_results(
    parts: list[Part], open_calls: list[tuple[str, str]], write: WriteText
) -> Iterator[Part]:
    """Yield results in their order, then a text for each missing one, then the other parts."""
    calls = _OpenCalls(open_calls)
    rest: list[Part] = []
    for part in parts:
        if not isinstance(part, ToolResult):
            rest.append(_call_to_text(part, write) if isinstance(part, ToolUse) else part)
        elif (call_id := calls.close_call(part.id)) is None:
            rest.extend(_result_to_text(part, write))
        else:
            yield msgspec.structs.replace(part, id=call_id)
    for call_id in calls.unanswered_ids():
        yield ToolResult(id=call_id, blocks=(write(NO_RESULT),))
    yield from rest


def _result_to_text(answer: ToolResult, write: WriteText) -> list[Part]:
    return [write(f"(result of tool call {answer.id or 'without id'})"), *answer.blocks]


def _call_to_text(call: ToolUse, write: WriteText) -> Block:
    return write(f"(tool call {call.name} {json_text(call.input)})")
