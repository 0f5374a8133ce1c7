"""Asking every backend how it is: what is set up, what is wrong, and how to put it right."""

import asyncio
import re
import time
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result

from ...adapters.service.declaration import Option
from ...kernel.deps import WebDeps
from ...kernel.extract import web_extract
from ...kernel.search import web_search
from ...ports.errors import (
    AuthFailed,
    BadPayload,
    DeadlineExceeded,
    HttpStatus,
    InvalidRow,
    InvalidSetting,
    QuotaExhausted,
    RateLimited,
    WebError,
)
from ...ports.web import SearchOutcome, WebExtractResult
from ..calls.open_backends import close_after
from ..settings.entries import KeyPath, setting_path_text
from ..wiring.backends.backend_rows import BackendRow, Root
from .health_parts import UNREACHED

# About what only the service itself can explain.
_PECULIAR = (AuthFailed, BadPayload, HttpStatus)


def advise_on_error(error: WebError, row: BackendRow) -> str:
    """Return what to do about ``error``, which the backend of ``row`` gave."""
    note = row.service.note if row.service is not None and isinstance(error, _PECULIAR) else ""
    return f"{_general(error, row)} {note}".strip()


def _general(error: WebError, row: BackendRow) -> str:
    if isinstance(error, AuthFailed):
        return f"Check the key{_key_names(row)}, or run webseam setup {row.candidate.name}."
    if isinstance(error, QuotaExhausted):
        return "The plan is used up: wait for the next period, or top it up at the service."
    if isinstance(error, RateLimited):
        return "Too many requests from this key or address: wait, or use a key of your own."
    if isinstance(error, UNREACHED):
        if row.settings is None:
            return "Check the network."
        address = row.settings.accesses[0].base_url
        return f"{address} was not reached: check the address and the network."
    return "" if isinstance(error, _PECULIAR) else "Try again later."


def _key_names(row: BackendRow) -> str:
    """Name where each key came from, a variable or a line of a file, else where it could."""
    options = row.service.options if row.service is not None else ()
    origins = row.settings.origins if row.settings is not None else {}
    names = ", ".join(
        str(origins.get(option.name, option.env[0])) for option in options if _is_key(option)
    )
    return f" ({names})" if names else ""


def _is_key(option: Option) -> bool:
    return option.secret and bool(option.env)


_BLOCK = "json"


def check_mapping(outcome: object, name: str, root: Root) -> InvalidSetting | None:
    """Return the field that no row has, although the settings say where it is; None if all is well.

    What came without any row tells nothing.
    """
    rows = outcome.rows if isinstance(outcome, SearchOutcome) else ()
    for field in root.settings.entries.names((_BLOCK, name, "fields")) if rows else ():
        if not any(getattr(row, field) not in (None, "") for row in rows):
            path: KeyPath = (_BLOCK, name, "fields", field)
            reason = "leads nowhere: nothing that came has it"
            place = str(root.settings.entries.origin(path))
            return InvalidSetting(
                setting=setting_path_text(path), place=place, reason=reason, backend=name
            )
    return None


def mapping_advice(error: WebError, name: str) -> str:
    """Name the setting that an answer of another shape speaks against; nothing for other errors."""
    if isinstance(error, InvalidRow):
        return f"Check {setting_path_text((_BLOCK, name, 'fields', error.field))} in the settings."
    if isinstance(error, BadPayload) and error.problem == "shape":
        return f"Check {setting_path_text((_BLOCK, name, 'results_path'))} in the settings."
    return ""


# Asking every backend how it is: what is set up, what is wrong, and how to put it right.

DOUBTFUL = "set up, but doubtful"
PROBE_QUERY = "webseam"
PROBE_PAGE = "https://example.com/"
PROBE_SECONDS = 20.0
# Enough to tell a field that is never there from one that is missing now and then.
_PROBE_ROWS = 10


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """What a live call gave: how long it took, how much came, or what failed and what to do."""

    operation: str
    seconds: float
    found: int = 0
    error: WebError | None = None
    advice: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one backend, and what would put it right.

    ``detail`` says of a model that searches where it is and which one, of others how they were.
    """

    name: str
    state: str
    detail: str = ""
    advice: str = ""
    probe: Probe | None = None


def diagnose_backend(row: BackendRow, health: str = "") -> Diagnosis:
    """Say how a backend is set up, and how it was lately (``health``), without asking anybody."""
    name = row.candidate.name
    if row.problem is not None:
        state = "works without a key" if row.candidate.keyless else "not set up"
        return Diagnosis(name=name, state=state, advice=row.problem.message)
    odd = row.settings.malformed if row.settings is not None else ()
    if odd:
        looks = _looks(odd[0])
        advice = f"The {odd[0].title} does not look like one of {row.title}{looks}"
        return Diagnosis(name=name, state=DOUBTFUL, advice=advice)
    state = "set up" if row.candidate.ready else "open to everybody"
    detail = f"{name}: {row.place}" if row.abilities is not None else _sources(row)
    risk = f"Mind that {row.risk}." if row.risk else ""
    known = ", ".join(filter(None, (detail, health)))
    return Diagnosis(name=name, state=state, detail=known, advice=risk)


def _sources(row: BackendRow) -> str:
    """Say where the key and other options came from."""
    origins = {} if row.settings is None else row.settings.origins
    places = {str(origin) for origin in origins.values() if origin.layer != "default"}
    return f"from {', '.join(sorted(places))}" if places else ""


def _looks(option: Option) -> str:
    """Say how a value looks, as far as its pattern or the service says."""
    begins = re.match(r"[A-Za-z]+[-_]", option.pattern)
    looks = f"they begin with {begins[0]}" if begins else option.help
    return f"; {looks}" if looks else "; look for blanks and quotes in it"


async def probe_all(rows: Sequence[BackendRow], root: Root) -> list[Diagnosis]:
    """Make one real call to each backend that can answer, all at once."""
    return list(await asyncio.gather(*(_probe(row, root) for row in rows)))


async def _probe(row: BackendRow, root: Root) -> Diagnosis:
    diagnosis = diagnose_backend(row)
    usable = row.candidate.ready or row.candidate.keyless
    opened = row.open() if usable else None
    if opened is None:
        return diagnosis
    if isinstance(opened, Failure):
        return msgspec.structs.replace(diagnosis, advice=opened.failure().message)
    backend = opened.unwrap()
    deps = WebDeps(backend=backend, policy=root.policy)
    began = time.monotonic()
    searches, described = "search" in usable, row.candidate.name in root.described
    work = (
        web_search({"query": PROBE_QUERY, "max_results": _PROBE_ROWS if described else 1}, deps)
        if searches
        else web_extract(PROBE_PAGE, deps)
    )
    answer: Result[object, WebError]
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            answer = await close_after(backend, work)
    except TimeoutError:
        answer = Failure(DeadlineExceeded(deadline=PROBE_SECONDS, backend=row.candidate.name))
    error = answer.failure() if isinstance(answer, Failure) else None
    if described and error is None:
        error = check_mapping(answer.unwrap(), row.candidate.name, root)
    probe = Probe(
        operation="search" if searches else "extract",
        seconds=round(time.monotonic() - began, 3),
        found=answer.map(_amount).value_or(0),
        error=error,
        advice="" if error is None else _advice(error, row, described=described),
    )
    return msgspec.structs.replace(diagnosis, probe=probe)


def _advice(error: WebError, row: BackendRow, *, described: bool) -> str:
    if isinstance(error, InvalidSetting):
        return ""
    own = mapping_advice(error, row.candidate.name) if described else ""
    return own or advise_on_error(error, row)


def _amount(outcome: object) -> int:
    """Count what came: rows of a search, characters of a page."""
    if isinstance(outcome, SearchOutcome):
        return len(outcome.rows)
    return len(outcome.content) if isinstance(outcome, WebExtractResult) else 0
