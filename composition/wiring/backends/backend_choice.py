"""Which backend answers a command: chosen by the kernel from the table, then opened."""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.planner.routes import Route, RouteStep, read_route, route_error, route_text
from ....kernel.planner.selection import (
    BackendSelection,
    Capability,
    Refusal,
    SelectionRequest,
    fallback_names,
    select_backend,
)
from ....kernel.policy.policy_rules import Policy, allow_files
from ....ports.errors import (
    InvalidSetting,
    NotConfigured,
    UnknownBackend,
    UnsupportedCapability,
    WebError,
)
from ... import remedies
from ...calls.open_backends import OpenBackend
from ..store_setup import open_answers
from .backend_rows import BackendRow, CallRules, Root, watch_backend
from .backend_table import all_rows, find_row, selection_candidates

# Ranked behind everybody.
_LAST = float("inf")


class ChosenBackend(msgspec.Struct, frozen=True, kw_only=True):
    """A backend that is open, or a route, and why it is this one."""

    backend: OpenBackend
    choice: BackendSelection
    policy: Policy


class BackendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the caller wants: a backend by its name, a route, or everybody at once."""

    named: str | None = None
    route: tuple[str, ...] = ()
    everybody: bool = False


class _Way(msgspec.Struct, frozen=True, kw_only=True):
    """A route with the rows of the table that it leads along."""

    choice: BackendSelection
    route: Route
    rows: Mapping[str, BackendRow]


def choose_backend(  # noqa: PLR0913  each is a wish of its own, all but two by name
    capability: Capability,
    root: Root,
    *,
    backend_name: str | None = None,
    route: Sequence[str] = (),
    everybody: bool = False,
    cached: bool = True,
    rules: CallRules | None = None,
) -> Result[ChosenBackend, WebError]:
    """Return the backend to ask, open, or what to set up first.

    ``backend_name`` is one backend, strictly; ``route`` are several in turn, ``everybody`` is all
    that are set up, at once. Without any of them the settings choose.
    """
    wish = BackendRequest(named=backend_name, route=tuple(route), everybody=everybody)
    wanted = rules or CallRules()
    found = _way(capability, root, wish)
    if isinstance(found, Failure):
        return Failure(_explained(found.failure()))
    way = found.unwrap()
    rows = list(way.rows.values())
    policy = allow_files(root.policy) if "index" in way.rows else root.policy
    if len(rows) == 1 and rows[0].candidate.embedded:
        # Nobody else is asked, and nothing is spent.
        opened = rows[0].open().map(lambda backend: watch_backend(backend, root))
    else:
        opened = _open_route(capability, way, root, wanted)
    if isinstance(opened, Failure):
        return opened
    backend = opened.unwrap()
    if cached and root.settings.cache.enabled and list(way.rows) != ["index"]:
        cached_backend = _with_cache(backend, way, root)
        if isinstance(cached_backend, Failure):
            return cached_backend
        backend = cached_backend.unwrap()
    return Success(ChosenBackend(backend=backend, choice=way.choice, policy=policy))


def choose_row(
    capability: Capability, root: Root, backend_name: str | None = None
) -> Result[tuple[BackendSelection, BackendRow], WebError]:
    """Choose without opening anything. A backend that is named is found without the others."""
    chosen = _chosen(capability, root, backend_name)
    return chosen.alt(_explained).map(lambda way: (way.choice, way.rows[way.choice.name]))


def choose_rows(
    capability: Capability, root: Root
) -> Result[tuple[BackendSelection, tuple[BackendRow, ...]], WebError]:
    """Return whom a call that names nobody asks, in their order, without opening anything."""
    way = _way(capability, root, BackendRequest())
    return way.alt(_explained).map(lambda known: (known.choice, tuple(known.rows.values())))


def _explained(error: WebError) -> WebError:
    from .unknown_backends import explain_unknown  # noqa: PLC0415  packages are looked at after a failure alone

    return explain_unknown(error)


def _way(capability: Capability, root: Root, wish: BackendRequest) -> Result[_Way, WebError]:
    settings = root.settings
    if wish.everybody:
        return _everybody(capability, root)
    if wish.named is not None:
        return _chosen(capability, root, wish.named)
    if wish.route:
        steps = _steps(wish.route, None)
        return steps.bind(lambda route: _along(capability, root, route))
    own: Sequence[object] = getattr(settings, f"{capability}_route")
    if own:
        return _along_own(capability, root, own, f"{capability}_route")
    # A task with a backend of its own keeps it, whatever the route for all tasks is.
    if settings.route and getattr(settings, f"{capability}_backend") is None:
        return _along_own(capability, root, settings.route, "route")
    return _chosen(capability, root, None)


def _along_own(
    capability: Capability, root: Root, words: Sequence[object], setting: str
) -> Result[_Way, WebError]:
    """Return the way along a route of the settings; what is wrong with it is told with its place.

    On the one for all tasks, those who cannot do this one are left out.
    """
    steps = _steps(words, str(root.settings.entries.origin((setting,))))
    if setting == "route":
        steps = steps.map(lambda route: _able(capability, root, route))
    if isinstance(steps, Success) and not steps.unwrap():
        return _chosen(capability, root, None)
    way = steps.bind(lambda route: _along(capability, root, route))
    return way.alt(lambda error: _placed(error, _place(root, setting)))


def _placed(error: WebError, place: str) -> WebError:
    wrong = isinstance(error, UnknownBackend | UnsupportedCapability)
    return msgspec.structs.replace(error, place=place) if wrong else error


def _place(root: Root, setting: str) -> str:
    """Return where a setting stands, and its name; that of an argument has it in itself."""
    origin = root.settings.entries.origin((setting,))
    return str(origin) if origin.layer == "argument" else f"{origin}: {setting}"


def _steps(words: Sequence[object], place: str | None) -> Result[Route, WebError]:
    """Read a route; without a ``place`` it is the caller's, and no setting."""
    return read_route(words).alt(lambda reason: route_error(reason, "route", place))


def _able(capability: Capability, root: Root, route: Route) -> Route:
    """Leave out who cannot do this at all: one route serves searches and pages, some do only one.

    A name that nobody has stays, to be told of.
    """

    def may(name: str) -> bool:
        row = find_row(canonical_backend_name(name, root) or name, root)
        return row is None or capability in row.candidate.can

    able: list[RouteStep] = []
    for step in route:
        names = tuple(name for name in step.fuse if may(name))
        enough = None if step.quorum is None else min(step.quorum, len(names))
        if names:
            able.append(msgspec.structs.replace(step, fuse=names, quorum=enough))
    return tuple(able)


def _along(capability: Capability, root: Root, steps: Route) -> Result[_Way, WebError]:
    """Return the way along a route; each backend on it must be there, able and set up."""
    route: list[RouteStep] = []
    rows: dict[str, BackendRow] = {}
    for step in steps:
        names = [canonical_backend_name(name, root) or name for name in step.fuse]
        for name in names:
            row = _usable(capability, name, root)
            if isinstance(row, Failure):
                return row
            rows[name] = row.unwrap()
        weights = {
            canonical_backend_name(name, root) or name: one for name, one in step.weights.items()
        }
        route.append(msgspec.structs.replace(step, fuse=tuple(names), weights=weights))
    choice = BackendSelection(name=route_text(tuple(route)), reason="route")
    return Success(_Way(choice=choice, route=tuple(route), rows=rows))


def _usable(capability: Capability, name: str, root: Root) -> Result[BackendRow, WebError]:
    row = find_row(name, root)
    table = selection_candidates([row] if row is not None else all_rows(root))
    chosen = select_backend(SelectionRequest(capability=capability, named=name), table)
    if isinstance(chosen, Failure):
        return chosen
    found = cast("BackendRow", row)
    usable = capability in found.candidate.ready or capability in found.candidate.keyless
    if found.problem is not None and not usable:
        return Failure(found.problem)
    return Success(found)


def _everybody(capability: Capability, root: Root) -> Result[_Way, WebError]:
    """Ask all at once that are set up; if nobody is, all that are open to everybody."""
    rows = sorted(all_rows(root), key=lambda row: (row.candidate.rank, row.candidate.name))
    able = [row for row in rows if capability in row.candidate.can and row.candidate.general]
    ready = [row for row in able if capability in row.candidate.ready]
    free = [row for row in able if root.settings.keyless and capability in row.candidate.keyless]
    chosen = {row.candidate.name: row for row in ready or free}
    if not chosen:
        return _chosen(capability, root, None)
    step = RouteStep(fuse=tuple(chosen))
    choice = BackendSelection(name=route_text((step,)), reason="route")
    return Success(_Way(choice=choice, route=(step,), rows=chosen))


def _chosen(capability: Capability, root: Root, named: str | None) -> Result[_Way, WebError]:
    """Return the one backend that was named or is chosen, and after the latter who stands in."""
    settings = root.settings
    wish = SelectionRequest(
        capability=capability,
        named=canonical_backend_name(named, root),
        for_task=canonical_backend_name(getattr(settings, f"{capability}_backend"), root),
        usual=canonical_backend_name(settings.backend, root),
        keyless=settings.keyless,
    )
    only = find_row(wish.named or wish.for_task or "", root)
    rows = [only] if only is not None else all_rows(root)
    chosen = select_backend(wish, selection_candidates(rows))
    if isinstance(chosen, Failure) and only is not None:
        # Only now is it worth knowing who else could.
        chosen = select_backend(wish, selection_candidates(all_rows(root)))
    if isinstance(chosen, Failure):
        refusal = chosen.failure()
        nobody = isinstance(refusal, NotConfigured)
        begun = _begun(capability, rows, _LAST) if nobody else None
        return Failure(begun or _worded(refusal, wish, root))
    by_name = {row.candidate.name: row for row in rows}
    choice = chosen.unwrap()
    broken = _passed_over(capability, choice, rows)
    if broken is not None:
        return Failure(broken)
    names = (choice.name, *fallback_names(choice, wish, selection_candidates(rows)))
    route = tuple(RouteStep(fuse=(name,)) for name in names)
    return Success(_Way(choice=choice, route=route, rows={name: by_name[name] for name in names}))


def _worded(refusal: Refusal, wish: SelectionRequest, root: Root) -> Refusal:
    """Say what mends it, or which setting led to a backend that cannot do the task."""
    if isinstance(refusal, NotConfigured):
        return msgspec.structs.replace(refusal, remedy=remedies.SETUP_REMEDY)
    if wish.named:
        return refusal
    setting = f"{wish.capability}_backend" if wish.for_task else "backend"
    return msgspec.structs.replace(refusal, place=_place(root, setting))


def _passed_over(
    capability: Capability, choice: BackendSelection, rows: Sequence[BackendRow]
) -> WebError | None:
    """Return what is wrong with one that would answer instead: that is not to be hidden.

    Whoever set one up in part means to use it, and no query goes to somebody else meanwhile.
    """
    if choice.reason in ("named", "configured"):
        return None
    ranks = {row.candidate.name: row.candidate.rank for row in rows}
    # Whoever is set up comes before those that are open to everybody, or built in.
    last = ranks[choice.name] if choice.reason in ("only", "first") else _LAST
    return _begun(capability, rows, last)


def _begun(capability: Capability, rows: Sequence[BackendRow], last: float) -> WebError | None:
    """Return what is wrong with the first that is set up in part, of those ranked before."""
    return next(
        (
            row.problem
            for row in sorted(rows, key=lambda row: row.candidate.rank)
            if (row.begun or isinstance(row.problem, InvalidSetting))
            and row.candidate.general
            and capability in row.candidate.can
            and row.candidate.rank < last
        ),
        None,
    )


def canonical_backend_name(name: str | None, root: Root) -> str | None:
    """Return a backend's own name for any that it goes by; a stranger's stays as it is."""
    if not name or find_row(name, root) is not None:
        return name
    known = {
        alias: row.candidate.name
        for row in all_rows(root)
        for alias in (
            row.candidate.name.replace("_", "-"),
            *(() if row.service is None else row.service.aliases),
        )
    }
    return known.get(name, name)


def _open_route(
    capability: Capability, way: _Way, root: Root, rules: CallRules
) -> Result[OpenBackend, WebError]:
    from ..routes import open_route  # noqa: PLC0415  the planner and its ledger

    opened = open_route(capability, way.route, way.rows, root, rules)
    return Failure(opened.failure()) if isinstance(opened, Failure) else Success(opened.unwrap())


def _with_cache(backend: OpenBackend, way: _Way, root: Root) -> Result[OpenBackend, WebError]:
    from ..cache import lifetimes, with_cache  # noqa: PLC0415  only who uses it pays for it

    rules = root.settings.cache
    store = open_answers(root.settings.stores, root.files, rules.size * 1024 * 1024)
    lives = lifetimes(rules.minutes)
    several = f"{route_text(way.route)} " if len(way.rows) > 1 else ""
    # No place begins so: what one of several users is shown, no other is.
    own = f"<{root.cache_scope}> " if root.cache_scope else ""
    scope = own + several + " ".join(row.place for row in way.rows.values())
    return store.map(
        lambda answers: with_cache(
            backend, answers, scope=scope, policy=root.policy, lifetimes=lives
        )
    )
