"""A route of several models behind the interface of one.

There is no hedging: the length of an answer decides how long it takes. A stream moves to the next
model only before its first piece.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import bound_output, dollars_to_micros, max_cost, usage_cost
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import ConnectionLost, DeadlineExceeded, WebError
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from webseam.ports.planning import TokenPrice

from ...planning.driver import Planner
from ...planning.metering import Meter, current_meter
from ...planning.open_backends import OpenModel
from ...planning.outcomes import unwrap_planned_result
from ...planning.route_requests import FunctionRequest

# A model client waits as long for a request without a deadline.
DEFAULT_ANSWER_SECONDS = 600.0
Answered: TypeAlias = Result[NormalizedResponse, WebError]
Value = TypeVar("Value")


class RouteMember(msgspec.Struct, frozen=True, kw_only=True):
    """One model on a route; without ``model`` the request names the model."""

    client: OpenModel
    model: str | None = None
    price: TokenPrice | None = None


class ModelPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a route of models; a ``strict`` route has one model."""

    name: str
    legs: tuple[Leg, ...]
    strict: bool = False


class _BegunStream(msgspec.Struct, frozen=True, kw_only=True):
    """A stream with its first item, its remaining items, and the meter of its cost."""

    first: StreamItem
    items: AsyncGenerator[StreamItem]
    meter: Meter | None


class RouteChatModel:
    """A ``ChatModel`` that asks along a route."""

    def __init__(
        self, plan: ModelPlan, members: Mapping[str, RouteMember], planner: Planner
    ) -> None:
        self.name, self.planner = plan.name, planner
        self._plan, self._members = plan, members

    async def complete(self, request: ChatRequest, /) -> Answered:
        """Return the first complete answer, or the error when no model answers."""

        async def ask(name: str) -> NormalizedResponse | WebError:
            member_request, share = self._member_request(request, name), self._time_share(request)
            if share is not None:
                member_request = replace(member_request, deadline=share)
            answer = await self._members[name].client.complete(member_request)
            self._charge_answer(name, answer)
            return unwrap_planned_result(answer)

        planned = await self.planner.call(self._route_request(request, ask))
        if planned.error is not None:
            return Failure(planned.error)
        target, response = planned.winners[0]
        return Success(self._name_model(response, target.name, planned.attempts))

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the pieces of the first model that starts an answer, then one result."""
        begin = partial(self._begin_stream, request)
        planned = await self.planner.call(self._route_request(request, begin))
        if planned.error is not None:
            yield Failure(planned.error)
            return
        target, begun = planned.winners[0]
        async with aclosing(self._yield_stream(begun, target, planned.attempts)) as items:
            async for item in items:
                yield item

    async def aclose(self) -> None:
        """Close every model and store the health of the route."""
        await self.planner.aclose()
        for member in self._members.values():
            await member.client.aclose()

    def _route_request(
        self, request: ChatRequest, ask: Callable[[str], Awaitable[Value | WebError]]
    ) -> FunctionRequest[Value]:
        return FunctionRequest(
            legs=self._plan.legs,
            ask=ask,
            seconds=request.deadline or DEFAULT_ANSWER_SECONDS,
            call_cost=lambda target, _requests: self._max_cost_micros(target, request),
            strict=self._plan.strict,
        )

    async def _begin_stream(self, request: ChatRequest, name: str) -> _BegunStream | WebError:
        """Wait for the first item of a stream; after it no other model is asked."""
        items = self._members[name].client.stream(self._member_request(request, name))
        share = self._time_share(request)
        try:
            async with asyncio.timeout(share):
                first = await anext(items, Failure(ConnectionLost()))
        except TimeoutError:
            await items.aclose()
            backend = self.planner.fleet.targets[name].backend
            return DeadlineExceeded(deadline=share or 0.0, backend=backend)
        if isinstance(first, Failure):
            await items.aclose()
            return first.failure()
        meter = current_meter()
        if not isinstance(first, Delta):
            self._charge_answer(name, first)
        elif meter is not None:
            meter.deferred = True
        return _BegunStream(first=first, items=items, meter=meter)

    async def _yield_stream(
        self, begun: _BegunStream, target: PlannerTarget, attempts: tuple[BackendAttempt, ...]
    ) -> AsyncGenerator[StreamItem]:
        """Yield a started stream, and settle its cost when it ends or is closed."""
        cost: float | None = None
        try:
            async with aclosing(begun.items):
                item = begun.first
                while isinstance(item, Delta):
                    yield item
                    item = await anext(begun.items, Failure(ConnectionLost()))
                cost = self._answer_cost(target.name, item)
                paid = _add_answer_cost(attempts, cost)
                yield item.map(lambda response: self._name_model(response, target.name, paid))
        finally:
            if begun.meter is not None and begun.meter.settle is not None:
                begun.meter.settle(cost)
                self.planner.writer.write_soon()

    def _name_model(
        self, response: NormalizedResponse, name: str, attempts: tuple[BackendAttempt, ...]
    ) -> NormalizedResponse:
        """Return an answer with its attempts, and its model even if the provider names none."""
        model = response.model or self._members[name].model
        return replace(response, model=model, attempts=attempts)

    def _member_request(self, request: ChatRequest, name: str) -> ChatRequest:
        member, planner = self._members[name], self.planner
        member_request = request if member.model is None else replace(request, model=member.model)
        # With a budget, the reserved amount limits the length of an answer.
        is_limited = planner.spending.capped and not planner.terms[name].free
        return bound_output(member_request) if is_limited else member_request

    def _time_share(self, request: ChatRequest) -> float | None:
        if self._plan.strict:
            return None
        return (request.deadline or DEFAULT_ANSWER_SECONDS) / len(self._plan.legs)

    def _max_cost_micros(self, target: PlannerTarget, request: ChatRequest) -> int:
        """Return the maximum cost of an answer, as far as prices are known."""
        price = self._members[target.name].price
        return target.price if price is None else dollars_to_micros(max_cost(price, request))

    def _charge_answer(self, name: str, answer: Answered) -> None:
        meter, cost = current_meter(), self._answer_cost(name, answer)
        if meter is not None:
            meter.charge(cost)

    def _answer_cost(self, name: str, answer: Answered) -> float | None:
        """Return the reported cost, else the cost by tokens; None if unknown."""
        usage = None if isinstance(answer, Failure) else answer.unwrap().usage
        if usage is None:
            return None
        price = self._members[name].price
        if usage.cost is not None or price is None:
            return usage.cost
        return usage_cost(price, usage)


def _add_answer_cost(
    attempts: tuple[BackendAttempt, ...], cost: float | None
) -> tuple[BackendAttempt, ...]:
    if cost is None:
        return attempts
    return tuple(
        # An answer that is free here stays free, whatever its provider states.
        replace(attempt, cost=cost)
        if attempt.outcome == "answered" and attempt.cost != 0
        else attempt
        for attempt in attempts
    )
