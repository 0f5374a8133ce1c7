"""Answers in the background: asked for until they are there, within the deadline of the call."""

from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
import pytest

from tests.features.models.clients import REQUEST, client, run
from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.declaration.provider import HttpDetails, Provider
from webseam.ports import DeadlineExceeded, NormalizedResponse, WebError
from webseam.ports.errors import ModelFailed, ModelNotFound

PROVIDER = Provider(name="acme", api_mode="responses", http=HttpDetails(path="/v1/responses"))
ASKED = msgspec.structs.replace(REQUEST, background=True)
AT_ONCE = ModelLimits(poll=0.0)


def state(status: str, **more: Any) -> httpx.Response:  # noqa: ANN401  any JSON
    return httpx.Response(200, json={"id": "resp/1", "status": status, "output": [], **more})


DONE = state("completed", output=[{"type": "message", "content": "Low at six."}])


class Scripted(httpx.AsyncBaseTransport):
    """Gives these responses, one after another, and remembers what was asked."""

    def __init__(self, *responses: httpx.Response) -> None:
        self.asked: list[tuple[str, str]] = []
        self._responses = list(responses)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.asked.append((request.method, request.url.raw_path.decode()))
        given = self._responses.pop(0)
        return httpx.Response(given.status_code, headers=given.headers, content=given.content)


def ask(
    *responses: httpx.Response, limits: ModelLimits = AT_ONCE
) -> tuple[Any, Sequence[tuple[str, str]]]:
    transport = Scripted(*responses)
    model = client(transport, provider=PROVIDER, base_url="https://acme.example", limits=limits)
    return run(model.complete(ASKED)), transport.asked


def content(result: Any) -> str | None:  # noqa: ANN401  a Result
    answer: NormalizedResponse = result.unwrap()
    return answer.content


def test_an_answer_is_asked_for_until_it_is_there() -> None:
    result, outcome = ask(state("queued"), state("in_progress"), state("in_progress"), DONE)

    assert content(result) == "Low at six."
    assert outcome == [("POST", "/v1/responses"), *[("GET", "/v1/responses/resp%2F1")] * 3]


def test_trouble_on_the_way_does_not_end_the_work() -> None:
    result, outcome = ask(state("queued"), httpx.Response(503), state("in_progress"), DONE)

    assert content(result) == "Low at six."
    assert [method for method, _ in outcome] == ["POST", "GET", "GET", "GET"]


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (
            httpx.Response(404, json={"error": {"message": "no such response of a model"}}),
            ModelNotFound,
        ),
        (state("cancelled"), ModelFailed),
    ],
)
def test_background_answer_that_is_gone_is_a_failure(
    response: httpx.Response, kind: type[WebError]
) -> None:
    last = [response] * 3
    result, _ = ask(state("queued"), *last, *([state("queued"), response] * 2))

    assert isinstance(result.failure(), kind)


def test_the_deadline_ends_the_waiting() -> None:
    result, outcome = ask(state("queued"), limits=ModelLimits(poll=700.0))

    assert isinstance(result.failure(), DeadlineExceeded)
    assert len(outcome) == 1
