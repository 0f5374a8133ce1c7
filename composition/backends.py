"""Backends, put together from their parts."""

import httpx
from returns.result import Failure, Result, Success

from ..adapters.http.transport import FastTransport
from ..adapters.json_service.plain import json_service
from ..adapters.service.operations import Access
from ..adapters.service.runner import ServiceBackend
from ..adapters.service.sender import ServiceLimits
from ..kernel.urls.endpoints import check_endpoint
from ..ports.errors import NotConfigured, WebError
from ..ports.secrets import Secret
from .services import surroundings


def json_backend(  # noqa: PLR0913  each is a setting of its own, all by name
    *,
    search_url: str | None = None,
    extract_url: str | None = None,
    key: str = "",
    name: str = "json",
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ServiceLimits | None = None,
) -> Result[ServiceBackend, WebError]:
    """Return a backend for a plain JSON API, or say which setting is not usable.

    A key is only ever sent over https, or to this machine.
    """
    endpoints = [url for url in (search_url, extract_url) if url is not None]
    if not endpoints:
        reason = "The JSON backend has no endpoint"
        return Failure(NotConfigured(reason=reason, setting="search_url or extract_url"))
    for endpoint in endpoints:
        checked = check_endpoint(endpoint, with_key=bool(key))
        if isinstance(checked, Failure):
            return checked
    service = json_service(name=name, search_url=search_url, extract_url=extract_url)
    around = surroundings(transport or FastTransport())
    access = Access(values={"api_key": Secret(key)})
    return Success(ServiceBackend(service, [access], around, limits))
