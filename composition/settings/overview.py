"""Settings for a person: each value, where it came from, and no key."""

from collections.abc import Collection, Iterator, Mapping

import msgspec
from returns.result import Failure

from ...adapters.service.declaration import Service
from ...kernel.text.redaction import MASK, redact
from ...kernel.trust import Origin
from ...ports.errors import InvalidSetting
from ...ports.secrets import Secret
from .checks import known_keys, policy_of
from .entries import Entries, KeyPath, is_secret, redact_value, setting_path_text
from .json_endpoints import NAME, Endpoints, given_endpoints, read_endpoints
from .json_services import custom_services
from .schema import Settings
from .services import BASE_URL, ServiceSettings, check_services, service_settings

_NOTHING = ServiceSettings(accesses=())


class ShownSetting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: its name, its value as it may be shown, and its origin."""

    key: str
    value: object
    origin: Origin


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, and what is wrong with them."""

    settings: tuple[ShownSetting, ...]
    problems: tuple[InvalidSetting, ...] = ()


def build_overview(
    settings: Settings, installed: Mapping[str, Service], search_models: Collection[str]
) -> Overview:
    """Return every setting that has a fixed name, and every other that was given.

    ``installed`` are the services there are, ``search_models`` the names of models that search.
    """
    described = custom_services(settings, installed)
    own = {name: one.service for name, one in described.value_or({}).items()}
    services = {**installed, **own}
    rows = [
        *_fixed(settings),
        *_blocks(settings.entries),
        *_endpoints(settings),
        *_services(settings, services, own),
    ]
    secrets = tuple(_secrets(settings, services))
    # What counts comes last: a variable may have won over the file.
    shown = {row.key: row for row in rows}.values()
    failures = [described] if isinstance(described, Failure) else []
    return Overview(
        settings=tuple(
            msgspec.structs.replace(row, value=_without(row.value, secrets)) for row in shown
        ),
        problems=(
            *(one.failure() for one in failures),
            *_problems(settings, services, search_models),
        ),
    )


def _fixed(settings: Settings) -> Iterator[ShownSetting]:
    for path in known_keys():
        value: object = settings
        for name in path:
            value = getattr(value, name)
        if isinstance(value, Secret):
            value = MASK if value else None
        elif isinstance(value, tuple):
            value = list(value)
        yield _shown(path, value, settings.entries.origin(path))


def _services(
    settings: Settings, services: Mapping[str, Service], own: Collection[str]
) -> Iterator[ShownSetting]:
    for service in services.values():
        known = service_settings(service, settings).value_or(_NOTHING)
        for name, origin in known.origins.items():
            if origin.layer != "default":
                value = _told(service, known, name)
                block = "json" if service.name in own else "services"
                yield _shown((block, service.name, name), value, origin)


def _told(service: Service, known: ServiceSettings, name: str) -> object:
    if name == BASE_URL:
        return known.accesses[0].base_url
    if name not in service.secret_options():
        return known.accesses[0].value(name)
    several = len({access.value(name) for access in known.accesses})
    return [MASK] * several if several > 1 else MASK


def _endpoints(settings: Settings) -> Iterator[ShownSetting]:
    for name, entry in given_endpoints(settings).items():
        path = ("services", NAME, name)
        yield _shown(path, redact_value(entry.value, secret=is_secret(path)), entry.origin)


def _blocks(entries: Entries) -> Iterator[ShownSetting]:
    for name in ("providers", "json"):
        for rest, entry in entries.below((name,)).items():
            path = (name, *rest)
            yield _shown(path, redact_value(entry.value, secret=is_secret(path)), entry.origin)


def _shown(path: KeyPath, value: object, origin: Origin) -> ShownSetting:
    return ShownSetting(key=setting_path_text(path), value=value, origin=origin)


def _secrets(settings: Settings, services: Mapping[str, Service]) -> Iterator[str]:
    """Yield every key that is known, to be masked wherever else it stands."""
    yield settings.custom_api_key.reveal()
    yield read_endpoints(settings).value_or(Endpoints()).key
    for path, entry in settings.entries:
        if is_secret(path):
            yield from entry.texts
    for service in services.values():
        known = service_settings(service, settings).value_or(_NOTHING)
        for access in known.accesses:
            yield from (access.value(name) for name in service.secret_options())


def _without(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, str) and value != MASK:
        return redact(value, secrets)
    return [_without(item, secrets) for item in value] if isinstance(value, list) else value


def _problems(
    settings: Settings, services: Mapping[str, Service], search_models: Collection[str]
) -> Iterator[InvalidSetting]:
    checks = [
        policy_of(settings),
        check_services(settings, (*services, *search_models, NAME)),
        read_endpoints(settings),
        *(service_settings(service, settings) for service in services.values()),
    ]
    yield from (check.failure() for check in checks if isinstance(check, Failure))
