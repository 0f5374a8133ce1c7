"""Stalls of the event loop are counted."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.clock import ManualClockLoop, pass_time, run
from tests.features.gateway.asgi import Site
from webseam.composition.features.gateway.health import health_parts
from webseam.composition.features.gateway.loop_watch import watch_loop
from webseam.composition.features.gateway.metrics import GatewayMetrics
from webseam.composition.wiring.root import read_root


async def _stalls(*seconds: float) -> list[float]:
    counted: list[float] = []
    watch = asyncio.create_task(watch_loop(counted.append))
    await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ManualClockLoop)
    for stall in seconds:
        loop.ahead += stall
        await pass_time(0.25)
        await asyncio.sleep(0)
    watch.cancel()
    return counted


def test_a_loop_that_stands_still_is_counted_and_one_that_turns_is_not() -> None:
    counted = run(_stalls(3.0, 0.0, 5.0), ManualClockLoop)

    assert counted == [3.0, 5.0]


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
        assert isinstance(loop, ManualClockLoop)
        loop.ahead += 2.0
        await pass_time(0.25)
        await events.put({"type": "lifespan.shutdown"})
        await life
        return gateway._metrics.loop_stalls  # noqa: SLF001

    assert run(live(), ManualClockLoop) == 1


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
