"""Set up searches of X from the settings and the models of xAI."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.declaration.provider import Account, ApiMode, Provider
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.features.models.x_search import (
    PROVIDER_NAME,
    XaiRules,
    XaiSearch,
    x_search_chat_request,
)
from webseam.adapters.http.transport import TransportTimes
from webseam.adapters.values.json_schema import explain_schema_mismatch
from webseam.kernel.features.models.x_search import XSearchDeps, x_search
from webseam.kernel.features.models.x_search_request import check_x_answer
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import dollars_to_micros, max_cost
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.kernel.planner.retry import x_retry_rules
from webseam.kernel.planner.routes import ModelStep
from webseam.kernel.port_answers import served_answer
from webseam.ports.backends import Served
from webseam.ports.errors import NotConfigured, NotStored, WebError
from webseam.ports.planning import TokenPrice
from webseam.ports.secrets import Secret
from webseam.ports.x_search import UntrustedXAnswer, XSearchOutcome, XSearchRequest

from ...planning.driver import Planner
from ...planning.metering import current_meter, retry_delay_in_call
from ...planning.open_backends import OpenModel
from ...planning.outcomes import unwrap_planned_result
from ...planning.route_requests import FunctionRequest
from ...session import Session
from ...settings.schema import Settings
from ...settings.services import plain_http_rule
from ...settings.settings_root import SettingsRoot
from .clients import find_provider, model_deps, provider_account, provider_transport
from .model_calls import plug_model
from .model_routes import (
    OpenedTarget,
    model_legs,
    model_planner,
    model_target,
    open_model_steps,
    price_model_target,
    read_route_steps,
    token_price,
)
from .settings import XSearchSettings


class XMember(msgspec.Struct, frozen=True, kw_only=True):
    """A model that can search X, its rules and price; ``max_dollars`` is the dollar limit."""

    model: OpenModel
    key: Secret
    rules: XaiRules
    price: TokenPrice | None = None
    max_dollars: float | None = None


class XPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a route and the seconds for a search; a ``strict`` route has one model."""

    name: str
    legs: tuple[Leg, ...]
    seconds: float
    strict: bool = False


class RouteXSearch:
    """An ``XSearchBackend`` that asks along a route."""

    def __init__(self, plan: XPlan, members: Mapping[str, XMember], planner: Planner) -> None:
        self.name, self.planner = plan.name, planner
        self._plan, self._members = plan, members
        self._backends = {
            name: XaiSearch(member.model, member.rules) for name, member in members.items()
        }

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Return the first valid answer; a stored conversation is only sent to the first leg."""

        async def ask(name: str) -> Served | WebError:
            answer = await self._backends[name].x_search(request)
            judged = answer.bind(lambda reply: self._judge_answer(served_answer(reply)))
            return unwrap_planned_result(judged)

        is_chained = request.store or request.previous_response_id is not None
        planned = await self.planner.call(
            FunctionRequest(
                legs=self._plan.legs[:1] if is_chained else self._plan.legs,
                ask=ask,
                seconds=self._plan.seconds,
                call_cost=lambda target, _requests: self._max_cost_micros(target, request),
                strict=self._plan.strict,
            )
        )
        if planned.error is not None:
            return Failure(planned.error)
        target, served = planned.winners[0]
        by, attempts = target.backend, planned.attempts
        return Success(msgspec.structs.replace(served, by=by, attempts=attempts))

    async def aclose(self) -> None:
        """Close every model and store the health of the route."""
        await self.planner.aclose()
        for member in self._members.values():
            await member.model.aclose()

    def _judge_answer(self, served: Served) -> Result[Served, WebError]:
        """Check an answer and add its cost to the running meter."""
        if (meter := current_meter()) is not None and served.usage is not None:
            meter.charge(served.usage.cost)
        if isinstance(checked := check_x_answer(served.answer), Failure):
            return Failure(cast("WebError", checked.failure()))
        return Success(served)

    def _max_cost_micros(self, target: PlannerTarget, request: XSearchRequest) -> int:
        member = self._members[target.name]
        if member.max_dollars is not None:
            return dollars_to_micros(member.max_dollars)
        if member.price is None:
            return target.price
        model_request = x_search_chat_request(request, member.rules)
        return dollars_to_micros(max_cost(member.price, model_request))


DEFAULT_MODEL = "grok-4.5"
MIN_TIMEOUT_SECONDS = 30.0
_LOG = logging.getLogger("webseam.x_search")
# Without a configured log nothing is printed: the receipt has the same warnings.
_LOG.addHandler(logging.NullHandler())
_CONNECT_SECONDS = 10.0
_API_MODE: ApiMode = "responses"


class XSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Searches X with one account or several, until it is closed.

    ``account`` is the key of the first, under which answers are stored.
    """

    deps: XSearchDeps
    backend: RouteXSearch
    account: Secret = msgspec.field(default_factory=lambda: Secret(""))

    async def __call__(
        self, request: object, *, output_type: type | None = None
    ) -> Result[XSearchOutcome, WebError]:
        """Search; see ``webseam.kernel.features.models.x_search``."""
        outcome_or_error = await x_search(request, self.deps, output_type=output_type)
        for warning in outcome_or_error.map(lambda outcome: outcome.receipt.warnings).value_or(()):
            _LOG.warning("x_search: %s", warning)
        return outcome_or_error

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next search."""
        await self.backend.aclose()


def open_x_search(
    root: SettingsRoot, *, route: Sequence[str] = (), chance: Callable[[], float] = random.random
) -> Result[XSearch, WebError]:
    """Return an open X search for the account in the settings, or the missing setting.

    A ``route``, such as ``["xai/grok-4.5", "xai/grok-4.3"]``, names models to ask in turn. Plugins
    of the session wrap each model call. A key is only sent over https or to this machine.
    ``chance`` spreads the waits before another attempt.
    """
    if root.settings.policy.follow == "cache":
        return Failure(NotStored())
    if isinstance(session := root.session(), Failure):
        return session
    if isinstance(steps := _route_steps(root.settings, route), Failure):
        return steps
    opening = _StepOpener(root, session.unwrap(), chance)
    if isinstance(opened := open_model_steps(steps.unwrap(), opening.open_step), Failure):
        return opened
    legs = opened.unwrap()
    if isinstance(route_backend := _make_route(legs, root), Failure):
        return route_backend
    backend = route_backend.unwrap()
    deps = XSearchDeps(
        backend=backend,
        today=lambda: datetime.now(UTC).date(),
        check_schema=explain_schema_mismatch,
    )
    return Success(XSearch(deps=deps, backend=backend, account=legs[0][0].member.key))


def _route_steps(
    settings: Settings, route: Sequence[str]
) -> Result[tuple[ModelStep, ...], WebError]:
    block = settings.of(XSearchSettings)
    step_texts = tuple(route) or block.route
    if not step_texts:
        return Success((ModelStep(PROVIDER_NAME, block.model or DEFAULT_MODEL),))
    origin = None if route else str(settings.entries.origin(("x_search", "route")))
    return read_route_steps(step_texts, "x_search.route", origin)


def _missing_model_error(
    step: ModelStep, provider: Provider, settings: Settings
) -> WebError | None:
    if step.model or settings.of(XSearchSettings).model or provider.name == PROVIDER_NAME:
        return None
    reason = f"Which model of {provider.name} searches X is not known"
    remedy = f"Name it on the route, as in {provider.name}/MODEL."
    return NotConfigured(reason=reason, remedy=remedy, backend=provider.name)


class _StepOpener:
    """Opens the steps of a route once for each key."""

    def __init__(self, root: SettingsRoot, session: Session, chance: Callable[[], float]) -> None:
        self._root, self._settings = root, root.settings
        self._session, self._chance = session, chance

    def open_step(self, step: ModelStep) -> Result[list[OpenedTarget[XMember]], WebError]:
        """Open a provider once for each key."""
        settings = self._settings
        if isinstance(declared := find_provider(step.provider, settings), Failure):
            return declared
        provider = _responses_provider(declared.unwrap())
        if isinstance(account := provider_account(provider, settings), Failure):
            return account
        refused = _missing_model_error(step, provider, settings)
        refused = refused or _check_address(provider, account.unwrap(), settings)
        if refused is not None:
            return Failure(refused)
        block = settings.of(XSearchSettings)
        model = step.model or block.model or DEFAULT_MODEL
        price = token_price(provider, model, settings)
        accounts = account.unwrap().for_each_key()
        opened: list[OpenedTarget[XMember]] = []
        for key_number, key_account in enumerate(accounts, 1):
            target = model_target("x_search", provider, key_account, model, key_number)
            if isinstance(priced := price_model_target(target, price, key_account), Failure):
                return priced
            priced_target, terms = priced.unwrap()
            member = XMember(
                model=self._open_model(provider, key_account),
                key=key_account.key,
                rules=self._xai_rules(provider, model),
                price=price.unwrap(),
                max_dollars=block.price,
            )
            # Tokens of a search are unknown, so only a set price counts.
            is_priced = block.price is not None
            x_terms = msgspec.structs.replace(terms, priced=is_priced, setting="x_search.price")
            opened.append(OpenedTarget(target=priced_target, terms=x_terms, member=member))
        return Success(opened)

    def _open_model(self, provider: Provider, account: Account) -> OpenModel:
        seconds = _attempt_seconds(self._settings)
        times = TransportTimes(connect=_CONNECT_SECONDS, head=seconds, idle=seconds)
        transport = provider_transport(provider, account, self._root, times)
        deps = msgspec.structs.replace(model_deps(transport), retry=self._retry_delay)
        client = ModelClient(load_wire(provider.api_mode), provider, account, deps=deps)
        return plug_model(client, self._session, _API_MODE, client.base_url)

    def _retry_delay(self, error: WebError, attempt: int) -> float | None:
        seconds = _attempt_seconds(self._settings)
        rules = x_retry_rules(self._settings.of(XSearchSettings).retries, max_seconds=seconds)
        return retry_delay_in_call(error, attempt, rules, self._chance)

    def _xai_rules(self, provider: Provider, model: str) -> XaiRules:
        block = self._settings.of(XSearchSettings)
        return XaiRules(
            model=model,
            effort=block.reasoning_effort,
            deadline=_attempt_seconds(self._settings) * (block.retries + 1),
            credential_source=_key_setting(provider, self._settings),
        )


def _key_setting(provider: Provider, settings: Settings) -> str:
    """Return the variable or the setting that a provider's key comes from.

    An agent sees it, so it is no path of this machine.
    """
    for variable in provider.login.env:
        if settings.variables.first_entry(variable) is not None:
            return variable
    return f"providers.{provider.name}.api_key"


def _make_route(
    legs: Sequence[Sequence[OpenedTarget[XMember]]], root: SettingsRoot
) -> Result[RouteXSearch, WebError]:
    settings = root.settings
    members = {member.target.name: member.member for leg in legs for member in leg}
    attempts = settings.of(XSearchSettings).retries + 1
    plan = XPlan(
        name=legs[0][0].target.backend,
        legs=model_legs(legs),
        seconds=_attempt_seconds(settings) * attempts * len(legs),
        strict=len(members) == 1,
    )
    planner = model_planner("x_search", legs, root)
    return planner.map(lambda made: RouteXSearch(plan, members, made))


def _responses_provider(provider: Provider) -> Provider:
    """Return a provider with the Responses wire, which alone searches X."""
    # Turns are chained by their id, so encrypted reasoning is not needed.
    replace = msgspec.structs.replace
    return replace(
        provider,
        api_mode=_API_MODE,
        fields=replace(provider.fields, structured_output="json_schema", efforts=None),
        responses=replace(provider.responses, encrypted_reasoning=False),
    )


def _check_address(provider: Provider, account: Account, settings: Settings) -> WebError | None:
    """Return why a key may not go to the provider's address; None when it may."""
    http_rule = plain_http_rule("providers", provider.name, settings)
    checked = http_rule.check(account.base_url, with_key=bool(account.secrets()))
    if http_rule.problem is not None:
        return msgspec.structs.replace(http_rule.problem, backend=provider.name)
    if not isinstance(checked, Failure):
        return None
    setting = provider.login.base_url_env or f"providers.{provider.name}.base_url"
    error: WebError = checked.failure()
    reason = f"{checked.failure().reason}; {setting} sets it"
    return msgspec.structs.replace(error, reason=reason, backend=provider.name)


def _attempt_seconds(settings: Settings) -> float:
    return max(settings.of(XSearchSettings).timeout_seconds, MIN_TIMEOUT_SECONDS)
