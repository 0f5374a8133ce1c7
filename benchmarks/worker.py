"""One client's process: takes scenes from its input, plays each, and writes what it cost.

Run as ``python -m benchmarks.worker CLIENT BASE_URL``; scenes and samples are lines of JSON.
"""

import asyncio
import gc
import os
import resource
import sys
import time
from contextlib import AsyncExitStack
from typing import TextIO

import msgspec

from .clients import CLIENTS, Client, OpenSearch, Search
from .fence import stay_on_loopback
from .scenes import Ready, Sample, Scene

_QUIET_SECONDS = 0.02


def main(name: str, base: str) -> None:
    """Serve scenes until the input ends."""
    # What a client prints must not end up among our answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    stay_on_loopback()
    client = next(client for client in CLIENTS if client.name == name)
    asyncio.run(_play_all(client, base, answers))


async def _play_all(client: Client, base: str, answers: TextIO) -> None:
    try:
        open_search = client.load()
    except Exception as error:
        _say(answers, Ready(error=f"{type(error).__name__}: {error}"))
        return
    _say(answers, Ready())
    async with AsyncExitStack() as open_clients:
        stage = _Stage(open_search, base, open_clients)
        # Reading blocks the loop on purpose: a client that waits its turn costs nothing.
        for line in sys.stdin:
            scene = msgspec.json.decode(line, type=Scene)
            _say(answers, await _sample(scene, await stage.search_for(scene)))


class _Stage:
    """The client, opened once for each kind of scene and kept open, as in a long-lived program.

    A pool that grew in a scene of 500 at once would weigh on the calls of another.
    """

    def __init__(self, open_search: OpenSearch, base: str, opened: AsyncExitStack) -> None:
        self._open_search = open_search
        self._base = base
        self._opened = opened
        self._searches: dict[tuple[int, int], Search] = {}

    async def search_for(self, scene: Scene) -> Search:
        kind = (scene.rows, scene.at_once)
        if kind not in self._searches:
            opening = self._open_search(self._base, scene.rows)
            self._searches[kind] = await self._opened.enter_async_context(opening)
        return self._searches[kind]


async def _sample(scene: Scene, search: Search) -> Sample:
    await _storm(search, scene, scene.warm_up)
    await _rest()
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    failures = await _storm(search, scene, scene.calls)
    # What a client leaves to the background, such as its logging, is part of the price.
    rested = await _rest()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall - rested
    return Sample(
        calls=scene.calls,
        failures=len(failures),
        failure=failures[0] if failures else "",
        cpu_seconds=cpu,
        seconds=wall,
        memory=_memory(),
    )


async def _storm(search: Search, scene: Scene, calls: int) -> list[str]:
    """Make so many calls, ``at_once`` of them at any time; return what went wrong."""
    failures: list[str] = []
    turns = iter(range(calls))

    async def play() -> None:
        for _ in turns:
            try:
                rows = await search()
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}"[:200])
            else:
                if rows != scene.rows:
                    failures.append(f"{rows} rows instead of {scene.rows}")

    await asyncio.gather(*(play() for _ in range(min(scene.at_once, calls))))
    return failures


async def _rest() -> float:
    """Wait until the client has nothing left to do; return how long it then did nothing."""
    while True:
        cpu, wall = time.process_time(), time.perf_counter()
        await asyncio.sleep(_QUIET_SECONDS)
        if time.process_time() - cpu < _QUIET_SECONDS / 10:
            return time.perf_counter() - wall


def _memory() -> int:
    """Return the bytes held now; where the system does not say, the most ever held."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _say(answers: TextIO, what: msgspec.Struct) -> None:
    print(msgspec.json.encode(what).decode(), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
