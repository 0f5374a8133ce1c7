"""What stands before a tool: availability, hooks, policy, approval, all on what will run."""

from collections.abc import Container

from returns.result import Failure, Result, Success

from ...kernel.arguments import coerce_arguments, own_arguments
from ...kernel.middleware.call_context import with_aliases, without_aliases
from ...kernel.middleware.directives import first_directive, modified_args
from ...ports.errors import CallRefused, WebError
from ..calls.session import Approval, Approve, HookNotifier
from .web_tools import Tool


async def admit_call(
    tool: Tool,
    args: dict[str, object],
    teller: HookNotifier,
    approve: Approve | None,
    *,
    chosen_fields: Container[str],
) -> Result[dict[str, object], WebError]:
    """Return the arguments to run with, or why the tool does not run.

    ``asked`` are the names of those that the caller gave.
    """
    if tool.unavailable is not None:
        return Failure(tool.unavailable)
    heard = await teller.tell("pre_tool_call", {"args": with_aliases(args, tool.names)})
    if isinstance(heard, Failure):
        return heard
    wanted = first_directive(heard.unwrap())
    if wanted.action == "block":
        return Failure(CallRefused(by=wanted.by, reason=wanted.message.rstrip(".")))
    changed = without_aliases(args, modified_args(args, heard.unwrap()), tool.names)
    judged = _judged(tool, changed, chosen_fields)
    if isinstance(judged, Failure) or wanted.action == "go":
        return judged
    return await _approved(
        Approval(tool=tool.name, args=judged.unwrap(), directive=wanted), teller, approve
    )


def _judged(
    tool: Tool, args: object, chosen_fields: Container[str]
) -> Result[dict[str, object], WebError]:
    coerced = coerce_arguments(args, tool.arguments, tool.aliases)
    if isinstance(coerced, Failure):
        return coerced
    refused = tool.judge(own_arguments(coerced.unwrap(), tool.arguments, chosen_fields))
    return Success(coerced.unwrap()) if refused is None else Failure(refused)


async def _approved(
    approval: Approval, teller: HookNotifier, approve: Approve | None
) -> Result[dict[str, object], WebError]:
    wanted = approval.directive
    key = wanted.rule_key or approval.tool
    event: dict[str, object] = {
        "command": approval.tool,
        "description": wanted.message,
        "pattern_key": key,
        "pattern_keys": [key],
        "session_key": teller.session_id,
        "surface": teller.platform,
    }
    answers = await teller.tell("pre_approval_request", event)
    if isinstance(answers, Failure):
        return answers
    yes = approve is not None and await approve(approval)
    choice = "once" if yes else "deny"
    answers = await teller.tell("post_approval_response", {**event, "choice": choice})
    if isinstance(answers, Failure):
        return answers
    nobody = "it wants a person's approval, and nobody is here to give it"
    reason = nobody if approve is None else wanted.message.rstrip(".") or "not approved"
    return Success(approval.args) if yes else Failure(CallRefused(by=wanted.by, reason=reason))
