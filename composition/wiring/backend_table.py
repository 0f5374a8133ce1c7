"""The table of backends: one row each, with its setup and a function that opens it."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.services.calls import Access
from webseam.adapters.services.declaration import Service
from webseam.kernel.planner.selection import SelectionCandidate
from webseam.ports.errors import NotConfigured, WebError

from ..feature_table import Part, load
from ..planning.open_backends import OpenBackend
from ..settings.json_endpoints import EXTRACT_URL_VARIABLE, SEARCH_URL_VARIABLE
from ..settings.schema import Settings
from ..settings.services import (
    PLAIN_HTTP_RISK,
    PRICE_OPTIONS,
    ServiceSettings,
    plain_http_rule,
    service_numbers,
    service_settings,
)
from ..settings.settings_root import SettingsRoot
from .backend_rows import BOTH_CAPABILITIES, BackendRow, Root, feature_backends

if TYPE_CHECKING:
    from webseam.adapters.pages.pictures import Describe

    from ..settings.site_settings import PageFiles


def all_backend_rows(root: Root) -> list[BackendRow]:
    """Return every backend there is."""
    from .service_backends import installed_services  # thirty files, and HTTP

    services = (service_backend_row(item, root) for item in installed_services().values())
    others = (row for source in feature_backends() for row in source.rows(root))
    return [*built_in_backend_rows(root), *services, *others]


def find_backend_row(name: str, root: Root) -> BackendRow | None:
    """Return one backend without loading the others."""
    builtin = next((row for row in built_in_backend_rows(root) if row.candidate.name == name), None)
    if builtin is not None:
        return builtin
    sources = list(feature_backends())
    for source in sources:
        if name in source.names():
            return source.find(name, root)
    from .service_backends import find_service

    if isinstance(service := find_service(name), Success):
        return service_backend_row(service.unwrap(), root)
    rows = (source.find(name, root) for source in sources)
    return next((row for row in rows if row is not None), None)


def built_in_backend_rows(root: Root) -> Iterator[BackendRow]:
    """Yield the JSON API, the page reader and the services that the settings describe."""
    yield _json_backend_row(root)
    yield _pages_backend_row(root)
    for custom in root.described.values():
        yield service_backend_row(custom.service, root)


def service_backend_row(service: Service, root: Root) -> BackendRow:
    """Return the row of a service under the current settings."""
    can = tuple(name for name in BOTH_CAPABILITIES if getattr(service, name) is not None)
    service_result = service_settings(service, root.settings)
    own_settings = service_result.unwrap() if isinstance(service_result, Success) else None
    problem = (
        service_result.failure()
        if isinstance(service_result, Failure)
        else _missing_service_setting(service, service_result.unwrap())
    )
    access = own_settings.accesses[0] if own_settings is not None else Access()
    numbers = own_settings.numbers if own_settings is not None else {}
    keyless = service.offer.keyless if access.base_url else ()
    # A self-hosted instance needs no key.
    ready = keyless if access.overridden else ()
    if problem is None and (
        service.name in root.described or _is_service_set_up(service, own_settings)
    ):
        ready = can
    return BackendRow(
        candidate=SelectionCandidate(
            name=service.name,
            can=can,
            ready=ready,
            keyless=keyless,
            general=service.offer.scope == "web",
            paid=any(access.value(name) for name in service.secret_options())
            or _has_service_price(numbers),
            own_address=access.overridden or service.name in root.described,
            # Services that the user described come first.
            rank=0 if service.name in root.described else service.offer.rank,
        ),
        title=service.title,
        open=lambda: _open_service_backend(service, own_settings, problem, root),
        open_each=lambda: _open_service_per_key(service, own_settings, problem, root),
        address=access.base_url or None,
        cache_identity=access.base_url,
        request_settings=lambda: _service_request_settings(service, own_settings, root),
        service=service,
        settings=own_settings,
        problem=None if ready else problem,
        numbers=numbers,
        is_begun=not ready and problem is not None and _is_service_begun(service, root.settings),
        risk=PLAIN_HTTP_RISK if own_settings is not None and own_settings.in_clear else "",
    )


def _service_request_settings(
    service: Service, own_settings: ServiceSettings | None, root: Root
) -> object:
    """Return the options of each access, and the description of a service of the settings."""
    accesses = () if own_settings is None else own_settings.accesses
    options = [
        {name: secret.reveal() for name, secret in access.values.items()} for access in accesses
    ]
    custom = root.described.get(service.name)
    if custom is not None:
        return options, custom.description
    return options if any(options) else ()


def selection_candidates(rows: Iterable[BackendRow]) -> list[SelectionCandidate]:
    """Return the selection candidate of each row."""
    return [row.candidate for row in rows]


def _has_service_price(numbers: Mapping[str, float]) -> bool:
    return any(numbers.get(name) for name in PRICE_OPTIONS)


def _is_service_begun(service: Service, settings: Settings) -> bool:
    """Tell whether a setting or variable names this service and no other."""
    upper_name = service.name.upper()
    variables = (name for option in service.options for name in option.env)
    named = (name for name in (*variables, *service.address.env) if upper_name in name)
    prefixed = (f"WEBSEAM_{upper_name}_{option.name.upper()}" for option in service.options)
    entries = (settings.variables.first_entry(name) for name in (*named, *prefixed))
    return any(entries) or bool(settings.entries.names_below(("services", service.name)))


def _is_service_set_up(service: Service, own_settings: ServiceSettings | None) -> bool:
    """Tell whether the user set this service up; a keyless service alone does not count."""
    if own_settings is None:
        return False
    names = {name for name, origin in own_settings.origins.items() if origin.layer != "default"}
    return bool(names) or any(option.required for option in service.options)


def _missing_service_setting(service: Service, own_settings: ServiceSettings) -> WebError | None:
    if not own_settings.accesses[0].base_url:
        return service.missing_address_error()
    return service.missing_option_error(own_settings.missing[0]) if own_settings.missing else None


def _open_service_per_key(
    service: Service, own_settings: ServiceSettings | None, problem: WebError | None, root: Root
) -> Result[list[OpenBackend], WebError]:
    """Open a service once for each key, without retries: the planner decides on those."""
    if own_settings is None:
        return Failure(cast("WebError", problem))
    backends: list[OpenBackend] = []
    for access in own_settings.accesses:
        single_access = msgspec.structs.replace(own_settings, accesses=(access,))
        opened = _open_service_backend(service, single_access, problem, root, attempts=1)
        if isinstance(opened, Failure):
            return opened
        backends.append(opened.unwrap())
    return Success(backends)


def _open_service_backend(
    service: Service,
    own_settings: ServiceSettings | None,
    problem: WebError | None,
    root: Root,
    *,
    attempts: int = 0,
) -> Result[OpenBackend, WebError]:
    from webseam.adapters.http.transport import FastTransport
    from webseam.adapters.services.sender import ServiceLimits as Limits
    from webseam.adapters.services.service_backend import ServiceBackend  # HTTP, on first use

    from ..planning.metering import note_sent_request
    from .egress import dial_rules
    from .service_backends import DEFAULT_ATTEMPTS, service_deps

    # Without its key, a service may still offer its keyless operations.
    is_keyless = own_settings is not None and bool(
        service.offer.keyless and own_settings.accesses[0].base_url
    )
    if own_settings is None or (problem is not None and not is_keyless):
        return Failure(cast("WebError", problem))
    custom = root.described.get(service.name)
    seconds = root.settings.timeout if custom is None or custom.timeout is None else custom.timeout
    limits = Limits(seconds=seconds)
    # The user wrote the address of a service that the settings describe.
    dialling = dial_rules(
        root.settings, is_user_written=own_settings.own_address or custom is not None
    )
    transport = root.transport or FastTransport(rules=dialling, on_write=note_sent_request)
    deps = service_deps(transport, attempts or DEFAULT_ATTEMPTS)
    return Success(ServiceBackend(service, own_settings.accesses, deps, limits))


def _json_backend_row(root: Root) -> BackendRow:
    endpoints = root.endpoints
    urls = {"search": endpoints.search_url, "extract": endpoints.extract_url}
    capabilities = tuple(name for name in BOTH_CAPABILITIES if urls[name] is not None)
    plain_http = plain_http_rule("services", "json", root.settings)
    numbers_result = service_numbers("json", root.settings)
    settings_error: WebError | None = plain_http.problem or (
        numbers_result.failure() if isinstance(numbers_result, Failure) else None
    )
    numbers = numbers_result.value_or({})

    def open_json() -> Result[OpenBackend, WebError]:
        from webseam.adapters.services.sender import ServiceLimits

        from .egress import dial_rules
        from .service_backends import json_backend

        if settings_error is not None:
            return Failure(settings_error)
        opened = json_backend(
            search_url=endpoints.search_url,
            extract_url=endpoints.extract_url,
            key=endpoints.key,
            transport=root.transport,
            limits=ServiceLimits(seconds=root.settings.timeout),
            allow_plain_http=plain_http.allowed,
            way=dial_rules(root.settings, is_user_written=endpoints.own_addresses),
        )
        return opened.map(lambda backend: backend)

    problem = settings_error
    if not capabilities:
        reason = "No JSON API is configured"
        problem = NotConfigured(
            settings=(SEARCH_URL_VARIABLE, EXTRACT_URL_VARIABLE), reason=reason, backend="json"
        )
    return BackendRow(
        candidate=SelectionCandidate(
            name="json",
            can=capabilities or BOTH_CAPABILITIES,
            ready=() if problem is not None else capabilities,
            paid=bool(endpoints.key) or _has_service_price(numbers),
            own_address=True,
            rank=0,
        ),
        title="A JSON API of your own",
        open=open_json,
        # As of a service with two hosts: the address that is asked first.
        address=endpoints.search_url or endpoints.extract_url,
        cache_identity=f"{endpoints.search_url or ''} {endpoints.extract_url or ''}".strip(),
        request_settings=lambda: endpoints.key,
        problem=problem,
        numbers=numbers,
    )


class MakePictureDescriber(Protocol):
    """Make the function that describes pictures from the settings; None without a model."""

    def __call__(self, root: SettingsRoot, /) -> "Describe | None":
        """Return the function, which opens its model when it is called."""


PICTURE_DESCRIBER = Part[MakePictureDescriber]("picture_describer")


def make_picture_describer(root: SettingsRoot) -> "Describe | None":
    """Return a function that describes pictures; None if no vision model is set."""
    if root.settings.vision.provider is None and not root.settings.vision.route:
        return None
    return load(PICTURE_DESCRIBER)(root)


def _page_files(root: Root) -> "Result[PageFiles, WebError]":
    if root.page_files is not None:
        return Success(root.page_files)
    from ..settings.site_settings import read_page_files  # cookies, on first use

    return read_page_files(root.settings)


def _pages_backend_row(root: Root) -> BackendRow:
    def open_pages() -> Result[OpenBackend, WebError]:
        from .page_payments import pay_for_page  # on first use
        from .pages import pages_backend

        settings, render = root.settings, root.settings.render
        if isinstance(files := _page_files(root), Failure):
            return files
        backend = pages_backend(
            root.policy,
            rendering=render.mode,
            browser=render.program,
            describe=make_picture_describer(root),
            comments=settings.extract_comments,
            walled=settings.extract_walled,
            seconds=settings.explicit_timeout,
            sites=files.unwrap().sites.origins,
            prefer=settings.pages.prefer,
            second_look=settings.pages.second_look,
            contact=settings.pages.contact,
            signer=files.unwrap().signer,
            pay=partial(pay_for_page, root),
        )
        return Success(backend)

    return BackendRow(
        candidate=SelectionCandidate(
            name="pages", can=("extract",), ready=("extract",), embedded=True, rank=0
        ),
        title="Our own reader",
        open=open_pages,
        cache_identity=_pages_identity(root),
        request_settings=lambda: _page_request_settings(root.settings),
    )


def _pages_identity(root: Root) -> str:
    """Return the options that change what is read from a page.

    The keys of stored pages are made of this text, down to its blanks.
    """
    settings = root.settings
    identity: str = settings.render.mode
    if settings.extract_comments:
        identity += " with comments"
    if settings.extract_walled:
        identity += " walled"
    if settings.pages.prefer == "markdown":
        identity += " markdown"
    if settings.pages.second_look:
        identity += f" second look {settings.pages.second_look}"
    if settings.pages.signing.agent:
        identity += f" signed for {settings.pages.signing.agent}"
    if settings.entries.names_below(("sites",)):
        identity += _site_digest(root)
    return identity


def _page_request_settings(settings: Settings) -> object:
    """Return what servers see of the reader, and which model and browser show it a page."""
    seen: dict[str, object] = {}
    if settings.pages.contact:
        seen["contact"] = settings.pages.contact
    if settings.pages.signing.key_file:
        seen["key_file"] = settings.pages.signing.key_file
    if settings.vision.provider or settings.vision.route:
        seen["vision"] = settings.vision
    if settings.render.mode != "never" and settings.render.browser:
        seen["browser"] = settings.render.browser
    return seen


def _site_digest(root: Root) -> str:
    """Return the digest of what goes to sites; empty if it cannot be read."""
    if root.page_files is not None:
        return root.page_files.sites.digest
    from ..settings.site_settings import site_settings  # cookies, on first use

    return site_settings(root.settings.entries).map(lambda sites: sites.digest).value_or("")
