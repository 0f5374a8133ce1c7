"""The fixtures, tried the way a user has them: in a pytest run of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from webseam.testing import FaultyServer

GUARDED = """
import socket, pytest

def test_stays(loopback_only):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        socket.create_connection(server.getsockname()).close()

def test_leaves(loopback_only):
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 80))

def test_leaves_and_says_so(loopback_only):
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 80))
    assert loopback_only == [("192.0.2.1", 80)]
    loopback_only.clear()
"""

SERVED = """
import asyncio, urllib.request

def get(server, name):
    with urllib.request.urlopen(server.url(name), timeout=60) as answer:
        return answer.read()

def test_plain(faulty_server):
    assert b"MARKER-OK" in get(faulty_server, "ok")
    assert faulty_server.hits == {"ok": 1}

def test_counts_begin_at_zero(faulty_server):
    assert faulty_server.hits == {}

def test_async(faulty_server):
    async def ask():
        return await asyncio.to_thread(get, faulty_server, "sliced")

    assert b"MARKER-OK" in asyncio.run(ask())
"""

UNUSED = """
import sys

def test_nothing_heavy_is_loaded():
    heavy = {"httpx", "hypothesis", "msgspec", "returns", "webseam.composition.features.testing.loopback",
             "webseam.composition.features.testing.faulty_server"}
    assert not heavy & set(sys.modules)
"""

# Other plugins load what ours must not.
OTHERS = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:returns")


def run(folder: Path, source: str) -> str:
    (folder / "test_it.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-q", *OTHERS]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


def test_a_test_that_leaves_this_machine_fails_unless_it_says_so(tmp_path: Path) -> None:
    output = run(tmp_path, GUARDED)

    assert "3 passed, 1 error" in output
    assert "the test tried to leave this machine: [('192.0.2.1', 80)]" in output


def test_plain_and_async_tests_share_one_server_whose_counts_begin_at_zero(tmp_path: Path) -> None:
    assert "3 passed" in run(tmp_path, SERVED)


def test_a_run_that_uses_no_fixture_loads_nothing_heavy(tmp_path: Path) -> None:
    assert "1 passed" in run(tmp_path, UNUSED)


def test_the_fixture_gives_a_running_server(faulty_server: FaultyServer) -> None:
    assert faulty_server.url("ok") == f"http://{faulty_server.authority}/ok"


def test_the_guard_is_up_in_every_test_of_ours(request: pytest.FixtureRequest) -> None:
    assert "loopback_only" in request.fixturenames
