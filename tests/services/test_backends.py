"""A backend over a service: its keys, its second tries, its batches, its address."""

import asyncio

import pytest
from returns.result import Failure

from webseam.composition.wiring.service_backends import (
    bundled_service_names,
    find_service,
    installed_services,
    service_backend,
)
from webseam.kernel import WebDeps, web_extract_many
from webseam.ports import HttpStatus, InvalidUrl, Missing, NotConfigured

from .imitation import Imitation
from .made_up import search, service

GOOD: dict[str, object] = {"body": {"rows": [1]}}
KEYS = ["first-key-0123456789", "second-key-0123456789"]


@pytest.mark.parametrize("status", [401, 402, 403, 429])
def test_the_next_key_is_tried_when_one_is_refused(status: int) -> None:
    outcome, requests = search(service(), [{"status": status}, GOOD], keys=KEYS)

    assert [request.headers["x-key"] for request in requests.requests] == KEYS
    (warning,) = outcome.unwrap().receipt.warnings
    assert warning.startswith("tried again after: ")


def test_the_last_refusal_is_told_when_every_key_is_refused() -> None:
    outcome, requests = search(service(), [{"status": 401}, {"status": 402}], keys=KEYS)

    assert outcome.failure().kind == "quota_exhausted"
    assert len(requests.requests) == 2


def test_error_that_is_not_about_the_key_is_not_tried_with_another() -> None:
    _, requests = search(service(), [{"status": 400}], keys=KEYS)

    assert len(requests.requests) == 1


def test_passing_errors_are_retried_and_in_the_receipt() -> None:
    busy: dict[str, object] = {"status": 503, "headers": {"retry-after": "0"}}

    outcome, requests = search(service(), [busy, busy, GOOD], attempts=3)

    assert len(requests.requests) == 3
    assert len(outcome.unwrap().receipt.warnings) == 2


def test_a_failure_quotes_no_key() -> None:
    replies: dict[str, object] = {
        "status": 401,
        "body": {"error": f"bad key {KEYS[0]} or {KEYS[1]}"},
    }

    outcome, _ = search(service(), [replies, replies], keys=KEYS)

    assert "bad key *** or ***" in outcome.failure().message


def test_pages_are_matched_by_url_and_a_forgotten_one_is_missing() -> None:
    a, b, c, d = (f"https://{name}.example/" for name in "abcd")
    replies = [
        {"body": [{"url": b}, {"url": "https://a.example", "content": "A"}]},
        {"body": [{"url": d, "content": "D"}]},
    ]

    async def play() -> None:
        imitation = Imitation(replies)
        async with imitation.running():
            backend = service_backend(
                service(), {"api_key": KEYS[0]}, base_url=imitation.base_url
            ).unwrap()
            pages = await web_extract_many([a, b, c, d], WebDeps(backend=backend))
            await backend.aclose()
        assert [request.body for request in imitation.requests] == [
            f'["{a}","{b}"]'.encode(),
            f'["{c}","{d}"]'.encode(),
        ]
        assert pages[0].unwrap().content == "A"
        assert pages[1] == Failure(HttpStatus(status=404, backend="made_up", url=b))
        assert pages[2] == Failure(Missing(backend="made_up", url=c))
        assert pages[3].unwrap().content == "D"

    asyncio.run(play())


def test_a_call_that_fails_fails_for_each_of_its_pages() -> None:
    async def play() -> None:
        imitation = Imitation([{"status": 500}])
        async with imitation.running():
            backend = service_backend(
                service(), {"api_key": KEYS[0]}, base_url=imitation.base_url, attempts=1
            ).unwrap()
            pages = await backend.extract_many(["https://a.example/", "https://b.example/"])
            await backend.aclose()
        assert [page.failure().kind for page in pages] == ["upstream_unavailable"] * 2

    asyncio.run(play())


def test_a_key_never_goes_to_a_named_address_that_is_neither_https_nor_this_machine() -> None:
    backend = service_backend(service(), {"api_key": KEYS[0]}, base_url="http://proxy.example")

    assert isinstance(backend.failure(), InvalidUrl)
    assert KEYS[0] not in backend.failure().message


def test_a_service_without_its_key_says_what_to_set() -> None:
    error = service_backend(service(), {}).failure()

    assert isinstance(error, NotConfigured)
    assert error.settings == ("MADE_UP_KEY",)


def test_an_unknown_service_is_an_error_that_names_near_ones() -> None:
    name = bundled_service_names()[0]
    assert name in find_service(f"{name}x").failure().message
    assert "webseam backends" in find_service("..os").failure().message


def test_every_service_is_found_under_its_own_name() -> None:
    for name, outcome in installed_services().items():
        assert outcome.name == name
        assert find_service(name).unwrap() is outcome
