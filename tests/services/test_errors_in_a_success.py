"""What is no answer of a service is a failure, also under a status that says success."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from returns.result import Failure

from webseam.composition.wiring.service_backends import service_backend
from webseam.kernel import WebDeps, web_search

from .pick import SERVICES as ALL_SERVICES, sample_of

NO_ANSWERS: list[Any] = [
    {"error": "out of order"},
    {"error": {"code": "E1", "message": "out of order"}},
    {"error": True, "reason": "out of order"},
    {"errors": [{"message": "out of order"}]},
    {"message": "Unauthorized.", "statusCode": 403},
    {"message": "no API key found in request", "request_id": "5"},
    {"detail": "out of order"},
    {"success": False, "error": "out of order"},
    {"type": "ErrorResponse", "error": {"code": "E1", "detail": "out of order"}},
    {"choices": []},
    "out of order",
    None,
    5,
]
SERVICES = [
    name
    for name, service in ALL_SERVICES.items()
    if service.search is not None and service.search.format == "json"
]


@pytest.mark.parametrize("name", SERVICES)
def test_error_bodies_are_not_empty_results(name: str) -> None:
    options = sample_of(name).get("options", {})

    outcomes = [(replies, asyncio.run(searched(name, options, replies))) for replies in NO_ANSWERS]

    assert [replies for replies, outcome in outcomes if not isinstance(outcome, Failure)] == []


async def searched(name: str, options: dict[str, Any], replies: object) -> object:
    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            200, content=json.dumps(replies), headers={"content-type": "application/json"}
        )

    backend = service_backend(
        name,
        options,
        base_url="https://gateway.example",
        transport=httpx.MockTransport(answer),
        attempts=1,
    ).unwrap()
    return await web_search({"query": "tides"}, WebDeps(backend=backend))
