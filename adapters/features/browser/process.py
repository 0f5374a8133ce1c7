"""Run a browser's process in its own memory group, folder and network, and remove all three."""

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

from . import browser_command

_MOUNTS_FILE, _CGROUP_FILE = Path("/proc/self/mounts"), Path("/proc/self/cgroup")


class _CgroupFiles(NamedTuple):
    """File names in one version of cgroups; ``kills`` has the number of out-of-memory kills."""

    limit: str
    swap: str
    kills: str


_V1_FILES = _CgroupFiles(
    "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"
)
_V2_FILES = _CgroupFiles("memory.max", "memory.swap.max", "memory.events")


class MemoryGroup:
    """A group of processes with a limit on their memory together."""

    def __init__(self, folder: Path, files: _CgroupFiles) -> None:
        self._folder, self._files = folder, files

    @classmethod
    def open(cls, limit: int, process: int) -> Self | None:
        """Put a process and its future children into a group of at most ``limit`` bytes.

        Return None where the system refuses or lacks such groups.
        """
        try:
            folder, files = _cgroup_folder()
            folder /= f"webseam-{process}-{secrets.token_hex(4)}"
            folder.mkdir()
        except (OSError, LookupError):
            return None
        group = cls(folder, files)
        try:
            group._limit_memory(limit)
            group._write_cgroup("cgroup.procs", str(process))
        except OSError:
            group.remove_if_empty()
            return None
        return group

    def _limit_memory(self, limit: int) -> None:
        self._write_cgroup(self._files.limit, str(limit))
        # Forbid swap too; not every kernel counts it.
        with contextlib.suppress(OSError):
            self._write_cgroup(self._files.swap, "0" if self._files is _V2_FILES else str(limit))

    def has_oom_kill(self) -> bool:
        """Tell whether the kernel has killed one of its processes for lack of memory."""
        try:
            fields = (self._folder / self._files.kills).read_text(encoding="ascii").split()
            return int(fields[fields.index("oom_kill") + 1]) > 0
        except (OSError, ValueError, IndexError):
            return False

    def remove_if_empty(self) -> bool:
        """Remove the group; return False while it has processes."""
        try:
            self._folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _write_cgroup(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="ascii")


def _cgroup_folder() -> tuple[Path, _CgroupFiles]:
    """Return the folder for new groups. Raises OSError or LookupError where there is none."""
    groups = [line.split(":", 2) for line in _CGROUP_FILE.read_text(encoding="utf-8").splitlines()]
    for line in _MOUNTS_FILE.read_text(encoding="utf-8").splitlines():
        _, mounted, kind, options, *_ = line.split()
        if kind == "cgroup" and "memory" in options.split(","):
            paths = [path for _, names, path in groups if "memory" in names.split(",")]
            return Path(mounted + paths[0]), _V1_FILES
        if kind == "cgroup2":
            # Use a sibling of our group: a group with processes cannot delegate controllers.
            paths = [path for number, _, path in groups if number == "0"]
            parent = Path(mounted + paths[0]).parent
            control = parent / "cgroup.subtree_control"
            if control.exists() and "memory" in control.read_text(encoding="ascii").split():
                return parent, _V2_FILES
    raise LookupError


Wall: TypeAlias = Literal["namespace", "fence"]
_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
# Chromium refuses its sandbox to root, so root starts it as this user, nobody.
_NOBODY_USER_ID: Final = 65534
# A socket's path has at most 104 characters, and Chromium adds 45 to the folder's.
_MAX_FOLDER_CHARS = 30
_READ_BYTES = 1024 * 1024
_EXIT_SECONDS = 2.0
_LISTENER_SECONDS = 20.0
_MAX_REPORT_BYTES = 100
_MAX_EXIT_CHECKS = 20
_EXIT_CHECK_SECONDS = 0.05
_ERROR_FILE = "stderr"
_ERROR_TAIL_BYTES = 2000


class Launch(NamedTuple):
    """The start parameters of a browser."""

    program: str
    sandbox: bool
    environment: Mapping[str, str]
    message_bytes: int
    memory_bytes: int


class RunningBrowser(NamedTuple):
    """A browser that waits for ``start``: its pipe, its folder and the proxy's listener.

    ``network`` is the protection that leaves it only the listener: ``namespace``, ``tcp+udp``,
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
        """The stream of messages from the browser."""
        return cast("asyncio.StreamReader", self.process.stdout)

    @property
    def writer(self) -> asyncio.StreamWriter:
        """The stream of commands to the browser."""
        return cast("asyncio.StreamWriter", self.process.stdin)

    def start(self) -> None:
        """Let the launcher start the browser; the proxy must be serving."""
        with contextlib.suppress(OSError):
            self.channel.send(b"g")

    def was_killed_for_memory(self) -> bool:
        """Tell whether the kernel has killed a part of it."""
        return self.group is not None and self.group.has_oom_kill()

    def last_error_line(self) -> str:
        """Return the last line of the browser's error output; blank if none."""
        tail = Path(self.folder, _ERROR_FILE).read_bytes()[-_ERROR_TAIL_BYTES:]
        lines = tail.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


@asynccontextmanager
async def start_browser(launch: Launch) -> AsyncIterator[RunningBrowser]:
    """Start a browser; afterwards remove all its processes and files. Raises OSError."""
    user = _NOBODY_USER_ID if launch.sandbox and os.geteuid() == 0 else None
    # Make a folder with a short name: the paths of the browser's sockets are limited.
    default = tempfile.gettempdir()
    is_usable = user is None or _is_world_traversable(Path(default))
    is_fit = is_usable and len(default) <= _MAX_FOLDER_CHARS
    parent = default if is_fit else "/tmp"  # noqa: S108  made by mkdtemp
    folder = tempfile.mkdtemp(prefix="webseam-render-", dir=parent)
    try:
        _write_profile(folder, user)
        starting = asyncio.ensure_future(_try_walls(launch, folder, user))
        try:
            # Shield the start, so that a cancellation cannot lose a new process.
            yield await asyncio.shield(starting)
        finally:
            with contextlib.suppress(OSError):
                await _end_browser(await starting)
    finally:
        await _remove_folder(folder)


def _is_world_traversable(folder: Path) -> bool:
    """Tell whether every user may traverse a folder and its parents."""
    folders = (folder.resolve(), *folder.resolve().parents)
    return all(path.stat().st_mode & stat.S_IXOTH for path in folders)


def _write_profile(folder: str, user: int | None) -> None:
    """Write the preferences of a new profile, and give the folder to the user."""
    profile = Path(folder, browser_command.PROFILE_FOLDER, "Default")
    profile.mkdir(parents=True)
    (profile / "Preferences").write_bytes(msgspec.json.encode(browser_command.BROWSER_PREFERENCES))
    if user is not None:
        for path in (Path(folder), *Path(folder).rglob("*")):
            os.chown(path, user, user)


async def _try_walls(launch: Launch, folder: str, user: int | None) -> RunningBrowser:
    """Start in a network namespace, or else behind a fence of Landlock and seccomp."""
    if sys.platform == "linux":
        started = await _start_launcher("namespace", launch, folder, user)
        if started is not None:
            return started
    started = await _start_launcher("fence", launch, folder, user)
    if started is None:
        raise OSError(0, "the launcher ended")
    return started


async def _start_launcher(
    wall: Wall, launch: Launch, folder: str, user: int | None
) -> RunningBrowser | None:
    """Start a browser behind one kind of wall; None where the system does not allow it."""
    channel, remote = socket.socketpair()
    with contextlib.closing(remote), contextlib.closing(_open_error_file(folder)) as errors:
        flags = browser_command.chromium_flags(folder, "{port}", sandbox=launch.sandbox)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", _LAUNCHER, str(remote.fileno()), wall),
            *("-" if user is None else str(user), launch.program, *flags),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=browser_command.browser_environment(folder, launch.environment),
            pass_fds=(remote.fileno(),),
            start_new_session=True,
            limit=launch.message_bytes,
        )
    try:
        report, listeners = await _receive_listener(channel)
    except OSError:
        report, listeners = b"", []
    if not listeners:
        channel.close()
        await _kill_process(process)
        return None
    listener = socket.socket(fileno=listeners[0])
    # Do this before it becomes the browser, so that all its children are in the group.
    group = MemoryGroup.open(launch.memory_bytes, process.pid)
    return RunningBrowser(process, channel, listener, report.decode("ascii"), folder, group)


async def _receive_listener(channel: socket.socket) -> tuple[bytes, list[int]]:
    """Wait for the launcher's report and listener; empty when it ended. Raises OSError."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    channel.settimeout(0)
    loop.add_reader(channel, ready.set)
    try:
        async with asyncio.timeout(_LISTENER_SECONDS):
            await ready.wait()
    finally:
        loop.remove_reader(channel)
    report, listeners, _, _ = socket.recv_fds(channel, _MAX_REPORT_BYTES, 1)
    return report, list(listeners)


def _open_error_file(folder: str) -> BinaryIO:
    """Open the file for the browser's error output; a pipe would have to be drained."""
    return Path(folder, _ERROR_FILE).open("wb")


async def _end_browser(browser: RunningBrowser) -> None:
    """Kill the browser and its children; it has no state to save."""
    browser.channel.close()
    browser.listener.close()
    await _kill_process(browser.process)
    for _ in range(_MAX_EXIT_CHECKS):
        # The group can only be removed after its last process.
        if browser.group is None or browser.group.remove_if_empty():
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


async def _kill_process(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_EXIT_SECONDS):
            # Drain the pipe, or asyncio would keep it open.
            while process.stdout is not None and await process.stdout.read(_READ_BYTES):
                pass
            await process.wait()


async def _remove_folder(folder: str) -> None:
    """Remove the folder; a dying process may still write to it for a moment."""
    for _ in range(_MAX_EXIT_CHECKS):
        if _try_remove_folder(folder):
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


def _try_remove_folder(folder: str) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not Path(folder).exists()
