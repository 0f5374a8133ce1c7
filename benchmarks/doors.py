"""What a door costs beside the same by hand: ``python -m benchmarks.doors [--rounds N] [--quick]``.

Every door searches the same loopback server as a few lines by hand do (aiohttp and msgspec, a bare
ASGI application, a bare script), in turns. The figures are medians of processor time; only their
ratios in one run mean anything. The cache is off.
"""

import argparse
import asyncio
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import aiohttp
import msgspec

import webseam
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import RpcRequest, read_mcp_message
from webseam.composition.doors.mcp.mcp_server import McpServer, mcp_answer_message
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.tools.toolbox import ToolboxOverrides

from .answers import QUERY
from .clients import MOST_CONNECTIONS
from .processes import running_server

Call: TypeAlias = Callable[[], Awaitable[object]]
# As random as a real one: a key of words has more in common with the texts that are searched for it.
KEY = "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"
# The ratio that the issue of 2026-11-18 set as the aim, by door, rows and calls at once.
AIMS = {
    ("open().search", 10, 1): 1.2,
    ("open().search", 10, 50): 1.5,
    ("open().search", 100, 1): 1.8,
}
_SCRIPT = """
import json, sys, urllib.request
request = urllib.request.Request(sys.argv[1], json.dumps({"query": sys.argv[2]}).encode(),
    {"content-type": "application/json", "authorization": "Bearer k"})
for row in json.load(urllib.request.urlopen(request))["results"]:
    print(row["title"], row["url"], row["content"], sep="\\n")
"""


class _Row(msgspec.Struct):
    title: str
    url: str
    content: str = ""
    description: str = ""
    score: float | None = None


class _Answer(msgspec.Struct):
    results: list[_Row]


class Figure(NamedTuple):
    """A door and the same by hand, in microseconds of processor time for one call."""

    door: str
    rows: int
    at_once: int
    ours: float
    by_hand: float

    def line(self) -> str:
        """Return one row of the table."""
        aim = AIMS.get((self.door, self.rows, self.at_once))
        return (
            f"{self.door:<18}{self.rows:>6}{self.at_once:>9}{self.ours:>11.0f}{self.by_hand:>11.0f}"
            f"{self.ours / self.by_hand:>8.2f}{'' if aim is None else f'  aim {aim}'}"
        )


@asynccontextmanager
async def search_by_hand(url: str, rows: int) -> AsyncIterator[Callable[[], Awaitable[_Answer]]]:
    """Yield a search as one writes it with aiohttp and msgspec."""
    decoder = msgspec.json.Decoder(_Answer)
    connector = aiohttp.TCPConnector(limit=MOST_CONNECTIONS)
    headers = {"authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def search() -> _Answer:
            payload = {"query": QUERY, "max_results": rows}
            async with session.post(url, json=payload, raise_for_status=True) as response:
                return decoder.decode(await response.read())

        yield search


def settings_of(base: str, rows: int) -> dict[str, object]:
    """Return the settings of every door: Tavily, or for more rows than it has a JSON service."""
    return {
        "backend": "json" if rows > 20 else "tavily",
        "cache": {"enabled": False},
        # Beside other work, fifty at once take longer than a user waits.
        "timeout": 300.0,
        "services": {
            "tavily": {"api_key": KEY, "base_url": f"{base}/tavily/{rows}"},
            "json": {"api_key": KEY, "search_url": f"{base}/plain/{rows}/search"},
        },
    }


def asgi_scope(path: str) -> dict[str, Any]:
    """Return a POST to a path, as a server hands it to an application."""
    headers = [(b"host", b"127.0.0.1:8787"), (b"content-type", b"application/json")]
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "scheme": "http",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 50_000),
    }


async def ask_asgi(application: Any, body: bytes, rows: int) -> None:
    """Post a body to ``/api/search`` of an application, and check what it answers."""
    sent: list[dict[str, Any]] = []

    bodies = [body]

    async def receive() -> dict[str, Any]:
        if not bodies:
            # The caller stays.
            await asyncio.Event().wait()
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(asgi_scope("/api/search"), receive, send)
    answer = b"".join(message.get("body", b"") for message in sent)
    assert sent[0]["status"] == 200, answer
    assert answer.count(b'"url"') >= rows


async def open_doors(
    base: str, rows: int, home: str, stack: AsyncExitStack
) -> dict[str, tuple[Call, Call]]:
    """Return the async doors by name, each with the same by hand."""
    plain = "plain" if rows > 20 else "tavily"
    by_hand = await stack.enter_async_context(search_by_hand(f"{base}/{plain}/{rows}/search", rows))
    settings, environment = settings_of(base, rows), {"HOME": home}
    web = await stack.enter_async_context(webseam.open(settings=settings, environment=environment))
    parts = ToolboxOverrides(settings=settings, environment=environment)
    gateway = open_gateway(parts, lambda _line: None).unwrap()
    server, session = McpServer(WebOffer(lambda: UsersTools(parts))), McpSession()
    session.version = "2025-11-25"
    arguments = {"query": QUERY, "max_results": rows}
    body, encode = msgspec.json.encode(arguments), msgspec.json.encode
    call = {"name": "web_search", "arguments": arguments}
    line = encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})

    async def plain_search() -> None:
        assert len((await by_hand()).results) == rows

    async def door_search() -> None:
        assert len((await web.search(QUERY, max_results=rows)).unwrap().rows) == rows

    async def bare_application(_scope: object, receive: Any, send: Any) -> None:
        msgspec.json.decode((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": encode(await by_hand())})

    async def bare_tool() -> None:
        msgspec.json.decode(line)
        text = encode(await by_hand()).decode()
        content = [{"type": "text", "text": text}]
        encode({"jsonrpc": "2.0", "id": 1, "result": {"content": content}})

    async def tool_call() -> None:
        request = read_mcp_message(line)
        assert isinstance(request, RpcRequest)
        exchange, outcome = server.begin(request, session, lambda _message: None)
        message = mcp_answer_message(exchange, await outcome)  # type: ignore[misc]
        # A hundred rows are more than a result may hold.
        answer = encode(message)
        assert b'"isError":true' not in answer, answer

    return {
        "open().search": (door_search, plain_search),
        "/api/search": (
            lambda: ask_asgi(gateway, body, rows),
            lambda: ask_asgi(bare_application, body, rows),
        ),
        "MCP tools/call": (tool_call, bare_tool),
    }


async def microseconds(call: Call, calls: int, at_once: int) -> float:
    """Return the processor time of one call, so many of them at once."""

    async def lane() -> None:
        for _ in range(max(calls // at_once, 1)):
            await call()

    gc.collect()
    began = time.process_time()
    await asyncio.gather(*(lane() for _ in range(at_once)))
    return (time.process_time() - began) / (max(calls // at_once, 1) * at_once) * 1e6


async def measure_async(base: str, home: str, rounds: int, calls: int) -> None:
    """Measure the async doors, and print each: a few rows and many, one and fifty at once."""
    for rows in (10, 20, 100):
        async with AsyncExitStack() as stack:
            doors = await open_doors(base, rows, home, stack)
            for (name, (ours, by_hand)), at_once in (
                (door, at_once) for door in doors.items() for at_once in (1, 50)
            ):
                # A round takes about as long for many rows as for few.
                some = max(calls * 10 // rows, 1)
                pairs = [
                    (
                        await microseconds(ours, some, at_once),
                        await microseconds(by_hand, some, at_once),
                    )
                    for _ in range(rounds + 1)
                ]
                print(_figure(name, rows, at_once, pairs[1:]).line(), flush=True)


def _figure(name: str, rows: int, at_once: int, pairs: Sequence[tuple[float, float]]) -> Figure:
    ours, by_hand = (statistics.median(costs) for costs in zip(*pairs, strict=True))
    return Figure(name, rows, at_once, ours, by_hand)


def measure_blocking(base: str, rounds: int, calls: int) -> Figure:
    """Measure ``webseam.search``, which the environment configures, beside a loop of one's own."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        by_hand = runner.run(
            stack.enter_async_context(search_by_hand(f"{base}/tavily/10/search", 10))
        )
        pairs = []
        for _ in range(rounds + 1):
            began = time.process_time()
            for _ in range(calls):
                assert len(webseam.search(QUERY, max_results=10).rows) == 10
            between = time.process_time()
            for _ in range(calls):
                runner.run(by_hand())  # type: ignore[arg-type]
            ended = time.process_time()
            pairs.append(((between - began) / calls * 1e6, (ended - between) / calls * 1e6))
        runner.run(stack.aclose())
    return _figure("webseam.search", 10, 1, pairs[1:])


def measure_processes(base: str, rounds: int) -> Figure:
    """Measure ``webseam search`` as a process beside a bare script."""
    commands = (
        [str(Path(sys.executable).with_name("webseam")), "search", QUERY],
        [sys.executable, "-c", _SCRIPT, f"{base}/tavily/10/search", QUERY],
    )
    pairs = [(_child_cost(commands[0]), _child_cost(commands[1])) for _ in range(rounds + 1)]
    return _figure("webseam search", 10, 1, pairs[1:])


def _child_cost(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e6 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Measure every door and print the table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="a few calls, to see it work")
    options = parser.parse_args()
    rounds, calls = (1, 2) if options.quick else (options.rounds, 200)
    with running_server() as base, tempfile.TemporaryDirectory() as home:
        config = Path(home, "config.yaml")
        config.write_bytes(msgspec.json.encode(settings_of(base, 10)))
        config.chmod(0o600)
        os.environ |= {"HOME": home, "WEBSEAM_CONFIG": str(config)}
        print(f"{'door':<18}{'rows':>6}{'at once':>9}{'CPU us':>11}{'by hand':>11}{'ratio':>8}")
        asyncio.run(measure_async(base, home, rounds, calls))
        print(measure_blocking(base, rounds, calls).line(), flush=True)
        print(measure_processes(base, rounds).line(), flush=True)


if __name__ == "__main__":
    main()
