"""An address of the user's own: the root, a root with a path, or any endpoint of the service."""

import asyncio
from typing import Any, cast

import httpx
import pytest

from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import service_backend
from webseam.kernel import WebDeps, web_extract_many, web_search
from webseam.ports.web import Query

from .pick import NAME, SERVICES, sample_of

ROOT = "https://gateway.example"


def services() -> list[Any]:
    return [pytest.param(service, id=name) for name, service in SERVICES.items()]


@pytest.mark.parametrize("service", services())
@pytest.mark.parametrize("prefix", ["", "/team/search-proxy"])
def test_every_call_goes_to_the_same_place_whichever_endpoint_was_named(
    service: Service, prefix: str
) -> None:
    cases = different(service)
    expected = asked(service, cases, ROOT + prefix)
    endpoints = {url.path for url in expected} | {
        prefix + path for path in service.address.endpoints
    }
    named = [path for path in endpoints if not _is_of_one_thing(path)]

    for path in named:
        assert asked(service, cases, ROOT + path) == expected, path
    assert all(url.path.startswith(prefix) for url in expected)


@pytest.mark.parametrize("service", services())
def test_naming_the_address_that_a_service_has_changes_nothing(service: Service) -> None:
    cases = different(service)

    if service.address.base_url:
        assert asked(service, cases, f"{service.address.base_url}/") == asked(service, cases, "")


def test_query_of_a_base_url_is_kept() -> None:
    service = SERVICES[NAME]
    (plain, *_) = asked(service, different(service), ROOT)

    (url, *_) = asked(service, different(service), f"{ROOT}{plain.path}?team=a#top")

    assert url.params.items() >= {"team": "a"}.items()
    assert url.path == plain.path


def different(service: Service) -> list[dict[str, Any]]:
    """Return the cases of the sample that go to places of their own."""
    sample = sample_of(service.name)
    cases = [{"options": sample.get("options", {}), **case} for case in sample["cases"]]
    outcome = {
        url.path: case
        for case in cases
        if "base" not in case
        for url in asked(service, [case], ROOT)
    }
    return list(outcome.values())


def asked(service: Service, cases: list[dict[str, Any]], base_url: str) -> list[httpx.URL]:
    """Play cases at an address, and return where the first call of each went."""

    async def play() -> list[httpx.URL]:
        return [url for case in cases for url in await _first_call(service, case, base_url)]

    return asyncio.run(play())


async def _first_call(service: Service, case: dict[str, Any], base_url: str) -> list[httpx.URL]:
    seen: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return httpx.Response(400)

    backend = service_backend(
        service,
        case["options"],
        base_url=base_url,
        transport=httpx.MockTransport(answer),
        attempts=1,
    )
    deps = WebDeps(backend=backend.unwrap(), filters="best-effort")
    if "search" in case:
        query = {name: _plain(value) for name, value in case["search"].items()}
        await web_search(cast("Query", query), deps)
    else:
        await web_extract_many(case["extract"], deps)
    return seen[:1]


def _plain(value: object) -> object:
    """Give a date as text, as a caller would: YAML reads it as one."""
    return value if isinstance(value, str | int | list) else str(value)


def _is_of_one_thing(path: str) -> bool:
    """Tell whether a path names a paper, an item or a repository, and no endpoint."""
    return any(mark in path for mark in ("/works/", "/repos/", "/items/"))
