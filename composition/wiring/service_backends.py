"""Find installed services, and make a backend for a service."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import difflib
import importlib
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import httpx
from returns.result import Failure, Result, Success

from webseam.adapters.import_errors import explain_import_error
from webseam.adapters.services import vendors as services
from webseam.adapters.services.calls import Access
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.json_api.plain_api import json_service
from webseam.adapters.services.sender import ServiceDeps, ServiceLimits
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import KeyEchoes, redact
from webseam.kernel.urls.service_endpoints import check_endpoint_url
from webseam.kernel.urls.spelling import canonical_url
from webseam.ports.errors import InvalidQuery, NotConfigured, WebError
from webseam.ports.secrets import Secret

from ..planning.metering import (
    attempt_seconds_left,
    begin_request,
    meter_reply,
    note_refused_request,
    note_sent_request,
    retry_delay_in_call,
    send_note,
)

if TYPE_CHECKING:
    from webseam.adapters.http.dial import DialRules

Declared = TypeVar("Declared")
GROUP = "webseam.services"
DEFAULT_ATTEMPTS = 3


def bundled_service_names() -> tuple[str, ...]:
    """Return the names of the bundled services, one file each."""
    names = (module.name for module in pkgutil.iter_modules(services.__path__))
    return tuple(sorted(name for name in names if _bundled_service(name) is not None))


def installed_services() -> dict[str, Service]:
    """Return bundled and installed services by name; an installed one replaces its namesake."""
    bundled = {name: _bundled_service(name) for name in bundled_service_names()}
    services_by_name = {name: service for name, service in bundled.items() if service is not None}
    for point in entry_points(group=GROUP):
        if isinstance(plugin := load_entry_point(point, Service), Service):
            services_by_name[plugin.name] = plugin
    return services_by_name


def broken_services() -> dict[str, str]:
    """Return the names of installed services that cannot be loaded, with the reasons."""
    points = entry_points(group=GROUP)
    loaded = {point.name: load_entry_point(point, Service) for point in points}
    return {name: reason for name, reason in loaded.items() if isinstance(reason, str)}


def find_service(name: str) -> Result[Service, InvalidQuery]:
    """Return the service of that name, or an error that suggests similar names."""
    points = entry_points(group=GROUP, name=name)
    plugin = next(filter(None, (load_entry_point(point, Service) for point in points)), None)
    service = plugin if isinstance(plugin, Service) else _bundled_service(name)
    if service is not None:
        return Success(service)
    similar = difflib.get_close_matches(name, installed_services(), n=3)
    hint = f"; did you mean {' or '.join(similar)}?" if similar else "; see webseam backends"
    reason = f"there is no {one_line(name, 60)!r}{hint}"
    return Failure(InvalidQuery(field="backend", reason=reason))


def service_backend(
    service: Service | str,
    options: Mapping[str, str | Sequence[str]],
    *,
    base_url: str = "",
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ServiceLimits | None = None,
    attempts: int = DEFAULT_ATTEMPTS,
    allow_plain_http: bool = False,
    now: Callable[[], float] = time.time,
) -> Result[ServiceBackend, WebError]:
    """Return a backend over a service, given itself or by its name, or which setting it lacks.

    ``options`` are the service's own, by name; several keys are given as a list. ``base_url``
    replaces the service's address. A key is only ever sent over https, or to this machine, unless
    ``allow_plain_http`` lets it go to an address of yours in clear text.
    """
    declaration = find_service(service) if isinstance(service, str) else Success(service)
    if isinstance(declaration, Failure):
        return declaration
    declared: Service = declaration.unwrap()
    accesses = _service_accesses(
        declared, options, base_url.rstrip("/"), plain_http=allow_plain_http
    )
    if isinstance(accesses, Failure):
        return accesses
    opened = transport or _open_transport(is_user_written=bool(base_url))
    deps = service_deps(opened, attempts, now)
    return Success(ServiceBackend(declared, accesses.unwrap(), deps, limits))


def _open_transport(
    way: DialRules | None = None, *, is_user_written: bool
) -> httpx.AsyncBaseTransport:
    # On first use: with an injected transport none of these packages is needed.
    from webseam.adapters.http.transport import FastTransport

    from .egress import dial_rules

    rules = way or dial_rules(None, is_user_written=is_user_written)
    return FastTransport(rules=rules, on_write=note_sent_request)


def service_deps(
    transport: httpx.AsyncBaseTransport, attempts: int = 1, now: Callable[[], float] = time.time
) -> ServiceDeps:
    """Return the collaborators of a service: transport, clock, redaction and retry rules."""

    def retry(error: WebError, attempt: int) -> float | None:
        return retry_delay_in_call(error, attempt) if attempt < attempts else None

    return ServiceDeps(
        transport=transport,
        now=now,
        redact=_redact_line,
        retry=retry,
        canonical=canonical_url,
        key_masker=lambda secrets: KeyEchoes(secrets).redact,
        on_reply=meter_reply,
        begin=begin_request,
        on_refusal=note_refused_request,
        on_send=send_note(transport),
        seconds_left=attempt_seconds_left,
    )


def _service_accesses(
    service: Service, options: Mapping[str, str | Sequence[str]], base_url: str, *, plain_http: bool
) -> Result[list[Access], WebError]:
    base = base_url or service.address.base_url
    if not base:
        return Failure(service.missing_address_error())
    lists = {key: [text] if isinstance(text, str) else list(text) for key, text in options.items()}
    missing_options = [
        o
        for o in service.options
        if o.required and not any(lists.get(o.name, ())) and not service.offer.keyless
    ]
    if missing_options:
        return Failure(service.missing_option_error(missing_options[0]))
    has_secret = any(lists.get(name) for name in service.secret_options())
    checked = check_endpoint_url(
        base, with_key=has_secret, plain_http=plain_http, setting="allow_plain_http=True"
    )
    if isinstance(checked, Failure):
        return checked
    access_count = max((len(values) for values in lists.values()), default=1) or 1
    defaults = {option.name: [option.default] for option in service.options if option.default}
    filled = {**defaults, **{name: values for name, values in lists.items() if any(values)}}
    return Success(
        [
            Access(
                base_url=base,
                overridden=bool(base_url),
                values={name: Secret(values[i % len(values)]) for name, values in filled.items()},
            )
            for i in range(access_count)
        ]
    )


def load_bundled(
    package: ModuleType, name: str, attribute: str, kind: type[Declared]
) -> Declared | None:
    """Return the declaration in a bundled file of that name; None without one."""
    if not name.isidentifier():
        return None
    try:
        module = importlib.import_module(f"{package.__name__}.{name}")
    except ModuleNotFoundError:
        return None
    declared = getattr(module, attribute, None)
    return declared if isinstance(declared, kind) else None


def load_entry_point(point: EntryPoint, kind: type[Declared]) -> Declared | str:
    """Return the declaration of an installed package, or the reason why it cannot be loaded."""
    try:
        loaded = point.load()
    except Exception as error:  # noqa: BLE001  code of another package
        return explain_import_error(error)
    return loaded if isinstance(loaded, kind) else f"it is not a {kind.__name__}"


def _bundled_service(name: str) -> Service | None:
    return load_bundled(services, name, "SERVICE", Service)


def _redact_line(text: str, secrets: Sequence[str]) -> str:
    return one_line(redact(text, secrets))


def json_backend(
    *,
    search_url: str | None = None,
    extract_url: str | None = None,
    key: str = "",
    name: str = "json",
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ServiceLimits | None = None,
    allow_plain_http: bool = False,
    way: DialRules | None = None,
) -> Result[ServiceBackend, WebError]:
    """Return a backend for a plain JSON API, or say which setting is not usable.

    A key is only ever sent over https, or to this machine, unless ``allow_plain_http`` lets it go
    in clear text. ``way`` holds the rules for proxies and addresses.
    """
    plain_http_setting = "services.json.allow_plain_http: true, or WEBSEAM_JSON_ALLOW_PLAIN_HTTP=1,"
    if not (endpoints := [url for url in (search_url, extract_url) if url is not None]):
        reason = "The JSON backend has no endpoint"
        return Failure(NotConfigured(reason=reason, settings=("search_url", "extract_url")))
    for endpoint in endpoints:
        checked = check_endpoint_url(
            endpoint, with_key=bool(key), plain_http=allow_plain_http, setting=plain_http_setting
        )
        if isinstance(checked, Failure):
            return checked
    service = json_service(name=name, search_url=search_url, extract_url=extract_url)
    deps = service_deps(transport or _open_transport(way, is_user_written=True))
    return Success(ServiceBackend(service, [Access(values={"api_key": Secret(key)})], deps, limits))
