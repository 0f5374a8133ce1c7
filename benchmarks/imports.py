"""What it costs to start: the import, ``--help`` and a local search, each in fresh processes.

``python -m benchmarks.imports FOLDER`` compares this tree with another, started in turns.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec

_FIRST_USE = "import webseam; webseam.web_search, webseam.WebDeps"
_WEBSEAM = str(Path(sys.executable).with_name("webseam"))
_HELP = [_WEBSEAM, "--help"]
_SEARCH = [_WEBSEAM, "search", "--backend", "index", "--no-cache", "bread"]
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
        return _measure(rounds, _isolated_environment(Path(folder)))


def _measure(rounds: int, environment: Mapping[str, str]) -> Starts:
    # These two also fill the disk cache, before anything is measured.
    modules = _loaded_modules()
    commands = [_python("pass"), _python("import webseam"), _python(_FIRST_USE)]
    works = _add_document(environment)
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


def _isolated_environment(folder: Path) -> dict[str, str]:
    """Return our environment with an index, and a home without settings, in that folder."""
    return dict(os.environ) | {"HOME": str(folder), "WEBSEAM_INDEX": str(folder / "index.sqlite")}


def _add_document(environment: Mapping[str, str]) -> bool:
    """Put a document into the index; tell whether the command is there and works."""
    document = Path(environment["HOME"], "bread.md")
    document.write_text("# Bread\n\nBread is made of flour, water and time.\n", encoding="utf-8")
    command = [_WEBSEAM, "index", "add", str(document)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


_TREE = str(Path(__file__).parents[1])
_MAIN = "import sys; from webseam.composition.doors.cli import main; sys.exit(main())"
_ROWS = b'{"results": [{"title": "Bread", "url": "https://example.com/", "description": "Flour."}]}'


class _Search(BaseHTTPRequestHandler):
    """A search API that has one answer, which is kept after the first time."""

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(_ROWS)))
        self.end_headers()
        self.wfile.write(_ROWS)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _run_search_api() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Search) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/search"
        server.shutdown()


def compare_trees(other: str, rounds: int) -> str:
    """Start both trees in turns, and return a table of their medians and ratios."""
    with tempfile.TemporaryDirectory() as folder, _run_search_api() as endpoint:
        trees = {
            tree: {
                **_isolated_environment(Path(folder, str(number))),
                "PYTHONPATH": str(Path(tree, ".namespace")),
                "WEBSEAM_JSON_SEARCH_URL": endpoint,
                "WEBSEAM_BACKEND": "json",
            }
            for number, tree in enumerate((_TREE, other))
        }
        commands = {
            "import webseam": ["import webseam"],
            "webseam --help": [_MAIN, "--help"],
            "a cached search": [_MAIN, "search", "bread"],
        }
        costs = {name: _measure_in_turns(words, trees, rounds) for name, words in commands.items()}
    return "\n".join(_row(name, *cost) for name, cost in costs.items())


def _measure_in_turns(
    words: Sequence[str], trees: Mapping[str, Mapping[str, str]], rounds: int
) -> tuple[float, float]:
    command = [sys.executable, "-c", *words]
    for environment in trees.values():
        Path(environment["HOME"]).mkdir(exist_ok=True)
        _cpu_milliseconds(command, environment)
    rows = [
        [_cpu_milliseconds(command, environment) for environment in trees.values()]
        for _ in range(rounds)
    ]
    ours, theirs = map(statistics.median, zip(*rows, strict=True))
    return ours, theirs


def _row(name: str, ours: float, theirs: float) -> str:
    return f"{name:<16}  {ours:6.1f} ms  {theirs:6.1f} ms  {100 * (ours / theirs - 1):+5.0f} %"


def main() -> None:
    """Compare this tree with another, e.g. of an older commit."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("other", help="a folder with another tree, as git archive gives it")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print(f"{'CPU, median':<16}  {'here':>9}  {'there':>9}")
    print(compare_trees(options.other, options.rounds))


if __name__ == "__main__":
    main()
