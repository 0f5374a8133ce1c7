"""Standard input and output: one message a line, whatever the client does."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from returns.result import Success

from tests.doors.mcp.desk import MODERN_META, ROWS, settings_of
from tests.doors.mcp.pipe import Client
from tests.interrupts import interruptible
from webseam.composition.doors.mcp import stdio
from webseam.composition.doors.mcp.stdio import Interrupt, StdioWriter, read_stdio_lines
from webseam.testing import FakeBackend

OPENER = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
SEARCH = {"name": "web_search", "arguments": {"query": "tides"}}


async def forever(_query: object) -> None:
    import asyncio  # noqa: PLC0415

    await asyncio.Event().wait()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    yield made
    made.close()


def test_a_handshake_and_a_call(client: Client) -> None:
    client.send("initialize", 1, **OPENER)
    client.send("notifications/initialized")
    client.send("tools/call", "two", **SEARCH)

    assert client.hear()["result"]["protocolVersion"] == "2025-11-25"
    answer = client.hear()
    assert answer["id"] == "two"
    assert answer["result"]["structuredContent"]["success"] is True


def test_both_revisions_on_one_connection(client: Client) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    client.send("server/discover", 1, _meta=meta)
    client.send("initialize", 2, **OPENER)
    client.send("ping", 3)

    assert client.hear()["result"]["supportedVersions"] == ["2026-07-28"]
    assert client.hear()["result"]["protocolVersion"] == "2025-11-25"
    assert client.hear() == {"jsonrpc": "2.0", "id": 3, "result": {}}


def test_invalid_line_is_answered_and_the_next_is_read(client: Client) -> None:
    client.server.handle_line(b"nonsense\n")
    client.take({"jsonrpc": "2.0", "id": 7, "result": {}})
    client.server.refuse_long_line()
    client.send("ping", 1)

    assert client.hear()["error"]["code"] == -32700
    assert client.hear()["error"]["code"] == -32600
    assert client.hear()["id"] == 1


def test_a_cancelled_call_stops_the_backend_and_has_no_answer(tmp_path: Path) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def search(_query: object) -> None:
        import asyncio  # noqa: PLC0415

        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    client = Client(tmp_path, FakeBackend(search=search))
    client.send("initialize", 1, **OPENER)
    client.hear()
    client.send("tools/call", 2, **SEARCH)
    assert started.wait(120)
    client.send("tools/call", 2, **SEARCH)
    assert "under way" in client.hear()["error"]["message"]
    client.send("notifications/cancelled", requestId=5)
    client.send("notifications/cancelled", requestId=2, reason="enough")
    assert stopped.wait(120)
    client.server.wait_for_answers()
    client.send("ping", 3)

    assert client.hear()["id"] == 3
    client.close()


def test_a_call_that_is_cancelled_before_it_begins_is_over(client: Client) -> None:
    held, free = threading.Event(), threading.Event()

    async def hold_up() -> None:
        held.set()
        free.wait(120)

    client.send("initialize", 1, **OPENER)
    client.hear()
    client.background.submit(hold_up())
    # From here on the loop begins nothing.
    held.wait(120)
    client.send("tools/call", 2, **SEARCH)
    client.send("notifications/cancelled", requestId=2)
    free.set()
    client.server.wait_for_answers()
    client.send("ping", 2)

    assert client.hear() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert client.desk.backend.searched == []


def test_a_hundred_calls_at_once_are_all_answered(client: Client) -> None:
    client.send("initialize", "first", **OPENER)
    client.hear()
    for number in range(100):
        client.send("tools/call", number, **SEARCH)

    answers = [client.hear() for _ in range(100)]

    assert sorted(answer["id"] for answer in answers) == list(range(100))
    assert all(answer["result"]["isError"] is False for answer in answers)


def test_a_subscription_is_acknowledged_and_stays_open(client: Client) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    client.send("subscriptions/listen", 4, _meta=meta, notifications={"toolsListChanged": True})

    told = client.hear()

    assert told["method"] == "notifications/subscriptions/acknowledged"
    assert told["params"]["notifications"] == {}
    assert told["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": 4}


def test_answers_that_take_long_are_waited_for_when_the_input_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = threading.Event()
    looks: Iterator[Callable[[], object]] = iter([bool, bool, free.set])

    async def search(_query: object) -> object:
        import asyncio  # noqa: PLC0415

        await asyncio.to_thread(free.wait, 120)
        return Success(ROWS)

    monkeypatch.setattr(stdio, "_POLL_SECONDS", 0.0)
    client = Client(tmp_path, FakeBackend(search=search))
    monkeypatch.setattr(client.wire, "is_reader_gone", lambda: bool(next(looks, bool)()))
    client.send("initialize", 1, **OPENER)
    client.hear()
    client.send("tools/call", 2, **SEARCH)

    client.server.wait_for_answers()

    answer = client.hear()
    assert (answer["id"], answer["result"]["isError"]) == (2, False)
    client.close()


def test_nothing_is_waited_for_when_nobody_reads_it(tmp_path: Path) -> None:
    client = Client(tmp_path, FakeBackend(search=forever))
    client.send("initialize", 1, **OPENER)
    client.hear()
    client.send("tools/call", 2, **SEARCH)
    assert not client.wire.is_reader_gone()

    client.leave()
    client.server.wait_for_answers()

    assert client.wire.is_reader_gone()
    client.close()


def test_client_that_reads_no_more_stops_the_backend_although_the_input_is_open(
    tmp_path: Path,
) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def search(_query: object) -> None:
        import asyncio  # noqa: PLC0415

        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    client = Client(tmp_path, FakeBackend(search=search))
    client.send("initialize", 1, **OPENER)
    client.hear()
    client.send("tools/call", 2, **SEARCH)
    assert started.wait(120)

    client.leave()

    assert stopped.wait(120)
    client.close()


def test_a_subscription_ends_with_the_input(client: Client) -> None:
    client.send("subscriptions/listen", 4, _meta=MODERN_META)
    client.hear()

    client.server.wait_for_answers()


def test_a_client_that_vanishes_breaks_the_wire_and_nothing_else() -> None:
    read, write = os.pipe()
    os.close(read)
    wire = StdioWriter(write)

    wire.send({"a": 1})
    wire.send({"b": 2})

    assert wire.broken.is_set()
    os.close(write)


def test_a_bug_is_told_and_holds_no_secret(client: Client) -> None:
    async def broken(*_: object) -> tuple[str, ...]:
        raise RuntimeError("sk-secret")

    client.desk.toolset.names = broken  # type: ignore[method-assign]
    client.send("initialize", 1, **OPENER)
    client.hear()
    client.send("tools/list", 2)

    error = client.hear()["error"]
    assert error == {"code": -32603, "message": "This is a bug in webseam (RuntimeError)."}


def test_lines_that_are_too_long_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 10)
    refused: list[int] = []
    source = io.BytesIO(b"short\n\n" + b"x" * 35 + b"\nlast\n" + b"y" * 11)

    lines = list(read_stdio_lines(source, lambda: refused.append(1)))

    assert lines == [b"short\n", b"last\n"]
    assert len(refused) == 2


def test_the_first_answer_loads_neither_the_kernel_nor_asyncio() -> None:
    code = (
        "import sys, webseam.composition.doors.cli.program, webseam.composition.doors.mcp.stdio,"
        " webseam.composition.doors.mcp.web_offer;"
        "heavy = {'asyncio', 'httpx', 'returns', 'yaml', 'webseam.kernel', 'webseam.ports'};"
        "print(sorted(heavy & set(sys.modules)))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_the_command_answers_and_ends_with_its_input(tmp_path: Path) -> None:
    script = "import sys; sys.argv = ['webseam', 'mcp']; from webseam.composition.doors.cli.program import main; sys.exit(main())"
    opener = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENER}
    lists = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **settings_of(tmp_path)},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for each in (opener, lists):
            server.stdin.write(json.dumps(each).encode() + b"\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        rest = server.stdout.read()

    assert server.returncode == 0
    assert rest == b""
    assert answers[0]["result"]["serverInfo"]["name"] == "webseam"
    assert answers[1]["result"]["tools"][0]["name"] == "web_search"


def test_ctrl_c_ends_the_command_without_a_trace(tmp_path: Path) -> None:
    opener = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENER}

    with subprocess.Popen(
        interruptible("webseam.composition.doors.cli", "mcp"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **settings_of(tmp_path)},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(opener).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        _, told = server.communicate()

    assert (server.returncode, told) == (130, b"")


def test_ctrl_c_ends_the_wait_for_answers_after_the_input(tmp_path: Path) -> None:
    opener = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENER}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": SEARCH}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = settings_of(tmp_path, "backend: searxng\ncache: false\n")
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen(
            interruptible("webseam.composition.doors.cli", "mcp"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **settings, "SEARXNG_URL": address},
        ) as server:
            assert server.stdin is not None
            for each in (opener, call):
                server.stdin.write(json.dumps(each).encode() + b"\n")
            server.stdin.close()
            with silent.accept()[0]:
                server.send_signal(signal.SIGINT)
                server.stdin = None
                answers, told = server.communicate()

    assert (server.returncode, told) == (130, b"")
    assert [json.loads(each)["id"] for each in answers.splitlines()] == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to handle")
def test_sigterm_after_the_end_of_input_hangs_up_on_the_service(tmp_path: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": SEARCH}
    opener = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENER}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = settings_of(tmp_path, "backend: searxng\ncache: false\n")
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen(
            [sys.executable, "-m", "webseam.composition.doors.cli", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **settings, "SEARXNG_URL": address},
        ) as server:
            assert server.stdin is not None
            for each in (opener, call):
                server.stdin.write(json.dumps(each).encode() + b"\n")
            server.stdin.close()
            with silent.accept()[0] as service:
                asked = service.recv(1 << 16)
                server.terminate()
                rest = service.recv(1 << 16)

    assert server.returncode == -signal.SIGTERM
    assert asked.startswith(b"GET ")
    assert rest == b""


def test_ctrl_c_in_the_middle_of_a_message_waits_for_its_end() -> None:
    def take() -> None:
        for line in Interrupt().interruptible_lines(iter([b"one", b"two"])):
            signal.raise_signal(signal.SIGINT)
            taken.append(line)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    taken: list[bytes] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            take()
    finally:
        signal.signal(signal.SIGINT, before)

    assert taken == [b"one"]


def test_ctrl_c_between_two_messages_is_heeded_at_once() -> None:
    def lines() -> Iterator[bytes]:
        yield b"one"
        signal.raise_signal(signal.SIGINT)
        yield b"two"

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    taken: list[bytes] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            taken.extend(Interrupt().interruptible_lines(lines()))
    finally:
        signal.signal(signal.SIGINT, before)

    assert taken == [b"one"]


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Interrupt()

        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_closed_input_is_one_that_has_ended(tmp_path: Path) -> None:
    closing = "import os, sys; os.close(0); os.execv(sys.executable, sys.argv[1:])"

    ran = subprocess.run(
        [sys.executable, "-c", closing, *interruptible("webseam.composition.doors.cli", "mcp")],
        env={**os.environ, **settings_of(tmp_path)},
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
