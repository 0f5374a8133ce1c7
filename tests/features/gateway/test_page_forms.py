"""Pages in other forms: made in a worker, with a bounded output, and ended when the caller leaves."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from returns.result import Result

from tests.features.gateway.jobs import run, until_done
from tests.features.gateway.keys import bearer_of_new_key
from tests.workers.observe import forks
from webseam.adapters.call_context import CALL_OWNER
from webseam.adapters.pages.workers.pool import Workers
from webseam.adapters.transforms import text_workers as module
from webseam.adapters.transforms.text_workers import MAX_TINY_CHARS
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

from .asgi import Site, exchange, scope_of

URL = "https://a.example/"
TABLE = "|a" * 256 + "\n" + "|-" * 256 + "\n" + "|\n" * 254 + "\n"
LONG = "# Tides\n\n" + "High at *noon*. [a](/b)\n\n" * 50
# How each API is asked for a form of a page, and where its answer has that.
ASKED: dict[str, tuple[str, dict[str, Any], tuple[str | int, ...]]] = {
    "firecrawl": ("/v2/scrape", {"url": URL, "formats": ["html"]}, ("data", "html")),
    "firecrawl v1": ("/v1/scrape", {"url": URL, "formats": ["html"]}, ("data", "html")),
    "serper": ("/serper/scrape", {"url": URL}, ("text",)),
    "jina html": ("/jina/r", {"url": URL, "returnFormat": "html"}, ("data", "html")),
    "jina text": ("/jina/r", {"url": URL, "returnFormat": "text"}, ("data", "text")),
    "jina plain": (
        "/jina/r",
        {"url": URL, "returnFormat": "text", "retainImages": "none"},
        ("data", "text"),
    ),
    "tavily": (
        "/tavily/extract",
        {"urls": [URL], "format": "text"},
        ("results", 0, "raw_content"),
    ),
}


class Remembering(Workers):
    """Workers that remember for whom they did what."""

    def __init__(self) -> None:
        super().__init__(1, converter=module.TEXT_CONVERTER)
        self.jobs: list[tuple[str, str]] = []

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        self.jobs.append((CALL_OWNER.get(), content_type))
        return await super().convert(body, content_type, url)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Remembering]:
    workers = Remembering()
    monkeypatch.setattr(module.text_workers, "_workers", workers)
    yield workers
    workers.close()


def site(home: Path, content: str) -> Site:
    return Site(home, FakeBackend([], content))


def part(document: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401  a part of JSON
    for step in path:
        document = document[step]
    return document


def _forks() -> set[int]:
    try:
        return forks()
    except FileNotFoundError:
        # A child has just ended.
        return set()


async def until(is_so: Callable[[], bool]) -> None:
    while True:
        if is_so():
            return
        await asyncio.sleep(0)


@pytest.mark.parametrize("name", ASKED)
def test_a_long_page_is_transformed_in_a_worker_of_its_caller(
    name: str, tmp_path: Path, workers: Remembering
) -> None:
    path, body, place = ASKED[name]
    gateway = site(tmp_path, LONG)
    bearer = bearer_of_new_key(gateway, "ann")

    answer = gateway.post(path, body, accept="application/json", authorization=bearer)

    assert answer.status == 200
    assert "High at" in part(answer.json, place)
    assert {owner for owner, _ in workers.jobs} == {bearer.split("_")[1]}


@pytest.mark.parametrize("name", ASKED)
def test_a_tiny_page_is_transformed_at_once(
    name: str, tmp_path: Path, workers: Remembering
) -> None:
    path, body, place = ASKED[name]

    answer = site(tmp_path, "High at *noon*.").post(path, body, accept="application/json")

    assert "High at" in part(answer.json, place)
    assert workers.jobs == []


@pytest.mark.parametrize("name", ASKED)
def test_a_page_that_grows_is_a_failure_of_this_page(name: str, tmp_path: Path) -> None:
    path, body, _ = ASKED[name]

    answer = site(tmp_path, TABLE * 3).post(path, body, accept="application/json")

    assert b"too many cells" in answer.body
    assert len(answer.body) < 1000


@pytest.mark.parametrize("path", ["/v2/map", "/tavily/map"])
def test_the_links_of_a_page_are_read_in_a_worker(
    path: str, tmp_path: Path, workers: Remembering
) -> None:
    answer = site(tmp_path, LONG).post(path, {"url": URL})

    assert b"https://a.example/b" in answer.body
    assert workers.jobs == [("", "links")]


def test_a_job_makes_the_forms_of_a_page_once(tmp_path: Path, workers: Remembering) -> None:
    async def look_often() -> tuple[list[Any], list[str]]:
        gateway = site(tmp_path, LONG)
        body = {"urls": [URL], "formats": ["html", "markdown"]}
        job = (await gateway.asked("POST", "/v2/batch/scrape", body)).json["id"]
        looks = [await until_done(gateway, f"/v2/batch/scrape/{job}") for _ in range(3)]
        return looks, [name for _, name in workers.jobs]

    looks, names = run(look_often)

    assert names == ["html"]
    assert all(look["data"][0]["html"].startswith("<h1>") for look in looks)


@pytest.mark.usefixtures("workers")
def test_a_caller_who_leaves_ends_the_work(tmp_path: Path) -> None:
    """The page takes a worker some seconds, and nobody waits for them."""

    async def leave() -> set[int]:
        gateway = site(tmp_path, "[" * 4_000_000).gateway
        body = msgspec.json.encode({"url": URL, "formats": ["html"]})
        left = asyncio.Event()
        sent: list[int] = []

        async def receive() -> dict[str, Any]:
            if not sent:
                sent.append(1)
                return {"type": "http.request", "body": body, "more_body": False}
            await left.wait()
            return {"type": "http.disconnect"}

        call = asyncio.create_task(exchange(gateway, scope_of("POST", "/v2/scrape", {}), receive))
        working: set[int] = set()

        def has_begun() -> bool:
            working.update(_forks())
            return bool(working)

        await until(has_begun)
        left.set()
        await call
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in working))
        return working

    assert len(asyncio.run(leave())) == 1


def test_the_bound_of_a_tiny_text_is_what_is_promised() -> None:
    assert MAX_TINY_CHARS == 400


def test_a_reply_is_json_whatever_the_page_is(tmp_path: Path) -> None:
    page = "\ud800 \x00 " + LONG
    answer = site(tmp_path, page).post("/serper/scrape", {"url": URL})

    json.loads(answer.body)
