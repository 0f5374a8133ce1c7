"""``webseam serve`` as a process: it listens, reloads, drains and ends; bad bytes are refused."""

import json
import os
import signal
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.run import webseam
from tests.features.gateway.servers import TOKEN, Backend, Server, running_backend
from webseam.composition.features.testing.faulty_server import listeners


@pytest.fixture
def server(tmp_path: Path, backend: Backend) -> Iterator[Server]:
    one = Server(tmp_path, backend)
    yield one
    one.process.kill()
    one.process.wait()
    one.process.stdout.close()  # type: ignore[union-attr]


@pytest.fixture
def backend() -> Iterator[Backend]:
    with running_backend() as one:
        yield one


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no signals here")
def test_a_life_with_reload_and_drain(server: Server, backend: Backend) -> None:
    first = server.post("/api/search", {"query": "tides"})
    again = server.post("/tavily/search", {"query": "tides"})
    refused = server.post("/tavily/search", {"query": "tides"}, token="wrong")
    late: list[tuple[int, Any]] = []
    caller = threading.Thread(
        target=lambda: late.append(server.post("/api/search", {"query": "slow"}))
    )
    caller.start()
    backend.begun.wait(120)
    server.config.write_text(server.config.read_text() + "policy: {deny_domains: [example.com]}\n")
    os.kill(server.process.pid, signal.SIGHUP)
    while not any(line.get("event") == "reloaded" for line in server.lines()):
        pass
    after = server.post("/api/search", {"query": "tides again"})
    os.kill(server.process.pid, signal.SIGTERM)
    backend.go_on.set()
    caller.join(120)
    code = server.process.wait(120)

    assert (first[0], again[0], refused[0]) == (200, 200, 401)
    assert refused[1] == {
        "detail": {"error": "Incorrect API key provided: no key in use here is that one."}
    }
    assert after[1]["data"]["web"] == []
    assert (late[0][0], len(late[0][1]["data"]["web"])) == (200, 1)
    assert code == 0
    assert TOKEN not in server.log.read_text()


def test_a_drain_answers_a_request_that_is_on_its_way(server: Server) -> None:
    ask = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as sock:
        sock.sendall(ask)
        first = b""
        while not first.endswith(b"}"):
            first += sock.recv(65_536)
        os.kill(server.process.pid, signal.SIGTERM)
        while True:
            try:
                socket.create_connection(("127.0.0.1", server.port), timeout=120).close()
            except ConnectionResetError:
                # The listener closed while this connection was being made.
                continue
            except ConnectionRefusedError:
                break
        sock.sendall(ask)
        last = b"".join(iter(lambda: sock.recv(65_536), b""))

    assert first.startswith(b"HTTP/1.1 200")
    assert last.startswith(b"HTTP/1.1 200")
    assert b"connection: close" in last.lower()
    assert server.process.wait(120) == 0


def test_bytes_that_are_no_honest_request_are_refused(server: Server, backend: Backend) -> None:
    head = (
        b"POST /api/search HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer "
        + TOKEN.encode()
        + b"\r\n"
    )
    smuggled = b"GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    attacks = [
        head + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        head + b"content-length: 4\r\ncontent-length: 40\r\n\r\n{}  " + smuggled,
        head + b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
        head + b"transfer-encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
        head + b"x: " + b"a" * 70_000,
        b"POST /api/search HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01 not http\r\n\r\n",
    ]

    replies = [server.raw(attack) for attack in attacks]

    assert [reply.count(b"HTTP/1.1 ") for reply in replies] == [1] * len(attacks)
    assert [reply[9:12] for reply in replies] == [
        b"400",
        b"400",
        b"400",
        b"400",
        b"431",
        b"400",
        b"400",
    ]
    assert backend.asked == []


def test_a_key_in_a_trailer_is_no_key(server: Server, backend: Backend) -> None:
    head = b"POST /api/search HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
    key = b"authorization: Bearer " + TOKEN.encode() + b"\r\n"
    body = b'transfer-encoding: chunked\r\n\r\n12\r\n{"query": "tides"}\r\n0\r\n'

    without = server.raw(head + body + key + b"\r\n")
    within = server.raw(head + key + body + b"host: b\r\n\r\n")

    assert (without[9:12], within[9:12]) == (b"401", b"200")
    assert len(backend.asked) == 1


def test_without_the_extra_the_command_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "webseam.composition.features.gateway.commands.serve.find_spec", lambda _name: None
    )

    ran = webseam("serve")

    assert ran.code == 3
    assert "pip install 'webseam[server]'" in ran.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--port", "70000"), "--port: must be a whole number <= 65535."),
        (("--workers", "0"), "--workers: must be a whole number >= 1."),
        (("--token", ""), "--token: must not be empty."),
        (("--host", "0.0.0.0", "--token", "short"), "--token: off this machine a token has"),  # noqa: S104
        (("--host", "192.0.2.7", "--token", TOKEN), "--host: 192.0.2.7:8787 cannot be had:"),
        (("--config", "missing.yaml"), "--config: there is no file 'missing.yaml'."),
    ],
)
def test_an_option_that_is_wrong_is_bad_input(
    words: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    ran = webseam("serve", *words, WEBSEAM_CONFIG=str(tmp_path / "none.yaml"))

    assert ran.code == 2
    assert ran.err.splitlines()[-1].startswith(f"webseam: {problem}")


@pytest.mark.parametrize("command", [("serve",), ("mcp", "--http")])
def test_a_port_that_is_taken_is_told_by_whoever_named_it(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    file = str(tmp_path / "config.yaml")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        setting = f"WEBSEAM_{command[0].upper()}_PORT"
        typed = webseam(*command, "--port", port, WEBSEAM_CONFIG=file)
        written = webseam(*command, WEBSEAM_CONFIG=file, **{setting: port})

    problem = f"127.0.0.1:{port} cannot be had: address already in use."
    assert (typed.code, typed.err) == (2, f"webseam: --port: {problem}\n")
    assert (written.code, written.err) == (3, f"webseam: {setting}: {command[0]}.port: {problem}\n")


def test_others_are_served_with_a_key_alone(tmp_path: Path) -> None:
    file = str(tmp_path / "config.yaml")
    ran = webseam("serve", "--host", "0.0.0.0", WEBSEAM_CONFIG=file)  # noqa: S104  it is refused

    assert ran.code == 3
    assert "webseam keys add NAME" in ran.err


def test_it_speaks_tls_with_files_of_ones_own(tmp_path: Path, backend: Backend) -> None:
    pem = tmp_path / "server.pem"
    pem.write_text(listeners._PRIVATE_KEY + listeners.CERTIFICATE)  # noqa: SLF001  the kit's own, for tests
    server = Server(tmp_path, backend, WEBSEAM_SERVE_CERTIFICATE=str(pem))
    context = ssl.create_default_context(cadata=listeners.CERTIFICATE)
    context.check_hostname = False
    try:
        with urllib.request.urlopen(f"{server.url}/health", timeout=120, context=context) as answer:  # noqa: S310
            health = json.load(answer)
    finally:
        server.process.kill()
        server.process.wait()
        server.process.stdout.close()  # type: ignore[union-attr]

    assert server.url.startswith("https://127.0.0.1:")
    assert health == {"status": "ok"}
