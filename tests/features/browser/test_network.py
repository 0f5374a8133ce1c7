"""A browser's process reaches the proxy, and nothing else on any protocol."""

import asyncio
import json
import os
import socket
import sys
from pathlib import Path

import pytest

from webseam.adapters.features.browser.process import (
    Launch,
    Wall,
    _start_launcher,
    start_browser,
)

from .support import CANARY, living_in_sight, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

# Stands in for a browser: tries every way out and says on the pipe which of them were open.
PROGRAM = """#!{python} -I
import json, os, socket, sys
tcp, udp = {tcp}, {udp}
port = int(next(flag for flag in sys.argv if flag.startswith("--proxy-server=")).rpartition(":")[2])
def connect(where):
    socket.create_connection(("127.0.0.1", where), timeout=20).close()
def datagram(kind, where):
    with socket.socket(kind, socket.SOCK_DGRAM) as any_socket:
        any_socket.connect(where)
        any_socket.send(b"x")
ways = {{
    "proxy": lambda: connect(port),
    "tcp": lambda: connect(tcp),
    "udp": lambda: datagram(socket.AF_INET, ("127.0.0.1", udp)),
    "udp away": lambda: datagram(socket.AF_INET, ("192.0.2.1", 53)),
    "udp6 away": lambda: datagram(socket.AF_INET6, ("2001:db8::1", 443)),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
}}
opened = []
for name, way in ways.items():
    try:
        way()
    except OSError:
        continue
    opened.append(name)
os.write(4, json.dumps([opened, os.geteuid()]).encode())
"""


def program(folder: Path, tcp: int, udp: int) -> str:
    path = folder / "browser"
    path.write_text(PROGRAM.format(python=sys.executable, tcp=tcp, udp=udp), "utf-8")
    path.chmod(0o755)
    return str(path)


class Tried:
    """What a stand-in could reach, and how much of it came to the canaries."""

    def __init__(self, wall: Wall, folder: Path) -> None:
        self.network = ""
        self.opened: list[str] = []
        self.came = 0
        run(self._session(wall, folder))

    async def _session(self, wall: Wall, folder: Path) -> None:
        with (
            socket.create_server((CANARY, 0)) as tcp,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            living_in_sight() as homes,
        ):
            udp.bind((CANARY, 0))
            tcp.settimeout(0)
            udp.settimeout(0)
            path = program(folder, tcp.getsockname()[1], udp.getsockname()[1])
            launch = Launch(
                path,
                sandbox=False,
                environment=os.environ,
                message_bytes=1 << 16,
                memory_bytes=1 << 30,
            )
            started = await _start_launcher(wall, launch, str(homes), None)
            if started is None:
                pytest.skip(f"no {wall} can be had on this machine")
            self.network = started.network
            started.start()
            self.opened, _ = json.loads(await started.reader.read())
            await started.process.wait()
            for canary in (tcp.accept, lambda: udp.recv(1)):
                try:
                    canary()
                except BlockingIOError:
                    continue
                self.came += 1
            started.channel.close()
            started.listener.close()
            assert started.group is None or started.group.remove_if_empty()


def test_in_a_network_of_its_own_a_browser_reaches_the_proxy_alone(tmp_path: Path) -> None:
    tried = Tried("namespace", tmp_path)

    # It has a loopback of its own, where nobody listens.
    assert {"tcp", "udp away", "udp6 away"}.isdisjoint(tried.opened)
    assert ("proxy" in tried.opened, tried.came, tried.network) == (True, 0, "namespace")


def test_behind_the_fence_a_browser_reaches_the_proxy_and_sends_no_datagram(
    tmp_path: Path,
) -> None:
    tried = Tried("fence", tmp_path)

    assert "proxy" in tried.opened
    if "tcp" in tried.network:
        assert "tcp" not in tried.opened
    if "udp" in tried.network:
        assert {"udp", "udp away", "udp6 away", "raw"}.isdisjoint(tried.opened)


def test_nobody_else_reaches_the_proxy_of_a_browser_in_its_own_network() -> None:
    async def session() -> None:
        launch = Launch(
            "/bin/true",
            sandbox=False,
            environment=os.environ,
            message_bytes=1 << 16,
            memory_bytes=1 << 30,
        )
        async with start_browser(launch) as browser:
            if browser.network != "namespace":
                pytest.skip("no name space can be had on this machine")
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection(*browser.listener.getsockname())

    run(session())
