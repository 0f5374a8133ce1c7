"""The addresses of the user's plain JSON API: from variables or ``services.json``."""

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.policy.trust import UNTRUSTED_ADDRESS_REASON, may_secret_meet_address
from webseam.ports.errors import InvalidSetting
from webseam.ports.text import nearest_name

from .entries import Entry, setting_path_text
from .schema import Settings
from .services import NUMBER_OPTIONS

BACKEND_NAME = "json"
SEARCH_URL_VARIABLE = "WEBSEAM_JSON_SEARCH_URL"
EXTRACT_URL_VARIABLE = "WEBSEAM_JSON_EXTRACT_URL"
API_KEY_VARIABLE = "WEBSEAM_JSON_API_KEY"
_VARIABLES_BY_OPTION = {
    "search_url": SEARCH_URL_VARIABLE,
    "extract_url": EXTRACT_URL_VARIABLE,
    "api_key": API_KEY_VARIABLE,
    "allow_plain_http": "WEBSEAM_JSON_ALLOW_PLAIN_HTTP",
}


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of the JSON backend, set by the user or not, and its key, which repr hides."""

    search_url: str | None = None
    extract_url: str | None = None
    key: str = ""
    own_addresses: bool = True

    def __repr__(self) -> str:
        masked = "***" if self.key else ""
        return f"Endpoints({self.search_url!r}, {self.extract_url!r}, key={masked!r})"


def read_json_endpoints(settings: Settings) -> Result[Endpoints, InvalidSetting]:
    """Return the addresses from variables and the file; blank counts as absent."""
    if (error := _check_options(settings)) is not None:
        return Failure(error)
    entries = given_json_endpoints(settings)
    key = entries.get("api_key")
    for name in ("search_url", "extract_url"):
        address = entries.get(name)
        if address and key and not may_secret_meet_address(key.origin, address.origin):
            return Failure(_option_error(name, address, UNTRUSTED_ADDRESS_REASON))
    texts = {name: entry.texts[0].strip() for name, entry in entries.items()}
    addresses = [entries[name] for name in ("search_url", "extract_url") if name in entries]
    return Success(
        Endpoints(
            search_url=texts.get("search_url"),
            extract_url=texts.get("extract_url"),
            key=texts.get("api_key", ""),
            own_addresses=not any(address.origin.foreign for address in addresses),
        )
    )


def given_json_endpoints(settings: Settings) -> dict[str, Entry]:
    """Return the API's entries by option."""
    entries = {
        name: settings.variables.first_entry(variable)
        or settings.entries.get(("services", BACKEND_NAME, name))
        for name, variable in _VARIABLES_BY_OPTION.items()
    }
    return {name: entry for name, entry in entries.items() if entry is not None}


def _check_options(settings: Settings) -> InvalidSetting | None:
    for path, entry in settings.entries.entries_below(("services", BACKEND_NAME)).items():
        if (name := path[0]) not in _VARIABLES_BY_OPTION and name not in NUMBER_OPTIONS:
            near = nearest_name(name, _VARIABLES_BY_OPTION)
            hint = near + " is" if near else f"there are {', '.join(_VARIABLES_BY_OPTION)}"
            return _option_error(name, entry, f"is not an option of {BACKEND_NAME}; {hint}")
        if len(path) > 1:
            return _option_error(path[0], entry, "must be a value, not a block")
        if len(entry.texts) != 1 or isinstance(entry.value, list | tuple):
            return _option_error(name, entry, "must be one text")
    return None


def _option_error(name: str, entry: Entry, reason: str) -> InvalidSetting:
    setting = setting_path_text(("services", BACKEND_NAME, name))
    return InvalidSetting(setting=setting, place=str(entry.origin), reason=reason)
