"""A search through the chosen backend, or the built-in one when that is out of reach."""

from typing import TypeAlias

import msgspec
from returns.result import Failure, Result

from ...kernel.deps import WebDeps
from ...kernel.planner.selection import OUT_OF_REACH, Choice
from ...kernel.search import web_search
from ...ports.errors import WebError
from ...ports.web import Query, SearchOutcome
from .. import remedies
from ..calls.closing import closing
from .choice import ChosenBackend, with_files

Searched: TypeAlias = Result[SearchOutcome, WebError]


async def search(query: Query, chosen: ChosenBackend, deps: WebDeps) -> Searched:
    """Search; what was chosen stays open.

    Only a backend that nobody named is ever stood in for, only when it cannot be reached, and the
    receipt says so.
    """
    found = await web_search(query, deps)
    if not isinstance(found, Failure) or chosen.instead is None:
        return found
    error = found.failure()
    opened = chosen.instead.open() if isinstance(error, OUT_OF_REACH) else None
    if opened is None or isinstance(opened, Failure):
        return found
    backend = opened.unwrap()
    policy = with_files(deps.policy)
    inner = msgspec.structs.replace(deps, backend=backend, policy=policy)
    second = await closing(backend, web_search(query, inner))
    said = f"{chosen.choice.name} is out of reach, so your own documents were searched"
    return found if isinstance(second, Failure) else second.map(lambda made: _noted(made, said))


def what_else(choice: Choice, error: WebError | None) -> str:
    """Return what to do for somebody who named nobody, and reached nobody; else nothing."""
    if choice.reason != "keyless" or not isinstance(error, OUT_OF_REACH):
        return ""
    return remedies.OFFLINE


def _noted(outcome: SearchOutcome, said: str) -> SearchOutcome:
    receipt = msgspec.structs.replace(outcome.receipt, warnings=(said, *outcome.receipt.warnings))
    return msgspec.structs.replace(outcome, receipt=receipt)
