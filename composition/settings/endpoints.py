"""Where a JSON API of the user's own is, as the environment says it."""

from collections.abc import Mapping

import msgspec

SEARCH_URL = "WEBSEAM_JSON_SEARCH_URL"
EXTRACT_URL = "WEBSEAM_JSON_EXTRACT_URL"
API_KEY = "WEBSEAM_JSON_API_KEY"


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """Where the JSON backend is, and the key it wants. The key never shows in a repr."""

    search_url: str | None = None
    extract_url: str | None = None
    key: str = ""

    def __repr__(self) -> str:
        masked = "***" if self.key else ""
        return f"Endpoints({self.search_url!r}, {self.extract_url!r}, key={masked!r})"


def read_endpoints(environment: Mapping[str, str]) -> Endpoints:
    """Read the settings from an environment; blank counts as absent."""
    return Endpoints(
        search_url=environment.get(SEARCH_URL, "").strip() or None,
        extract_url=environment.get(EXTRACT_URL, "").strip() or None,
        key=environment.get(API_KEY, "").strip(),
    )
