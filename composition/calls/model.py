"""A ``ChatModel`` with plugins around it.

``llm_request``, ``pre_api_request``, ``llm_execution`` around the client, then ``post_api_request``
or ``api_request_error``.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from types import TracebackType
from typing import Self, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.callbacks.thread import CallbackThread
from ...kernel.boundary import attempt
from ...kernel.chat import check_request, gathered
from ...kernel.middleware import Execution, Situation, execute, rewrite
from ...ports.errors import InvalidQuery, MiddlewareFailed, WebError
from ...ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from .closing import OpenModel
from .model_events import after, before, error_event
from .model_views import response_in, view_of
from .session import HookNotifier, Session

Answered: TypeAlias = Result[NormalizedResponse, WebError]
Send: TypeAlias = Callable[[ChatRequest], Awaitable[Answered]]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is asked."""

    provider: str
    api_mode: str
    base_url: str


class ModelStages:
    """One model call on its way. ``count`` is its number among the calls of its client."""

    def __init__(self, around: Session, place: Place, count: int) -> None:
        """Call the model at ``place`` with what is registered ``around`` it."""
        self._around = around
        self._lane = CallbackThread(around.callback_seconds)
        self._context: dict[str, object] = {
            "session_id": around.session_id,
            "task_id": around.session_id,
            "turn_id": "",
            "api_request_id": around.new_id(),
            "platform": around.platform,
            "model": "",
            **msgspec.structs.asdict(place),
            "api_call_count": count,
        }
        self._request: dict[str, object] = {}
        self._asked: dict[str, object] = {}
        self._started_at = time.time()
        self._started = around.clock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._lane.__aexit__(kind, error, trace)

    async def make(self, request: object, send: Send) -> Answered:
        """Go through all stages; ``send`` is the client."""
        begun = await self.begin(request)
        if isinstance(begun, Failure):
            return Failure(begun.failure())

        async def terminal(payload: object) -> Result[object, WebError]:
            checked = check_request(gathered(payload))
            if isinstance(checked, Failure):
                return Failure(checked.failure())
            return (await send(checked.unwrap())).map(view_of)

        execution = Execution(
            chain=self._around.callbacks.of("llm_execution"),
            terminal=terminal,
            original=self._asked,
            situation=self._situation(),
        )
        ended = await execute(execution, self._request)
        return await self.finish(ended.result.bind(self._opened))

    async def begin(self, request: object) -> Result[ChatRequest, WebError]:
        """Rewrite the request, tell that it is about to be sent, and return it."""
        checked = check_request(request)
        if isinstance(checked, Failure):
            return Failure(checked.failure())
        asked = attempt(lambda: fields_of(checked.unwrap()))
        if isinstance(asked, Failure):
            reason = "hold what cannot be written as JSON"
            return Failure(InvalidQuery(field="messages", reason=reason))
        self._asked = asked.unwrap()
        self._context["model"] = checked.unwrap().model
        chain = self._around.callbacks.of("llm_request")
        rewritten = await rewrite(chain, self._asked, self._situation())
        if isinstance(rewritten, Failure):
            return Failure(rewritten.failure())
        self._request = rewritten.unwrap().payload
        trace = [msgspec.to_builtins(entry) for entry in rewritten.unwrap().trace]
        self._context["middleware_trace"] = trace
        effective = check_request(gathered(self._request))
        if isinstance(effective, Failure):
            return Failure(effective.failure())
        told = await self._tell("pre_api_request", before(self._request))
        return Failure(told.failure()) if isinstance(told, Failure) else Success(effective.unwrap())

    async def finish(self, result: Answered) -> Answered:
        """Tell how it ended, and return that."""
        spent = self._around.clock() - self._started
        times = {"api_duration": spent, "ended_at": self._started_at + spent}
        if isinstance(result, Failure):
            event = {**before(self._request), **error_event(result.failure()), **times}
            told = await self._tell("api_request_error", event)
        else:
            event = {**after(result.unwrap(), self._request), **times}
            told = await self._tell("post_api_request", event)
        return Failure(told.failure()) if isinstance(told, Failure) else result

    def _opened(self, value: object) -> Answered:
        response = response_in(value)
        if response is not None:
            return Success(response)
        plugins = ", ".join(each.plugin for each in self._around.callbacks.of("llm_execution"))
        what = f"returned {type(value).__name__[:100]}, not a model's answer"
        return Failure(MiddlewareFailed(plugin=plugins, stage="llm_execution", error=what))

    async def _tell(self, name: str, event: dict[str, object]) -> Result[object, WebError]:
        teller = HookNotifier(self._around, self._context, self._lane)
        told = await teller.tell(name, {"started_at": self._started_at, **event})
        return told.map(lambda answers: answers)

    def _situation(self) -> Situation:
        return Situation(
            context=self._context, payload="request", call=self._lane, log=self._around.log
        )


def fields_of(request: ChatRequest) -> dict[str, object]:
    """Return a request as the plain fields that are set, as callbacks are told it."""
    usual = ChatRequest(model="m", messages=())
    given = {
        name: value
        for name, value in msgspec.structs.asdict(request).items()
        if name in ("model", "messages") or value != getattr(usual, name)
    }
    fields: dict[str, object] = msgspec.json.decode(msgspec.json.encode(given))
    return fields


# A ``ChatModel`` with plugins around it.


class PluggedModel:
    """A model whose every call goes through the callbacks that are registered."""

    def __init__(
        self, model: OpenModel, around: Session, api_mode: str = "", base_url: str = ""
    ) -> None:
        """Put what is registered ``around`` the model; callbacks are told where it is asked."""
        self.name = model.name
        self._model = model
        self._around = around
        self._place = Place(provider=model.name, api_mode=api_mode, base_url=base_url)
        self._calls = 0

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the whole answer, or why there is none."""
        async with self._stages() as stages:
            return await stages.make(request, self._model.complete)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces, and at the end, once, the result.

        Callbacks around an execution take and give whole answers: with any, the answer comes in one
        piece.
        """
        if self._around.callbacks.of("llm_execution"):
            result = await self.complete(request)
            if not isinstance(result, Failure) and result.unwrap().content:
                yield Delta(text=result.unwrap().content or "")
            yield result
            return
        async with self._stages() as stages:
            begun = await stages.begin(request)
            if isinstance(begun, Failure):
                yield begun
                return
            async with aclosing(self._model.stream(begun.unwrap())) as items:
                async for item in items:
                    yield item if isinstance(item, Delta) else await stages.finish(item)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._model.aclose()

    def _stages(self) -> ModelStages:
        self._calls += 1
        return ModelStages(self._around, self._place, self._calls)


def plugged(model: OpenModel, around: Session, api_mode: str = "", base_url: str = "") -> OpenModel:
    """Return ``model`` with what is registered around it; with nothing, as it is."""
    return PluggedModel(model, around, api_mode, base_url) if around.callbacks.any else model
