"""One worker process, seen from the parent: started, asked, killed, never left behind."""

import atexit
import os
import subprocess
import sys
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, cast

import msgspec

from .child import ANSWER_DECODER, READY, ConversionAnswer, ConversionJob, job_frame, read_frame
from .limits import WorkerLimits
from .sandbox import CONFINEMENT_BYTES, Confinement

if sys.platform == "linux":
    import fcntl

# Enough to start Python and find its libraries, and no key among it.
_PASSED_ON: Final = frozenset(
    {
        "PATH",
        "SYSTEMROOT",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "PYTHONHOME",
        "PYTHONUTF8",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPYCACHEPREFIX",
        "COVERAGE_PROCESS_START",
        "COVERAGE_PROCESS_CONFIG",
    }
)
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_LEAVE_SECONDS: Final = 1.0
# Most pages fit: a worker need not wait for the rest of one while others have the processor.
_PIPE_BYTES: Final = 1024 * 1024
# Our own package comes from where the parent has it, without that folder being searched for more.
# Nothing that is loaded is ever let go: looking for cycles in it takes an eighth of the start.
_CODE: Final = """
import gc, sys
gc.disable()
sys.path[:] = {path!r}
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location({root!r}, {file!r}, submodule_search_locations=[{folder!r}])
sys.modules[{root!r}] = module = module_from_spec(spec)
spec.loader.exec_module(module)
from {package}.child import serve
serve({converter!r}, {cpu_seconds!r}, {memory_bytes!r})
"""


def import_path(entries: Iterable[str], folder: Path) -> list[str]:
    """Return the places that a worker may import from: none in the working ``folder``.

    That folder may be anybody's, and a module in it could be named as one of ours. Places of the
    interpreter count even there: a virtual environment often stands in the project's folder.
    """
    here = folder.resolve()
    return [entry for entry in entries if _is_trusted(entry, here)]


def _is_trusted(entry: str, here: Path) -> bool:
    path = Path(entry)
    if not entry or not path.is_absolute():
        return False
    place = path.resolve()
    return not place.is_relative_to(here) or place.name in _INSTALLED or _is_own(place)


def _is_own(place: Path) -> bool:
    """Tell whether a place is the interpreter's, or holds the libraries that we run on.

    Function services unpack everything into the working folder, which then has to be trusted.
    """
    prefixes = (Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix))
    # An environment that is the working folder itself does not make all of that folder its own.
    inside = any(place != prefix and place.is_relative_to(prefix) for prefix in prefixes)
    return inside or place == Path(msgspec.__file__).resolve().parents[1]


class WorkerProcess:
    """A process that converts one body after the other. Its calls block; ``kill`` ends them."""

    def __init__(self, converter: str, limits: WorkerLimits) -> None:
        """Start it; it is not ready yet. Raises ``OSError`` when there is none to be had."""
        root = sys.modules[__package__.partition(".")[0]]
        file = str(root.__file__)
        code = _CODE.format(
            path=import_path(sys.path, Path.cwd()),
            root=root.__name__,
            file=file,
            folder=str(Path(file).parent),
            package=__package__,
            converter=converter,
            cpu_seconds=limits.cpu_seconds,
            memory_bytes=limits.memory_bytes,
        )
        # Not forked: a copy of the parent would hold its keys, its sockets and its locks.
        # -P keeps the current folder, which may be anybody's, off the path; PYTHONPATH, which may
        # lead there too, is not handed on.
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and code
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name in _PASSED_ON},
        )
        # There are pipes, because they were asked for; the type does not know.
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        _widen(self._stdin)
        self.conversions = 0
        self.confinement = Confinement()
        self._parent = os.getpid()
        _alive.add(self)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Tell whether it has not died since it was last asked."""
        return self._process.poll() is None

    def is_ready(self) -> bool:
        """Wait until it has loaded everything; False when it died of that."""
        if self._stdout.read(len(READY)) != READY:
            return False
        self.confinement = Confinement.decode(self._stdout.read(CONFINEMENT_BYTES))
        return True

    def ask(self, job: ConversionJob) -> ConversionAnswer | None:
        """Send a job and wait for its answer; None when there is none, and none will come."""
        self.conversions += 1
        try:
            _write(self._stdin, job_frame(job))
            packed = read_frame(self._stdout)
            return None if packed is None else ANSWER_DECODER.decode(packed)
        # A pipe whose other end is gone, or an answer that is not one.
        except (OSError, ValueError):
            return None

    def kill(self) -> None:
        """End it now, from any thread."""
        self._process.kill()

    def kill_at_exit(self) -> None:
        """End it when the interpreter ends, but not in a fork of the interpreter that made it."""
        if self._parent == os.getpid():
            self._process.kill()
            self._process.wait()

    def end(self) -> int:
        """Let it go, and make sure that it is gone; return how it ended."""
        # A worker whose input ends leaves by itself. What was still to be written to a dead one
        # has nobody to read it.
        with suppress(OSError):
            self._stdin.close()
        try:
            return self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._stdout.close()


if hasattr(os, "writev"):

    def _write(stream: IO[bytes], pieces: Sequence[bytes]) -> None:
        """Write all pieces as one: a reader that was woken by the first would wait for the rest."""
        rest = [memoryview(piece) for piece in pieces]
        while rest:
            written = os.writev(stream.fileno(), rest)
            while rest and written >= len(rest[0]):
                written -= len(rest.pop(0))
            if rest:
                rest[0] = rest[0][written:]

else:  # pragma: no cover  the tests run where it is

    def _write(stream: IO[bytes], pieces: Sequence[bytes]) -> None:
        """Write all pieces."""
        stream.writelines(pieces)
        stream.flush()


def _widen(pipe: IO[bytes]) -> None:
    """Make a pipe larger, where the system can and lets us."""
    if sys.platform == "linux":
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


_alive: "weakref.WeakSet[WorkerProcess]" = weakref.WeakSet()


@atexit.register
def _kill_all() -> None:
    """Leave nobody behind when the interpreter ends with a pool still open."""
    for process in list(_alive):
        process.kill_at_exit()
