"""Several workers at one port: each call is answered, whoever takes it; signals are for all."""

import json
import os
import signal
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clock import until
from tests.features.gateway.servers import TOKEN, Backend, Server, children, running_backend
from webseam.composition.features.gateway.metrics import sum_metrics
from webseam.composition.features.gateway.request_heads import RequestHead
from webseam.composition.features.gateway.workers import WORKER_SECRET_HEADER, WorkerTeam
from webseam.composition.features.testing.faulty_server import listeners

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
TEAM = WorkerTeam(number=1, ports=(7001, 7002, 7003), secret="known to workers")
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def head(path: str, **headers: str) -> RequestHead:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestHead(method="GET", path=path, search="", headers=named, peer="", scheme="http")


@pytest.mark.parametrize(
    ("request_head", "port"),
    [
        (head("/v2/crawl/abc"), 7001),
        (head("/firecrawl/v1/batch/scrape"), 7001),
        (head("/k/key/firecrawl/v2/crawl"), 7001),
        (head("/v2/scrape"), None),
        (head("/v2/crawler"), None),
        (head("/mcp", mcp_session_id="2.abc"), 7003),
        (head("/mcp", mcp_session_id="1.abc"), None),
        (head("/mcp", mcp_session_id="9.abc"), None),
        (head("/mcp", mcp_session_id="abc"), None),
        (head("/mcp", mcp_method="tasks/get", mcp_name="2.abc"), 7003),
        (head("/mcp", mcp_method="tools/call", mcp_name="2.abc"), None),
        (head("/v2/crawl/abc", **{WORKER_SECRET_HEADER: "known to workers"}), None),
        (head("/v2/crawl/abc", **{WORKER_SECRET_HEADER: "a guess"}), 7001),
    ],
)
def test_jobs_are_with_the_first_and_sessions_where_they_began(
    request_head: RequestHead, port: int | None
) -> None:
    assert TEAM.worker_port(request_head) == port
    assert TEAM.others == (7001, 7003)


def test_figures_of_several_are_added_up() -> None:
    one = '# TYPE a counter\na{b="c d"} 1\nsum 0.5\n'
    two = '# TYPE a counter\na{b="c d"} 2\nsum 0.25\nnew 1\n'

    assert sum_metrics([one, two]) == '# TYPE a counter\na{b="c d"} 3\nsum 0.75\nnew 1\n'


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with running_backend() as one:
        yield one


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, backend: Backend) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("team"), backend, WEBSEAM_SERVE_WORKERS="3")
    yield one
    one.process.terminate()
    one.process.wait(120)
    one.process.stdout.close()  # type: ignore[union-attr]


def test_a_job_is_found_whoever_answers(team: Server) -> None:
    started = team.post("/v2/batch/scrape", {"urls": ["http://10.0.0.1/"]})
    seen = [get(team, f"/v2/batch/scrape/{started[1]['id']}") for _ in range(12)]

    assert started[0] == 200
    assert all(view["success"] for view in seen)


def test_a_session_of_mcp_goes_on_whoever_answers(team: Server) -> None:
    answer, headers = mcp(team, HELLO)
    session = headers["mcp-session-id"]
    pings = [
        mcp(team, {"jsonrpc": "2.0", "id": number, "method": "ping"}, session)[0]
        for number in range(12)
    ]

    assert answer["result"]["serverInfo"]["name"] == "webseam"
    assert [ping["result"] for ping in pings] == [{}] * 12


def test_figures_are_those_of_all(team: Server) -> None:
    before = answered(team)
    asked = sum(team.post("/api/search", {"query": "tides"})[0] == 200 for _ in range(9))

    assert asked == 9
    assert answered(team) == before + 9


def test_one_answer_serves_all_of_them(team: Server, backend: Backend) -> None:
    for _ in range(9):
        team.post("/api/search", {"query": "one answer for all"})

    assert len([query for query in backend.asked if "one answer for all" in str(query)]) == 1


def test_a_reload_is_for_all_and_who_dies_is_begun_again(team: Server) -> None:
    os.kill(team.process.pid, signal.SIGHUP)
    until(lambda: any(line.get("event") == "reloaded" for line in team.lines()))
    os.kill(children(team)[0], signal.SIGKILL)
    until(lambda: any(line.get("event") == "worker died" for line in team.lines()))
    until(lambda: len(children(team)) >= 3)

    assert {team.post("/api/search", {"query": "tides"})[0] for _ in range(6)} == {200}


def test_the_end_is_for_all(tmp_path: Path, backend: Backend) -> None:
    one = Server(tmp_path, backend, WEBSEAM_SERVE_WORKERS="2")
    workers = children(one)

    one.process.terminate()
    code = one.process.wait(120)
    one.process.stdout.close()  # type: ignore[union-attr]

    assert code == 0
    assert len(workers) == 2
    assert not any(_runs(each) for each in workers)


def test_a_call_that_was_taken_is_answered_and_later_ones_are_refused(
    tmp_path: Path, backend: Backend
) -> None:
    one = Server(tmp_path, backend, WEBSEAM_SERVE_WORKERS="2")
    late: list[tuple[int, Any]] = []
    caller = threading.Thread(
        target=lambda: late.append(one.post("/api/search", {"query": "slow"}))
    )
    caller.start()
    backend.begun.wait(120)
    one.process.send_signal(signal.SIGTERM)

    def is_refused() -> bool:
        try:
            socket.create_connection(("127.0.0.1", one.port), timeout=120).close()
        except ConnectionResetError:
            # The listener closed while this connection was being made.
            return False
        except ConnectionRefusedError:
            return True
        return False

    until(is_refused)
    assert one.process.poll() is None
    backend.go_on.set()
    caller.join(120)

    assert one.process.wait(120) == 0
    one.process.stdout.close()  # type: ignore[union-attr]
    assert late[0][0] == 200


def test_no_worker_outlives_its_supervisor(tmp_path: Path, backend: Backend) -> None:
    one = Server(tmp_path, backend, WEBSEAM_SERVE_WORKERS="2")
    workers = children(one)

    one.process.kill()
    one.process.wait(120)
    one.process.stdout.close()  # type: ignore[union-attr]
    until(lambda: not any(_runs(each) for each in workers))

    assert len(workers) == 2


def _runs(process: int) -> bool:
    """Tell whether a process is there, and not one that nobody has asked for its exit code."""
    file = Path(f"/proc/{process}/stat")
    try:
        return file.read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_they_speak_tls_among_themselves_where_the_gateway_does(
    tmp_path: Path, backend: Backend
) -> None:
    pem = tmp_path / "server.pem"
    pem.write_text(listeners._PRIVATE_KEY + listeners.CERTIFICATE)  # noqa: SLF001  the kit's own, for tests
    one = Server(tmp_path, backend, WEBSEAM_SERVE_WORKERS="2", WEBSEAM_SERVE_CERTIFICATE=str(pem))
    context = ssl.create_default_context(cadata=listeners.CERTIFICATE)
    context.check_hostname = False
    headers = {"authorization": f"Bearer {TOKEN}"}
    asked = urllib.request.Request(f"{one.url}/v2/crawl/active", headers=headers)  # noqa: S310
    try:
        views = [_opened(asked, context) for _ in range(8)]
    finally:
        one.process.terminate()
        one.process.wait(120)
        one.process.stdout.close()  # type: ignore[union-attr]

    assert views == [{"success": True, "crawls": []}] * 8


def _opened(asked: urllib.request.Request, context: ssl.SSLContext) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(asked, timeout=120, context=context) as answer:  # noqa: S310
        return json.load(answer)


def answered(server: Server) -> int:
    """Return how many searches all workers have answered."""
    series = 'route="/api/search",status="200"'
    lines = [line for line in get_text(server, "/metrics").splitlines() if series in line]
    return sum(int(line.rpartition(" ")[2]) for line in lines)


def get_text(server: Server, path: str) -> str:
    asked = urllib.request.Request(  # noqa: S310  loopback
        f"{server.url}{path}", headers={"authorization": f"Bearer {TOKEN}"}
    )
    with urllib.request.urlopen(asked, timeout=120) as answer:  # noqa: S310  loopback
        return str(answer.read().decode())


def get(server: Server, path: str) -> Any:  # noqa: ANN401  JSON is anything
    return json.loads(get_text(server, path))


def mcp(server: Server, message: object, session: str = "") -> tuple[Any, dict[str, str]]:
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **({"mcp-session-id": session} if session else {}),
    }
    asked = urllib.request.Request(  # noqa: S310  loopback
        f"{server.url}/mcp", json.dumps(message).encode(), headers
    )
    with urllib.request.urlopen(asked, timeout=120) as answer:  # noqa: S310  loopback
        return json.load(answer), {name.lower(): it for name, it in answer.headers.items()}
