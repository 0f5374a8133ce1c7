"""What the answers of hooks mean: block a call, ask a person first, change the arguments."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ...ports.middleware import Hook
from ..text.display import one_line

Answers: TypeAlias = Sequence[tuple[Hook, object]]


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """What ``pre_tool_call`` hooks want; ``by`` is the plugin that wants it."""

    action: Literal["go", "block", "approve"] = "go"
    by: str = ""
    message: str = ""
    rule_key: str = ""


def directive_in(answers: Answers) -> Directive:
    """Return the first block, else the first wish for approval: to refuse beats to ask.

    A block without a message is none, as the message is what the caller gets to read.
    """
    wanted = [_read(hook, answer) for hook, answer in answers]
    blocks = [each for each in wanted if each.action == "block" and each.message]
    asks = [each for each in wanted if each.action == "approve"]
    return next(iter([*blocks, *asks]), Directive())


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
    if not isinstance(answer, dict) or answer.get("action") not in ("block", "approve"):
        return Directive()
    return Directive(
        action=answer["action"],
        by=hook.plugin,
        message=_line(answer.get("message")),
        rule_key=_line(answer.get("rule_key")),
    )


def _line(text: object) -> str:
    return one_line(text) if type(text) is str else ""
