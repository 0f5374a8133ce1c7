import asyncio
import gc
import gzip
import json
import signal
import socket
import subprocess
import zlib

import pytest

from tests.interrupts import interruptible
from webseam.composition.features.testing.faulty_server import (
    __main__ as program,
    body_faults as bombs,
)
from webseam.testing import FAULTS, REFERENCE_LIMITS, FaultyServer, faulty_server_thread

# Long enough for a loaded machine, and for those who say little and never end.
PATIENCE, BRIEFLY = 60.0, 3.0
ENDLESS = (
    *("hang", "hang_in_status", "slow_headers", "headers_then_hang", "body_then_hang"),
    *("chunk_then_hang", "slow_body_drip", "chunk_huge_size", "cl_petabyte", "cl_5000_digits"),
    *("event_stream", "switching"),
)


async def get(
    server: FaultyServer,
    path: str,
    headers: str = "",
    port: str = "main",
    patience: float = PATIENCE,
) -> bytes:
    """Return all that the server sends, up to 1 MB, a reset or a few seconds without an end."""
    reader, writer = await asyncio.open_connection(server.host, server.ports[port])
    received = b""
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
        async with asyncio.timeout(patience):
            while len(received) < 1_000_000 and (data := await reader.read(65536)):
                received += data
    except (TimeoutError, ConnectionError):
        pass
    finally:
        writer.transport.abort()
    return received


def ask(path: str, headers: str = "") -> bytes:
    async def main() -> bytes:
        async with FaultyServer() as server:
            return await get(server, path, headers)

    return asyncio.run(main())


def body(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def test_the_catalogue_holds_every_fault() -> None:
    groups = {fault.group for fault in FAULTS.values()}

    assert len(FAULTS) == 178
    assert len(groups) == 14
    assert all(fault.expect and fault.behaviour for fault in FAULTS.values())
    assert REFERENCE_LIMITS["deadline_s"] == 4.0


def test_every_fault_is_served_and_leaves_no_connection_open() -> None:
    async def main() -> dict[str, bytes]:
        async with FaultyServer(speed=0.01) as server:
            plain = {name for name, fault in FAULTS.items() if fault.port == "main"}
            ending = [name for name in plain if name not in ENDLESS]
            answers = [
                *await asyncio.gather(*(get(server, f"/{name}") for name in ending)),
                *await asyncio.gather(
                    *(get(server, f"/{name}", patience=BRIEFLY) for name in ENDLESS)
                ),
            ]
            assert await server.idle()
            assert server.open_now == 0
            assert server.open_peak > 1
            assert plain == set(server.hits)
            return dict(zip([*ending, *ENDLESS], answers, strict=True))

    answers = asyncio.run(main())

    silent = {name for name, answer in answers.items() if not answer}
    assert silent == {"hang", "close_now", "reset_now", "flaky_reset"}
    assert not any(b"404 Not Found\r\nContent-Type: text/plain" in a for a in answers.values())


def test_a_server_that_stops_ends_what_is_still_being_said() -> None:
    async def main() -> bool:
        async with FaultyServer() as server:
            reader, writer = await asyncio.open_connection(server.host, server.ports["main"])
            writer.write(b"GET /endless_body HTTP/1.1\r\n\r\n")
            await reader.read(1)
        try:
            while await reader.read(1_000_000):
                pass
        except ConnectionError:
            pass
        writer.close()
        return await server.idle()

    assert asyncio.run(main())


@pytest.mark.parametrize("turns", range(6))
def test_connection_to_a_stopping_server_is_closed(turns: int) -> None:
    async def session() -> bytes:
        async with FaultyServer() as server:
            caller = socket.create_connection((server.host, server.ports["main"]))
            for _ in range(turns):
                await asyncio.sleep(0)
        with caller:
            caller.settimeout(60)
            try:
                return await asyncio.to_thread(caller.recv, 1)
            except ConnectionError:
                return b""

    assert asyncio.run(session()) == b""
    # A socket that was let in and forgotten would be told of here.
    gc.collect()


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ("accept_close", b""),
        ("accept_reset", b""),
        ("tls_plain", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        ("tls_close", b""),
    ],
)
def test_each_port_of_its_own_misbehaves_as_it_says(port: str, expected: bytes) -> None:
    async def main() -> bytes:
        async with FaultyServer() as server:
            return await get(server, "/", port=port, patience=BRIEFLY)

    assert asyncio.run(main()) == expected


def test_the_canary_counts_whoever_reaches_it() -> None:
    async def main() -> tuple[bytes, int]:
        async with FaultyServer() as server:
            return await get(server, "/secret", port="canary"), server.canary_hits

    answer, hits = asyncio.run(main())

    assert body(answer) == b"<p>INTERNAL-SECRET!!</p>"
    assert hits == 1


def test_nobody_listens_on_the_refused_port() -> None:
    async def main() -> None:
        async with FaultyServer() as server:
            await get(server, "/", port="refused")

    with pytest.raises(ConnectionRefusedError):
        asyncio.run(main())


def test_three_good_redirects_lead_to_a_page() -> None:
    async def main() -> list[bytes]:
        async with FaultyServer() as server:
            paths = ["/redirect_3_ok", "/redirect_3_ok?n=1", "/redirect_3_ok?n=2"]
            heads = [await get(server, path) for path in paths]
            return [head.partition(b"Location: ")[2].split()[0] for head in heads]

    first, *rest = asyncio.run(main())

    assert first.endswith(b"/redirect_3_ok?n=1")
    assert rest == [b"redirect_3_ok?n=2", b"/ok"]


@pytest.mark.parametrize("fault", ["flaky_503", "flaky_reset"])
def test_a_flaky_fault_serves_the_third_request(fault: str) -> None:
    async def main() -> list[bool]:
        async with FaultyServer() as server:
            return [b"200 OK" in await get(server, f"/{fault}?id=a") for _ in range(3)]

    assert asyncio.run(main()) == [False, False, True]


def test_a_flaky_fault_counts_by_id_until_it_is_reset() -> None:
    async def main() -> list[bool]:
        async with FaultyServer() as server:
            paths = ["/flaky_503?id=a"] * 3 + ["/flaky_503?id=b", "/_reset", "/flaky_503?id=a"]
            return [b"200 OK" in await get(server, path) for path in paths]

    assert asyncio.run(main()) == [False, False, True, False, True, False]


def test_the_echo_is_the_request_as_json() -> None:
    echo = json.loads(body(ask("/_echo?a=1", "X-Mine: yes\r\n")))

    assert (echo["method"], echo["target"]) == ("GET", "/_echo?a=1")
    assert ["x-mine", "yes"] in echo["headers"]


def test_the_counts_are_told_as_json() -> None:
    stats = json.loads(body(ask("/_stats")))

    assert stats["hits"] == {"_stats": 1}
    assert (stats["open_now"], stats["canary_hits"]) == (1, 0)
    assert set(stats["ports"]) >= {"main", "canary", "tls", "refused"}


def test_the_catalogue_is_told_as_json() -> None:
    assert json.loads(body(ask("/_faults"))) == [fault.row() for fault in FAULTS.values()]


def test_an_unknown_path_is_no_fault() -> None:
    assert ask("/nonsense").startswith(b"HTTP/1.1 404")


def test_a_client_that_speaks_no_http_is_dropped() -> None:
    async def main() -> bytes:
        async with FaultyServer() as server:
            reader, writer = await asyncio.open_connection(server.host, server.ports["main"])
            writer.write(b"nonsense\r\n\r\n")
            answer = await reader.read()
            writer.close()
            return answer

    assert asyncio.run(main()) == b""


def test_the_key_is_echoed_where_the_fault_says_so() -> None:
    assert b"bad key Bearer k1" in ask("/api_key_echo", "Authorization: Bearer k1\r\n")


def test_a_url_may_carry_another_host_and_a_query() -> None:
    async def main() -> str:
        async with FaultyServer() as server:
            url = server.url("tls_ok", "pinned.example.com", id="a b")
            return url.replace(str(server.ports["tls"]), "PORT")

    assert asyncio.run(main()) == "https://pinned.example.com:PORT/ok?id=a+b"


def test_bombs_decompress_to_what_they_promise() -> None:
    mebibyte = bytes(1 << 20)

    assert gzip.decompress(bombs.gzip_zeros(2)) == mebibyte * 2
    assert gzip.decompress(gzip.decompress(bombs.gzip_zeros(1, layers=2))) == mebibyte
    assert zlib.decompress(bombs.deflate_zeros(1)) == mebibyte
    assert len(bombs.gzip_zeros(64)) < 70_000
    assert len(bombs.zstd_zeros(256)) < 9_000


def test_a_thread_that_cannot_listen_says_so() -> None:
    with pytest.raises(OSError, match=r"192\.0\.2\.1"), faulty_server_thread(host="192.0.2.1"):
        pass


def test_the_program_prints_the_catalogue_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    program.run_faulty_server(["--list"])

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 178
    assert lines[0].split()[:3] == ["ok", "control", "ok"]


def test_the_program_prints_the_catalogue_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    program.run_faulty_server(["--json"])

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [fault.row() for fault in FAULTS.values()]


def test_the_program_serves_until_it_is_interrupted() -> None:
    command = interruptible("webseam.composition.features.testing.faulty_server", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=120)

    assert "178 faults" in first
    assert running.returncode == 0
