"""The stages of one tool call, in order.

Parse and coerce, ``tool_request``, availability, hooks, policy and approval on what will run,
``tool_execution`` around the kernel, ``post_tool_call``, ``transform_tool_result``, envelope.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel import envelopes
from webseam.kernel.middleware import hooks
from webseam.kernel.middleware.arguments import coerce_tool_arguments, select_tool_arguments
from webseam.kernel.middleware.execution import (
    CallEnded,
    Execution,
    Replacement,
    execute_middleware_chain,
)
from webseam.kernel.middleware.rewrites import (
    CallContext,
    add_aliases,
    drop_aliases,
    rewrite_request,
)
from webseam.ports.errors import CallRefused, UrlDenied, WebError
from webseam.ports.middleware import Callback, Caller, Middleware, MiddlewareKind
from webseam.ports.receipts import TraceEntry

from ..session import Approval, Approve, HookNotifier, Session, share_call_ids, share_call_scope
from .web_tools import PluginEnvelope, Tool, ToolAnswer, tool_error_or_none

if TYPE_CHECKING:
    from webseam.kernel.plugin_changes import Original


async def admit_tool_call(
    tool: Tool,
    args: dict[str, object],
    teller: HookNotifier,
    approve: Approve | None,
    *,
    chosen_fields: Container[str],
) -> Result[dict[str, object], WebError]:
    """Return the arguments to run with, or an error; the caller set ``chosen_fields``."""
    if tool.unavailable is not None:
        return Failure(tool.unavailable)
    answers = await teller.send_event("pre_tool_call", {"args": add_aliases(args, tool.names)})
    if isinstance(answers, Failure):
        return answers
    directive = hooks.first_hook_directive(answers.unwrap())
    if directive.action == "block":
        return Failure(CallRefused(by=directive.by, reason=directive.message.rstrip(".")))
    changed = drop_aliases(args, hooks.hook_modified_args(args, answers.unwrap()), tool.names)
    judged = _judge_call(tool, changed, chosen_fields)
    if isinstance(judged, Failure) or directive.action == "go":
        return judged
    return await _approve_call(
        Approval(tool=tool.name, args=judged.unwrap(), directive=directive), teller, approve
    )


def _judge_call(
    tool: Tool, args: object, chosen_fields: Container[str]
) -> Result[dict[str, object], WebError]:
    if isinstance(coerced := coerce_tool_arguments(args, tool.arguments, tool.aliases), Failure):
        return coerced
    refused = tool.judge(select_tool_arguments(coerced.unwrap(), tool.arguments, chosen_fields))
    return Success(coerced.unwrap()) if refused is None else Failure(refused)


async def _approve_call(
    approval: Approval, teller: HookNotifier, approve: Approve | None
) -> Result[dict[str, object], WebError]:
    directive = approval.directive
    key = directive.rule_key or approval.tool
    event: dict[str, object] = {
        "command": approval.tool,
        "description": directive.message,
        "pattern_key": key,
        "pattern_keys": [key],
        "session_key": teller.session_id,
        "surface": teller.platform,
    }
    if isinstance(answers := await teller.send_event("pre_approval_request", event), Failure):
        return answers
    yes = approve is not None and await approve(approval)
    choice = "once" if yes else "deny"
    answers = await teller.send_event("post_approval_response", {**event, "choice": choice})
    if isinstance(answers, Failure):
        return answers
    no_person = "it requires a person's approval, and no one can give it here"
    reason = no_person if approve is None else directive.message.rstrip(".") or "not approved"
    return Success(approval.args) if yes else Failure(CallRefused(by=directive.by, reason=reason))


class CallOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The reply of a call, and its typed ``outcome``; ``reply.untyped`` says why it has none."""

    reply: envelopes.ToolReply
    outcome: object = None


class CallStages:
    """One tool call and its state between stages."""

    def __init__(self, tool: Tool, around: Session, call: Caller, ids: Mapping[str, str]) -> None:
        self._tool, self._session, self._call = tool, around, call
        self._context: dict[str, object] = {
            "session_id": around.session_id,
            "task_id": around.session_id,
            "turn_id": "",
            "api_request_id": "",
            "tool_call_id": ids.get("tool_call_id") or around.new_id(),
            **{name: value for name, value in ids.items() if value},
            "tool_name": tool.name,
        }
        self._args: dict[str, object] = {}
        self._coerced_args: dict[str, object] = {}
        self._trace: tuple[TraceEntry, ...] = ()
        self._answers_by_text: dict[str, ToolAnswer] = {}
        self._asked: list[dict[str, object]] = []
        self._failed_answer: ToolAnswer | None = None
        self._started = around.clock()

    async def run_stages(self, args: object) -> CallOutcome:
        """Run all stages; observers are notified however the call ends."""
        if not self._session.callbacks.has_any:
            return await self._run_unwatched(args)
        try:
            reply = self._add_failure_fields(await self._run_stages(args))
        except asyncio.CancelledError:
            await self._send_hook_event("post_tool_call", status="cancelled", result="")
            raise
        final = self._add_failure_fields(await self._finish_tool_call(reply))
        return CallOutcome(reply=final, outcome=final.outcome)

    async def _run_unwatched(self, args: object) -> CallOutcome:
        """Run the tool without the stages of callbacks; the same call with one that does nothing.

        Nothing changes the arguments in between, so they are checked once.
        """
        coerced = coerce_tool_arguments(args, self._tool.arguments, self._tool.aliases)
        self._args = self._coerced_args = coerced.value_or({})
        selected = select_tool_arguments(self._args, self._tool.arguments, self._args)
        refused = tool_error_or_none(coerced) or self._tool.unavailable
        refused = refused or self._tool.judge(selected)
        if refused is not None:
            return CallOutcome(reply=self._add_failure_fields(envelopes.error_reply(refused)))
        with share_call_ids(self._context):
            answered = await self._tool.run(selected, ())
        if not isinstance(answered, Success):
            return CallOutcome(
                reply=self._add_failure_fields(envelopes.error_reply(answered.failure()))
            )
        answer = answered.unwrap()
        if answer.error is not None:
            self._failed_answer = answer
            return CallOutcome(reply=self._add_failure_fields(envelopes.error_reply(answer.error)))
        # The reply alone is kept while its JSON is written, so it does not hold the outcome.
        return CallOutcome(reply=envelopes.envelope_reply(answer.envelope), outcome=answer.outcome)

    async def _run_stages(self, args: object) -> envelopes.ToolReply:
        coerced = coerce_tool_arguments(args, self._tool.arguments, self._tool.aliases)
        if isinstance(coerced, Failure):
            return envelopes.error_reply(coerced.failure())
        self._args = self._coerced_args = arguments = coerced.unwrap()
        rewritten = await rewrite_request(
            self._middleware("tool_request"), arguments, self._call_context()
        )
        if isinstance(rewritten, Failure):
            return envelopes.error_reply(rewritten.failure())
        self._args, self._trace = rewritten.unwrap().payload, rewritten.unwrap().trace
        self._context["middleware_trace"] = [msgspec.to_builtins(entry) for entry in self._trace]
        admitted = await admit_tool_call(
            self._tool, self._args, self._notifier(), self._session.approve, chosen_fields=arguments
        )
        if isinstance(admitted, Failure):
            return envelopes.error_reply(admitted.failure())
        self._args = admitted.unwrap()
        self._note_arguments(self._args)
        execution = Execution(
            chain=self._middleware("tool_execution"),
            terminal=self._run_tool,
            original=arguments,
            situation=msgspec.structs.replace(self._call_context(), call=self._call_execution),
        )
        with share_call_scope(self._tool.scope):
            ended = await execute_middleware_chain(execution, self._args)
        return self._reply_from_chain(ended)

    async def _call_execution(self, callback: Callback, arguments: dict[str, object]) -> object:
        self._note_arguments(arguments["args"])
        return await self._call(callback, arguments)

    def _note_arguments(self, payload: object) -> Result[dict[str, object], WebError]:
        """Return the tool's arguments in a payload; a result must answer one that was noted."""
        coerced = coerce_tool_arguments(payload, self._tool.arguments, self._tool.aliases)
        if isinstance(coerced, Failure):
            return coerced
        args = select_tool_arguments(coerced.unwrap(), self._tool.arguments, self._coerced_args)
        if args not in self._asked:
            self._asked.append(args)
        return Success(args)

    def _check_envelope(
        self, originals: Sequence[Original], envelope: dict[str, object], by: str
    ) -> Result[envelopes.Replaced, WebError]:
        """Check a plugin's envelope as an answer to any of the arguments in this call."""
        written = PluginEnvelope(envelope, originals, by)
        verdicts = [self._tool.check(written, args) for args in self._asked]
        return next((verdict for verdict in verdicts if isinstance(verdict, Success)), verdicts[0])

    async def _run_tool(self, payload: object) -> Result[object, WebError]:
        """Run the tool; check the arguments again, because callbacks may have changed them."""
        if isinstance(args := self._note_arguments(payload), Failure):
            return args
        with share_call_ids(self._context):
            answered = await self._tool.run(args.unwrap(), self._trace)
        if isinstance(answered, Failure):
            return answered
        answer = answered.unwrap()
        if answer.error is not None:
            self._failed_answer = answer
            return Failure(answer.error)
        text = envelopes.envelope_reply(answer.envelope).text
        self._answers_by_text[text] = answer
        return Success(text)

    def _reply_from_chain(self, ended: CallEnded) -> envelopes.ToolReply:
        value = ended.result.value_or(None)
        if type(value) is str and value in self._answers_by_text and not ended.recoveries:
            answer = self._answers_by_text[value]
            return envelopes.ToolReply(envelope=answer.envelope, outcome=answer.outcome)
        return self._reply_from_plugins(ended)

    def _reply_from_plugins(self, ended: CallEnded) -> envelopes.ToolReply:
        """Return the reply that plugins changed, recovered or gave in place of the tool."""
        from webseam.kernel.plugin_changes import (  # only with plugins
            Original,
            is_same_json,
            note_in_reply,
        )

        originals: list[Original] = []
        fields = envelopes.envelope_fields(ended.result.value_or(None))
        for text, answer in self._answers_by_text.items():
            own = Original(envelopes.envelope_fields(text) or {}, answer.outcome)
            if is_same_json(own.envelope, fields) and not ended.recoveries:
                # Written in another way, such as with blanks, and nothing is changed.
                return envelopes.ToolReply(envelope=answer.envelope, outcome=answer.outcome)
            originals.append(own)
        entries = _trace_of_plugins(ended)
        plugins = dict.fromkeys(entry.source for entry in entries) or dict.fromkeys(
            item.plugin for item in self._middleware("tool_execution")
        )
        reply = envelopes.result_to_reply(
            ended.result,
            ended.replacement,
            ", ".join(plugins),
            partial(self._check_envelope, originals),
        )
        return envelopes.note_recoveries(note_in_reply(reply, entries), ended.recoveries)

    def _add_failure_fields(self, reply: envelopes.ToolReply) -> envelopes.ToolReply:
        """Add the tool's own fields to a failure; keep those that a plugin changed."""
        if reply.error is None:
            return reply
        worded = {**self._tool_failure(reply.error), **reply.envelope}
        return reply if worded == reply.envelope else envelopes.envelope_reply(worded, reply.error)

    def _tool_failure(self, error: WebError) -> dict[str, object]:
        """Return the tool's envelope for an error; prefer the one of its own run."""
        if self._failed_answer is not None and self._failed_answer.error == error:
            return self._failed_answer.envelope
        args = select_tool_arguments(self._args, self._tool.arguments, self._coerced_args)
        return self._tool.failure(error, args)

    async def _finish_tool_call(self, reply: envelopes.ToolReply) -> envelopes.ToolReply:
        """Notify observers, then return the reply, or the text that a hook put in its place."""
        status = _reply_status(reply)
        notified = await self._send_hook_event("post_tool_call", result=reply.text, **status)
        if isinstance(notified, Failure):
            return envelopes.error_reply(notified.failure())
        answers = await self._send_hook_event("transform_tool_result", result=reply.text, **status)
        if isinstance(answers, Failure):
            return envelopes.error_reply(answers.failure())
        if (text := hooks.hook_replacement_text(answers.unwrap())) is None:
            return reply
        plugin = hooks.hook_replacement_plugin(answers.unwrap())
        return self._transform_reply(reply, text, plugin)

    def _transform_reply(
        self, reply: envelopes.ToolReply, text: str, plugin: str
    ) -> envelopes.ToolReply:
        from webseam.kernel.plugin_changes import (  # only with plugins
            Original,
            change_entry,
            note_in_reply,
        )

        own = envelopes.envelope_fields(reply.text) or {}
        entry = change_entry(plugin, "transform_tool_result", own, envelopes.envelope_fields(text))
        if entry is None:
            return reply
        originals = () if reply.outcome is None else (Original(own, reply.outcome),)
        changed = envelopes.transform_reply(
            reply, text, plugin, partial(self._check_envelope, originals)
        )
        if envelopes.envelope_fields(text) is None:
            return changed
        if reply.untyped is not None:
            changed = envelopes.ToolReply(
                envelope=changed.envelope, error=changed.error, untyped=reply.untyped
            )
        return note_in_reply(changed, (entry,))

    async def _send_hook_event(self, name: str, **event: object) -> Result[hooks.Answers, WebError]:
        duration = int((self._session.clock() - self._started) * 1000)
        args = add_aliases(self._args, self._tool.names)
        fields = {"args": args, "duration_ms": duration, "error_type": None, **event}
        return await self._notifier().send_event(name, {"error_message": None, **fields})

    def _notifier(self) -> HookNotifier:
        return HookNotifier(self._session, self._context, self._call)

    def _call_context(self) -> CallContext:
        return CallContext(
            context=self._context,
            payload="args",
            call=self._call,
            log=self._session.log,
            names=self._tool.names,
        )

    def _middleware(self, kind: MiddlewareKind) -> tuple[Middleware, ...]:
        return self._session.callbacks.middleware_of(kind)


def _trace_of_plugins(ended: CallEnded) -> tuple[TraceEntry, ...]:
    """Return a note for each plugin that changed the result, answered or recovered the call."""
    recovered = tuple(
        TraceEntry(
            source=recovery.plugin,
            name=recovery.stage,
            reason=f"recovered from {recovery.error.kind}",
        )
        for recovery in ended.recoveries
    )
    changed = map(_trace_of_replacement, ended.replacements)
    return (*recovered, *(entry for entry in changed if entry is not None))


def _trace_of_replacement(replacement: Replacement) -> TraceEntry | None:
    from webseam.kernel.plugin_changes import change_entry  # only with plugins

    before, after = map(envelopes.envelope_fields, (replacement.before, replacement.after))
    return change_entry(replacement.plugin, "tool_execution", before, after)


def _reply_status(reply: envelopes.ToolReply) -> dict[str, object]:
    if reply.error is None:
        return {"status": "ok"}
    refused = isinstance(reply.error, CallRefused | UrlDenied)
    return {
        "status": "blocked" if refused else "error",
        "error_type": reply.error.kind,
        "error_message": reply.envelope["error"],
    }
