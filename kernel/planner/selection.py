"""Which backend answers: one table of what there is, one order of how it is chosen.

What was named for this call, strictly; then what the settings name for the task; then the only
one that is set up, or the first of them by rank; then one that needs no key, if that is allowed;
then what is built in.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import (
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


class SelectionCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """One backend as selection sees it.

    ``ready`` lists what it can do as it is set up, ``keyless`` what it could do without a key. One
    that is not ``general`` does not search the whole web, and is never chosen unless it is named.
    One that is ``paid`` may cost money, and is nobody's fallback unless it is named.
    """

    name: str
    can: tuple[Capability, ...]
    ready: tuple[Capability, ...] = ()
    keyless: tuple[Capability, ...] = ()
    embedded: bool = False
    general: bool = True
    paid: bool = False
    rank: int = 500


class SelectionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted. ``named`` is for this call; ``for_task`` and ``usual`` are settings.

    ``for_task`` is meant for this capability, so it must have it; ``usual`` may lack it.
    """

    capability: Capability
    named: str | None = None
    for_task: str | None = None
    usual: str | None = None
    keyless: bool = True


class BackendSelection(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, or the route, and why it is that one."""

    name: str
    reason: Reason


# Nobody was reached.
OUT_OF_REACH = (ConnectFailed, ConnectionLost, DnsNotFound, DnsUnavailable, Timeout, TlsFailed)

Refusal: TypeAlias = UnknownBackend | UnsupportedCapability | NotConfigured


def select_backend(
    request: SelectionRequest, table: Sequence[SelectionCandidate]
) -> Result[BackendSelection, Refusal]:
    """Choose from ``table``, or say what would have to be set up."""
    strict = request.named or request.for_task
    if strict is not None:
        reason: Reason = "named" if request.named else "configured"
        return _strictly(strict, request.capability, table, reason)
    if request.usual is not None:
        usual = _known(request.usual, request.capability, table)
        if isinstance(usual, Failure) or request.capability in usual.unwrap().can:
            return _strictly(request.usual, request.capability, table, "configured")
    return _freely(request, table)


def _strictly(
    name: str, capability: Capability, table: Sequence[SelectionCandidate], reason: Reason
) -> Result[BackendSelection, Refusal]:
    known = _known(name, capability, table)
    if isinstance(known, Failure):
        return known
    if capability not in known.unwrap().can:
        capable = _capable(capability, table)
        return Failure(UnsupportedCapability(capability=capability, capable=capable, backend=name))
    return Success(BackendSelection(name=name, reason=reason))


def _freely(
    wish: SelectionRequest, table: Sequence[SelectionCandidate]
) -> Result[BackendSelection, Refusal]:
    able = sorted(
        (each for each in table if wish.capability in each.can and each.general),
        key=lambda each: (each.rank, each.name),
    )
    ready = [each for each in able if wish.capability in each.ready and not each.embedded]
    if ready:
        return Success(
            BackendSelection(name=ready[0].name, reason="only" if len(ready) == 1 else "first")
        )
    built_in = [each for each in able if wish.capability in each.ready and each.embedded]
    keyless = [each for each in able if wish.capability in each.keyless] if wish.keyless else []
    # A page can be read from here, without telling anybody of it; the web cannot be searched so.
    if keyless and not (built_in and wish.capability == "extract"):
        return Success(BackendSelection(name=keyless[0].name, reason="keyless"))
    if built_in:
        return Success(BackendSelection(name=built_in[0].name, reason="embedded"))
    reason = f"No backend that can {wish.capability} is set up"
    return Failure(NotConfigured(reason=reason))


def fallback_names(
    choice: BackendSelection, request: SelectionRequest, table: Sequence[SelectionCandidate]
) -> tuple[str, ...]:
    """Name who is asked in turn when the choice gives no answer; nobody for one that was named.

    First what is set up and costs nothing, then what is open to everybody, then what is built in.
    A page is not told to somebody who was never set up.
    """
    if choice.reason in ("named", "configured"):
        return ()
    able = sorted(
        (each for each in table if request.capability in each.can and each.general),
        key=lambda each: (each.rank, each.name),
    )
    ready = [each for each in able if request.capability in each.ready]
    free = [each for each in ready if not each.embedded and not each.paid]
    in_turn = request.keyless and request.capability == "search"
    keyless = [each for each in able if in_turn and request.capability in each.keyless]
    built_in = [each for each in ready if each.embedded]
    names = dict.fromkeys(each.name for each in (*free, *keyless, *built_in))
    return tuple(name for name in names if name != choice.name)


def _known(
    name: str, capability: Capability, table: Sequence[SelectionCandidate]
) -> Result[SelectionCandidate, UnknownBackend]:
    candidate = next((each for each in table if each.name == name), None)
    if candidate is not None:
        return Success(candidate)
    return Failure(UnknownBackend(name=name, capable=_capable(capability, table)))


def _capable(capability: Capability, table: Sequence[SelectionCandidate]) -> tuple[str, ...]:
    return tuple(sorted(each.name for each in table if capability in each.can))
