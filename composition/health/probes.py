"""Diagnose each backend: its setup, a real call to it, and advice for its errors."""

import asyncio
import re
import time
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result

from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract
from webseam.kernel.search import web_search
from webseam.ports import errors
from webseam.ports.web import SearchOutcome, WebExtractResult

from ..planning.open_backends import close_after
from ..settings.entries import KeyPath, setting_path_text
from ..wiring.backend_rows import BackendRow, Root
from ..wiring.cache import StoredOnly
from ..wiring.target_health import end_rests
from .health_parts import UNREACHED_ERRORS

# Only the note of the service explains these errors.
_REPLY_ERRORS = (errors.AuthFailed, errors.BadPayload, errors.HttpStatus)
_BLOCK = "json"
DOUBTFUL_STATE = "set up, but doubtful"
PROBE_QUERY = "webseam"
PROBE_PAGE = "https://example.com/"
PROBE_SECONDS = 20.0
# Ten rows tell a field that is always missing from one that is sometimes missing.
_PROBE_ROWS = 10


def advise_on_probe_error(error: errors.WebError, row: BackendRow) -> str:
    """Return advice for an error of the backend of ``row``."""
    note = row.service.note if row.service is not None and isinstance(error, _REPLY_ERRORS) else ""
    return f"{_general_error_advice(error, row)} {note}".strip()


def _general_error_advice(error: errors.WebError, row: BackendRow) -> str:
    if isinstance(error, errors.AuthFailed):
        return f"Check the key{_key_origin_text(row)}, or run webseam setup {row.candidate.name}."
    if isinstance(error, errors.QuotaExhausted):
        return "The plan is used up: wait for the next period, or top it up at the service."
    if isinstance(error, errors.RateLimited):
        return "Too many requests from this key or address: wait, or use a key of your own."
    if isinstance(error, UNREACHED_ERRORS):
        if row.settings is None:
            return "Check the network."
        address = row.settings.accesses[0].base_url
        return f"{address} was not reached: check the address and the network."
    return "" if isinstance(error, _REPLY_ERRORS) else "Try again later."


def _key_origin_text(row: BackendRow) -> str:
    """Return the origin of each key, or the variable that could set it."""
    options = row.service.options if row.service is not None else ()
    origins = row.settings.origins if row.settings is not None else {}
    names = ", ".join(
        str(origins.get(option.name, option.env[0]))
        for option in options
        if option.secret and option.env
    )
    return f" ({names})" if names else ""


def check_probed_mapping(outcome: object, name: str, root: Root) -> errors.InvalidSetting | None:
    """Return an error for a mapped field that no row has; None without rows or such a field."""
    rows = outcome.rows if isinstance(outcome, SearchOutcome) else ()
    for field in root.settings.entries.names_below((_BLOCK, name, "fields")) if rows else ():
        if not any(getattr(row, field) not in (None, "") for row in rows):
            path: KeyPath = (_BLOCK, name, "fields", field)
            reason = "leads nowhere: nothing that came has it"
            origin = str(root.settings.entries.origin(path))
            return errors.InvalidSetting(
                setting=setting_path_text(path), place=origin, reason=reason, backend=name
            )
    return None


def probed_mapping_advice(error: errors.WebError, name: str) -> str:
    """Name the setting that does not match the shape of an answer; empty for other errors."""
    if isinstance(error, errors.InvalidRow):
        return f"Check {setting_path_text((_BLOCK, name, 'fields', error.field))} in the settings."
    if isinstance(error, errors.BadPayload) and error.problem == "shape":
        return f"Check {setting_path_text((_BLOCK, name, 'results_path'))} in the settings."
    return ""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a real call: its duration and size, or the error with advice."""

    operation: str
    seconds: float
    found: int = 0
    error: errors.WebError | None = None
    advice: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one backend, with advice.

    ``detail`` is the address and name of a search model; for others, origins and recent health.
    """

    name: str
    state: str
    detail: str = ""
    advice: str = ""
    probe: Probe | None = None


def diagnose_backend_row(row: BackendRow, health: str = "") -> Diagnosis:
    """Return the setup and recent ``health`` of a backend, without a call to it."""
    name = row.candidate.name
    if row.problem is not None:
        state = "works without a key" if row.candidate.keyless else "not set up"
        return Diagnosis(name=name, state=state, advice=row.problem.message)
    malformed = row.settings.malformed if row.settings is not None else ()
    if malformed:
        # The pattern of an option or its help describes the format of a key.
        option = malformed[0]
        prefix = re.match(r"[A-Za-z]+[-_]", option.pattern)
        hint = f"they begin with {prefix[0]}" if prefix else option.help
        hint = f"; {hint}" if hint else "; look for blanks and quotes in it"
        advice = f"The {malformed[0].title} does not look like one of {row.title}{hint}"
        return Diagnosis(name=name, state=DOUBTFUL_STATE, advice=advice)
    state = "set up" if row.candidate.ready else "open to everybody"
    if row.model is not None:
        detail = f"{name}: {row.address} (model {row.model})"
    else:
        detail = _option_origins_text(row)
    risk = f"Mind that {row.risk}." if row.risk else ""
    known_state = ", ".join(filter(None, (detail, health)))
    return Diagnosis(name=name, state=state, detail=known_state, advice=risk)


def _option_origins_text(row: BackendRow) -> str:
    origins = {} if row.settings is None else row.settings.origins
    origin_texts = {str(origin) for origin in origins.values() if origin.layer != "default"}
    return f"from {', '.join(sorted(origin_texts))}" if origin_texts else ""


async def probe_backends(rows: Sequence[BackendRow], root: Root) -> list[Diagnosis]:
    """Make one real call to each usable backend, all at the same time."""
    return list(await asyncio.gather(*(_probe_backend(row, root) for row in rows)))


async def _probe_backend(row: BackendRow, root: Root) -> Diagnosis:
    diagnosis = diagnose_backend_row(row)
    usable = row.candidate.ready or row.candidate.keyless
    opened = row.open() if usable else None
    if opened is None:
        return diagnosis
    if isinstance(opened, Failure):
        return msgspec.structs.replace(diagnosis, advice=opened.failure().message)
    is_closed = root.policy.follow == "cache" and not row.candidate.embedded
    backend = StoredOnly(opened.unwrap()) if is_closed else opened.unwrap()
    deps = WebDeps(backend=backend, policy=root.policy)
    started = time.monotonic()
    is_search, described = "search" in usable, row.candidate.name in root.described
    work = (
        web_search({"query": PROBE_QUERY, "max_results": _PROBE_ROWS if described else 1}, deps)
        if is_search
        else web_extract(PROBE_PAGE, deps)
    )
    reply: Result[object, errors.WebError]
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            reply = await close_after(backend, work)
    except TimeoutError:
        reply = Failure(errors.DeadlineExceeded(deadline=PROBE_SECONDS, backend=row.candidate.name))
    error = reply.failure() if isinstance(reply, Failure) else None
    if error is None:
        end_rests(row, root.settings.stores, root.files)
    if described and error is None:
        error = check_probed_mapping(reply.unwrap(), row.candidate.name, root)
    probe = Probe(
        operation="search" if is_search else "extract",
        seconds=round(time.monotonic() - started, 3),
        found=reply.map(_probe_result_size).value_or(0),
        error=error,
        advice="" if error is None else _probe_error_advice(error, row, described=described),
    )
    return msgspec.structs.replace(diagnosis, probe=probe)


def _probe_error_advice(error: errors.WebError, row: BackendRow, *, described: bool) -> str:
    if isinstance(error, errors.InvalidSetting):
        return ""
    mapping_text = probed_mapping_advice(error, row.candidate.name) if described else ""
    return mapping_text or advise_on_probe_error(error, row)


def _probe_result_size(outcome: object) -> int:
    if isinstance(outcome, SearchOutcome):
        return len(outcome.rows)
    return len(outcome.content) if isinstance(outcome, WebExtractResult) else 0
