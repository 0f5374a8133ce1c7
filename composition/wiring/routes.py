"""Routes: who is asked in which order, from names in settings and arguments to open backends."""

import hashlib
import time
from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.planner.fusion import default_weight
from ...kernel.planner.money import RequestPrice, to_micros
from ...kernel.planner.planner_targets import INFINITY, PlannerRules, PlannerTarget
from ...kernel.planner.routes import Route
from ...kernel.planner.selection import Capability
from ...kernel.planner.state_machine.call_state import Leg
from ...kernel.policy.policy_rules import Policy, allow_files
from ...ports.backends import BackendAbout
from ...ports.errors import WebError
from ..calls.open_backends import OpenBackend
from ..planning.driver import Planner
from ..planning.health import SharedHealth
from ..planning.outcomes import TargetTerms
from ..planning.route_backend import OpenTarget, RouteBackend, RoutePlan
from ..planning.spending import PROCESS_PURSE, TaskSpending
from .backends.backend_rows import BackendRow, CallRules, Root, watch_backend
from .prices import backend_limits, backend_tariff
from .store_setup import open_ledger

ROUTE_NAME = "route"
# Each of several has a part of the time; a model that searches takes longer than that.
_PARTS = 3
_MODEL_SECONDS = 120.0
# For one that is asked alone, and keeps its own time.
_MAX_CALL_SECONDS = 3600.0


class _Opened(msgspec.Struct, frozen=True, kw_only=True):
    """One target, open, with what asking it takes."""

    target: PlannerTarget
    terms: TargetTerms
    backend: OpenBackend
    policy: Policy
    tariff: RequestPrice | None


def open_route(
    capability: Capability,
    route: Route,
    rows: Mapping[str, BackendRow],
    root: Root,
    rules: CallRules,
) -> Result[RouteBackend, WebError]:
    """Return a route with every backend on it open, or why one cannot be opened."""
    opened: dict[str, list[_Opened]] = {}
    for name in (name for step in route for name in step.fuse):
        each = _open_row(capability, rows[name], root)
        if isinstance(each, Failure):
            return each
        opened[name] = each.unwrap()
    every = [one for each in opened.values() for one in each]
    alone = len(every) == 1
    terms = {one.target.name: _alone(one.terms) if alone else one.terms for one in every}
    opened_ledger = open_ledger(root.settings.stores, root.files)
    if isinstance(opened_ledger, Failure):
        return opened_ledger
    ledger = opened_ledger.unwrap()
    spending = TaskSpending(root.settings.budgets, ledger, capability, time.time, root.allowance)
    planner = Planner(
        {one.target.name: one.target for one in every},
        terms,
        _rules(root, terms),
        SharedHealth(ledger),
        spending.within(PROCESS_PURSE),
    )
    plan = _plan(route, opened, root, rules, alone=alone)
    targets = {
        one.target.name: OpenTarget(backend=one.backend, policy=one.policy, tariff=one.tariff)
        for one in every
    }
    return Success(RouteBackend(_about(opened), plan, targets, planner))


def _open_row(
    capability: Capability, row: BackendRow, root: Root
) -> Result[list[_Opened], WebError]:
    """Open a backend once for each of its keys."""
    each = row.open_each
    opened = row.open().map(lambda one: [one]) if each is None else each()
    return opened.map(
        lambda backends: [
            _target(capability, row, root, place, watch_backend(backend, root))
            for place, backend in enumerate(backends, 1)
        ]
    )


def _target(
    capability: Capability, row: BackendRow, root: Root, place: int, backend: OpenBackend
) -> _Opened:
    name = row.candidate.name
    tariff, limits = backend_tariff(row, capability), backend_limits(row)
    free = not row.candidate.paid
    seconds = _MODEL_SECONDS if row.abilities is not None else root.settings.timeout / _PARTS
    return _Opened(
        target=PlannerTarget(
            name=f"{capability}:{name}#{place}",
            backend=name,
            key=place,
            fingerprint=_fingerprint_of(row, place),
            price=0 if tariff is None or free else to_micros(tariff.call),
            rate=limits.rate,
            concurrency=limits.concurrency,
        ),
        terms=TargetTerms(
            free=free,
            priced=tariff is not None,
            setting=f"services.{name}.price",
            seconds=seconds,
        ),
        backend=backend,
        tariff=tariff,
        policy=allow_files(root.policy) if name == "index" else root.policy,
    )


def _fingerprint_of(row: BackendRow, place: int) -> str:
    settings = row.settings
    return key_fingerprint(row.place, "" if settings is None else settings.accesses[place - 1].key)


def key_fingerprint(address: str, secret: str) -> str:
    """Return what changes with a key and its address, and gives neither away."""
    whole = f"{address}\n{secret}".encode()
    return hashlib.blake2b(whole, digest_size=8, person=b"webseam").hexdigest()


def _alone(terms: TargetTerms) -> TargetTerms:
    """Return the terms of one that is asked alone: it keeps its own time."""
    return msgspec.structs.replace(terms, seconds=None)


def _rules(root: Root, terms: Mapping[str, TargetTerms]) -> PlannerRules:
    planned = root.settings.planner
    return PlannerRules(
        timeout=max(each.seconds or _MAX_CALL_SECONDS for each in terms.values()),
        hedge_after=planned.hedge_after,
        hedge_share=planned.hedge_share,
    )


def _plan(
    route: Route,
    opened: Mapping[str, list[_Opened]],
    root: Root,
    rules: CallRules,
    *,
    alone: bool,
) -> RoutePlan:
    legs = tuple(
        Leg(
            members=tuple(tuple(one.target.name for one in opened[name]) for name in step.fuse),
            fuse=len(step.fuse) > 1,
            quorum=step.quorum,
            patience=step.patience or INFINITY,
            strict=step.strict,
        )
        for step in route
    )
    weights = {
        name: step.weights.get(name, default_weight(place, len(step.fuse)))
        for step in route
        for place, name in enumerate(step.fuse)
    }
    every = [one.terms.seconds for each in opened.values() for one in each]
    models = sum(seconds or 0.0 for seconds in every if seconds == _MODEL_SECONDS)
    return RoutePlan(
        legs=legs,
        seconds=_MAX_CALL_SECONDS if alone else root.settings.timeout + models,
        weights=weights,
        strict=alone,
        rows=rules.rows,
        filters=rules.filters,
    )


def _about(opened: Mapping[str, list[_Opened]]) -> BackendAbout:
    """Say of a route what is true of it as a whole: its first backend reads pages, if any can."""
    firsts = [each[0].backend.about for each in opened.values()]
    name = firsts[0].name if len(opened) == 1 else ROUTE_NAME
    return BackendAbout(name=name, embedded=firsts[0].embedded, batch=firsts[0].batch)
