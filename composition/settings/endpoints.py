"""Settings: what the environment says, and which backend follows from it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.pages.settings import BrowserSettings, Rendering
from ...kernel.policy import Policy
from ...ports.errors import NotConfigured, WebError

if TYPE_CHECKING:
    from ...adapters.http.runner import ServiceBackend
    from ...adapters.pages.backend import PagesBackend

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


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How our own reader treats a page that is empty without its scripts."""

    rendering: Rendering = "never"
    browser: BrowserSettings | None = None


def read_endpoints(environment: Mapping[str, str]) -> Endpoints:
    """Read the settings from an environment; blank counts as absent."""
    return Endpoints(
        search_url=environment.get(SEARCH_URL, "").strip() or None,
        extract_url=environment.get(EXTRACT_URL, "").strip() or None,
        key=environment.get(API_KEY, "").strip(),
    )


def search_backend(settings: Endpoints) -> "Result[ServiceBackend, WebError]":
    """Return the backend to search with, or what to set."""
    if settings.search_url is None:
        return Failure(NotConfigured(reason="No search is configured", setting=SEARCH_URL))
    from ..backends import json_backend  # noqa: PLC0415  HTTP is loaded only where it is spoken

    return json_backend(search_url=settings.search_url, key=settings.key)


def extract_backend(
    settings: Endpoints, policy: Policy, pages: PageSettings | None = None
) -> "Result[ServiceBackend | PagesBackend, WebError]":
    """Return the backend to read pages with: the configured one, else the embedded one."""
    if settings.extract_url is None:
        from ..pages import pages_backend  # noqa: PLC0415  as above

        how = pages or PageSettings()
        return Success(pages_backend(policy, rendering=how.rendering, browser=how.browser))
    from ..backends import json_backend  # noqa: PLC0415

    return json_backend(extract_url=settings.extract_url, key=settings.key)
