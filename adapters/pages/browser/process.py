"""A browser's process: started in a group and a folder of its own, and ended with both."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import msgspec

from .program import PREFERENCES, PROFILE, browser_environment, browser_flags

# A browser that is told to use a pipe expects it at 3 and 4, which only a shell can arrange
# without running code of ours between fork and exec.
_SHELL = ("/bin/sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null')
# A socket's name has at most 104 characters, and what Chromium adds to the folder's has 45.
_MOST_CHARACTERS = 30
_PIECE = 1024 * 1024
_FAREWELL = 2.0
_TRIES = 20
_PAUSE = 0.05
_WORDS = "stderr"
_LAST_WORDS = 2000


class Launch(NamedTuple):
    """What a browser is started with."""

    program: str
    port: int
    sandbox: bool
    environment: Mapping[str, str]
    message_bytes: int


class Running(NamedTuple):
    """A browser that runs: its pipe, and the folder it lives in."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    folder: str

    def last_words(self) -> str:
        """Return the last line it wrote about itself."""
        words = Path(self.folder, _WORDS).read_bytes()[-_LAST_WORDS:]
        lines = words.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


@asynccontextmanager
async def running(launch: Launch) -> AsyncIterator[Running]:
    """Start a browser; afterwards no process and no file of it is left. Raises OSError."""
    folder = _make_folder()
    try:
        _furnish(folder)
        starting = asyncio.ensure_future(_start(launch, folder))
        try:
            # Shielded, so that a process which is being started cannot be lost.
            process = await asyncio.shield(starting)
            reader = cast("asyncio.StreamReader", process.stdout)
            yield Running(reader, cast("asyncio.StreamWriter", process.stdin), folder)
        finally:
            with contextlib.suppress(OSError):
                await _end(await starting)
    finally:
        await _remove(folder)


def _make_folder() -> str:
    """Make a folder with a short name: a browser has sockets in it, whose names are bounded."""
    usual = tempfile.gettempdir()
    place = usual if len(usual) <= _MOST_CHARACTERS else "/tmp"  # noqa: S108  made by mkdtemp
    return tempfile.mkdtemp(prefix="webseam-render-", dir=place)


def _furnish(folder: str) -> None:
    """Write the preferences that a new profile begins with."""
    first = Path(folder, PROFILE, "Default")
    first.mkdir(parents=True)
    (first / "Preferences").write_bytes(msgspec.json.encode(PREFERENCES))


async def _start(launch: Launch, folder: str) -> asyncio.subprocess.Process:
    with contextlib.closing(_words(folder)) as words:
        return await asyncio.create_subprocess_exec(
            *_SHELL,
            launch.program,
            *browser_flags(folder, launch.port, sandbox=launch.sandbox),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=words,
            env=browser_environment(folder, launch.environment),
            start_new_session=True,
            limit=launch.message_bytes,
        )


def _words(folder: str) -> BinaryIO:
    """Open the file for what the browser says of itself; a pipe would have to be emptied."""
    return Path(folder, _WORDS).open("wb")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the browser and whatever it has started; there is nothing in it to be saved."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL):
            # What is still in the pipe is dropped, or asyncio would keep it open.
            while process.stdout is not None and await process.stdout.read(_PIECE):
                pass
            await process.wait()


async def _remove(folder: str) -> None:
    """Remove the folder; a process that is just dying may still write to it for a moment."""
    for _ in range(_TRIES):
        if _is_removed(folder):
            return
        await asyncio.sleep(_PAUSE)


def _is_removed(folder: str) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not Path(folder).exists()
