"""Choose the backend or route for a call, with the kernel's selection rules, and open it."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.timer import asyncio_timer
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.routes import Route, RouteStep, read_route, route_error, route_text
from webseam.kernel.planner.selection import (
    BackendSelection,
    Capability,
    Refusal,
    SelectionRequest,
    fallback_backend_names,
    select_backend,
)
from webseam.kernel.policy.policy_rules import Policy, allow_files
from webseam.ports.errors import (
    InvalidSetting,
    NotConfigured,
    UnknownBackend,
    UnsupportedCapability,
    WebError,
)

from ..planning.open_backends import OpenBackend
from ..settings import remedies
from .backend_rows import BackendRow, CallRules, Root, watch_backend
from .backend_table import all_backend_rows, find_backend_row, selection_candidates

# Behind every rank.
_LAST_RANK = float("inf")


class ChosenBackend(msgspec.Struct, frozen=True, kw_only=True):
    """An open backend or route, and the reason for the choice."""

    backend: OpenBackend
    choice: BackendSelection
    policy: Policy

    def web_deps(self, root: Root) -> WebDeps:
        """Return the dependencies of a search or an extract, with the deadline of the settings."""
        deadline = root.settings.deadline
        return WebDeps(
            backend=self.backend,
            policy=self.policy,
            deadline=deadline,
            timer=asyncio_timer,
            now=root.clock,
        )


class BackendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The request of a caller: a named backend, a route, or all backends at once."""

    named: str | None = None
    route: tuple[str, ...] = ()
    everybody: bool = False


class _RouteRows(msgspec.Struct, frozen=True, kw_only=True):
    choice: BackendSelection
    route: Route
    rows: Mapping[str, BackendRow]


_Resolution: TypeAlias = Result[_RouteRows, WebError]


def choose_backend(
    capability: Capability,
    root: Root,
    *,
    backend_name: str | None = None,
    route: Sequence[str] = (),
    everybody: bool = False,
    cached: bool = True,
    rules: CallRules | None = None,
) -> Result[ChosenBackend, WebError]:
    """Return an open backend, or an error that names the missing setup.

    ``backend_name`` allows one backend only. ``route`` names several in turn; those that lack the
    capability are skipped. ``everybody`` asks all configured ones at once. Without any of them the
    settings choose.
    """
    request = BackendRequest(named=backend_name, route=tuple(route), everybody=everybody)
    call_rules = rules or CallRules()
    if isinstance(resolved := _resolve_backend(capability, root, request), Failure):
        return Failure(_explain_backend(resolved.failure()))
    plan = resolved.unwrap()
    rows = list(plan.rows.values())
    policy = allow_files(root.policy) if "index" in plan.rows else root.policy
    if len(rows) == 1 and rows[0].candidate.embedded:
        # A single embedded backend costs nothing and needs no planner.
        opened = rows[0].open().map(lambda backend: watch_backend(backend, root))
    else:
        opened = _open_backend_route(capability, plan, root, call_rules)
    # The index is on this machine: it needs neither a cache nor the network.
    if list(plan.rows) != ["index"]:
        opened = opened.bind(lambda it: _with_answer_cache(it, plan, root, cached=cached))
    return opened.map(
        lambda backend: ChosenBackend(backend=backend, choice=plan.choice, policy=policy)
    )


def choose_backend_row(
    capability: Capability, root: Root, backend_name: str | None = None
) -> Result[tuple[BackendSelection, BackendRow], WebError]:
    """Return the chosen row without opening it."""
    plan = _select_backend_route(capability, root, backend_name).alt(_explain_backend)
    return plan.map(lambda route: (route.choice, route.rows[route.choice.name]))


def choose_backend_rows(
    capability: Capability, root: Root
) -> Result[tuple[BackendSelection, tuple[BackendRow, ...]], WebError]:
    """Return the rows that a default call uses, in order, without opening them."""
    plan = _resolve_backend(capability, root, BackendRequest()).alt(_explain_backend)
    return plan.map(lambda route: (route.choice, tuple(route.rows.values())))


def _explain_backend(error: WebError) -> WebError:
    from .unknown_backends import explain_unknown_backend  # scans installed packages

    return explain_unknown_backend(error)


def _resolve_backend(capability: Capability, root: Root, request: BackendRequest) -> _Resolution:
    settings = root.settings
    if request.everybody:
        return _route_over_all_backends(capability, root)
    if request.named is not None:
        return _select_backend_route(capability, root, request.named)
    if request.route:
        steps = _read_route_steps(request.route, None)
        return steps.bind(lambda route: _resolve_call_route(capability, root, route))
    task_route: Sequence[object] = getattr(settings, f"{capability}_route")
    if task_route:
        return _resolve_settings_route(capability, root, task_route, f"{capability}_route")
    # The backend of a task takes precedence over the route for all tasks.
    if settings.route and getattr(settings, f"{capability}_backend") is None:
        return _resolve_settings_route(capability, root, settings.route, "route")
    return _select_backend_route(capability, root, None)


def _resolve_call_route(capability: Capability, root: Root, route: Route) -> _Resolution:
    """Resolve the route of one call, without the backends that lack the capability.

    If all lack it, the error names the first of them.
    """
    capable = _drop_incapable_backends(capability, root, route)
    return _resolve_route(capability, root, capable or route)


def _resolve_settings_route(
    capability: Capability, root: Root, texts: Sequence[object], setting: str
) -> _Resolution:
    """Resolve a route of the settings; errors carry the origin of the setting.

    The route for all tasks skips backends without this capability.
    """
    steps = _read_route_steps(texts, str(root.settings.entries.origin((setting,))))
    if setting == "route":
        steps = steps.map(lambda route: _drop_incapable_backends(capability, root, route))
    if isinstance(steps, Success) and not steps.unwrap():
        return _select_backend_route(capability, root, None)
    resolved = steps.bind(lambda route: _resolve_route(capability, root, route))
    return resolved.alt(lambda error: _with_origin(error, _setting_origin(root, setting)))


def _with_origin(error: WebError, origin: str) -> WebError:
    is_setting_error = isinstance(error, UnknownBackend | UnsupportedCapability)
    return replace(error, place=origin) if is_setting_error else error


def _setting_origin(root: Root, setting: str) -> str:
    """Return the origin and name of a setting; the origin of an argument contains the name."""
    origin = root.settings.entries.origin((setting,))
    return str(origin) if origin.layer == "argument" else f"{origin}: {setting}"


def _read_route_steps(step_texts: Sequence[object], origin: str | None) -> Result[Route, WebError]:
    """Read a route; ``origin`` is None if the caller passed it."""
    return read_route(step_texts).alt(lambda reason: route_error(reason, "route", origin))


def _drop_incapable_backends(capability: Capability, root: Root, route: Route) -> Route:
    def is_capable(name: str) -> bool:
        row = find_backend_row(canonical_backend_name(name, root) or name, root)
        return row is None or capability in row.candidate.can

    capable_steps: list[RouteStep] = []
    for step in route:
        names = tuple(name for name in step.fuse if is_capable(name))
        quorum = None if step.quorum is None else min(step.quorum, len(names))
        if names:
            capable_steps.append(replace(step, fuse=names, quorum=quorum))
    return tuple(capable_steps)


def _resolve_route(capability: Capability, root: Root, steps: Route) -> _Resolution:
    """Return the route with its rows; each backend must exist, be capable and be set up."""
    route: list[RouteStep] = []
    rows: dict[str, BackendRow] = {}
    for step in steps:
        names = [canonical_backend_name(name, root) or name for name in step.fuse]
        for name in names:
            if isinstance(row := _usable_backend(capability, name, root), Failure):
                return row
            rows[name] = row.unwrap()
        weights = {
            canonical_backend_name(name, root) or name: weight
            for name, weight in step.weights.items()
        }
        route.append(replace(step, fuse=tuple(names), weights=weights))
    choice = BackendSelection(name=route_text(tuple(route)), reason="route")
    return Success(_RouteRows(choice=choice, route=tuple(route), rows=rows))


def _usable_backend(capability: Capability, name: str, root: Root) -> Result[BackendRow, WebError]:
    row = find_backend_row(name, root)
    table = selection_candidates([row] if row is not None else all_backend_rows(root))
    selected = select_backend(SelectionRequest(capability=capability, named=name), table)
    if isinstance(selected, Failure):
        return selected
    row = cast("BackendRow", row)
    is_usable = capability in row.candidate.ready or capability in row.candidate.keyless
    if row.problem is not None and not is_usable:
        return Failure(row.problem)
    return Success(row)


def _route_over_all_backends(capability: Capability, root: Root) -> _Resolution:
    """Return one step over all configured backends, or over all keyless ones."""
    rows = sorted(all_backend_rows(root), key=lambda row: (row.candidate.rank, row.candidate.name))
    able = [row for row in rows if capability in row.candidate.can and row.candidate.general]
    ready = [row for row in able if capability in row.candidate.ready]
    free = [row for row in able if root.settings.keyless and capability in row.candidate.keyless]
    if not (chosen := {row.candidate.name: row for row in ready or free}):
        return _select_backend_route(capability, root, None)
    step = RouteStep(fuse=tuple(chosen))
    choice = BackendSelection(name=route_text((step,)), reason="route")
    return Success(_RouteRows(choice=choice, route=(step,), rows=chosen))


def _select_backend_route(capability: Capability, root: Root, named: str | None) -> _Resolution:
    """Return the named backend, or the selected one and its fallbacks."""
    settings = root.settings
    request = SelectionRequest(
        capability=capability,
        named=canonical_backend_name(named, root),
        for_task=canonical_backend_name(getattr(settings, f"{capability}_backend"), root),
        usual=canonical_backend_name(settings.backend, root),
        keyless=settings.keyless,
    )
    named_row = find_backend_row(request.named or request.for_task or "", root)
    rows = [named_row] if named_row is not None else all_backend_rows(root)
    chosen = select_backend(request, selection_candidates(rows))
    if isinstance(chosen, Failure) and named_row is not None:
        # Load the whole table only for the error message, which lists alternatives.
        chosen = select_backend(request, selection_candidates(all_backend_rows(root)))
    if isinstance(chosen, Failure):
        refusal = chosen.failure()
        is_unconfigured = isinstance(refusal, NotConfigured)
        problem = _partial_setup_problem(capability, rows, _LAST_RANK) if is_unconfigured else None
        return Failure(problem or _add_refusal_remedy(refusal, request, root))
    by_name = {row.candidate.name: row for row in rows}
    choice = chosen.unwrap()
    if (skipped_problem := _skipped_backend_problem(capability, choice, rows)) is not None:
        return Failure(skipped_problem)
    names = (choice.name, *fallback_backend_names(choice, request, selection_candidates(rows)))
    route = tuple(RouteStep(fuse=(name,)) for name in names)
    chosen_rows = {name: by_name[name] for name in names}
    return Success(_RouteRows(choice=choice, route=route, rows=chosen_rows))


def _add_refusal_remedy(refusal: Refusal, request: SelectionRequest, root: Root) -> Refusal:
    """Add the remedy, or the setting that named an incapable backend."""
    if isinstance(refusal, NotConfigured):
        return replace(refusal, remedy=remedies.SETUP_REMEDY)
    if request.named:
        return refusal
    setting = f"{request.capability}_backend" if request.for_task else "backend"
    return replace(refusal, place=_setting_origin(root, setting))


def _skipped_backend_problem(
    capability: Capability, choice: BackendSelection, rows: Sequence[BackendRow]
) -> WebError | None:
    """Return the problem of a partly configured backend that ranks before the choice.

    The user means to use that backend, so no query may go to another one silently.
    """
    if choice.reason in ("named", "configured"):
        return None
    ranks = {row.candidate.name: row.candidate.rank for row in rows}
    # A configured backend ranks before keyless and built-in ones.
    last_rank = ranks[choice.name] if choice.reason in ("only", "first") else _LAST_RANK
    return _partial_setup_problem(capability, rows, last_rank)


def _partial_setup_problem(
    capability: Capability, rows: Sequence[BackendRow], last_rank: float
) -> WebError | None:
    """Return the problem of the first partly configured backend before ``last_rank``."""
    return next(
        (
            row.problem
            for row in sorted(rows, key=lambda row: row.candidate.rank)
            if (row.is_begun or isinstance(row.problem, InvalidSetting))
            and row.candidate.general
            and capability in row.candidate.can
            and row.candidate.rank < last_rank
        ),
        None,
    )


def canonical_backend_name(name: str | None, root: Root) -> str | None:
    """Return the name of a backend for an alias; an unknown name comes back unchanged."""
    if not name or find_backend_row(name, root) is not None:
        return name
    aliases = {
        alias: row.candidate.name
        for row in all_backend_rows(root)
        for alias in (
            row.candidate.name.replace("_", "-"),
            *(() if row.service is None else row.service.aliases),
        )
    }
    return aliases.get(name, name)


def _open_backend_route(
    capability: Capability, plan: _RouteRows, root: Root, rules: CallRules
) -> Result[OpenBackend, WebError]:
    from .routes import open_backend_route  # the planner and its ledger

    opened = open_backend_route(capability, plan.route, plan.rows, root, rules)
    return Failure(opened.failure()) if isinstance(opened, Failure) else Success(opened.unwrap())


def _with_answer_cache(
    backend: OpenBackend, plan: _RouteRows, root: Root, *, cached: bool
) -> Result[OpenBackend, WebError]:
    is_closed = root.policy.follow == "cache"
    if not is_closed and not (cached and root.settings.cache.enabled):
        return Success(backend)
    from ..planning.route_backend import RouteBackend  # the planner
    from .cache import StoredOnly, make_lifetimes, with_cache  # imported on use
    from .store_setup import open_answer_store  # imported on use

    drops_filters = backend.drops_filters if isinstance(backend, RouteBackend) else None
    backend = StoredOnly(backend) if is_closed else backend
    rules = root.settings.cache
    store = open_answer_store(root.settings.stores, root.files, rules.size * 1024 * 1024)
    cache_lifetimes = make_lifetimes(rules.minutes)
    return store.map(
        lambda answers: with_cache(
            backend,
            answers,
            scope=_cache_scope(plan, root),
            generation=_plan_generation(plan),
            drops_filters=drops_filters,
            policy=root.policy,
            lifetimes=cache_lifetimes,
            now=root.clock,
        )
    )


def _plan_generation(plan: _RouteRows) -> Callable[[], str]:
    """Return what tells the generation of the backends of a plan; empty if none has one."""
    generations = [row.generation for row in plan.rows.values() if row.generation is not None]
    return lambda: " ".join(generation() for generation in generations)


def _cache_scope(plan: _RouteRows, root: Root) -> str:
    """Return what tells the answers of these backends from all others, apart from the question.

    Everything belongs to it that sends another request for the same question, or lets it fail.
    """
    # No cache identity starts with "<", so users never share a cached answer.
    user_prefix = f"<{root.cache_scope}> " if root.cache_scope else ""
    route_prefix = f"{route_text(plan.route)} " if len(plan.rows) > 1 else ""
    identities = " ".join(row.cache_identity for row in plan.rows.values())
    # How the members of a step are asked and weighed; a step alone has only its name.
    steps = [step for step in plan.route if step != RouteStep(fuse=step.fuse)]
    row_settings = {name: row.request_settings() for name, row in plan.rows.items()}
    row_settings = {name: settings for name, settings in row_settings.items() if settings}
    if not steps and not row_settings:
        return f"{user_prefix}{route_prefix}{identities}"
    import hashlib  # a search of the index needs none

    settings = msgspec.json.encode((steps, row_settings), order="deterministic", enc_hook=str)
    digest = hashlib.blake2b(settings, digest_size=16, person=b"webseam").hexdigest()
    return f"{user_prefix}{route_prefix}{identities} {digest}"
