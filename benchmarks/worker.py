"""One client's process: takes scenes from its input, plays each, and writes what it cost.

Run as ``python -m benchmarks.worker CLIENT BASE_URL``; scenes and samples are lines of JSON.
"""

import asyncio
import gc
import os
import resource
import sys
import threading
import time
from contextlib import AsyncExitStack
from typing import TextIO

import msgspec

from .clients import CLIENTS, Client, OpenSearch, Search
from .fence import stay_on_loopback
from .scenes import Ready, Sample, Scene

_TICK_SECONDS = 0.005
_GRACE_SECONDS = 4.0


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
            storm = _Storm(await stage.search_for(scene), scene)
            gc.collect()
            await asyncio.gather(asyncio.to_thread(_watch, storm, scene, answers), storm.blow())


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


class _Storm:
    """Calls without a pause, so many at once, until it is told to stop."""

    def __init__(self, search: Search, scene: Scene) -> None:
        self.is_answered = 0
        self.failures: list[str] = []
        self.going = True
        self.over = threading.Event()
        self._search = search
        self._scene = scene

    async def blow(self) -> None:
        """Go on until ``going`` is false and the last call is answered."""
        await asyncio.gather(*(self._play() for _ in range(self._scene.at_once)))
        self.over.set()

    async def _play(self) -> None:
        while self.going:
            try:
                rows = await self._search()
            except Exception as error:
                self.failures.append(f"{type(error).__name__}: {error}"[:200])
            else:
                if rows != self._scene.rows:
                    self.failures.append(f"{rows} rows instead of {self._scene.rows}")
            self.is_answered += 1


def _watch(storm: _Storm, scene: Scene, answers: TextIO) -> None:
    """Watch a storm while it blows: neither its beginning nor its end is part of the figures.

    From a thread of its own, since a client may keep the event loop busy for a minute. What it
    leaves to the background, such as its logging, happens meanwhile, and counts.
    """
    _wait(storm, scene.at_once, 0.0, scene.most_seconds)
    before, cpu, wall = storm.is_answered, time.process_time(), time.perf_counter()
    _wait(storm, scene.at_once, scene.seconds, scene.most_seconds)
    answered = storm.is_answered - before
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    storm.going = False
    ended = storm.over.wait(_GRACE_SECONDS)
    sample = Sample(
        calls=answered,
        cut=not ended,
        failures=len(storm.failures),
        failure=storm.failures[0] if storm.failures else "",
        cpu_seconds=cpu,
        seconds=wall,
        memory=_memory(),
    )
    _say(answers, sample)
    if not ended:
        # What is still under way would weigh on the next scene, and may never end.
        os._exit(0)


def _wait(storm: _Storm, answers: int, least: float, most: float) -> None:
    """Wait until so many more calls are answered; at least and at most so many seconds."""
    began, enough = time.perf_counter(), storm.is_answered + answers
    while (passed := time.perf_counter() - began) < most:
        if passed >= least and storm.is_answered >= enough:
            return
        time.sleep(_TICK_SECONDS)


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
