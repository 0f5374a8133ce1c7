"""Settings: what the environment says, and what is missing."""

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result

from ..adapters.http.runner import ServiceBackend
from ..ports.errors import NotConfigured, WebError
from .backends import json_backend

SEARCH_URL = "WEBSEAM_JSON_SEARCH_URL"
EXTRACT_URL = "WEBSEAM_JSON_EXTRACT_URL"
API_KEY = "WEBSEAM_JSON_API_KEY"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the JSON backend is, and the key it wants. The key never shows in a repr."""

    search_url: str | None = None
    extract_url: str | None = None
    key: str = ""

    def __repr__(self) -> str:
        masked = "***" if self.key else ""
        return f"Settings({self.search_url!r}, {self.extract_url!r}, key={masked!r})"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings from an environment; blank counts as absent."""
    return Settings(
        search_url=environment.get(SEARCH_URL, "").strip() or None,
        extract_url=environment.get(EXTRACT_URL, "").strip() or None,
        key=environment.get(API_KEY, "").strip(),
    )


def configured_backend(settings: Settings) -> Result[ServiceBackend, WebError]:
    """Return the backend that the settings describe, or what to set."""
    if settings.search_url is None and settings.extract_url is None:
        reason = "No backend is configured"
        return Failure(NotConfigured(reason=reason, setting=f"{SEARCH_URL} or {EXTRACT_URL}"))
    return json_backend(
        search_url=settings.search_url, extract_url=settings.extract_url, key=settings.key
    )
