"""Which backend answers a command: chosen by the kernel from the table, then opened."""

from collections.abc import Mapping, Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.planner.selection import Capability, Choice, Refusal, Wish, select
from ...kernel.policy import Policy
from ...ports.errors import InvalidSetting, NotConfigured, WebError
from .. import remedies
from ..calls.closing import OpenBackend
from .rows import BackendRow, Root
from .table import ALIASES, all_rows, candidates, find_row

FILE_HOST = "file.localhost"


class ChosenBackend(msgspec.Struct, frozen=True, kw_only=True):
    """A backend that is open, and why it is this one.

    ``instead`` opens the built-in one that stands in when this one is out of reach.
    """

    backend: OpenBackend
    choice: Choice
    policy: Policy
    instead: BackendRow | None = None


def choose(
    capability: Capability,
    root: Root,
    *,
    named: str | None = None,
    cached: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Result[ChosenBackend, WebError]:
    """Return the backend to ask, open, or what to set up first."""
    found = choose_row(capability, root, named)
    if isinstance(found, Failure):
        return found
    choice, row, instead = found.unwrap()
    opened = row.open()
    if isinstance(opened, Failure):
        return Failure(opened.failure())
    backend = opened.unwrap()
    embedded = row.candidate.name == "index"
    if cached and root.settings.cache.enabled and not embedded:
        backend = _with_cache(backend, row, root, environment)
    policy = with_files(root.policy) if embedded else root.policy
    return Success(ChosenBackend(backend=backend, choice=choice, policy=policy, instead=instead))


def choose_row(
    capability: Capability, root: Root, named: str | None = None
) -> Result[tuple[Choice, BackendRow, BackendRow | None], WebError]:
    """Choose without opening anything. A backend that is named is found without the others."""
    settings = root.settings
    wish = Wish(
        capability=capability,
        named=proper_name(named, root),
        for_task=proper_name(getattr(settings, f"{capability}_backend"), root),
        usual=proper_name(settings.backend, root),
        keyless=settings.keyless,
    )
    only = find_row(wish.named or wish.for_task or "", root)
    rows = [only] if only is not None else all_rows(root)
    chosen = select(wish, candidates(rows))
    if isinstance(chosen, Failure) and only is not None:
        # Only now is it worth knowing who else could.
        chosen = select(wish, candidates(all_rows(root)))
    if isinstance(chosen, Failure):
        return Failure(_worded(chosen.failure(), wish, root))
    by_name = {row.candidate.name: row for row in rows}
    choice = chosen.unwrap()
    broken = _passed_over(capability, choice, rows)
    if broken is not None:
        return Failure(broken)
    return Success((choice, by_name[choice.name], by_name.get(choice.instead or "")))


def _worded(refusal: Refusal, wish: Wish, root: Root) -> Refusal:
    """Say what mends it, or which setting led to a backend that cannot do the task."""
    if isinstance(refusal, NotConfigured):
        return msgspec.structs.replace(refusal, remedy=remedies.SET_UP)
    if wish.named:
        return refusal
    setting = f"{wish.capability}_backend" if wish.for_task else "backend"
    place = f"{root.settings.entries.origin((setting,))}: {setting}"
    return msgspec.structs.replace(refusal, place=place)


def _passed_over(
    capability: Capability, choice: Choice, rows: Sequence[BackendRow]
) -> InvalidSetting | None:
    """Return what is wrong with one that would answer instead: that is not to be hidden."""
    if choice.reason in ("named", "configured"):
        return None
    ranks = {row.candidate.name: row.candidate.rank for row in rows}
    # Whoever is set up comes before those that are open to everybody, or built in.
    last = ranks[choice.name] if choice.reason in ("only", "first") else max(ranks.values()) + 1
    return next(
        (
            row.problem
            for row in sorted(rows, key=lambda row: row.candidate.rank)
            if isinstance(row.problem, InvalidSetting)
            and row.candidate.general
            and capability in row.candidate.can
            and row.candidate.rank < last
        ),
        None,
    )


def proper_name(name: str | None, root: Root) -> str | None:
    """Return a backend's own name for any that it goes by; a stranger's stays as it is."""
    if name in ALIASES:
        return ALIASES[name]
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


def with_files(policy: Policy) -> Policy:
    """Return the policy for a backend that reads files of this user, and fetches nothing."""
    return msgspec.structs.replace(policy, allow_hosts=(*policy.allow_hosts, FILE_HOST))


def _with_cache(
    backend: OpenBackend, row: BackendRow, root: Root, environment: Mapping[str, str] | None
) -> OpenBackend:
    from .cache import cache_store, lifetimes, with_cache  # noqa: PLC0415  only who uses it pays for it

    kept = root.settings.cache
    store = cache_store(environment, kept.size * 1024 * 1024)
    lives = lifetimes(kept.minutes)
    return with_cache(backend, store, scope=row.place, policy=root.policy, lifetimes=lives)
