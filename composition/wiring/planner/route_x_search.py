"""A route for searches of X: an ``XSearchBackend`` over several models that can search it."""

from collections.abc import Mapping
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.x_search.xai import XaiRules, XaiSearch, chat_request
from ....kernel.planner.money.budgets import to_micros
from ....kernel.planner.money.tokens import max_cost
from ....kernel.planner.planner_targets import PlannerTarget
from ....kernel.planner.state_machine.call_state import Leg
from ....kernel.port_answers import served_answer
from ....kernel.x_search.answer import check_x_answer
from ....ports.backends import Served
from ....ports.errors import WebError
from ....ports.planning.prices import TokenPrice
from ....ports.x_search import UntrustedXAnswer, XSearchRequest
from ...calls.open_backends import OpenModel
from .calls.route_requests import FunctionRequest
from .driver import Planner
from .metering import running_meter
from .outcomes import unwrap_result


class XMember(msgspec.Struct, frozen=True, kw_only=True):
    """One model that can search X, how it is asked, and what it costs: by its tokens, and at most.

    ``most`` are the dollars that the user says a search costs at most: how much a model reads while
    it searches is known after it.
    """

    model: OpenModel
    rules: XaiRules
    price: TokenPrice | None = None
    most: float | None = None


class XPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a route, and the seconds for a whole search; a ``strict`` one is one alone."""

    name: str
    legs: tuple[Leg, ...]
    seconds: float
    strict: bool = False


class RouteXSearch:
    """An ``XSearchBackend`` that asks along a route."""

    def __init__(self, plan: XPlan, members: Mapping[str, XMember], planner: Planner) -> None:
        """Ask ``members`` as ``plan`` says."""
        self.name = plan.name
        self.planner = planner
        self._plan = plan
        self._members = members
        self._backends = {name: XaiSearch(one.model, one.rules) for name, one in members.items()}

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Return the first answer that is one, and who gave it.

        What is stored, or goes on from what was stored, is only for the first of the route: the
        others do not know it.
        """

        async def ask(name: str) -> Served | WebError:
            answer = await self._backends[name].x_search(request)
            return unwrap_result(answer.bind(lambda reply: self._judged(served_answer(reply))))

        bound = request.store or request.previous_response_id is not None
        planned = await self.planner.call(
            FunctionRequest(
                legs=self._plan.legs[:1] if bound else self._plan.legs,
                ask=ask,
                seconds=self._plan.seconds,
                amount=lambda target, _replies: self._amount(target, request),
                strict=self._plan.strict,
            )
        )
        if planned.error is not None:
            return Failure(planned.error)
        target, served = planned.winners[0]
        return Success(
            msgspec.structs.replace(served, by=target.backend, attempts=planned.attempts)
        )

    async def aclose(self) -> None:
        """Close every model, and write down what was learned."""
        await self.planner.aclose()
        for member in self._members.values():
            await member.model.aclose()

    def _judged(self, served: Served) -> Result[Served, WebError]:
        """Return an answer that keeps the law, and note what it cost."""
        meter = running_meter()
        if meter is not None and served.usage is not None:
            meter.charge(served.usage.cost)
        checked = check_x_answer(served.answer)
        if isinstance(checked, Failure):
            return Failure(cast("WebError", checked.failure()))
        return Success(served)

    def _amount(self, target: PlannerTarget, request: XSearchRequest) -> int:
        member = self._members[target.name]
        if member.most is not None:
            return to_micros(member.most)
        if member.price is None:
            return target.price
        return to_micros(max_cost(member.price, chat_request(request, member.rules)))
