"""Choose the backend that answers, from one table and in one order.

First the backend named for this call, strictly; then the one that the settings name for the task;
then the only configured one, or the first of them by rank; then one that needs no key, if that is
allowed; then the built-in one.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import (
    ConnectFailed,
    ConnectionLost,
    DnsNotFound,
    DnsUnavailable,
    NotConfigured,
    Timeout,
    TlsFailed,
    UnknownBackend,
    UnsupportedCapability,
)

Capability: TypeAlias = Literal["search", "extract"]
Reason: TypeAlias = Literal["named", "configured", "only", "first", "keyless", "embedded", "route"]
# Errors that mean the backend was not reached.
UNREACHED_ERRORS = (ConnectFailed, ConnectionLost, DnsNotFound, DnsUnavailable, Timeout, TlsFailed)


class SelectionCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """One backend as selection sees it.

    ``ready`` lists what it can do as configured, ``keyless`` what it could do without a key. A
    backend that is not ``general`` searches only part of the web, and is chosen only by name. A
    ``paid`` one may cost money, and is never a fallback. One at an address of the user's own
    (``own_address``) counts as named: what it cannot answer goes to nobody else.
    """

    name: str
    can: tuple[Capability, ...]
    ready: tuple[Capability, ...] = ()
    keyless: tuple[Capability, ...] = ()
    embedded: bool = False
    general: bool = True
    paid: bool = False
    own_address: bool = False
    rank: int = 500


class SelectionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The request: ``named`` is for this call; ``for_task`` and ``usual`` are settings.

    ``for_task`` is set for this capability, so the backend must have it; ``usual`` may lack it.
    """

    capability: Capability
    named: str | None = None
    for_task: str | None = None
    usual: str | None = None
    keyless: bool = True


class BackendSelection(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen backend or route, and the reason."""

    name: str
    reason: Reason


Refusal: TypeAlias = UnknownBackend | UnsupportedCapability | NotConfigured


def select_backend(
    request: SelectionRequest, table: Sequence[SelectionCandidate]
) -> Result[BackendSelection, Refusal]:
    """Choose from ``table``, or return what would have to be set up."""
    strict_name = request.named or request.for_task
    if strict_name is not None:
        reason: Reason = "named" if request.named else "configured"
        return _select_named_backend(strict_name, request.capability, table, reason)
    if request.usual is not None:
        usual = _find_backend_candidate(request.usual, request.capability, table)
        if isinstance(usual, Failure) or request.capability in usual.unwrap().can:
            return _select_named_backend(request.usual, request.capability, table, "configured")
    return _select_ready_backend(request, table)


def _select_named_backend(
    name: str, capability: Capability, table: Sequence[SelectionCandidate], reason: Reason
) -> Result[BackendSelection, Refusal]:
    candidate = _find_backend_candidate(name, capability, table)
    if isinstance(candidate, Failure):
        return candidate
    if capability not in candidate.unwrap().can:
        capable = _capable_backends(capability, table)
        return Failure(UnsupportedCapability(capability=capability, capable=capable, backend=name))
    return Success(BackendSelection(name=name, reason=reason))


def _select_ready_backend(
    request: SelectionRequest, table: Sequence[SelectionCandidate]
) -> Result[BackendSelection, Refusal]:
    capability = request.capability
    able = _general_backend_candidates(capability, table)
    ready = [entry for entry in able if capability in entry.ready and not entry.embedded]
    if ready:
        rank: Reason = "only" if len(ready) == 1 else "first"
        return Success(BackendSelection(name=ready[0].name, reason=rank))
    built_in = [entry for entry in able if capability in entry.ready and entry.embedded]
    keyless = [entry for entry in able if capability in entry.keyless] if request.keyless else []
    # Prefer the built-in reader for a page: no third party learns of it. Search has no such choice.
    if keyless and not (built_in and capability == "extract"):
        return Success(BackendSelection(name=keyless[0].name, reason="keyless"))
    if built_in:
        return Success(BackendSelection(name=built_in[0].name, reason="embedded"))
    return Failure(NotConfigured(reason=f"No backend that can {capability} is set up"))


def _general_backend_candidates(
    capability: Capability, table: Sequence[SelectionCandidate]
) -> list[SelectionCandidate]:
    able = [entry for entry in table if capability in entry.can and entry.general]
    return sorted(able, key=lambda entry: (entry.rank, entry.name))


def fallback_backend_names(
    choice: BackendSelection, request: SelectionRequest, table: Sequence[SelectionCandidate]
) -> tuple[str, ...]:
    """Return the fallbacks in order; none if the user named the choice or its address.

    First free backends that are configured, then keyless ones, then built-in ones. A page URL is
    never sent to a service that the user did not configure.
    """
    named = next((it.name for it in table if it.own_address and it.name == choice.name), None)
    if choice.reason in ("named", "configured") or named is not None:
        return ()
    capability = request.capability
    able = _general_backend_candidates(capability, table)
    ready = [entry for entry in able if capability in entry.ready]
    free = [entry for entry in ready if not entry.embedded and not entry.paid]
    may_use_keyless = request.keyless and capability == "search"
    keyless = [entry for entry in able if may_use_keyless and capability in entry.keyless]
    built_in = [entry for entry in ready if entry.embedded]
    names = dict.fromkeys(entry.name for entry in (*free, *keyless, *built_in))
    return tuple(name for name in names if name != choice.name)


def _find_backend_candidate(
    name: str, capability: Capability, table: Sequence[SelectionCandidate]
) -> Result[SelectionCandidate, UnknownBackend]:
    candidate = next((row for row in table if row.name == name), None)
    if candidate is not None:
        return Success(candidate)
    return Failure(UnknownBackend(name=name, capable=_capable_backends(capability, table)))


def _capable_backends(skill: Capability, table: Sequence[SelectionCandidate]) -> tuple[str, ...]:
    return tuple(sorted(entry.name for entry in table if skill in entry.can))
