"""Open the backends of a route and plan their order, time limits and prices."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.fusion import default_fusion_weight
from webseam.kernel.planner.money import RequestPrice, dollars_to_micros
from webseam.kernel.planner.planner_targets import INFINITY, PlannerRules, PlannerTarget
from webseam.kernel.planner.routes import Route
from webseam.kernel.planner.selection import Capability
from webseam.kernel.policy.policy_rules import Policy, allow_files
from webseam.ports.backends import EVERY_FILTER, NATIVE, BackendAbout
from webseam.ports.errors import WebError

from ..planning.driver import Planner
from ..planning.open_backends import OpenBackend
from ..planning.route_backend import OpenTarget, RouteBackend, RoutePlan
from ..planning.shared_health import SharedHealth
from ..planning.spending import PROCESS_PURSE, TargetTerms, TaskSpending
from .backend_rows import BackendRow, CallRules, Root, access_fingerprint, watch_backend
from .prices import backend_limits, backend_tariff
from .store_setup import open_ledger

ROUTE_NAME = "route"
# Each backend gets a third of the timeout; a search model needs longer, and has what is left of it.
_TIMEOUT_PARTS = 3
_MODEL_SECONDS = 120.0
# A backend that is asked alone keeps its own timeout; the planner waits this long at most.
_MAX_CALL_SECONDS = 3600.0
# A route leaves the filters and the page to each backend that it asks.
_ABILITIES = replace(EVERY_FILTER, filters={**EVERY_FILTER.filters, "page": NATIVE})


class _RouteTarget(msgspec.Struct, frozen=True, kw_only=True):
    """An open target with its terms, policy and price; ``seconds`` is its own timeout."""

    target: PlannerTarget
    terms: TargetTerms
    backend: OpenBackend
    policy: Policy
    tariff: RequestPrice | None
    seconds: float


def open_backend_route(
    capability: Capability,
    route: Route,
    rows: Mapping[str, BackendRow],
    root: Root,
    rules: CallRules,
) -> Result[RouteBackend, WebError]:
    """Return a route with all backends open, or the error of the first that fails."""
    opened: dict[str, list[_RouteTarget]] = {}
    for name in (name for step in route for name in step.fuse):
        if isinstance(row_targets := _open_row_targets(capability, rows[name], root), Failure):
            return row_targets
        opened[name] = row_targets.unwrap()
    parts = [part for row_targets in opened.values() for part in row_targets]
    is_alone = len(parts) == 1
    terms = {
        # A single backend has its own timeout.
        part.target.name: replace(part.terms, seconds=None) if is_alone else part.terms
        for part in parts
    }
    if isinstance(opened_ledger := open_ledger(root.settings.stores, root.files), Failure):
        return opened_ledger
    ledger = opened_ledger.unwrap()
    spending = TaskSpending(root.settings.budgets, ledger, capability, root.clock, root.allowance)
    planner = Planner(
        {part.target.name: part.target for part in parts},
        terms,
        _make_planner_rules(root, terms),
        SharedHealth(ledger),
        spending.share_purse(PROCESS_PURSE, root.client_budget),
    )
    plan = _make_route_plan(route, opened, rules, is_alone=is_alone)
    targets = {
        part.target.name: OpenTarget(backend=part.backend, policy=part.policy, tariff=part.tariff)
        for part in parts
    }
    return Success(RouteBackend(_route_backend_about(opened), plan, targets, planner))


def _open_row_targets(
    capability: Capability, row: BackendRow, root: Root
) -> Result[list[_RouteTarget], WebError]:
    open_per_key = row.open_each
    opened = row.open().map(lambda backend: [backend]) if open_per_key is None else open_per_key()
    return opened.map(
        lambda backends: [
            _make_route_target(capability, row, root, number, watch_backend(backend, root))
            for number, backend in enumerate(backends, 1)
        ]
    )


def _make_route_target(
    capability: Capability, row: BackendRow, root: Root, number: int, backend: OpenBackend
) -> _RouteTarget:
    name = row.candidate.name
    tariff, limits = backend_tariff(row, capability), backend_limits(row)
    is_free = not row.candidate.paid
    settings, is_model = root.settings, row.abilities is not None
    seconds = settings.timeout
    if is_model and settings.explicit_timeout is None:
        seconds = max(seconds, _MODEL_SECONDS)
    return _RouteTarget(
        target=PlannerTarget(
            name=f"{capability}:{name}#{number}",
            backend=name,
            key=number,
            fingerprint=access_fingerprint(row, number),
            price=0 if tariff is None or is_free else dollars_to_micros(tariff.call),
            rate=limits.rate,
            concurrency=limits.concurrency,
        ),
        terms=TargetTerms(
            free=is_free,
            priced=tariff is not None,
            setting=f"services.{name}.price",
            seconds=seconds if is_model else seconds / _TIMEOUT_PARTS,
        ),
        backend=backend,
        tariff=tariff,
        seconds=seconds,
        policy=allow_files(root.policy) if name == "index" else root.policy,
    )


def _make_planner_rules(root: Root, terms: Mapping[str, TargetTerms]) -> PlannerRules:
    planner_settings = root.settings.planner
    return PlannerRules(
        timeout=max(target_terms.seconds or _MAX_CALL_SECONDS for target_terms in terms.values()),
        hedge_after=planner_settings.hedge_after,
        hedge_share=planner_settings.hedge_share,
    )


def _make_route_plan(
    route: Route,
    opened: Mapping[str, list[_RouteTarget]],
    rules: CallRules,
    *,
    is_alone: bool,
) -> RoutePlan:
    legs = tuple(
        Leg(
            members=tuple(tuple(part.target.name for part in opened[name]) for name in step.fuse),
            fuse=len(step.fuse) > 1,
            quorum=step.quorum,
            patience=step.patience or INFINITY,
            strict=step.strict,
        )
        for step in route
    )
    weights = {
        name: step.weights.get(name, default_fusion_weight(index, len(step.fuse)))
        for step in route
        for index, name in enumerate(step.fuse)
    }
    seconds = max(target.seconds for targets in opened.values() for target in targets)
    return RoutePlan(
        legs=legs,
        seconds=_MAX_CALL_SECONDS if is_alone else seconds,
        weights=weights,
        strict=is_alone,
        rows=rules.rows,
        filters=rules.filters,
    )


def _route_backend_about(opened: Mapping[str, list[_RouteTarget]]) -> BackendAbout:
    abouts = [targets[0].backend.about for targets in opened.values()]
    name = abouts[0].name if len(opened) == 1 else ROUTE_NAME
    # A cache around the route hands every filter on: the kernel plans them for each backend again.
    return BackendAbout(
        name=name, embedded=abouts[0].embedded, abilities=_ABILITIES, batch=abouts[0].batch
    )
