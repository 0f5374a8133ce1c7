"""Everything that a command needs to know, read once."""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from ...adapters import services
from ...ports.errors import InvalidSetting, WebError
from ..file_locations import FileLocations
from ..settings.checks import policy_of
from ..settings.json_endpoints import NAME, Endpoints, read_endpoints
from ..settings.loader import load_settings
from ..settings.schema import Settings
from ..settings.services import check_services
from .backends.backend_rows import Root, feature_backends

if TYPE_CHECKING:
    from ..settings.json_services import CustomService

_BUILT_IN = (NAME, "index", "pages")


def make_root(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    index: str | None = None,
    endpoint: str | None = None,
) -> Result[Root, WebError]:
    """Read the settings, or say where they are wrong.

    ``arguments`` are settings by name, which win; ``endpoint`` is a JSON API for this one call.
    """
    files = FileLocations(environment)
    loaded = load_settings(environment, arguments=arguments)
    if isinstance(loaded, Failure):
        return loaded
    settings = loaded.unwrap()
    policy = policy_of(settings)
    if isinstance(policy, Failure):
        return policy
    endpoints = read_endpoints(settings)
    if isinstance(endpoints, Failure):
        return endpoints
    ends = endpoints.unwrap()
    if endpoint is not None:
        ends = Endpoints(search_url=endpoint, extract_url=endpoint, key=ends.key)
    described = _described(settings)
    if isinstance(described, Failure):
        return described
    return Success(
        Root(
            settings=settings,
            described=described.unwrap(),
            policy=policy.unwrap(),
            endpoints=ends,
            files=files,
            index=Path(index or files.index_file),
        )
    )


def _described(settings: Settings) -> Result[dict[str, CustomService], InvalidSetting]:
    """Return the services that the settings describe, unless they name one that there is not."""
    if not settings.entries.names(("json",)):
        return _known(settings, ()).map(lambda _: {})
    from ..settings.json_services import custom_services  # noqa: PLC0415  HTTP, for those who describe one

    described = custom_services(settings, {*_files(), *_BUILT_IN})
    return described.bind(lambda own: _known(settings, own).map(lambda _: own))


def _known(settings: Settings, described: Collection[str]) -> Result[None, InvalidSetting]:
    """Find a block of a service that there is not; those of webseam are known by their files."""
    names = {*_files(), NAME, *described}
    if names.issuperset(settings.entries.names(("services",))):
        return Success(None)
    from .backends.services import installed_services  # noqa: PLC0415  thirty files, and HTTP

    others = (name for source in feature_backends() for name in source.installed())
    every = {*names, *installed_services(), *others}
    return check_services(settings, sorted(every)).alt(_unloadable)


def _unloadable(error: InvalidSetting) -> InvalidSetting:
    """Say why a block is nobody's, where a package that cannot be loaded announces its service."""
    from .backends.unknown_backends import broken_backends  # noqa: PLC0415

    why = broken_backends().get(error.setting.removeprefix("services."))
    if why is None:
        return error
    reason = f"belongs to an installed package that cannot be used: {why}"
    return msgspec.structs.replace(error, reason=reason)


def _files() -> Iterator[str]:
    """Name the services, and the backends of features with settings, without loading them."""
    yield from (file.name for file in pkgutil.iter_modules(services.__path__))
    for source in feature_backends():
        yield from source.names() if source.has_settings else ()
