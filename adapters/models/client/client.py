"""The client: a wire, a provider, an account and a transport become a ``ChatModel``."""

import asyncio
import copy
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Self, cast

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ConnectionLost, WebError
from ....ports.models.chat import ChatRequest, Delta, NormalizedResponse, StreamItem
from ..declaration.provider import Account, Provider
from ..declaration.wire import Wire, WireRequest, find_unsupported_field
from .attempts import (
    Attempt,
    PausedAnswer,
    TimeBudget,
    droppable_field,
    time_budget,
    without_body_fields,
)
from .exchange import ModelExchange, ModelLimits, Send, Surround, WireCall
from .provider_caller import ModelDeps, ProviderCaller


def _directly(call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
    return send(call)


class ModelClient:
    """A ``ChatModel`` over one provider. Nothing it returns holds the key.

    An account with several keys uses the next one when the provider refuses a key or has had enough
    of it, before anything of an answer came.
    """

    def __init__(
        self,
        wire: Wire,
        provider: Provider,
        account: Account,
        *,
        surroundings: ModelDeps,
        limits: ModelLimits | None = None,
    ) -> None:
        """Join how it is spoken, what is special about it, who calls, and how it is reached."""
        self.name = provider.name
        self.base_url = account.base_url
        self._wire = wire
        self._provider = provider
        self._limits = limits or ModelLimits()
        self._deps = surroundings
        self._caller = ProviderCaller(provider, account, surroundings)
        self._exchange = ModelExchange(wire, self._caller, self._limits)
        self._surround: Surround = _directly

    @property
    def own_headers(self) -> frozenset[str]:
        """The names of headers that are the client's to say: those of the provider and its key."""
        return self._caller.own_headers

    def surrounded(self, surround: Surround) -> Self:
        """Return this client with ``surround`` around every single request, each attempt too."""
        other = copy.copy(self)
        other._surround = surround  # noqa: SLF001  a copy of ourselves
        return other

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the whole answer, or why there is none."""
        *_, last = [item async for item in self._ask(request, stream=False)]
        return cast("Result[NormalizedResponse, WebError]", last)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces as they come, and at the end, once, the result."""
        async with aclosing(self._ask(request, stream=True)) as items:
            async for item in items:
                yield item

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._caller.aclose()

    async def _ask(self, request: ChatRequest, *, stream: bool) -> AsyncGenerator[StreamItem]:
        """Ask until the answer is whole: a model may pause at the work of its provider's tools."""
        checked = self._deps.check(request)
        if isinstance(checked, Failure):
            yield self._signed(checked)
            return
        refused = find_unsupported_field(checked.unwrap(), self._wire, self._provider)
        if refused is not None:
            yield self._signed(Failure(refused))
            return
        pauses = PausedAnswer(self._wire, checked.unwrap())
        budget = time_budget(pauses.request.deadline or self._limits.seconds)
        whole = None
        while whole is None:
            async with aclosing(self._answer(pauses.request, budget, stream=stream)) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        yield item
                    else:
                        whole = pauses.take(item)
        yield self._signed(whole)

    async def _answer(
        self, request: ChatRequest, budget: TimeBudget, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        """Try until there is an answer, or no use in trying; never again once it began to speak."""
        turn: Attempt | None = Attempt(budget=budget)
        while turn is not None:
            begun = False
            result: Result[NormalizedResponse, WebError] = Failure(ConnectionLost())
            async with aclosing(self._attempt(request, turn, stream=stream)) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        begun = True
                        yield item
                    else:
                        result = item
            done, turn = turn, None if begun else self._next(turn, result)
            if turn is None:
                yield result.map(done.stamp)
            else:
                await asyncio.sleep(turn.wait)

    def _next(self, turn: Attempt, result: Result[NormalizedResponse, WebError]) -> Attempt | None:
        """Return the turn to take after this one: none, if it is an answer or no use to go on."""
        if not isinstance(result, Failure):
            return None
        unwanted = droppable_field(result.failure(), turn.left_out)
        if unwanted is not None:
            return turn.without(unwanted)
        return self._caller.after(turn, result.failure())

    async def _attempt(
        self, request: ChatRequest, turn: Attempt, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        built = self._build(request, turn, stream=stream)
        if isinstance(built, Failure):
            yield built
            return
        wire_request = built.unwrap()
        call = WireCall(body=wire_request.body, request=request, stream=stream)

        def send(wire_call: WireCall) -> AsyncGenerator[StreamItem]:
            headers = (*wire_request.headers, *wire_call.headers)
            outgoing = msgspec.structs.replace(wire_request, body=wire_call.body, headers=headers)
            return self._told(self._exchange.send(outgoing, wire_call, turn.budget))

        async with aclosing(self._surround(call, send)) as items:
            async for item in items:
                yield item

    async def _told(self, items: AsyncGenerator[StreamItem]) -> AsyncGenerator[StreamItem]:
        """Yield what came; whoever stands around a request is shown no key either."""
        async with aclosing(items):
            async for item in items:
                yield item if isinstance(item, Delta) else self._signed(item)

    def _build(
        self, request: ChatRequest, turn: Attempt, *, stream: bool
    ) -> Result[WireRequest, WebError]:
        try:
            built = self._wire.build_request(request, self._provider, stream=stream)
            body = (self._wire.leave_out or without_body_fields)(built.body, turn.left_out)
            return Success(msgspec.structs.replace(built, body=body))
        except Exception as error:  # noqa: BLE001  a provider's own functions may be anybody's
            return Failure(self._deps.crashed(error))

    def _signed(
        self, result: Result[NormalizedResponse, WebError]
    ) -> Result[NormalizedResponse, WebError]:
        """Put our name on the result, and take every secret out of what the provider said."""
        return result.map(self._stamp).alt(self._caller.sign)

    def _stamp(self, response: NormalizedResponse) -> NormalizedResponse:
        """Say whose thoughts these are: nobody else may be sent what only their issuer can read."""
        if response.provider_data is None:
            return response
        held = {**response.provider_data, "_issuer": self.name}
        return msgspec.structs.replace(response, provider_data=held)
