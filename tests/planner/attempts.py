"""Questions to services and models whose attempts are counted."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from returns.result import Result

import webseam
from tests.services.pick import SERVICES
from webseam.adapters.features.models.providers.custom import CUSTOM
from webseam.composition.features.models.search_model_rows import installed_search_models
from webseam.ports import WebError

KEY = "key-0123456789"


Ask = Callable[[str], Awaitable[Result[Any, WebError]]]


def with_web(
    folder: Path,
    configure: Callable[[str], dict[str, object]],
    backend: str | None = None,
    page: str = "",
) -> Ask:
    """Return a search, or the reading of a page, with a client under these settings."""

    async def ask(url: str) -> Result[Any, WebError]:
        port = url.rpartition(":")[2]
        allowed = {"cache.enabled": False, "policy.allow_private": [f"127.0.0.1/32:{port}"]}
        environment = {
            "HOME": str(folder),
            "WEBSEAM_LEDGER": str(folder / f"{port}.sqlite"),
            "WEBSEAM_KEYLESS": "false",
        }
        options = {**allowed, **configure(url)}
        async with webseam.open(settings=options, backend=backend, environment=environment) as web:
            return await (web.extract(page.format(url=url)) if page else web.search("tides"))

    return ask


def custom(url: str) -> dict[str, object]:
    return {"custom_base_url": url, "custom_api_key": KEY}


def service_asks(folder: Path, **limits: float) -> dict[str, Ask]:
    """Return a search and a page of every service, at the address that each is given."""
    asks: dict[str, Ask] = {}
    for name, service in SERVICES.items():
        block = {option.name: KEY for option in service.options}

        def configure(url: str, key: str = name, block: Any = block) -> dict[str, object]:  # noqa: ANN401
            return {"services": {key: {**block, "base_url": url}}, **limits}

        if service.search is not None:
            asks[name] = with_web(folder, configure, name)
        if service.extract is not None:
            asks[f"{name}, a page"] = with_web(folder, configure, name, "https://a.example/")
    return asks


def model_asks(folder: Path, **limits: float) -> dict[str, Ask]:
    """Return a search of every search model, and a page of those that read pages."""
    asks: dict[str, Ask] = {}
    for name, model in installed_search_models().items():

        def configure(url: str, key: str = model.provider.name) -> dict[str, object]:
            at_provider = {"providers": {key: {"base_url": url, "api_key": KEY}}}
            return {**(custom(url) if key == CUSTOM.name else at_provider), **limits}

        asks[name] = with_web(folder, configure, name)
        if model.reads_pages:
            asks[f"{name}, a page"] = with_web(folder, configure, name, "https://a.example/")
    return asks
