"""The product's server over a backend of this machine: it is slow, fails, or lies when asked to.

``python -m tests.doors.mcp.suite.offline stdio`` or ``... http PORT``.
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from returns.result import Failure, Result, Success

from tests.doors.mcp.injections import injections
from webseam.composition.doors.mcp import stdio
from webseam.composition.doors.mcp.mcp_server import McpServer
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.mcp.opening import mcp_application
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.ports.backends import UntrustedRow
from webseam.ports.errors import RateLimited, WebError
from webseam.ports.web import WebSearchQuery
from webseam.testing import FakeBackend

ROWS = [{"title": "Tides", "url": "https://tides.example/a", "snippet": "High at noon."}]
_LIES = list(injections())
_given_up: list[str] = []


async def search(query: WebSearchQuery) -> Result[list[UntrustedRow], WebError]:
    """Answer by what the query says: fail, slow, hostile N, rubbish, or how many gave up."""
    kind, _, number = query.query.partition(" ")
    if kind == "fail":
        return Failure(RateLimited(retry_after=7.0, backend="offline"))
    if kind == "slow":
        await _for_ever()
    if kind == "hostile":
        lie = _LIES[int(number)]
        return Success([{"title": lie, "url": "https://evil.example/", "snippet": lie}])
    if kind == "rubbish":
        return Success([{"title": 7, "url": "javascript:alert(1)"}])
    if kind == "given-up":
        return Success([{"title": str(len(_given_up)), "url": "https://tides.example/a"}])
    return Success(list(ROWS))


async def _for_ever() -> None:
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        _given_up.append("a call")
        raise


async def extract(url: str) -> Result[UntrustedRow, WebError]:
    if url.endswith("/huge"):
        return Success({"url": url, "content": "Tides follow the moon.\n\n" * 100_000})
    if "/paced/" in url:
        await asyncio.sleep(int(url.rsplit("/", 1)[1]) * 0.3)
    if "/hostile/" in url:
        return Success({"url": url, "content": _LIES[int(url.rsplit("/", 1)[1])]})
    return Success({"url": url, "content": "# Tides\n\nHigh at noon."})


def main(way: str, port: int) -> None:
    with TemporaryDirectory() as folder:
        _serve(way, port, Path(folder))


def _serve(way: str, port: int, folder: Path) -> None:
    (folder / "config.yaml").write_text("cache: false\n")
    variables = {"HOME": str(folder), "WEBSEAM_CONFIG": str(folder / "config.yaml")}
    environment = {**variables, "WEBSEAM_CACHE": str(folder), "WEBSEAM_KEYS": str(folder / "k")}
    backend = FakeBackend(search=search, extract=extract)
    parts = ToolboxOverrides(backend=backend, environment=environment)
    if way == "http":
        application = mcp_application(environment, parts=parts).unwrap()
        uvicorn.run(application, host="127.0.0.1", port=port, log_level="warning")
        return
    source, wire = stdio.private_stdio_streams()
    offer = WebOffer(lambda: UsersTools(parts))
    client = stdio.StdioServer(McpServer(offer), wire, stdio.BackgroundLoop())
    for line in stdio.read_stdio_lines(source, client.refuse_long_line):
        client.handle_line(line)
    client.wait_for_answers()
    client.cancel_requests()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
