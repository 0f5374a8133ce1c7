"""What the rendering tests share: sites with several pages, proxies, browsers of two kinds.

"Public" here is 127.0.0.2, which the policy allows on one port; nobody may reach 127.0.0.1.
"""

import asyncio
import json
import os
import select
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
from returns.result import Success

from tests.fetch.support import (
    ScriptedNames,
    Site,
    always,
    closed_port,
    opening,
    page,
    run,
    serving,
    serving_both,
)
from webseam.adapters.features.browser.browser_command import PROXY_HOST, find_browser
from webseam.adapters.features.browser.deps import OnRefused
from webseam.adapters.features.browser.proxy import GuardingProxy, TransferBudget
from webseam.adapters.features.browser.request_guard import ExpectedHosts, RenderGuard
from webseam.adapters.pages.fetch.connect import FetchDeps, FetchLimits, Resolve
from webseam.composition.wiring.pages import make_guard
from webseam.kernel.policy import Policy

__all__ = [
    "CANARY",
    "PUBLIC",
    "Pages",
    "ScriptedNames",
    "Site",
    "always",
    "closed_port",
    "living_in_sight",
    "make_reach",
    "needs_chromium",
    "opening",
    "page",
    "processes_of",
    "proxying",
    "run",
    "scripted_browser",
    "serving",
    "serving_both",
    "survivors",
]

PUBLIC, CANARY = "127.0.0.2", "127.0.0.1"

needs_chromium = pytest.mark.skipif(
    not isinstance(find_browser(None, os.environ), Success),
    reason="there is no Chromium or Chrome on this machine",
)


class Pages(Site):
    """A site that answers by path; what is not there is a 404."""

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        super().__init__(None)
        self.pages = pages

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        writer.write(self.answer(head.split(b" ")[1].decode("ascii")))
        await writer.drain()

    def answer(self, path: str) -> bytes:
        return self.pages.get(path) or page(b"", status="404 Not Found")


def make_reach(
    policy: Policy,
    resolve: Resolve | None = None,
    limits: FetchLimits | None = None,
    on_refused: OnRefused = lambda _: None,
) -> RenderGuard:
    """Make the guard of one rendering; its public half has nothing opened."""
    around = FetchDeps(
        guard=make_guard(policy),
        resolve=resolve or always(PUBLIC),
        now=lambda: 0.0,
        limits=limits or FetchLimits(),
    )
    return RenderGuard(around, make_guard(Policy()), on_refused)


class Anywhere(ExpectedHosts):
    """As if a page had asked for every place there is."""

    async def is_expected(self, url: str) -> bool:
        del url
        return True


class OpenProxy(GuardingProxy):
    """A proxy that is served; ``port`` is where."""

    port = 0


@asynccontextmanager
async def proxying(
    reach: RenderGuard,
    allowance: TransferBudget | None = None,
    expected: ExpectedHosts | None = None,
) -> AsyncIterator[OpenProxy]:
    proxy = OpenProxy(reach, allowance or TransferBudget(100, 1_000_000), expected or Anywhere())
    listener = socket.create_server((PROXY_HOST, 0))
    proxy.port = listener.getsockname()[1]
    async with proxy.serve(listener):
        yield proxy


@contextmanager
def living_in_sight() -> Iterator[Path]:
    """Have browsers live in a folder that can be looked at; its name must be short for them."""
    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="see-", dir="/tmp") as folder:
        # A browser that root starts as somebody else must be able to come here.
        Path(folder).chmod(0o711)
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = usual


def scripted_browser(folder: Path, script: Mapping[str, Sequence[object]]) -> str:
    """Write a program that answers DevTools commands from a script, and return its path."""
    (folder / "script.json").write_text(json.dumps(script), "utf-8")
    source = Path(__file__).with_name("scripted_browser.py")
    program = folder / "browser"
    line = f'exec "{sys.executable}" -I "{source}" "{folder}/script.json" "$@"\n'
    program.write_text(f"#!/bin/sh\n{line}", "utf-8")
    program.chmod(0o755)
    return str(program)


def survivors(homes: Path, seconds: float = 60.0) -> list[int]:
    """Return the browsers' processes that are still there once all had time to die."""
    return [pid for pid in processes_of(homes) if not _ends_within(pid, seconds)]


def processes_of(homes: Path) -> list[int]:
    """Return the processes of the browsers that live there."""
    processes = (folder for folder in Path("/proc").iterdir() if folder.name.isdecimal())
    return [int(folder.name) for folder in processes if _lives_in(homes, folder)]


def _lives_in(homes: Path, process: Path) -> bool:
    """Tell by its environment, or by where it writes its errors: some overwrite the first."""
    with suppress(OSError):
        if str(homes).encode() in (process / "environ").read_bytes():
            return True
    with suppress(OSError):
        return str(homes) in str((process / "fd" / "2").readlink())
    return False


def _ends_within(pid: int, seconds: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        watch = select.poll()
        watch.register(handle, select.POLLIN)
        return bool(watch.poll(seconds * 1000))
    finally:
        os.close(handle)
