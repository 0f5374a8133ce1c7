"""A browser's process, in a group, a folder and a network of its own, and ended with them."""

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import socket
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple, Self, TypeAlias, cast

import msgspec

from .browser_command import PREFERENCES, PROFILE, browser_environment, browser_flags

_MOUNTS, _OWN_GROUPS = Path("/proc/self/mounts"), Path("/proc/self/cgroup")


class _Files(NamedTuple):
    """How one version of cgroups calls things; the last says how often the kernel has killed."""

    limit: str
    swap: str
    kills: str


_FIRST = _Files("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control")
_SECOND = _Files("memory.max", "memory.swap.max", "memory.events")


class MemoryGroup:
    """A group of processes with a limit on what they take together."""

    def __init__(self, folder: Path, files: _Files) -> None:
        """Take a group that is there."""
        self._folder = folder
        self._files = files

    @classmethod
    def make(cls, limit: int, process: int) -> Self | None:
        """Put a process, and what it starts from now on, into a group of at most ``limit`` bytes.

        None where that is refused or not to be had.
        """
        try:
            folder, files = _place()
            folder /= f"webseam-{process}-{secrets.token_hex(4)}"
            folder.mkdir()
        except (OSError, LookupError):
            return None
        group = cls(folder, files)
        try:
            group._bound(limit)
            group._write("cgroup.procs", str(process))
        except OSError:
            group.is_removed()
            return None
        return group

    def _bound(self, limit: int) -> None:
        self._write(self._files.limit, str(limit))
        # Swap is not memory that anybody promised; not every kernel counts it.
        with contextlib.suppress(OSError):
            self._write(self._files.swap, "0" if self._files is _SECOND else str(limit))

    def has_killed(self) -> bool:
        """Tell whether the kernel has killed one of its processes for want of memory."""
        try:
            words = (self._folder / self._files.kills).read_text(encoding="ascii").split()
            return int(words[words.index("oom_kill") + 1]) > 0
        except (OSError, ValueError, IndexError):
            return False

    def is_removed(self) -> bool:
        """Remove the group; False while there are processes in it."""
        try:
            self._folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="ascii")


def _place() -> tuple[Path, _Files]:
    """Return where a group may be made. Raises OSError or LookupError where there is none."""
    own = [line.split(":", 2) for line in _OWN_GROUPS.read_text(encoding="utf-8").splitlines()]
    for line in _MOUNTS.read_text(encoding="utf-8").splitlines():
        _, mounted, kind, options, *_ = line.split()
        if kind == "cgroup" and "memory" in options.split(","):
            paths = [path for _, names, path in own if "memory" in names.split(",")]
            return Path(mounted + paths[0]), _FIRST
        if kind == "cgroup2":
            # Beside ourselves: a group that has processes hands no controller down.
            paths = [path for number, _, path in own if number == "0"]
            beside = Path(mounted + paths[0]).parent
            if _hands_memory_down(beside):
                return beside, _SECOND
    raise LookupError


def _hands_memory_down(folder: Path) -> bool:
    control = folder / "cgroup.subtree_control"
    return control.exists() and "memory" in control.read_text(encoding="ascii").split()


# A browser's process, in a group, a folder and a network of its own, and ended with them.

Wall: TypeAlias = Literal["namespace", "fence"]
_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
# Whom root becomes where Chromium's sandbox is wanted, which it refuses to root: nobody.
_NOBODY: Final = 65534
# A socket's name has at most 104 characters, and what Chromium adds to the folder's has 45.
_MAX_FOLDER_CHARS = 30
_READ_BYTES = 1024 * 1024
_FAREWELL = 2.0
_HANDING_OVER_SECONDS = 20.0
_REPORT_BYTES = 100
_MAX_EXIT_CHECKS = 20
_EXIT_CHECK_SECONDS = 0.05
_WORDS = "stderr"
_LAST_WORDS = 2000


class Launch(NamedTuple):
    """What a browser is started with."""

    program: str
    sandbox: bool
    environment: Mapping[str, str]
    message_bytes: int
    memory_bytes: int


class RunningBrowser(NamedTuple):
    """A browser that waits for ``begin``: its pipe, its folder and the proxy's listener.

    ``network`` is what keeps it from everything but the listener: ``namespace``, ``tcp+udp``,
    ``tcp``, ``udp`` or ``none``.
    """

    process: asyncio.subprocess.Process
    channel: socket.socket
    listener: socket.socket
    network: str
    folder: str
    group: MemoryGroup | None

    @property
    def reader(self) -> asyncio.StreamReader:
        """What the browser says."""
        return cast("asyncio.StreamReader", self.process.stdout)

    @property
    def writer(self) -> asyncio.StreamWriter:
        """What is said to the browser."""
        return cast("asyncio.StreamWriter", self.process.stdin)

    def begin(self) -> None:
        """Let the launcher become the browser: the proxy serves now."""
        with contextlib.suppress(OSError):
            self.channel.send(b"g")

    def was_killed_for_memory(self) -> bool:
        """Tell whether the kernel has killed a part of it."""
        return self.group is not None and self.group.has_killed()

    def last_words(self) -> str:
        """Return the last line it wrote about itself."""
        words = Path(self.folder, _WORDS).read_bytes()[-_LAST_WORDS:]
        lines = words.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


@asynccontextmanager
async def start_browser(launch: Launch) -> AsyncIterator[RunningBrowser]:
    """Start a browser; afterwards no process and no file of it is left. Raises OSError."""
    user = _NOBODY if launch.sandbox and os.geteuid() == 0 else None
    folder = _make_folder(user)
    try:
        _furnish(folder, user)
        starting = asyncio.ensure_future(_start(launch, folder, user))
        try:
            # Shielded, so that a process which is being started cannot be lost.
            yield await asyncio.shield(starting)
        finally:
            with contextlib.suppress(OSError):
                await _end(await starting)
    finally:
        await _remove(folder)


def _make_folder(user: int | None) -> str:
    """Make a folder with a short name: a browser has sockets in it, whose names are bounded."""
    usual = tempfile.gettempdir()
    short = len(usual) <= _MAX_FOLDER_CHARS and (user is None or _is_open(Path(usual)))
    place = usual if short else "/tmp"  # noqa: S108  made by mkdtemp
    return tempfile.mkdtemp(prefix="webseam-render-", dir=place)


def _is_open(folder: Path) -> bool:
    """Tell whether everybody may pass through a folder and those above it."""
    places = (folder.resolve(), *folder.resolve().parents)
    return all(place.stat().st_mode & stat.S_IXOTH for place in places)


def _furnish(folder: str, user: int | None) -> None:
    """Write the preferences that a new profile begins with, and give all of it to the user."""
    first = Path(folder, PROFILE, "Default")
    first.mkdir(parents=True)
    (first / "Preferences").write_bytes(msgspec.json.encode(PREFERENCES))
    if user is not None:
        for path in (Path(folder), *Path(folder).rglob("*")):
            os.chown(path, user, user)


async def _start(launch: Launch, folder: str, user: int | None) -> RunningBrowser:
    """Start behind a wall of name spaces, else behind the next best."""
    if sys.platform == "linux":
        started = await start_behind("namespace", launch, folder, user)
        if started is not None:
            return started
    started = await start_behind("fence", launch, folder, user)
    if started is None:
        raise OSError(0, "the launcher ended")
    return started


async def start_behind(
    wall: Wall, launch: Launch, folder: str, user: int | None
) -> RunningBrowser | None:
    """Start a browser behind one kind of wall; None where that cannot be built."""
    ours, theirs = socket.socketpair()
    with contextlib.closing(theirs), contextlib.closing(_words(folder)) as words:
        flags = browser_flags(folder, "{port}", sandbox=launch.sandbox)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", _LAUNCHER, str(theirs.fileno()), wall),
            *("-" if user is None else str(user), launch.program, *flags),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=words,
            env=browser_environment(folder, launch.environment),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            limit=launch.message_bytes,
        )
    try:
        report, listeners = await _received(ours)
    except OSError:
        report, listeners = b"", []
    if not listeners:
        ours.close()
        await _kill(process)
        return None
    listener = socket.socket(fileno=listeners[0])
    # Before it becomes the browser, so that everything the browser starts is in the group.
    group = MemoryGroup.make(launch.memory_bytes, process.pid)
    return RunningBrowser(process, ours, listener, report.decode("ascii"), folder, group)


async def _received(channel: socket.socket) -> tuple[bytes, list[int]]:
    """Wait for the launcher's report and its listener; nothing when it ended. Raises OSError."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    channel.settimeout(0)
    loop.add_reader(channel, ready.set)
    try:
        async with asyncio.timeout(_HANDING_OVER_SECONDS):
            await ready.wait()
    finally:
        loop.remove_reader(channel)
    report, listeners, _, _ = socket.recv_fds(channel, _REPORT_BYTES, 1)
    return report, list(listeners)


def _words(folder: str) -> BinaryIO:
    """Open the file for what the browser says of itself; a pipe would have to be emptied."""
    return Path(folder, _WORDS).open("wb")


async def _end(browser: RunningBrowser) -> None:
    """Kill the browser and whatever it has started; there is nothing in it to be saved."""
    browser.channel.close()
    browser.listener.close()
    await _kill(browser.process)
    for _ in range(_MAX_EXIT_CHECKS):
        # Not before its last process is gone.
        if browser.group is None or browser.group.is_removed():
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


async def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL):
            # What is still in the pipe is dropped, or asyncio would keep it open.
            while process.stdout is not None and await process.stdout.read(_READ_BYTES):
                pass
            await process.wait()


async def _remove(folder: str) -> None:
    """Remove the folder; a process that is just dying may still write to it for a moment."""
    for _ in range(_MAX_EXIT_CHECKS):
        if _is_removed(folder):
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


def _is_removed(folder: str) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not Path(folder).exists()
