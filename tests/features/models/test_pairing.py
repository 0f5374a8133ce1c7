"""Tool results find their calls, whatever ids they have, and in one pass."""

from webseam.adapters.features.models.messages.pairing import (
    Block,
    ChatTurn,
    ToolResult,
    ToolUse,
    pair_tool_results,
)


def _pair(calls: list[str], results: list[str]) -> tuple[list[str], list[str], int]:
    """Return the new ids of calls and results, and how many ids were cleaned."""
    cleaned: list[str] = []

    def clean(identity: str) -> str:
        cleaned.append(identity)
        return identity

    turns = [
        ChatTurn(role="assistant", parts=[ToolUse(id=name, name="f", input={}) for name in calls]),
        ChatTurn(role="user", parts=[ToolResult(id=name, blocks=()) for name in results]),
    ]
    asked, answered = pair_tool_results(turns, clean, lambda text: Block(text=text))
    return (
        [part.id for part in asked.parts if isinstance(part, ToolUse)],
        [part.id for part in answered.parts if isinstance(part, ToolResult)],
        len(cleaned),
    )


def test_a_result_without_an_id_takes_the_first_call_that_is_still_open() -> None:
    assert _pair(["a", "b", "c"], ["b", "", ""])[1] == ["b", "a", "c"]
    assert _pair(["a", "b"], ["", "a"])[1] == ["a", "b"]


def test_equal_ids_are_told_apart_in_one_pass() -> None:
    calls, results, cleaned = _pair(["a"] * 500, ["a"] * 500)

    assert calls == results == ["a", *(f"a_{number}" for number in range(2, 501))]
    assert cleaned < 1100
