"""Which backend answers a command: the one that was named, else the first that is set up."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ..kernel.policy import Policy
from ..kernel.urls import canonical_url
from ..ports.errors import NotConfigured, WebError
from .closing import OpenBackend
from .places import index_file
from .settings.endpoints import (
    EXTRACT_URL,
    SEARCH_URL,
    Endpoints,
    PageSettings,
    extract_backend,
    search_backend,
)

BackendName: TypeAlias = Literal["json", "local", "pages"]
FILE_HOST = "file.localhost"


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a command asked for. ``name`` None means: choose."""

    name: BackendName | None
    capability: Literal["search", "extract"]
    settings: Endpoints
    index: Path
    pages: PageSettings = PageSettings()
    cached: bool = True


def choose(
    choice: Choice, policy: Policy, environment: Mapping[str, str] = os.environ
) -> Result[OpenBackend, WebError]:
    """Return the backend to ask, or what to set up first."""
    settings = choice.settings
    if choice.name == "local" or (choice.name is None and _is_offline(choice)):
        return local_backend(choice.index)
    made = _search(settings, choice) if choice.capability == "search" else _pages(choice, policy)
    if isinstance(made, Failure) or not choice.cached:
        return made
    from .caching import cache_store, with_cache  # noqa: PLC0415  only who uses it pays for it

    url = settings.search_url if choice.capability == "search" else settings.extract_url
    # A page that a browser showed is another answer than the one without.
    scope = f"{url or ''} {choice.pages.rendering}"
    store = cache_store(environment)
    return Success(with_cache(made.unwrap(), store, scope=scope, policy=policy))


def local_backend(index: Path) -> Result[OpenBackend, WebError]:
    """Return the backend over the index at ``index``, which must be there."""
    from ..adapters.local.backend import LocalBackend  # noqa: PLC0415  SQLite, on first use
    from ..adapters.local.index import LocalIndex  # noqa: PLC0415

    opened = LocalIndex.reading(index)
    if isinstance(opened, Failure):
        return Failure(opened.failure())
    return Success(LocalBackend(opened.unwrap(), canonical_url))


def index_path(named: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the index that an option names, else the usual one."""
    return Path(named) if named else index_file(environment)


def with_files(policy: Policy) -> Policy:
    """Return the policy for a backend that reads files of this user, and fetches nothing."""
    return msgspec.structs.replace(policy, allow_hosts=(*policy.allow_hosts, FILE_HOST))


def _is_offline(choice: Choice) -> bool:
    """Tell whether only the index can answer. Pages can always be read from the web."""
    searching = choice.capability == "search" and choice.settings.search_url is None
    return searching and choice.index.exists()


def _search(settings: Endpoints, choice: Choice) -> Result[OpenBackend, WebError]:
    if settings.search_url is None and choice.name is None:
        reason = "No search is configured, and nothing is indexed (webseam index add PATH_OR_URL)"
        return Failure(NotConfigured(reason=reason, setting=SEARCH_URL))
    made = search_backend(settings)
    return Failure(made.failure()) if isinstance(made, Failure) else Success(made.unwrap())


def _pages(choice: Choice, policy: Policy) -> Result[OpenBackend, WebError]:
    if choice.name == "json" and choice.settings.extract_url is None:
        return Failure(NotConfigured(reason="No JSON API is configured", setting=EXTRACT_URL))
    settings = Endpoints() if choice.name == "pages" else choice.settings
    made = extract_backend(settings, policy, choice.pages)
    return Failure(made.failure()) if isinstance(made, Failure) else Success(made.unwrap())
