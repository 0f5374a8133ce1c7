"""What to do about a failure, in words."""

from ...adapters.service.declaration import Option
from ...ports.errors import (
    AuthFailed,
    BadPayload,
    HttpStatus,
    InvalidRow,
    InvalidSetting,
    QuotaExhausted,
    RateLimited,
    WebError,
)
from ...ports.web import SearchOutcome
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


# Services that the settings describe: which line to look at when an answer does not fit them.

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
