"""The client: a ``ChatModel`` made of a wire, a provider, an account and a transport."""

import asyncio
import copy
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Self, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import ConnectionLost, WebError
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem

from ..declaration.provider import Account, Provider
from ..declaration.wire import AnswerResult, Wire, WireRequest, find_refused_field
from .attempts import (
    Attempt,
    PausedAnswer,
    TimeBudget,
    drop_body_fields,
    droppable_field,
    note_left_out,
    start_time_budget,
)
from .exchange import ModelExchange, ModelLimits, Surround, WireCall
from .provider_caller import ModelDeps, ProviderCaller
from .unsent_fields import UnsentFields


class ModelClient:
    """A ``ChatModel`` over one provider. Its results never contain the key."""

    def __init__(
        self,
        wire: Wire,
        provider: Provider,
        account: Account,
        *,
        deps: ModelDeps,
        limits: ModelLimits | None = None,
    ) -> None:
        self.name = provider.name
        self.base_url = account.base_url
        self._wire = wire
        self._provider = provider
        self._limits = limits or ModelLimits()
        self._deps = deps
        self._caller = ProviderCaller(provider, account, deps)
        self._exchange = ModelExchange(wire, self._caller, self._limits)
        self._unsent_fields = UnsentFields(wire, provider)
        self._surround: Surround = lambda call, send: send(call)

    @property
    def own_headers(self) -> frozenset[str]:
        """The names of the provider's headers and of those that carry the key."""
        return self._caller.own_headers

    def with_attempt_wrapper(self, surround: Surround) -> Self:
        """Return a copy of this client with ``surround`` around every attempt."""
        client = copy.copy(self)
        client._surround = surround  # noqa: SLF001  a copy of this object
        return client

    async def complete(self, request: ChatRequest, /) -> AnswerResult:
        """Return the complete answer, or the error."""
        *_, last = [item async for item in self._ask(request, stream=False)]
        return cast("AnswerResult", last)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer's deltas as they arrive, and then the result once."""
        async with aclosing(self._ask(request, stream=True)) as items:
            async for item in items:
                yield item

    async def aclose(self) -> None:
        """Close the connections kept for the next call."""
        await self._caller.aclose()

    async def _ask(self, request: ChatRequest, *, stream: bool) -> AsyncGenerator[StreamItem]:
        """Ask until the answer is complete: a model may pause for its provider's tools."""
        checked = self._deps.check(request).bind(self._check_supported)
        if isinstance(checked, Failure):
            yield self._attribute_answer(checked)
            return
        pauses = PausedAnswer(self._wire, checked.unwrap())
        budget = start_time_budget(pauses.request.deadline or self._limits.seconds)
        answer = None
        while answer is None:
            attempts = self._ask_with_retries(pauses.request, budget, stream=stream)
            async with aclosing(attempts) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        yield item
                    else:
                        answer = pauses.add_answer_part(item)
        unsent = self._find_unsent(checked.unwrap()) if isinstance(answer, Success) else ()
        yield self._attribute_answer(answer.map(lambda response: note_left_out(response, unsent)))

    async def _ask_with_retries(
        self, request: ChatRequest, budget: TimeBudget, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        """Try until there is an answer or no reason to retry; never retry after the first delta."""
        attempt: Attempt | None = Attempt(budget=budget)
        made: list[BackendAttempt] = []
        while attempt is not None:
            has_delta, key, left = False, self._caller.key_number, budget.left
            result: AnswerResult = Failure(ConnectionLost())
            async with aclosing(self._attempt_call(request, attempt, stream=stream)) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        has_delta = True
                        yield item
                    else:
                        result = item
            finished = attempt
            outcome = result.failure().kind if isinstance(result, Failure) else "answered"
            made.append(
                BackendAttempt(
                    backend=self.name,
                    key=key,
                    why="again" if made else "first",
                    outcome=outcome,
                    milliseconds=round((left - budget.left) * 1000),
                )
            )
            attempt = None if has_delta else self._next_attempt(attempt, result)
            if attempt is None:
                noted = result.map(partial(finished.note_attempts, made))
                if len(made) > 1:
                    noted = noted.alt(partial(_add_attempts, tuple(made)))
                yield noted
            else:
                await asyncio.sleep(attempt.wait)

    def _next_attempt(self, attempt: Attempt, result: AnswerResult) -> Attempt | None:
        """Return the next attempt; None after an answer, or if a retry is no use."""
        if not isinstance(result, Failure):
            return None
        field = droppable_field(result.failure(), attempt.left_out)
        if field is not None:
            self._deps.on_retry(result.failure())
            return attempt.drop_field(field)
        return self._caller.next_attempt(attempt, result.failure())

    async def _attempt_call(
        self, request: ChatRequest, attempt: Attempt, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        built = self._build_wire_request(request, attempt, stream=stream)
        if isinstance(built, Failure):
            yield built
            return
        wire_request = built.unwrap()
        call = WireCall(body=wire_request.body, request=request, stream=stream)

        def send(wire_call: WireCall) -> AsyncGenerator[StreamItem]:
            headers = (*wire_request.headers, *wire_call.headers)
            outgoing = msgspec.structs.replace(wire_request, body=wire_call.body, headers=headers)
            return self._attributed_items(self._exchange.send(outgoing, wire_call, attempt.budget))

        async with aclosing(self._surround(call, send)) as items:
            async for item in items:
                yield item

    async def _attributed_items(
        self, items: AsyncGenerator[StreamItem]
    ) -> AsyncGenerator[StreamItem]:
        """Yield the items with keys redacted, because a ``surround`` sees them."""
        async with aclosing(items):
            async for item in items:
                yield item if isinstance(item, Delta) else self._attribute_answer(item)

    def _build_wire_request(
        self, request: ChatRequest, attempt: Attempt, *, stream: bool
    ) -> Result[WireRequest, WebError]:
        try:
            built = self._wire.build_request(request, self._provider, stream=stream)
            body = drop_body_fields(built.body, attempt.left_out)
            if self._wire.leave_out is not None:
                body = self._wire.leave_out(body, attempt.left_out)
            return Success(msgspec.structs.replace(built, body=body))
        except Exception as error:  # noqa: BLE001  a provider's functions may be third-party code
            return Failure(self._deps.crash_error(error))

    def _check_supported(self, request: ChatRequest) -> Result[ChatRequest, WebError]:
        try:
            refused = find_refused_field(request, self._wire, self._provider)
        except Exception as error:  # noqa: BLE001  a provider's functions may be third-party code
            return Failure(self._deps.crash_error(error))
        return Success(request) if refused is None else Failure(refused)

    def _find_unsent(self, request: ChatRequest) -> tuple[str, ...]:
        try:
            return self._unsent_fields.find(request)
        except Exception:  # noqa: BLE001  a provider's functions may be third-party code
            return ()

    def _attribute_answer(self, result: AnswerResult) -> AnswerResult:
        return result.map(self._add_issuer).alt(self._caller.redact_error)

    def _add_issuer(self, response: NormalizedResponse) -> NormalizedResponse:
        """Add the issuer: only the issuer can read its encrypted thoughts."""
        if response.provider_data is None:
            return response
        provider_data = {**response.provider_data, "_issuer": self.name}
        return msgspec.structs.replace(response, provider_data=provider_data)


def _add_attempts(attempts: tuple[BackendAttempt, ...], error: WebError) -> WebError:
    return msgspec.structs.replace(error, attempts=attempts)
