"""Notify hooks, and interpret their answers."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import CallRefused, WebError
from webseam.ports.middleware import OBSERVER_VERSION, Caller, Hook, Log, Mishap
from webseam.ports.text import lazy_pattern

from ..boundary import Crash, attempt_call, attempt_callback
from ..laws.field_checks import copy_texts
from ..text.display import is_text, one_line, plain_text, quote_value, type_name
from ..text.redaction import MASK, redact
from .rewrites import (
    callback_exception_error,
    callback_exception_mishap,
    callback_mishap,
    copy_payload,
)

Answers: TypeAlias = Sequence[tuple[Hook, object]]
MAX_OBSERVED_CHARS = 20_000
MAX_OBSERVED_ITEMS = 1000
_MAX_OBSERVED_DEPTH = 20
_SECRET_NAMES_PATTERN = lazy_pattern(
    r"(?i)authorization|api[_-]?key|password|passwd|secret|credential|cookie|(?:^|_)token$"
)


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """The decision of ``pre_tool_call`` hooks; ``by`` is the plugin that made it."""

    action: Literal["go", "block", "approve"] = "go"
    by: str = ""
    message: str = ""
    rule_key: str = ""


def first_hook_directive(answers: Answers) -> Directive:
    """Return the first block, else the first request for approval: a block takes precedence."""
    directives = [_read_directive(hook, answer) for hook, answer in answers]
    # The sort is stable, so the order of the hooks stays.
    directives.sort(key=lambda directive: ("block", "approve", "go").index(directive.action))
    return directives[0] if directives else Directive()


def explain_odd_hook_answer(name: str, answer: object) -> str | None:
    """Say what is wrong with a hook's answer, where answers count; None if it is valid.

    >>> [explain_odd_hook_answer(f"{stage}_tool_call", "BLOCK") for stage in ("pre", "post")]
    ["'BLOCK'", None]
    """
    if name == "pre_tool_call":
        return _explain_odd_directive(answer)
    if name.startswith("transform_") and not is_text(answer):
        return quote_value(answer)
    return None


def _explain_odd_directive(answer: object) -> str | None:
    if not issubclass(type(answer), dict):
        return quote_value(answer)
    fields = cast("dict[str, object]", answer)
    action = fields.get("action")
    if type(action) is not str:
        return f"the action {quote_value(action)}"
    if action == "block":
        return None if _message_line(fields.get("message")) else "a block without a message"
    if action == "modify":
        return None if issubclass(type(fields.get("args")), dict) else "a modify without args"
    return None if action in ("approve", "allow") else f"the action {quote_value(action)}"


def hook_modified_args(args: Mapping[str, object], answers: Answers) -> dict[str, object]:
    """Return ``args`` after the changes of hooks that answer ``{"action": "modify"}``, in order."""
    changed = dict(args)
    for _, answer in answers:
        if isinstance(answer, dict) and answer.get("action") == "modify":
            new_args = answer.get("args")
            changed |= new_args if isinstance(new_args, dict) else {}
    return changed


def hook_replacement_text(answers: Answers) -> str | None:
    """Return the first text among the answers of transforming hooks, or None."""
    return next((plain_text(answer) for _, answer in answers if is_text(answer)), None)


def hook_replacement_plugin(answers: Answers) -> str:
    """Return the plugin whose text ``hook_replacement_text`` returns; empty if there is none."""
    return next((hook.plugin for hook, answer in answers if is_text(answer)), "")


def _read_directive(hook: Hook, answer: object) -> Directive:
    if _explain_odd_directive(answer) is not None or not isinstance(answer, dict):
        return Directive()
    if answer["action"] not in ("block", "approve"):
        return Directive()
    return Directive(
        action=answer["action"],
        by=hook.plugin,
        message=_message_line(answer.get("message")),
        rule_key=_message_line(answer.get("rule_key")),
    )


def _message_line(text: object) -> str:
    return one_line(plain_text(text)) if is_text(text) else ""


async def notify_hooks(
    hooks: Sequence[Hook], event: Mapping[str, object], call: Caller, log: Log
) -> Result[tuple[tuple[Hook, object], ...], WebError]:
    """Send ``event`` to each hook, in a copy of its own; return the answers that are not None.

    Only a hook registered as closed can fail the call, by raising or by an invalid answer. An open
    one is skipped and logged.
    """
    answers: list[tuple[Hook, object]] = []
    for hook in hooks:
        arguments = {"telemetry_schema_version": OBSERVER_VERSION, **copy_payload(dict(event))}
        answered = await attempt_callback(call(hook.callback, arguments))
        answered = answered.map(copy_texts)
        rejected = _reject_answer(hook, answered)
        if rejected is None:
            answers.append((hook, answered.value_or(None)))
        elif hook.on_error == "closed":
            return Failure(rejected.error)
        else:
            log(rejected.mishap)
    return Success(tuple((hook, answer) for hook, answer in answers if answer is not None))


class _RejectedAnswer(msgspec.Struct, frozen=True):
    """Why an answer is rejected: the error of a closed hook, and the log entry of an open one."""

    error: WebError
    mishap: Mishap


def _reject_answer(hook: Hook, answered: Result[object, Exception]) -> _RejectedAnswer | None:
    if isinstance(answered, Failure):
        raised = answered.failure()
        mishap = callback_exception_mishap(raised, hook, hook.name)
        return _RejectedAnswer(callback_exception_error(raised, hook, hook.name), mishap)
    answer = answered.unwrap()
    oddity = None if answer is None else explain_odd_hook_answer(hook.name, answer)
    if oddity is None:
        return None
    problem = f"it answered {oddity}, which {hook.name} does not accept"
    mishap = callback_mishap(problem, hook, hook.name)
    return _RejectedAnswer(CallRefused(by=hook.plugin, reason=problem), mishap)


def hook_observable_value(value: object, depth: int = 0) -> object:
    """Return ``value`` as JSON values; redact and truncate texts, mask fields with secret names.

    >>> hook_observable_value({"api_key": "x", "q": ("a", 1)})
    {'api_key': '***', 'q': ['a', 1]}
    """
    shown = f"<{type_name(value)[:100]}>"
    observed: Result[object, Crash] = attempt_call(lambda: _observe_value(value, depth, shown))
    return observed.value_or(shown)


def _observe_value(value: object, depth: int, shown: str) -> object:
    """Return the JSON value, or ``shown`` for what is none; a value that lies may raise."""
    if is_text(value):
        return redact(plain_text(value)[:MAX_OBSERVED_CHARS])
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= _MAX_OBSERVED_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        observed: dict[str, object] = {}
        for name, part in list(value.items())[:MAX_OBSERVED_ITEMS]:
            label = str(name)
            is_secret = _SECRET_NAMES_PATTERN.search(label)
            observed[label] = MASK if is_secret else hook_observable_value(part, depth + 1)
        return observed
    if isinstance(value, list | tuple):
        return [hook_observable_value(part, depth + 1) for part in value[:MAX_OBSERVED_ITEMS]]
    return shown
