"""One request to a provider on its way through the plugins.

``llm_request``, ``pre_api_request``, ``llm_execution`` around the sending, then
``post_api_request`` or ``api_request_error``.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Self, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.client.answer_reading import answer_deltas
from webseam.adapters.features.models.client.exchange import Send, WireCall
from webseam.adapters.features.models.declaration.provider import HERMES_API_MODES
from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.boundary import attempt_call
from webseam.kernel.middleware.execution import (
    CallEnded,
    Execution,
    Recovery,
    execute_middleware_chain,
)
from webseam.kernel.middleware.hooks import hook_observable_value
from webseam.kernel.middleware.rewrites import CallContext, rewrite_request
from webseam.kernel.middleware.rewritten_requests import plan_rewritten_sending
from webseam.kernel.planner.retry import MODEL_RETRIES
from webseam.kernel.text.trim import estimate_tokens
from webseam.ports.errors import ConnectionLost, InvalidQuery, MiddlewareFailed, WebError
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from webseam.ports.receipts import Usage

from ...session import HookNotifier, Session
from .model_views import OddAnswer, chat_completion_view, read_returned_answer

_LOG = logging.getLogger("webseam.plugins")


def model_request_event(request: Mapping[str, object]) -> dict[str, object]:
    """Return the event of a request that is about to be sent."""
    messages = _request_messages(request)
    tools = request.get("tools")
    text = msgspec.json.encode(messages, enc_hook=str).decode()
    shown_messages = hook_observable_value(messages)
    return {
        "request": {"method": "POST", "body": hook_observable_value(request)},
        "request_messages": shown_messages,
        "conversation_history": shown_messages,
        "user_message": hook_observable_value(_last_user_message(messages)),
        "message_count": len(messages),
        "tool_count": len(tools) if isinstance(tools, list) else 0,
        "approx_input_tokens": estimate_tokens(text),
        "request_char_count": len(text),
        "max_tokens": _request_max_tokens(request),
    }


def model_response_event(response: NormalizedResponse) -> dict[str, object]:
    """Return the fields that an answer adds to the event of its request."""
    usage = None if response.usage is None else _hermes_token_usage(response.usage)
    message = chat_completion_view(response).choices[0].message
    calls = [msgspec.to_builtins(call, enc_hook=str) for call in response.tool_calls]
    turn = {"role": "assistant", "content": response.content, "tool_calls": calls}
    return {
        "finish_reason": response.finish_reason,
        "response_model": response.model,
        "usage": usage,
        "response": {
            "model": response.model,
            "finish_reason": response.finish_reason,
            "assistant_message": hook_observable_value(turn),
            "usage": usage,
        },
        "assistant_message": message,
        "assistant_content_chars": len(response.content or ""),
        "assistant_tool_call_count": len(response.tool_calls),
    }


def model_error_event(error: WebError, retries: int) -> dict[str, object]:
    """Return the event of a failed attempt; ``retries`` counts earlier attempts."""
    return {
        "status_code": getattr(error, "status", None),
        "retry_count": retries,
        "max_retries": MODEL_RETRIES.attempts - 1,
        "retryable": error.retryable,
        "reason": error.kind,
        "error": {"type": error.kind, "message": error.message},
    }


def _request_max_tokens(request: Mapping[str, object]) -> object:
    """Return the token limit of the answer under any of its API names, or None."""
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    return next((request[name] for name in names if request.get(name) is not None), None)


def _request_messages(request: Mapping[str, object]) -> list[object]:
    values = (request.get(name) for name in ("messages", "input", "contents"))
    if isinstance(first := next((value for value in values if value is not None), None), str):
        return [{"role": "user", "content": first}]
    return first if isinstance(first, list) else []


def _last_user_message(messages: list[object]) -> object:
    turns = [turn for turn in messages if isinstance(turn, dict) and turn.get("role") == "user"]
    return turns[-1].get("content") if turns else ""


def _hermes_token_usage(usage: Usage) -> dict[str, object]:
    """Return the tokens as Hermes counts them: cached tokens are not input tokens."""
    cached = usage.cached_tokens + usage.cache_write_tokens
    return {
        "input_tokens": max(0, usage.input_tokens - cached),
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cached_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "request_count": 1,
        "prompt_tokens": usage.input_tokens,
        "total_tokens": usage.total_tokens,
        "cost": usage.cost,
    }


Answered: TypeAlias = Result[NormalizedResponse, WebError]


class ModelEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The endpoint of a model; plugins may not set ``headers``."""

    provider: str
    api_mode: str
    base_url: str
    headers: frozenset[str] = frozenset()

    def callback_fields(self) -> dict[str, object]:
        """Return the fields that callbacks get, with Hermes's name of the API mode."""
        names: dict[str, str] = {mode: name for name, mode in HERMES_API_MODES.items()}
        api_mode = names.get(self.api_mode, self.api_mode)
        return {"provider": self.provider, "api_mode": api_mode, "base_url": self.base_url}


class ModelStages:
    """One request to a provider; ``context`` names its call, ``retries`` counts earlier ones."""

    def __init__(
        self, session: Session, endpoint: ModelEndpoint, context: Mapping[str, object], retries: int
    ) -> None:
        self._session, self._endpoint, self._retries = session, endpoint, retries
        self._thread = CallbackThread(session.callback_seconds)
        self._context: dict[str, object] = {**context, "retry_count": retries}
        self._original: dict[str, object] = {}
        self._neutral: dict[str, object] = {}
        self._request: dict[str, object] = {}
        self._started_at = time.time()
        self._started = session.clock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._thread.__aexit__(kind, error, trace)

    async def run(self, call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
        """Run all stages and yield the pieces of the answer, then its result."""
        if isinstance(request_ready := await self._begin_request(call), Failure):
            yield request_ready
            return
        has_chain = bool(self._session.callbacks.middleware_of("llm_execution"))
        send_stage = self._execute_llm if has_chain else self._send_llm
        async with aclosing(send_stage(call, send)) as items:
            async for item in items:
                yield item if isinstance(item, Delta) else await self._finish_request(item)

    async def _begin_request(self, call: WireCall) -> Result[None, WebError]:
        """Rewrite the provider's request and call the ``pre_api_request`` hooks."""
        bodies = attempt_call(
            lambda: (model_body_to_json(call.body), chat_request_fields(call.request))
        )
        if isinstance(bodies, Failure):
            reason = "hold what cannot be written as JSON"
            return Failure(InvalidQuery(field="messages", reason=reason))
        self._original, self._neutral = bodies.unwrap()
        self._context["model"] = call.request.model
        chain = self._session.callbacks.middleware_of("llm_request")
        rewritten = await rewrite_request(chain, self._original, self._call_context())
        if isinstance(rewritten, Failure):
            return rewritten
        self._request = rewritten.unwrap().payload
        trace = [msgspec.to_builtins(entry) for entry in rewritten.unwrap().trace]
        self._context["middleware_trace"] = trace
        notified = await self._notify_hook("pre_api_request", model_request_event(self._request))
        return notified.map(lambda _: None)

    async def _send_llm(self, call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
        async with aclosing(send(self._effective_wire_call(call, self._request))) as items:
            async for item in items:
                yield item

    async def _execute_llm(self, call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
        """Send through the ``llm_execution`` callbacks and yield pieces as they arrive."""
        pieces: asyncio.Queue[Delta | None] = asyncio.Queue()
        running = asyncio.create_task(self._run_execution_chain(call, send, pieces))
        has_pieces = False
        try:
            while (piece := await pieces.get()) is not None:
                has_pieces = True
                yield piece
            answer = await running
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
        if call.stream and not has_pieces:
            for delta in answer_deltas(answer):
                yield delta
        yield answer

    async def _run_execution_chain(
        self, call: WireCall, send: Send, pieces: "asyncio.Queue[Delta | None]"
    ) -> Answered:
        # The newest answer of the model in this chain.
        answered: NormalizedResponse | None = None

        async def terminal(payload: object) -> Result[object, WebError]:
            nonlocal answered
            if not isinstance(payload, dict):
                return Failure(InvalidQuery(field="request", reason="must be an object"))
            answer: Answered = Failure(ConnectionLost())
            async with aclosing(send(self._effective_wire_call(call, payload))) as items:
                async for item in items:
                    if not isinstance(item, Delta):
                        answer = item
                    elif call.stream:
                        pieces.put_nowait(item)
            answered = answer.value_or(None)
            return answer.map(chat_completion_view)

        execution = Execution(
            chain=self._session.callbacks.middleware_of("llm_execution"),
            terminal=terminal,
            original=self._original,
            situation=self._call_context(),
        )
        try:
            ended = await execute_middleware_chain(execution, self._request)
            return self._unwrap_answer(ended, call.request, answered)
        finally:
            pieces.put_nowait(None)

    def _effective_wire_call(self, call: WireCall, payload: Mapping[str, object]) -> WireCall:
        outgoing = plan_rewritten_sending(payload, self._original, self._endpoint.headers)
        for name in outgoing.dropped:
            _LOG.warning("a plugin set %s of a model request, which was dropped", name)
        body, headers, seconds = outgoing.body, outgoing.headers, outgoing.seconds
        return msgspec.structs.replace(call, body=body, headers=headers, seconds=seconds)

    async def _finish_request(self, result: Answered) -> Answered:
        """Call the hooks for the result and return it, or the error of a hook."""
        spent = self._session.clock() - self._started
        times = {"api_duration": spent, "ended_at": self._started_at + spent}
        if isinstance(result, Failure):
            name, ended = "api_request_error", model_error_event(result.failure(), self._retries)
        else:
            name, ended = "post_api_request", model_response_event(result.unwrap())
        event = {**model_request_event(self._request), **ended, **times}
        notified = await self._notify_hook(name, event)
        return notified if isinstance(notified, Failure) else result

    def _unwrap_answer(
        self, ended: CallEnded, request: ChatRequest, answered: NormalizedResponse | None
    ) -> Answered:
        if isinstance(ended.result, Failure):
            return ended.result
        value = ended.result.unwrap()
        read = read_returned_answer(value, self._endpoint.api_mode, request, answered)
        if isinstance(read, Success):
            return Success(_add_recoveries(read.unwrap(), ended.recoveries))
        problem = read.failure()
        if not isinstance(problem, OddAnswer):
            return Failure(problem)
        chain = self._session.callbacks.middleware_of("llm_execution")
        plugins = ", ".join(callback.plugin for callback in chain)
        error = MiddlewareFailed(plugin=plugins, stage="llm_execution", error=problem.problem)
        return Failure(error)

    async def _notify_hook(self, name: str, event: dict[str, object]) -> Result[object, WebError]:
        notifier = HookNotifier(self._session, self._context, self._thread)
        neutral = hook_observable_value(self._neutral)
        common_fields = {"started_at": self._started_at, "neutral_request": neutral}
        notified = await notifier.send_event(name, {**common_fields, **event})
        return notified.map(lambda answers: answers)

    def _call_context(self) -> CallContext:
        return CallContext(
            context={**self._context, "neutral_request": self._neutral},
            payload="request",
            call=self._thread,
            log=self._session.log,
        )


def _add_recoveries(
    response: NormalizedResponse, recoveries: tuple[Recovery, ...]
) -> NormalizedResponse:
    if not recoveries:
        return response
    recovered = [{"by": recovery.plugin, "from": recovery.error.kind} for recovery in recoveries]
    provider_data = {**(response.provider_data or {}), "_recovered": recovered}
    return msgspec.structs.replace(response, provider_data=provider_data)


def model_body_to_json(body: Mapping[str, object]) -> dict[str, object]:
    """Return a deep copy of a body with JSON values only."""
    encoded = msgspec.json.encode(body, enc_hook=dict)
    decoded: dict[str, object] = msgspec.json.decode(encoded)
    return decoded


def chat_request_fields(request: ChatRequest) -> dict[str, object]:
    """Return the fields of a neutral request that differ from the defaults."""
    default_request = ChatRequest(model="m", messages=())
    return model_body_to_json(
        {
            name: value
            for name, value in msgspec.structs.asdict(request).items()
            if name in ("model", "messages") or value != getattr(default_request, name)
        }
    )
