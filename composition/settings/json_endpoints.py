"""Where a plain JSON API of the user's own is: variables, or the block ``services.json``."""

from difflib import get_close_matches

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.trust import UNTRUSTED_ADDRESS_REASON, may_meet_address
from ...ports.errors import InvalidSetting
from .entries import Entry, setting_path_text
from .schema import Settings
from .services import NUMBERS

NAME = "json"
SEARCH_URL = "WEBSEAM_JSON_SEARCH_URL"
EXTRACT_URL = "WEBSEAM_JSON_EXTRACT_URL"
API_KEY = "WEBSEAM_JSON_API_KEY"

ALLOW_PLAIN_HTTP = "WEBSEAM_JSON_ALLOW_PLAIN_HTTP"

_OPTIONS = {
    "search_url": SEARCH_URL,
    "extract_url": EXTRACT_URL,
    "api_key": API_KEY,
    "allow_plain_http": ALLOW_PLAIN_HTTP,
}


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """Where the JSON backend is, and the key it wants. The key never shows in a repr.

    ``own_addresses`` says that the user wrote the addresses down, not a file of a working folder.
    """

    search_url: str | None = None
    extract_url: str | None = None
    key: str = ""
    own_addresses: bool = True

    def __repr__(self) -> str:
        masked = "***" if self.key else ""
        return f"Endpoints({self.search_url!r}, {self.extract_url!r}, key={masked!r})"


def read_endpoints(settings: Settings) -> Result[Endpoints, InvalidSetting]:
    """Return where the API is, as variables and the file say; blank counts as absent."""
    wrong = _stranger(settings)
    if wrong is not None:
        return Failure(wrong)
    entries = given_endpoints(settings)
    key = entries.get("api_key")
    for name in ("search_url", "extract_url"):
        address = entries.get(name)
        if address and key and not may_meet_address(key.origin, address.origin):
            return Failure(_wrong(name, address, UNTRUSTED_ADDRESS_REASON))
    texts = {name: entry.texts[0].strip() for name, entry in entries.items()}
    return Success(
        Endpoints(
            search_url=texts.get("search_url"),
            extract_url=texts.get("extract_url"),
            key=texts.get("api_key", ""),
            own_addresses=not any(
                entries[name].origin.foreign
                for name in ("search_url", "extract_url")
                if name in entries
            ),
        )
    )


def given_endpoints(settings: Settings) -> dict[str, Entry]:
    """Return what was said of the API, by option, with where it was said."""
    entries = {
        name: settings.variables.first(variable) or settings.entries.get(("services", NAME, name))
        for name, variable in _OPTIONS.items()
    }
    return {name: entry for name, entry in entries.items() if entry is not None}


def _stranger(settings: Settings) -> InvalidSetting | None:
    for path, entry in settings.entries.below(("services", NAME)).items():
        name = setting_path_text(path)
        if name not in _OPTIONS and name not in NUMBERS:
            close = get_close_matches(name, _OPTIONS, 1)
            hint = close[0] + " is" if close else f"there are {', '.join(_OPTIONS)}"
            return _wrong(name, entry, f"is not an option of {NAME}; {hint}")
        if len(entry.texts) != 1 or isinstance(entry.value, list):
            return _wrong(name, entry, "must be one text")
    return None


def _wrong(name: str, entry: Entry, reason: str) -> InvalidSetting:
    setting = setting_path_text(("services", NAME, name))
    return InvalidSetting(setting=setting, place=str(entry.origin), reason=reason)
