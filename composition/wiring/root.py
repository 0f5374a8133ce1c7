"""Read the composition root: settings, policy, endpoints and described services."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.services import vendors as services
from webseam.ports.errors import InvalidSetting, WebError

from ..settings.checks import policy_of
from ..settings.file_locations import FileLocations
from ..settings.json_endpoints import BACKEND_NAME, Endpoints, read_json_endpoints
from ..settings.loader import load_settings
from ..settings.schema import Settings
from ..settings.services import check_service_names
from ..settings.settings_root import SettingsRoot
from .backend_rows import Root, feature_backends

if TYPE_CHECKING:
    from webseam.ports.keys import KeyStore

    from ..settings.json_services import CustomService

_BUILT_IN_BACKENDS = (BACKEND_NAME, "index", "pages")


def read_root(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    index: str | None = None,
    endpoint: str | None = None,
) -> Result[Root, WebError]:
    """Return the root, or an error with the origin of a wrong setting.

    ``arguments`` are settings by name, which win; ``endpoint`` is a JSON API for this one call.
    """
    if isinstance(loaded := load_settings(environment, arguments=arguments), Failure):
        return loaded
    return root_of_settings(loaded.unwrap(), FileLocations(environment), index, endpoint)


def root_of_settings(
    settings: Settings, files: FileLocations, index: str | None = None, endpoint: str | None = None
) -> Result[Root, WebError]:
    """Return the root of settings that were read already; no settings file is opened."""
    if isinstance(policy := policy_of(settings), Failure):
        return policy
    if isinstance(endpoints := read_json_endpoints(settings), Failure):
        return endpoints
    apis = endpoints.unwrap()
    if endpoint is not None:
        apis = Endpoints(search_url=endpoint, extract_url=endpoint, key=apis.key)
    if isinstance(described := _custom_services(settings), Failure):
        return described
    return Success(
        Root(
            settings=settings,
            described=described.unwrap(),
            policy=policy.unwrap(),
            endpoints=apis,
            files=files,
            index=Path(index or files.index_file),
        )
    )


def read_settings_root(
    environment: Mapping[str, str] | None = None,
) -> Result[SettingsRoot, WebError]:
    """Return the user's settings with the environment they were read from, or what is wrong."""
    loaded: Result[Settings, WebError] = load_settings(environment)
    files = FileLocations(environment)
    return loaded.map(lambda settings: SettingsRoot(settings=settings, files=files))


def open_settings_key_store(
    environment: Mapping[str, str] | None = None,
) -> Result[KeyStore, WebError]:
    """Return the key store of the settings, a file or a server."""
    from .store_setup import open_key_store  # only for commands of keys

    return read_settings_root(environment).bind(
        lambda root: open_key_store(root.settings.stores, root.files)
    )


def _custom_services(settings: Settings) -> Result[dict[str, CustomService], InvalidSetting]:
    """Return the services of the settings, or an error for a block of an unknown service."""
    if not settings.entries.names_below(("json",)):
        return _check_services(settings, ()).map(lambda _: {})
    from ..settings.json_services import custom_json_services  # slow import

    described = custom_json_services(settings, {*_service_names(), *_BUILT_IN_BACKENDS})
    return described.bind(lambda custom: _check_services(settings, custom).map(lambda _: custom))


def _check_services(settings: Settings, described: Collection[str]) -> Result[None, InvalidSetting]:
    given = settings.entries.names_below(("services",))
    if not given or (names := {*_service_names(), BACKEND_NAME, *described}).issuperset(given):
        return Success(None)
    from .service_backends import installed_services  # slow import

    feature_names = (name for source in feature_backends() for name in source.installed())
    all_names = {*names, *installed_services(), *feature_names}
    return check_service_names(settings, sorted(all_names)).alt(_explain_unloadable_service)


def _explain_unloadable_service(error: InvalidSetting) -> InvalidSetting:
    """Add the reason if the service of a block belongs to a package that cannot be loaded."""
    from .unknown_backends import broken_backends

    if (cause := broken_backends().get(error.setting.removeprefix("services."))) is None:
        return error
    reason = f"belongs to an installed package that cannot be used: {cause}"
    return msgspec.structs.replace(error, reason=reason)


def _service_names() -> Iterator[str]:
    """Yield the names of services and of feature backends with settings, without imports."""
    yield from (file.name for file in pkgutil.iter_modules(services.__path__))
    for source in feature_backends():
        yield from source.names() if source.has_settings else ()
