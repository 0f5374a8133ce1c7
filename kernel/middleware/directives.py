"""What the answers of hooks mean: block a call, ask a person first, change the arguments."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ...ports.middleware import Hook
from ..text.display import one_line, quote_value

Answers: TypeAlias = Sequence[tuple[Hook, object]]


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """What ``pre_tool_call`` hooks want; ``by`` is the plugin that wants it."""

    action: Literal["go", "block", "approve"] = "go"
    by: str = ""
    message: str = ""
    rule_key: str = ""


def first_directive(answers: Answers) -> Directive:
    """Return the first block, else the first wish for approval: to refuse beats to ask."""
    wanted = [_read(hook, answer) for hook, answer in answers]
    blocks = [each for each in wanted if each.action == "block"]
    asks = [each for each in wanted if each.action == "approve"]
    return next(iter([*blocks, *asks]), Directive())


def explain_odd_answer(name: str, answer: object) -> str | None:
    """Say what is odd about the answer of a hook, where answers count; None when nothing is.

    >>> explain_odd_answer("pre_tool_call", "BLOCK"), explain_odd_answer("post_tool_call", "BLOCK")
    ("'BLOCK'", None)
    """
    if name == "pre_tool_call":
        return _odd_directive(answer)
    if name.startswith("transform_") and type(answer) is not str:
        return quote_value(answer)
    return None


def _odd_directive(answer: object) -> str | None:
    if not isinstance(answer, dict):
        return quote_value(answer)
    action = answer.get("action")
    if action == "block":
        return None if _line(answer.get("message")) else "a block without a message"
    if action == "modify":
        return None if isinstance(answer.get("args"), dict) else "a modify without args"
    return None if action in ("approve", "allow") else f"the action {quote_value(action)}"


def modified_args(args: Mapping[str, object], answers: Answers) -> dict[str, object]:
    """Return ``args`` with what hooks with ``{"action": "modify"}`` want changed, one by one."""
    changed = dict(args)
    for _, answer in answers:
        if isinstance(answer, dict) and answer.get("action") == "modify":
            wanted = answer.get("args")
            changed |= wanted if isinstance(wanted, dict) else {}
    return changed


def replacement_text(answers: Answers) -> str | None:
    """Return the first text among the answers of transforming hooks."""
    return next((answer for _, answer in answers if type(answer) is str), None)


def _read(hook: Hook, answer: object) -> Directive:
    if _odd_directive(answer) is not None or not isinstance(answer, dict):
        return Directive()
    if answer["action"] not in ("block", "approve"):
        return Directive()
    return Directive(
        action=answer["action"],
        by=hook.plugin,
        message=_line(answer.get("message")),
        rule_key=_line(answer.get("rule_key")),
    )


def _line(text: object) -> str:
    return one_line(text) if type(text) is str else ""
