"""Three gateways on one PostgreSQL and one Valkey: ``python -m benchmarks.stores [--calls 3000]``.

Every question is asked several times at once, over all three gateways, with a key that all of them
look up in PostgreSQL and a budget that does not last for all questions. In the middle PostgreSQL is
killed and started again, and later Valkey. What must hold is checked, and the exit code says so: no
overspend, one call upstream for a question that was asked at once (while Valkey answers), all
gateways at work again after each outage. Needs what ``make stores`` needs.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from tests.stores.servers import PostgresServer, ValkeyServer, free_port

GATEWAYS = 3
PRICE = 0.001
TOGETHER = 6
AT_ONCE = 60
# How much of what all questions would cost is in the budget.
SHARE = 0.9
_AWAY_SECONDS = 1.5
_BACK_SECONDS = 7.0
_OUTAGE_SECONDS = 6.0
_UPSTREAM_SECONDS = 0.03
_ROWS = [{"title": "T", "url": "https://example.com/", "description": "words"}]


class Ended(NamedTuple):
    """How one call ended, and when."""

    question: int
    status: int
    kind: str
    at: float


class Upstream:
    """A search service that counts what it is asked."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.times: dict[str, list[float]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer calls on one connection for as long as they come."""
        body = json.dumps({"web": {"results": _ROWS}}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                query = request.split(b"q=", 1)[1].split(b"&")[0].split(b" ")[0].decode()
                self.calls[query] += 1
                self.times.setdefault(query, []).append(time.monotonic())
                await asyncio.sleep(_UPSTREAM_SECONDS)
                writer.write(head.encode() + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


class Scene(NamedTuple):
    """The servers, the gateways' ports, and the key that calls are made with."""

    postgres: PostgresServer
    valkey: ValkeyServer
    ports: list[int]
    key: str


async def call(port: int, key: str, question: int) -> Ended:
    """Ask one gateway one question, on a connection of its own."""
    body = json.dumps({"query": f"question{question}"}).encode()
    head = (
        f"POST /api/search HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + body)
        reply = await reader.read()
        writer.close()
    except OSError as error:
        return Ended(question, 0, type(error).__name__, time.monotonic())
    top, _, rest = reply.partition(b"\r\n\r\n")
    status = int(top.split(b" ")[1])
    kind = "" if status == HTTPStatus.OK else _kind(rest)
    return Ended(question, status, kind, time.monotonic())


def _kind(body: bytes) -> str:
    try:
        return str(json.loads(body)["failure"]["kind"])
    except (ValueError, KeyError):
        return "unreadable"


async def load(scene: Scene, questions: int, outages: "list[Outage]") -> list[Ended]:
    """Ask every question several times at once, over all gateways in turn."""
    ended: list[Ended] = []
    places = asyncio.Semaphore(AT_ONCE // TOGETHER)

    async def ask(question: int) -> None:
        try:
            calls = (
                call(scene.ports[place % GATEWAYS], scene.key, question)
                for place in range(TOGETHER)
            )
            ended.extend(await asyncio.gather(*calls))
        finally:
            places.release()

    asks: list[asyncio.Task[None]] = []
    some = max(questions // 10, 1)
    for question in range(questions):
        asks += [asyncio.create_task(one.happen()) for one in outages if one.at == question]
        await places.acquire()
        asks.append(asyncio.create_task(ask(question)))
        # A refusal takes no time: without a pause, all questions would be over before the outage.
        in_outage = any(one.at <= question < one.at + some for one in outages)
        await asyncio.sleep(_OUTAGE_SECONDS / some if in_outage else 0.002)
    await asyncio.gather(*asks)
    return ended


class Outage:
    """One server that is killed at a question, and started again a little later."""

    def __init__(self, server: "PostgresServer | ValkeyServer", at: int) -> None:
        self.server = server
        self.at = at
        self.began = self.over = 0.0

    async def happen(self) -> None:
        """Kill it, wait, start it; what is under way meets that as it comes."""
        self.began = time.monotonic()
        await asyncio.to_thread(self.server.kill)
        await asyncio.sleep(_AWAY_SECONDS)
        await asyncio.to_thread(self.server.start)
        self.over = time.monotonic()

    def spans(self, moment: float) -> bool:
        """Tell whether a moment is in the outage, or soon enough after it to be its doing."""
        return self.began <= moment <= self.over + _BACK_SECONDS


def environment(scene_folder: Path, postgres: str, valkey: str, upstream: int) -> dict[str, str]:
    """Return the variables of a gateway."""
    config = scene_folder / "config.yaml"
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(scene_folder),
        "WEBSEAM_CONFIG": str(config),
        "WEBSEAM_STORES_POSTGRES": postgres,
        "WEBSEAM_STORES_VALKEY": valkey,
        "BRAVE_API_KEY": "key-of-nobody",
        "WEBSEAM_BRAVE_BASE_URL": f"http://127.0.0.1:{upstream}",
    }


def start_gateway(variables: dict[str, str], port: int) -> "subprocess.Popen[bytes]":
    """Start one gateway, which is ready when its port answers."""
    command = [sys.executable, "-m", "webseam.composition.doors.cli", "serve", "--port", str(port)]
    return subprocess.Popen(
        command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


async def is_ready(port: int) -> None:
    """Wait for a gateway."""
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    sys.exit("a gateway did not start")


def run_cli(variables: dict[str, str], *arguments: str) -> dict[str, object]:
    """Run a command of ours against the shared stores and return its JSON."""
    command = [sys.executable, "-m", "webseam.composition.doors.cli", *arguments, "--json"]
    output = subprocess.run(command, env=variables, check=True, capture_output=True).stdout
    data: dict[str, object] = json.loads(output)["data"]
    return data


async def main(calls: int) -> int:
    """Run it, print the figures, and return how many of the promises were broken."""
    questions = max(calls // TOGETHER, 30)
    cap = round(questions * SHARE) * PRICE
    upstream, upstream_port = Upstream(), free_port()
    postgres, valkey = PostgresServer(), ValkeyServer()
    gateways: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.yaml").write_text(
            f"backend: brave\nbudgets: {{day: {cap}}}\nservices: {{brave: {{price: {PRICE}}}}}\n"
            "serve: {require_key: true, waiting: 5000}\n"
        )
        variables = environment(folder, postgres.url, valkey.url, upstream_port)
        server = await asyncio.start_server(upstream.serve, "127.0.0.1", upstream_port)
        try:
            postgres.start()
            valkey.start()
            key = str((await asyncio.to_thread(run_cli, variables, "keys", "add", "bench"))["key"])
            scene = Scene(postgres, valkey, [free_port() for _ in range(GATEWAYS)], key)
            gateways += [start_gateway(variables, port) for port in scene.ports]
            await asyncio.gather(*map(is_ready, scene.ports))
            outages = [Outage(postgres, questions // 3), Outage(valkey, questions * 2 // 3)]
            began = time.monotonic()
            ended = await load(scene, questions, outages)
            seconds = time.monotonic() - began
            for gateway in gateways:
                gateway.terminate()
            for gateway in gateways:
                await asyncio.to_thread(gateway.wait)
            spent = await asyncio.to_thread(run_cli, variables, "spend")
        finally:
            for gateway in gateways:
                gateway.kill()
            server.close()
            postgres.remove()
            valkey.remove()
    return report(Run(ended, upstream, outages, seconds, cap, spent))


class Run(NamedTuple):
    """All that was seen."""

    ended: list[Ended]
    upstream: Upstream
    outages: list[Outage]
    seconds: float
    cap: float
    spent: dict[str, object]


def report(run: Run) -> int:
    """Print what was seen, and count the promises that were broken."""
    asked = sum(run.upstream.calls.values())
    booked = sum(float(one["spent"]) + float(one["held"]) for one in _rows(run.spent["spent"]))
    valkey = run.outages[1]
    twice = [
        query
        for query, times in run.upstream.times.items()
        if len(times) > 1 and not any(valkey.spans(moment) for moment in times)
    ]
    last = max(one.at for one in run.ended)
    statuses = Counter((one.status, one.kind) for one in run.ended)
    answered = [one for one in run.ended if one.status == HTTPStatus.OK]
    print(
        f"calls             {len(run.ended)} in {run.seconds:.1f} s, {len(run.ended) / run.seconds:.0f}/s"
    )
    print(f"upstream calls    {asked} for {len(run.upstream.calls)} questions that were answered")
    print(f"asked twice       {len(twice)} questions, outside of the outage of Valkey")
    print(f"paid              {asked * PRICE:.3f} $, booked {booked:.3f} $, budget {run.cap:.3f} $")
    for (status, kind), count in sorted(statuses.items()):
        print(f"  {status} {kind:<24} {count}")
    broken = {
        "more was paid than the budget": asked * PRICE > run.cap + 1e-9,
        "more was booked than the budget": booked > run.cap + 1e-9,
        "less was booked than was paid": booked < asked * PRICE - 1e-9,
        "a question was asked twice": bool(twice),
        "nothing was answered after the outages": not any(
            valkey.over < one.at <= last for one in answered
        ),
    }
    for name, is_broken in broken.items():
        if is_broken:
            print(f"BROKEN: {name}")
    return sum(broken.values())


def _rows(value: object) -> list[dict[str, float]]:
    assert isinstance(value, list)
    return value


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--calls", type=int, default=3000, help="how many calls; 100000 takes a while"
    )
    raise SystemExit(asyncio.run(main(parser.parse_args().calls)))
