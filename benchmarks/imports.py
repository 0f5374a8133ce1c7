"""What it costs to start: ``import webseam`` and ``webseam --help``, each in fresh processes."""

import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

_FIRST_USE = "import webseam; webseam.web_search, webseam.WebDeps"
_HELP = [str(Path(sys.executable).with_name("webseam")), "--help"]
_HEAVY = ("httpx", "rich", "asyncio", "ssl", "yaml", "sqlite3", "lxml", "mcp")


class Starts(msgspec.Struct, frozen=True, kw_only=True):
    """CPU milliseconds over a bare interpreter, and which heavy modules the import loaded.

    ``help_milliseconds`` is the whole command; None when it does not work here.
    """

    import_milliseconds: float
    search_milliseconds: float
    heavy_modules: tuple[str, ...]
    modules: int
    help_milliseconds: float | None


def measure(rounds: int) -> Starts:
    """Start each kind of process in turns and compare their medians."""
    # These two also fill the disk cache, before anything is measured.
    modules = _loaded_modules()
    commands = [_python("pass"), _python("import webseam"), _python(_FIRST_USE)]
    commands += [_HELP] if _works(_HELP) else []
    rows = [[_cpu_milliseconds(command) for command in commands] for _ in range(rounds)]
    bare, imported, used, *helped = map(statistics.median, zip(*rows, strict=True))
    return Starts(
        import_milliseconds=imported - bare,
        search_milliseconds=used - bare,
        heavy_modules=tuple(name for name in _HEAVY if name in modules),
        modules=len(modules),
        help_milliseconds=helped[0] if helped else None,
    )


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _loaded_modules() -> list[str]:
    command = _python("import sys, webseam; print(*sys.modules)")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def _cpu_milliseconds(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _works(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
