"""Backends, put together from their parts."""

import time
from collections.abc import Sequence

import httpx
from returns.result import Failure, Result, Success

from ..adapters.http.runner import ServiceBackend
from ..adapters.http.sending import Limits, Surroundings
from ..adapters.http.service import Access
from ..adapters.http.transport import FastTransport
from ..adapters.services.json_api import json_service
from ..kernel.endpoints import check_endpoint
from ..kernel.redact import redact
from ..kernel.text import one_line
from ..ports.errors import NotConfigured, WebError
from ..ports.secrets import Secret


def json_backend(  # noqa: PLR0913  each is a setting of its own, all by name
    *,
    search_url: str | None = None,
    extract_url: str | None = None,
    key: str = "",
    name: str = "json",
    transport: httpx.AsyncBaseTransport | None = None,
    limits: Limits | None = None,
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


def surroundings(transport: httpx.AsyncBaseTransport) -> Surroundings:
    """Return what every service is given: the wire, the wall clock, and how to mask secrets."""
    return Surroundings(transport=transport, now=time.time, redact=_safe_line)


def _safe_line(text: str, secrets: Sequence[str]) -> str:
    return one_line(redact(text, secrets))
