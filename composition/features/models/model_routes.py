"""Routes of models: from settings and arguments to open clients."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.declaration.provider import Account, Provider
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import Dollars, dollars_to_micros, usage_cost
from webseam.kernel.planner.planner_targets import PlannerRules, PlannerTarget
from webseam.kernel.planner.routes import ModelStep, read_model_route, route_error
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError
from webseam.ports.planning import TokenPrice
from webseam.ports.receipts import Usage

from ...planning.driver import Planner
from ...planning.shared_health import SharedHealth
from ...planning.spending import PROCESS_PURSE, TargetTerms, TaskSpending
from ...session import Session
from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...wiring.backend_rows import key_fingerprint
from ...wiring.routes import ROUTE_NAME
from ...wiring.store_setup import open_ledger
from .clients import PRICE_SETTINGS, find_provider, make_settled_model, provider_account
from .model_calls import plug_model
from .route_model import DEFAULT_ANSWER_SECONDS, ModelPlan, RouteChatModel, RouteMember

Member = TypeVar("Member")
# A dated model costs as much as the undated one.
_MODEL_DATE_PATTERN = re.compile(r"-\d{8}\Z", re.ASCII)
# A typical answer; its cost is the price of a target.
_TYPICAL_USAGE = Usage(input_tokens=1000, output_tokens=1000)


class ModelRoute(msgspec.Struct, frozen=True, kw_only=True):
    """The models of a task, in the order in which they are asked.

    ``model`` serves steps that name none; without it the provider's own model serves, for a
    ``small`` task its small one. With ``callers``, requests on a route of one name the model.
    """

    task: str
    steps: tuple[ModelStep, ...]
    model: str | None = None
    small: bool = False
    callers: bool = False

    @property
    def is_callers(self) -> bool:
        """Whether the model is the one that a request names."""
        return self.callers and len(self.steps) == 1

    @property
    def name(self) -> str:
        """The model name of a request; each step replaces it by its own."""
        return self.model or self.steps[0].model or ROUTE_NAME


class OpenedTarget(msgspec.Struct, Generic[Member], frozen=True, kw_only=True):
    """One model with one key: as the planner sees it, and open."""

    target: PlannerTarget
    terms: TargetTerms
    member: Member


def read_route_steps(
    words: Sequence[str], setting: str, origin: str | None
) -> Result[tuple[ModelStep, ...], WebError]:
    """Return the route of a setting, or of the caller if ``origin`` is None."""
    return read_model_route(words).alt(lambda reason: route_error(reason, setting, origin))


def open_model_route(
    route: ModelRoute, root: SettingsRoot, limits: ModelLimits | None = None
) -> Result[RouteChatModel, WebError]:
    """Return a route with every model on it open, or why one cannot be opened."""
    if isinstance(session := root.session(), Failure):
        return session
    opening = _StepOpener(route, root, session.unwrap(), limits)
    if isinstance(opened := open_model_steps(route.steps, opening.open_step), Failure):
        return opened
    legs = opened.unwrap()
    plan = ModelPlan(
        name=route.steps[0].provider if len(route.steps) == 1 else ROUTE_NAME,
        legs=model_legs(legs),
        strict=sum(map(len, legs)) == 1,
    )
    members = {member.target.name: member.member for leg in legs for member in leg}
    return model_planner(route.task, legs, root).map(partial(RouteChatModel, plan, members))


def open_model_steps(
    steps: Sequence[ModelStep],
    open_step: Callable[[ModelStep], Result[list[OpenedTarget[Member]], WebError]],
) -> Result[list[list[OpenedTarget[Member]]], WebError]:
    """Open each step of a route of models, or return the first error."""
    legs: list[list[OpenedTarget[Member]]] = []
    for step in steps:
        if isinstance(opened := open_step(step), Failure):
            return opened
        legs.append(opened.unwrap())
    return Success(legs)


def model_legs(legs: Sequence[Sequence[OpenedTarget[Member]]]) -> tuple[Leg, ...]:
    """Return the legs of a route of models, as the planner sees them."""
    return tuple(Leg(members=(tuple(member.target.name for member in leg),)) for leg in legs)


def model_planner(
    task: str, legs: Sequence[Sequence[OpenedTarget[Member]]], root: SettingsRoot
) -> Result[Planner, WebError]:
    """Return a planner for models without hedging."""
    targets = {member.target.name: member.target for leg in legs for member in leg}
    terms = {member.target.name: member.terms for leg in legs for member in leg}
    if isinstance(opened := open_ledger(root.settings.stores, root.files), Failure):
        return opened
    ledger = opened.unwrap()
    # The client of a single model retries by itself.
    rules = PlannerRules(
        timeout=DEFAULT_ANSWER_SECONDS,
        hedge_after=DEFAULT_ANSWER_SECONDS,
        hedge_share=0.0,
        again=False,
    )
    spending = TaskSpending(root.settings.budgets, ledger, task, root.clock, root.allowance)
    health = SharedHealth(ledger)
    spending.share_purse(PROCESS_PURSE, root.client_budget)
    return Success(Planner(targets, terms, rules, health, spending))


def model_target(
    task: str, provider: Provider, account: Account, model: str, key_number: int
) -> PlannerTarget:
    """Return one model with one key, as the planner sees it."""
    return PlannerTarget(
        name=f"{task}:{provider.name}/{model}#{key_number}",
        backend=provider.name,
        key=key_number,
        fingerprint=key_fingerprint(account.base_url, account.key.reveal()),
    )


def price_model_target(
    target: PlannerTarget, price: Result[TokenPrice | None, WebError], account: Account
) -> Result[tuple[PlannerTarget, TargetTerms], WebError]:
    """Return a target with its price, and the terms on which it is asked."""
    if isinstance(price, Failure):
        return price
    tokens = price.unwrap()
    cost = 0.0 if tokens is None else usage_cost(tokens, _TYPICAL_USAGE)
    setting = f"providers.{target.backend}.input_price and output_price"
    # A server without a key costs nothing.
    is_free = not account.secrets()
    terms = TargetTerms(free=is_free, priced=tokens is not None, setting=setting)
    return Success(
        (msgspec.structs.replace(target, price=0 if is_free else dollars_to_micros(cost)), terms)
    )


def token_price(
    provider: Provider, model: str, settings: Settings
) -> Result[TokenPrice | None, WebError]:
    """Return the user's token price, else the provider's; None if unknown."""
    numbers: dict[str, float] = {}
    for name in PRICE_SETTINGS:
        if (entry := settings.entries.get(("providers", provider.name, name))) is None:
            continue
        try:
            numbers[name] = msgspec.convert(entry.value, Dollars, strict=False)
        except msgspec.ValidationError:
            setting, reason = f"providers.{provider.name}.{name}", "must be a number from 0 on"
            return Failure(InvalidSetting(setting=setting, place=str(entry.origin), reason=reason))
    if "input_price" in numbers and "output_price" in numbers:
        paid, written = numbers["input_price"], numbers["output_price"]
        cached, call = numbers.get("cached_price"), numbers.get("call_price", 0.0)
        return Success(TokenPrice(input=paid, output=written, cached=cached, call=call))
    dated = provider.prices.get(_MODEL_DATE_PATTERN.sub("", model))
    return Success(provider.prices.get(model, dated))


class _StepOpener:
    """Opens the steps of one route, each once for each of its keys."""

    def __init__(
        self, route: ModelRoute, root: SettingsRoot, session: Session, limits: ModelLimits | None
    ) -> None:
        self._route, self._root = route, root
        self._session, self._limits = session, limits

    def open_step(self, step: ModelStep) -> Result[list[OpenedTarget[RouteMember]], WebError]:
        """Open a provider once for each key."""
        if isinstance(declared := find_provider(step.provider, self._root.settings), Failure):
            return declared
        provider = declared.unwrap()
        if isinstance(account := provider_account(provider, self._root.settings), Failure):
            return account
        if (model := self._step_model(step, provider)) is None and not self._route.is_callers:
            return Failure(_missing_model_error(provider))
        accounts = account.unwrap().for_each_key()
        opened: list[OpenedTarget[RouteMember]] = []
        for key_number, key_account in enumerate(accounts, 1):
            target = self._open_target(provider, key_account, model, key_number)
            if isinstance(target, Failure):
                return target
            opened.append(target.unwrap())
        return Success(opened)

    def _step_model(self, step: ModelStep, provider: Provider) -> str | None:
        model = step.model or self._route.model
        if model is not None or self._route.is_callers:
            return model
        names = (provider.model, provider.auxiliary_model)
        return next((name for name in (names[::-1] if self._route.small else names) if name), None)

    def _open_target(
        self, provider: Provider, account: Account, model: str | None, number: int
    ) -> Result[OpenedTarget[RouteMember], WebError]:
        client = make_settled_model(provider, account, self._root, self._limits)
        if isinstance(client, Failure):
            return client
        price = token_price(provider, model or "", self._root.settings)
        target = model_target(self._route.task, provider, account, model or "", number)
        if isinstance(priced := price_model_target(target, price, account), Failure):
            return priced
        priced_target, terms = priced.unwrap()
        opened = client.unwrap()
        member = RouteMember(
            client=plug_model(opened, self._session, provider.api_mode, opened.base_url),
            model=model,
            price=price.unwrap(),
        )
        return Success(OpenedTarget(target=priced_target, terms=terms, member=member))


def _missing_model_error(provider: Provider) -> NotConfigured:
    reason = f"No model of {provider.name} is chosen"
    remedy = (
        f"Name one on the route, as in {provider.name}/MODEL, or set "
        f"providers.{provider.name}.model; `webseam models {provider.name} --live` lists them."
    )
    return NotConfigured(reason=reason, remedy=remedy, backend=provider.name)
