"""What it costs to start: the import, ``--help`` and a local search, each in fresh processes."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

_FIRST_USE = "import webseam; webseam.web_search, webseam.WebDeps"
_WEBSEAM = str(Path(sys.executable).with_name("webseam"))
_HELP = [_WEBSEAM, "--help"]
_SEARCH = [_WEBSEAM, "search", "--backend", "local", "--no-cache", "bread"]
_HEAVY = ("httpx", "rich", "asyncio", "ssl", "yaml", "sqlite3", "lxml", "mcp")


class Starts(msgspec.Struct, frozen=True, kw_only=True):
    """CPU milliseconds over a bare interpreter, and which heavy modules the import loaded.

    ``help_milliseconds`` and ``local_milliseconds`` are whole commands; None when they do not work
    here.
    """

    import_milliseconds: float
    search_milliseconds: float
    heavy_modules: tuple[str, ...]
    modules: int
    help_milliseconds: float | None
    local_milliseconds: float | None


def measure(rounds: int) -> Starts:
    """Start each kind of process in turns and compare their medians."""
    with tempfile.TemporaryDirectory() as folder:
        return _measure(rounds, _at_home_in(Path(folder)))


def _measure(rounds: int, environment: Mapping[str, str]) -> Starts:
    # These two also fill the disk cache, before anything is measured.
    modules = _loaded_modules()
    commands = [_python("pass"), _python("import webseam"), _python(_FIRST_USE)]
    works = _indexed(environment)
    commands += [_HELP, _SEARCH] if works else []
    rows = [[_cpu_milliseconds(each, environment) for each in commands] for _ in range(rounds)]
    bare, imported, used, *whole = map(statistics.median, zip(*rows, strict=True))
    return Starts(
        import_milliseconds=imported - bare,
        search_milliseconds=used - bare,
        heavy_modules=tuple(name for name in _HEAVY if name in modules),
        modules=len(modules),
        help_milliseconds=whole[0] if works else None,
        local_milliseconds=whole[1] if works else None,
    )


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _loaded_modules() -> list[str]:
    command = _python("import sys, webseam; print(*sys.modules)")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def _cpu_milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _at_home_in(folder: Path) -> dict[str, str]:
    """Return our environment with an index, and a home without settings, in that folder."""
    return dict(os.environ) | {"HOME": str(folder), "WEBSEAM_INDEX": str(folder / "index.sqlite")}


def _indexed(environment: Mapping[str, str]) -> bool:
    """Put a document into the index; tell whether the command is there and works."""
    document = Path(environment["HOME"], "bread.md")
    document.write_text("# Bread\n\nBread is made of flour, water and time.\n", encoding="utf-8")
    command = [_WEBSEAM, "index", "add", str(document)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0
