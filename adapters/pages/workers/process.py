"""One worker process, seen from the parent: start it, send jobs, kill it."""

import atexit
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock
from typing import IO, Final, cast

import msgspec

from . import child
from .limits import WorkerLimits
from .sandbox import CONFINEMENT_BYTES, Confinement

if sys.platform == "linux":
    import fcntl

# Enough to start Python and find its libraries; none of these variables holds a key.
_PASSED_ON_VARIABLES: Final = frozenset({
    "PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG",
})  # fmt: skip
_PACKAGE_FOLDERS: Final = frozenset({"site-packages", "dist-packages"})
_EXIT_SECONDS: Final = 1.0
# Most pages fit, so a worker does not wait for the rest while other processes run.
_PIPE_BYTES: Final = 1024 * 1024
# Load our package from the parent's folder without adding that folder to the path.
# Loaded modules are never freed, and collecting cycles takes an eighth of the start: disable it.
_WORKER_CODE: Final = """
import gc, sys
gc.disable()
sys.path[:] = {path!r}
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location({root!r}, {file!r}, submodule_search_locations=[{folder!r}])
sys.modules[{root!r}] = module = module_from_spec(spec)
spec.loader.exec_module(module)
from {package}.child import {entry}
{entry}({converter!r}, {cpu_seconds!r}, {memory_bytes!r})
"""


def import_path(entries: Iterable[str], folder: Path) -> list[str]:
    """Return the entries that a worker may import from: none in the working ``folder``.

    That folder may be untrusted, and a module in it could have the name of one of ours. Folders of
    the interpreter stay: a virtual environment is often inside the project's folder.
    """
    working_folder = folder.resolve()
    return [entry for entry in entries if _is_trusted_import_path(entry, working_folder)]


def _is_trusted_import_path(entry: str, own_folder: Path) -> bool:
    path = Path(entry)
    if not entry or not path.is_absolute():
        return False
    folder = path.resolve()
    return (
        not folder.is_relative_to(own_folder)
        or folder.name in _PACKAGE_FOLDERS
        or _is_python_folder(folder)
    )


def _is_python_folder(folder: Path) -> bool:
    """Tell whether a folder is the interpreter's, or holds the libraries in use.

    Function services unpack everything into the working folder, which then must be trusted.
    """
    prefixes = (Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix))
    # An environment that is the working folder itself does not make that folder trusted.
    is_in_prefix = any(folder != prefix and folder.is_relative_to(prefix) for prefix in prefixes)
    return is_in_prefix or folder == Path(msgspec.__file__).resolve().parents[1]


def _start_python(
    entry: str, converter: str, limits: WorkerLimits, stdin: int, stdout: int
) -> "subprocess.Popen[bytes]":
    """Start a process that loads the converter. Raises ``OSError`` when that fails."""
    root = sys.modules[__package__.partition(".")[0]]
    file = str(root.__file__)
    code = _WORKER_CODE.format(
        path=import_path(sys.path, Path.cwd()),
        root=root.__name__,
        file=file,
        folder=str(Path(file).parent),
        package=__package__,
        entry=entry,
        converter=converter,
        cpu_seconds=limits.cpu_seconds,
        memory_bytes=limits.memory_bytes,
    )
    # Not forked: a copy of the parent would hold its keys, sockets and locks.
    # -P keeps the current folder, which may be untrusted, off the path; PYTHONPATH, which may
    # name it too, is not passed on.
    process = subprocess.Popen(  # noqa: S603  our own interpreter and code
        [sys.executable, "-P", "-c", code],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name in _PASSED_ON_VARIABLES},
    )
    _RUNNING_PROCESSES[process] = os.getpid()
    return process


def _open_pipe() -> tuple[IO[bytes], IO[bytes]]:
    read, write = os.pipe()
    return os.fdopen(read, "rb"), os.fdopen(write, "wb")


class ForkServer:
    """A process that has loaded the converter and forks workers, each in milliseconds."""

    def __init__(self, converter: str, limits: WorkerLimits) -> None:
        """Start the process; it is not ready yet. Raises ``OSError`` when that fails."""
        self._control, theirs = socket.socketpair()
        self._control.settimeout(limits.start_seconds)
        self._lock = Lock()
        self._is_lost = False
        self.is_ready = False
        with theirs:
            try:
                self._process = _start_python(
                    "fork_page_workers", converter, limits, theirs.fileno(), subprocess.DEVNULL
                )
            except OSError:
                self._control.close()
                raise

    def fork_worker(self) -> "ForkedProcess":
        """Wait until the server is ready, and fork it. Raises ``OSError`` when that fails."""
        with ExitStack() as pipes:
            jobs, stdin = map(pipes.enter_context, _open_pipe())
            stdout, answers = map(pipes.enter_context, _open_pipe())
            pid = self._ask_server(b"fork", [jobs.fileno(), answers.fileno()])
            jobs.close()
            answers.close()
            pipes.pop_all()
        return ForkedProcess(self, pid, stdin, stdout)

    def reap_worker(self, pid: int) -> int:
        """Return the exit code of a dead worker. Raises ``OSError`` when the server is gone."""
        return self._ask_server(pid.to_bytes(child.PID_BYTES, "big"), [])

    def is_alive(self) -> bool:
        """Tell whether the process is running and answers."""
        return not self._is_lost and self._process.poll() is None

    def kill(self) -> None:
        """Kill the process, from any thread; on Linux its workers end with it."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process and wait for its end."""
        self.kill()
        self._process.wait()
        self._control.close()

    def _ask_server(self, request: bytes, pipes: list[int]) -> int:
        try:
            with self._lock:
                socket.send_fds(self._control, [request], pipes)
                reply = self._control.recv(child.PID_BYTES)
        except OSError:
            # A late reply would be taken for the next one.
            self._is_lost = True
            self.kill()
            raise
        if not reply:
            # A process that ends closes its files before the system counts it as ended.
            self._is_lost = True
            raise ConnectionResetError
        self.is_ready = True
        return int.from_bytes(reply, "big", signed=True)


class ForkedProcess:
    """A fork of the server, with the part of ``subprocess.Popen`` that a worker needs."""

    def __init__(self, server: ForkServer, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        """Know the process by ``pid``, which stays its own until it is waited for."""
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self._server = server
        self._lock = Lock()
        self._code: int | None = None
        self._hangup = select.poll()
        self._hangup.register(stdout, 0)

    def poll(self) -> int | None:
        """Return None while the process holds its pipe open."""
        return 0 if self._hangup.poll(0) else None

    def kill(self) -> None:
        """Kill the process, unless it was waited for."""
        with self._lock:
            if self._code is None:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; raise ``TimeoutExpired`` while the pipe is open for ``timeout``."""
        if timeout is not None and not self._hangup.poll(timeout * 1000):
            raise subprocess.TimeoutExpired(sys.executable, timeout)
        # A worker that closed its pipe and stays must not hold up the server. A worker that is
        # ending keeps its code.
        self.kill()
        with self._lock:
            try:
                self._code = self._server.reap_worker(self.pid)
            except OSError:
                self._code = -signal.SIGKILL
            return self._code


class WorkerProcess:
    """A process that converts one body after the other. Calls block; ``kill`` ends them."""

    def __init__(
        self, converter: str, limits: WorkerLimits, server: ForkServer | None = None
    ) -> None:
        """Fork the process from ``server``, or start one. Raises ``OSError`` when that fails."""
        self._process: ForkedProcess | subprocess.Popen[bytes] = (
            _start_python("serve_conversions", converter, limits, subprocess.PIPE, subprocess.PIPE)
            if server is None
            else server.fork_worker()
        )
        # PIPE guarantees both streams; the type does not express that.
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        # Make the pipe larger, where the system allows it.
        if sys.platform == "linux":
            with suppress(OSError):
                fcntl.fcntl(self._stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self.conversions = 0
        self.confinement = Confinement()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Tell whether the process is running."""
        return self._process.poll() is None

    def is_ready(self) -> bool:
        """Wait until the worker has loaded everything; return False when it died."""
        if self._stdout.read(len(child.READY)) != child.READY:
            return False
        self.confinement = Confinement.decode(self._stdout.read(CONFINEMENT_BYTES))
        return True

    def convert_job(self, job: child.ConversionJob) -> child.ConversionAnswer | None:
        """Send a job and wait for its answer; None when the worker is gone."""
        self.conversions += 1
        try:
            _write_job_pieces(self._stdin, child.job_frame(job))
            frame = child.read_frame(self._stdout)
            return None if frame is None else child.ANSWER_DECODER.decode(frame)
        # The other end of the pipe is gone, or the answer is invalid.
        except (OSError, ValueError):
            return None

    def kill(self) -> None:
        """Kill the process now, from any thread."""
        self._process.kill()

    def end(self) -> int:
        """End the process, kill it if it does not exit; return its exit code."""
        # A worker exits when its input ends. Closing a dead worker's pipe may raise.
        with suppress(OSError):
            self._stdin.close()
        try:
            return self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._stdout.close()


if hasattr(os, "writev"):

    def _write_job_pieces(stream: IO[bytes], pieces: Sequence[bytes]) -> None:
        """Write all pieces in one call: a reader woken by the first would wait for the rest."""
        rest = [memoryview(piece) for piece in pieces]
        while rest:
            written = os.writev(stream.fileno(), rest)
            while rest and written >= len(rest[0]):
                written -= len(rest.pop(0))
            if rest:
                rest[0] = rest[0][written:]

else:  # pragma: no cover  the tests run where it is

    def _write_job_pieces(stream: IO[bytes], pieces: Sequence[bytes]) -> None:
        """Write all pieces."""
        stream.writelines(pieces)
        stream.flush()


# The processes that run, and the process that started each.
_RUNNING_PROCESSES: "weakref.WeakKeyDictionary[subprocess.Popen[bytes], int]" = (
    weakref.WeakKeyDictionary()
)


@atexit.register
def _kill_all_workers() -> None:
    """Kill all workers when the interpreter, but not a fork of it, ends with a pool still open."""
    for process, parent in list(_RUNNING_PROCESSES.items()):
        if parent == os.getpid():
            process.kill()
            process.wait()
