"""Stalls of the event loop are counted, and long texts are read beside it."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.clock import ForwardLoop, pass_time, run
from tests.serve.asgi import Site
from webseam.adapters.features.gateway.asks import Page
from webseam.composition.features.gateway.health import health_parts
from webseam.composition.features.gateway.loop_watch import (
    MAX_LOOP_CHARS,
    call_with_pages,
    watch_loop,
)
from webseam.composition.features.gateway.metrics import GatewayMetrics
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.wiring.root import read_root
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.web import WebExtractResult


async def _stalls(*seconds: float) -> list[float]:
    counted: list[float] = []
    watch = asyncio.create_task(watch_loop(counted.append))
    await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ForwardLoop)
    for stall in seconds:
        loop.ahead += stall
        await pass_time(0.25)
        await asyncio.sleep(0)
    watch.cancel()
    return counted


def test_a_loop_that_stands_still_is_counted_and_one_that_turns_is_not() -> None:
    counted = run(_stalls(3.0, 0.0, 5.0))

    assert len(counted) == 2
    assert counted[0] >= 2.9


def test_stalls_are_shown_in_the_metrics_and_in_ready(tmp_path: Path) -> None:
    site = Site(tmp_path)
    assert site.get("/ready").json["loop_stalls"] == 0
    assert b"\nwebseam_loop_stalls_total 0\n" in site.get("/metrics").body

    site.gateway._metrics.count_stall(1.5)  # noqa: SLF001
    text = site.get("/metrics").body

    assert site.get("/ready").json["loop_stalls"] == 1
    assert b"\nwebseam_loop_stalls_total 1\n" in text
    assert b"\nwebseam_loop_stalled_seconds_total 1.5\n" in text


def test_the_watch_runs_for_the_life_of_a_gateway(tmp_path: Path) -> None:
    async def live() -> int:
        events = asyncio.Queue[dict[str, str]]()
        sent = asyncio.Queue[object]()
        gateway = Site(tmp_path).gateway
        life = asyncio.create_task(gateway({"type": "lifespan"}, events.get, sent.put))
        await events.put({"type": "lifespan.startup"})
        await sent.get()
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ForwardLoop)
        loop.ahead += 2.0
        await pass_time(0.25)
        await events.put({"type": "lifespan.shutdown"})
        await life
        return gateway._metrics.loop_stalls  # noqa: SLF001

    assert run(live()) == 1


def _page(chars: int) -> Page:
    url, text = "https://a.example/", "x" * chars
    result = WebExtractResult(
        url=url,
        final_url=url,
        title="",
        content=text,
        raw_content=text,
        metadata={},
        receipt=ExtractReceipt(
            backend="fake",
            url=url,
            final_url=url,
            characters=chars,
            compressed=False,
            compressed_characters=None,
        ),
    )
    return Page(url=url, result=result)


@pytest.mark.parametrize("extra", [0, 1])
def test_the_text_of_long_pages_is_read_in_a_thread(extra: int) -> None:
    pages = [_page(MAX_LOOP_CHARS), _page(extra), Page(url="https://b.example/")]
    reader = asyncio.run(call_with_pages(threading.get_ident, pages=pages))

    assert (reader != threading.get_ident()) is bool(extra)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v2/scrape", {"url": "https://a.example/", "formats": ["links", "html"]}),
        ("/v2/map", {"url": "https://a.example/"}),
        ("/tavily/map", {"url": "https://a.example/"}),
        ("/tavily/extract", {"urls": ["https://a.example/"], "format": "text"}),
    ],
)
def test_no_dialect_reads_a_long_page_on_the_loop(
    path: str, body: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[int] = []
    for name in ("named_links", "markdown_to_html", "markdown_to_text"):
        _spy(monkeypatch, name, readers)
    site = Site(tmp_path, FakeBackend([], "# Tides\n\n" + "[a](/b) " * 200))

    assert site.post(path, body).status == 200
    assert readers
    assert threading.get_ident() not in readers


def _spy(monkeypatch: pytest.MonkeyPatch, name: str, readers: list[int]) -> None:
    from webseam.adapters.features.gateway.dialects import jina, serper, tavily  # noqa: PLC0415
    from webseam.adapters.features.gateway.dialects.firecrawl import scrape_documents  # noqa: PLC0415
    from webseam.adapters.pages import page_forms  # noqa: PLC0415

    function = getattr(page_forms, name)

    def called(text: object) -> object:
        readers.append(threading.get_ident())
        return function(text)

    for module in (page_forms, jina, serper, tavily, scrape_documents):
        monkeypatch.setattr(module, name, called, raising=False)


@pytest.fixture
def gateway_port() -> Iterator[int]:
    """A gateway whose loop stood still twice."""

    class Ready(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"status": "ready", "loop_stalls": 2}'
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_doctor_shows_the_stalls_of_a_gateway_that_runs(gateway_port: int) -> None:
    (part,) = health_parts(read_root(arguments={"serve.port": gateway_port}).unwrap(), {})

    assert (part.name, part.state) == ("Gateway", "care")
    assert "2 times" in part.detail


def test_doctor_says_nothing_of_a_gateway_that_does_not_run() -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port
    assert [*health_parts(read_root(arguments={"serve.port": port}).unwrap(), {})] == []


def test_stalls_of_several_processes_add_up() -> None:
    metrics = GatewayMetrics()
    metrics.count_stall(0.5)
    metrics.count_stall(0.25)
    assert metrics.loop_stalls == 2
