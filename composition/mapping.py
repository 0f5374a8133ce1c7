"""Services that the settings describe: which line to look at when an answer does not fit them."""

from ..ports.errors import BadPayload, InvalidRow, InvalidSetting, WebError
from ..ports.web import SearchOutcome
from .settings.origins import KeyPath, spelled
from .table import Root

_BLOCK = "json"


def check_mapping(found: object, name: str, root: Root) -> InvalidSetting | None:
    """Return the field that no row has, although the settings say where it is; None if all is well.

    What came without any row tells nothing.
    """
    rows = found.rows if isinstance(found, SearchOutcome) else ()
    for field in root.settings.entries.names((_BLOCK, name, "fields")) if rows else ():
        if not any(getattr(row, field) not in (None, "") for row in rows):
            path: KeyPath = (_BLOCK, name, "fields", field)
            reason = "leads nowhere: nothing that came has it"
            place = str(root.settings.entries.origin(path))
            return InvalidSetting(setting=spelled(path), place=place, reason=reason, backend=name)
    return None


def mapping_advice(error: WebError, name: str) -> str:
    """Name the setting that an answer of another shape speaks against; nothing for other errors."""
    if isinstance(error, InvalidRow):
        return f"Check {spelled((_BLOCK, name, 'fields', error.field))} in the settings."
    if isinstance(error, BadPayload) and error.problem == "shape":
        return f"Check {spelled((_BLOCK, name, 'results_path'))} in the settings."
    return ""
