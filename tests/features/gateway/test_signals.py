"""Signals, reloads and deaths in any order leave a gateway that serves, with one set of settings."""

import json
import os
import random
import signal
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clock import until
from tests.features.gateway.servers import Backend, Server, children, running_backend
from webseam.composition.features.testing.faulty_server import listeners

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
DENIED = "policy: {deny_domains: [example.com]}\n"
BROKEN = "policy: [\n"
# No process can have this number.
NOBODY = 2**22 + 1
# One row of the backend, or none where its domain is denied.
OPEN, CLOSED = (200, 1), (200, 0)


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with running_backend() as one:
        yield one


@contextmanager
def gateway(
    home: Path, backend: Backend, workers: int = 2, port: int = 0, **more: str
) -> Iterator[Server]:
    """Yield a gateway; with a ``port``, one that is only starting, and whose port is bound."""
    more = {"WEBSEAM_CACHE_ENABLED": "false", "WEBSEAM_SERVE_WORKERS": str(workers), **more}
    server = Server(home, backend, port=port, **more)
    try:
        until(lambda: not port or is_bound(port))
        yield server
    finally:
        if server.process.poll() is None:
            for worker in children(server):
                end(worker, signal.SIGCONT)
        server.process.kill()
        server.process.wait(120)
        server.process.stdout.close()  # type: ignore[union-attr]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def is_bound(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=120).close()
    except OSError:
        return False
    return True


def end(process: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process that may have ended already."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def ready(server: Server) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(f"{server.url}/ready", timeout=120) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def searched(server: Server, calls: int = 8) -> set[tuple[int, int]]:
    """Return the status and the rows of searches; each comes on a connection of its own."""
    replies = [server.post("/api/search", {"query": "tides"}) for _ in range(calls)]
    return {(status, len(body.get("data", {}).get("web", ()))) for status, body in replies}


def events(server: Server, name: str) -> list[dict[str, Any]]:
    return [line for line in server.lines() if line.get("event") == name]


def is_whole(server: Server) -> bool:
    try:
        return not ready(server)[1].get("missing", 0)
    except OSError:
        return False


def reload(server: Server) -> str:
    """Ask for a reload, and return which event ended it."""
    before = len(events(server, "reloaded")) + len(events(server, "reload refused"))
    server.process.send_signal(signal.SIGHUP)

    def ended() -> list[dict[str, Any]]:
        return events(server, "reloaded") + events(server, "reload refused")

    until(lambda: len(ended()) > before)
    return str(max(ended(), key=lambda line: str(line["time"]))["event"])


@pytest.mark.parametrize("workers", [1, 3])
def test_reload_signals_from_the_first_moment_on_end_nothing(
    tmp_path: Path, backend: Backend, workers: int
) -> None:
    with gateway(tmp_path, backend, workers, port=free_port()) as server:
        for _ in range(50):
            server.process.send_signal(signal.SIGHUP)
            for worker in children(server):
                end(worker, signal.SIGHUP)
        server.announced()
        until(lambda: bool(events(server, "reloaded")))

        assert server.process.poll() is None
        assert searched(server) == {OPEN}
        assert events(server, "worker died") == []


def test_workers_killed_while_they_start_are_started_again(
    tmp_path: Path, backend: Backend
) -> None:
    with gateway(tmp_path, backend, port=free_port()) as server:
        until(lambda: len(children(server)) == 2)
        for worker in children(server):
            end(worker)
        server.process.send_signal(signal.SIGHUP)
        server.announced()

        assert is_whole(server)
        assert searched(server) == {OPEN}


def test_a_worker_that_starts_again_has_the_settings_that_were_accepted_last(
    tmp_path: Path, backend: Backend
) -> None:
    with gateway(tmp_path, backend) as server:
        good = server.config.read_text()
        server.config.write_text(good + DENIED)
        accepted = reload(server)
        server.config.write_text(BROKEN)
        refused = reload(server)
        for worker in children(server):
            end(worker)
        until(lambda: len(events(server, "worker died")) == 2 and is_whole(server))
        after_broken = searched(server)
        server.config.unlink()
        end(children(server)[0])
        until(lambda: len(events(server, "worker died")) == 3 and is_whole(server))

        assert (accepted, refused) == ("reloaded", "reload refused")
        assert after_broken == {CLOSED}
        assert searched(server) == {CLOSED}


def test_a_worker_starts_again_without_the_cookies_that_were_read(
    tmp_path: Path, backend: Backend
) -> None:
    cookies = tmp_path / "cookies.txt"
    cookies.write_text("# Netscape HTTP Cookie File\n")
    with gateway(tmp_path, backend) as server:
        sites = "sites: {example.com: {cookies_file: cookies.txt}}\n"
        server.config.write_text(server.config.read_text() + sites)
        first = reload(server)
        cookies.unlink()
        second = reload(server)
        end(children(server)[0])
        until(lambda: bool(events(server, "worker died")) and is_whole(server))
        refused = [server.post("/api/extract", {"urls": ["http://10.0.0.1/"]}) for _ in range(6)]

        assert (first, second) == ("reloaded", "reload refused")
        assert {reply["failure"]["kind"] for _, reply in refused} == {"url_denied"}


def test_a_worker_starts_again_with_the_certificate_of_the_start(
    tmp_path: Path, backend: Backend
) -> None:
    pem = tmp_path / "server.pem"
    pem.write_text(listeners._PRIVATE_KEY + listeners.CERTIFICATE)  # noqa: SLF001  the kit's own, for tests
    with gateway(tmp_path, backend, WEBSEAM_SERVE_CERTIFICATE=str(pem)) as server:
        pem.write_text("half a certificate")
        for number, worker in enumerate(children(server), 1):
            end(worker)
            until(lambda: len(events(server, "worker died")) == number)  # noqa: B023  called at once
        context = ssl.create_default_context(cadata=listeners.CERTIFICATE)
        context.check_hostname = False
        with urllib.request.urlopen(f"{server.url}/health", timeout=120, context=context) as answer:  # noqa: S310
            health = json.load(answer)
        server.process.terminate()

        assert health == {"status": "ok"}
        assert server.process.wait(120) == 0
        assert len(events(server, "worker died")) == 2


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "settings",
    ["search_route: [nope]", "services: {}"],
)
def test_settings_with_which_nothing_could_be_served_are_refused(
    tmp_path: Path, backend: Backend, workers: int, settings: str
) -> None:
    with gateway(tmp_path, backend, workers) as server:
        good = server.config.read_text()
        base = "keyless: false\n" if settings.startswith("services") else good
        server.config.write_text(base + settings + "\n")
        first = reload(server)
        served = searched(server)
        server.config.write_text(good)

        assert first == "reload refused"
        assert served == {OPEN}
        assert reload(server) == "reloaded"


@pytest.mark.parametrize("workers", ["1", "3"])
def test_a_gateway_does_not_start_with_such_settings_and_says_so_once(
    tmp_path: Path, backend: Backend, workers: str
) -> None:
    server = Server(tmp_path, backend, WEBSEAM_SERVE_WORKERS=workers, WEBSEAM_SEARCH_BACKEND="nope")
    code = server.process.wait(120)
    server.process.stdout.close()  # type: ignore[union-attr]

    assert (code, server.url) == (3, "")
    assert server.log.read_text().count("nope") == 1


def test_ready_waits_for_every_worker_once_and_then_counts_those_that_are_missing(
    tmp_path: Path, backend: Backend
) -> None:
    with gateway(tmp_path, backend, port=free_port()) as server:
        until(lambda: len(children(server)) == 2)
        held = children(server)[0]
        os.kill(held, signal.SIGSTOP)
        starting = ready(server)
        os.kill(held, signal.SIGCONT)
        server.announced()
        whole = ready(server)
        with ExitStack() as stack:
            # The next worker to start is stopped before it listens.
            end(held)
            until(lambda: held not in children(server) and len(children(server)) == 2)
            late = next(one for one in children(server) if one != held and is_new(server, one))
            os.kill(late, signal.SIGSTOP)
            stack.callback(end, late, signal.SIGCONT)
            until(lambda: ready(server)[1]["missing"] == 1)
            short = ready(server)
        until(lambda: is_whole(server))

        assert (starting[0], starting[1]["status"]) == (503, "starting")
        assert (whole[0], whole[1]["workers"], whole[1]["missing"]) == (200, 2, 0)
        assert (short[0], short[1]["status"], short[1]["missing"]) == (200, "ready", 1)


def is_new(server: Server, worker: int) -> bool:
    """Tell whether a worker was started last."""
    return worker == max(children(server))


def test_a_reload_waits_for_a_worker_that_starts_and_is_for_all_or_none(
    tmp_path: Path, backend: Backend
) -> None:
    with gateway(tmp_path, backend) as server:
        good = server.config.read_text()
        held = children(server)[0]
        os.kill(held, signal.SIGSTOP)
        server.config.write_text(good + DENIED)
        server.process.send_signal(signal.SIGHUP)
        # The worker that answers is ready to take them; the other one dies in the middle.
        others = searched(server, calls=1)
        end(held)
        until(lambda: bool(events(server, "reloaded")))

        assert others <= {OPEN}
        assert searched(server) == {CLOSED}
        assert events(server, "reload refused") == []


def test_the_end_comes_in_the_middle_of_a_reload_too(tmp_path: Path, backend: Backend) -> None:
    with gateway(tmp_path, backend) as server:
        held = children(server)[0]
        os.kill(held, signal.SIGSTOP)
        server.process.send_signal(signal.SIGHUP)
        server.process.terminate()
        os.kill(held, signal.SIGCONT)

        assert server.process.wait(120) == 0


def test_the_last_of_many_reloads_counts(tmp_path: Path, backend: Backend) -> None:
    with gateway(tmp_path, backend) as server:
        good = server.config.read_text()
        for number in range(20):
            server.config.write_text(good + (DENIED if number % 2 else ""))
            server.process.send_signal(signal.SIGHUP)
        until(lambda: searched(server, calls=2) == {CLOSED})

        assert reload(server) == "reloaded"
        assert searched(server) == {CLOSED}


@pytest.mark.parametrize("seed", range(3))
def test_signals_and_kills_in_any_order_leave_a_gateway_that_serves(
    tmp_path: Path, backend: Backend, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    with gateway(tmp_path, backend, 3, port=free_port()) as server:
        good, kills = server.config.read_text(), 0
        until(lambda: bool(children(server)))
        for _ in range(60):
            action = chance.choice(("reload", "reload", "reload worker", "write", "kill", "ask"))
            if action == "reload":
                server.process.send_signal(signal.SIGHUP)
            elif action == "reload worker":
                end(chance.choice(children(server) or [NOBODY]), signal.SIGHUP)
            elif action == "write":
                server.config.write_text(
                    good + chance.choice(("", DENIED, BROKEN, "route: [no]\n"))
                )
            elif action == "kill" and kills < 5:
                kills += 1
                end(
                    chance.choice(children(server) or [NOBODY]),
                    chance.choice((signal.SIGKILL, signal.SIGTERM)),
                )
            elif action == "ask":
                is_whole(server)
        server.announced()
        until(lambda: is_whole(server))
        server.config.write_text(good + DENIED)
        server.process.send_signal(signal.SIGHUP)
        # Reloads of before may end first.
        until(lambda: searched(server) == {CLOSED})

        assert events(server, "workers die") == []
        server.process.terminate()
        assert server.process.wait(120) == 0
