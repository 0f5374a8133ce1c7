"""Pages that are read as one job: it is asked after until it is done, and not for ever."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

import httpx
import pytest
from returns.result import Result, Success

from webseam.adapters.services.calls import Access, Reply, ServiceCall
from webseam.adapters.services.declaration import Service, ServiceAddress
from webseam.adapters.services.operations import ExtractAsk, ExtractOperation, ServiceJob, Step
from webseam.adapters.services.page_results import PageFailed
from webseam.adapters.services.sender import ServiceDeps
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.composition.wiring.service_backends import bundled_service_names, find_service
from webseam.ports import DeadlineExceeded, UntrustedRow, WebError
from webseam.ports.secrets import Secret

from .pick import sample_of

URLS = ("https://a.example/", "https://b.example/")


def encode(ask: ExtractAsk) -> ServiceCall:
    return ServiceCall(path="/jobs", body=list(ask.urls), headers=(("x-key", ask.access.key),))


def follow(ask: ExtractAsk, newest: Reply) -> Step | None:
    done = newest.payload == "done"
    call = ServiceCall(method="GET", path="/jobs/1", headers=(("x-key", ask.access.key),))
    return None if done else Step(call=call, wait=len(newest.earlier) + 1)


def decode(
    reply: Reply, urls: tuple[str, ...]
) -> Result[Sequence[UntrustedRow | PageFailed], WebError]:
    answer = f"{len(reply.earlier)} calls before, {reply.payload}"
    return Success([{"url": url, "content": answer} for url in urls])


SERVICE = Service(
    name="made_up",
    address=ServiceAddress(base_url="https://made-up.example"),
    extract=ExtractOperation(
        encode=encode,
        decode=decode,
        job=ServiceJob(encode=encode, follow=follow, decode=decode, batch=2),
    ),
)


class Wire:
    """Answers from a list, the last one again and again; remembers keys, paths and waits."""

    def __init__(self, *replies: httpx.Response) -> None:
        self.asked: list[tuple[str, str]] = []
        self.waited: list[float] = []
        self._replies = list(replies)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.url.path, request.headers.get("x-key", "")))
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    async def pause(self, seconds: float) -> None:
        self.waited.append(seconds)

    def backend(self, service: Service, *keys: str) -> ServiceBackend:
        accesses = [
            Access(base_url=service.address.base_url, values={"api_key": Secret(key)})
            for key in keys
        ]
        around = ServiceDeps(
            transport=httpx.MockTransport(self.answer),
            now=lambda: 0.0,
            redact=lambda text, _secrets: text,
            pause=self.pause,
        )
        return ServiceBackend(service, accesses, around)


def contents(wire: Wire, *keys: str, urls: Sequence[str] = URLS) -> list[object]:
    pages = asyncio.run(wire.backend(SERVICE, *keys).extract_many(urls))
    return [content(page) for page in pages]


def content(page: Result[UntrustedRow, WebError]) -> object:
    return dict(cast("Mapping[str, object]", page.unwrap()))["content"]


def test_a_job_is_asked_after_until_it_is_done() -> None:
    wire = Wire(*(httpx.Response(200, json=state) for state in ("new", "busy", "done")))

    assert contents(wire, "k") == ["2 calls before, done"] * 2
    assert [path for path, _ in wire.asked] == ["/jobs", "/jobs/1", "/jobs/1"]
    assert wire.waited == [1, 2]


def test_a_job_belongs_to_the_key_that_it_was_handed_over_with() -> None:
    refused = httpx.Response(401)
    wire = Wire(refused, *(httpx.Response(200, json=state) for state in ("new", "done")))

    assert contents(wire, "first", "second") == ["1 calls before, done"] * 2
    assert [key for _, key in wire.asked] == ["first", "second", "second"]


def test_a_job_without_an_end_is_left() -> None:
    wire = Wire(httpx.Response(200, json="busy"))

    assert contents(wire, "k") == ["99 calls before, busy"] * 2
    assert len(wire.asked) == 100


@pytest.mark.parametrize(("keys", "urls"), [(("",), URLS), (("k",), URLS[:1])])
def test_one_page_or_no_key_is_no_job(keys: tuple[str, ...], urls: tuple[str, ...]) -> None:
    wire = Wire(httpx.Response(200, json="whole"))

    assert contents(wire, *keys, urls=urls) == ["0 calls before, whole"] * len(urls)
    assert len(wire.asked) == len(urls)


def test_a_job_that_breaks_on_the_way_fails_for_each_page() -> None:
    wire = Wire(httpx.Response(200, json="new"), httpx.Response(500))

    pages = asyncio.run(wire.backend(SERVICE, "k").extract_many(URLS))

    assert [page.failure().kind for page in pages] == ["upstream_unavailable"] * 2


def test_pages_that_a_job_is_not_done_with_are_late_and_the_others_are_there() -> None:
    name = next(name for name in bundled_service_names() if _has_jobs(find_service(name).unwrap()))
    pages = next(case for case in sample_of(name)["cases"] if case["name"] == "pages as one job")
    first, busy = (exchange["reply"]["body"] for exchange in pages["exchanges"][:2])
    wire = Wire(httpx.Response(200, json=first), httpx.Response(200, json=busy))
    backend = wire.backend(find_service(name).unwrap(), "k")

    ready, late = asyncio.run(
        backend.extract_many(["https://example.org/b", "https://example.org/a"])
    )

    assert content(ready) == "B."
    assert late.failure().kind == "timeout"
    assert sum(wire.waited) < DeadlineExceeded(deadline=30.0).deadline


def _has_jobs(service: Service) -> bool:
    return service.extract is not None and service.extract.job is not None
