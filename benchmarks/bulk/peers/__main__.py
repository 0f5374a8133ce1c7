"""Run every reader and extractor that is installed here, and print a table."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from . import __doc__ as about
from .extractors import EXTRACTORS
from .runs import READERS
from .warcs import pack

_NEEDS = {
    "datatrove": "datatrove",
    "Ray": "ray",
    "trafilatura": "trafilatura",
    "resiliparse": "resiliparse",
}
_WANTED = 5.0


def main() -> int:
    """Return 0 when every page is a row of ours, at five times datatrove's speed."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        warcs = Path(folder) / "warcs"
        count = pack(warcs, options.files, options.pages, options.source)
        size = sum(path.stat().st_size for path in warcs.iterdir())
        print(
            f"{count:,} pages in {options.files} WARC files, {size / 1e6:,.1f} MB; {options.processes} processes"
        )
        speeds = _readers(Path(folder), warcs, count, options)
        _extractors(warcs)
    if "datatrove + trafilatura" not in speeds:
        return 0
    ratio = speeds["webseam"] / speeds["datatrove + trafilatura"]
    print(f"webseam makes {ratio:.1f} times the pages of datatrove + trafilatura")
    return int(ratio < _WANTED)


def _readers(
    folder: Path, warcs: Path, count: int, options: argparse.Namespace
) -> dict[str, float]:
    speeds: dict[str, list[float]] = {}
    print(f"{'':<34}{'pages/s':>9}{'CPU s':>9}{'rows':>8}{'with text':>11}")
    for turn in range(options.rounds):
        for name in filter(_is_here, READERS):
            out = folder / f"out-{turn}-{name.replace(' ', '')}"
            out.mkdir()
            began, cpu = time.perf_counter(), _spent()
            line = _output("runs", name, str(warcs), str(out), str(options.processes))
            seconds = time.perf_counter() - began
            rows, full = json.loads(line)
            speeds.setdefault(name, []).append(count / seconds)
            print(
                f"{name:<34}{count / seconds:>9.1f}{_spent() - cpu:>9.1f}{rows:>8,}{full:>11,}",
                flush=True,
            )
    return {name: statistics.median(each) for name, each in speeds.items()}


def _extractors(warcs: Path) -> None:
    print(f"\n{'one process, processor time':<34}{'pages/s':>9}{'pages':>9}{'with text':>11}")
    for name in filter(_is_here, EXTRACTORS):
        count, full, seconds = json.loads(_output("extractors", name, str(warcs)))
        print(f"{name:<34}{count / seconds:>9.1f}{count:>9,}{full:>11,}", flush=True)


def _is_here(name: str) -> bool:
    return all(find_spec(package) for word, package in _NEEDS.items() if word in name)


def _output(module: str, *arguments: str) -> str:
    command = (sys.executable, "-m", f"benchmarks.bulk.peers.{module}", *arguments)
    quiet = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    done = subprocess.run(command, capture_output=True, env=quiet, check=False)
    if done.returncode:
        print(done.stderr.decode(errors="replace")[-2000:], file=sys.stderr)
        done.check_returncode()
    return done.stdout.decode().splitlines()[-1]


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.bulk.peers",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER")
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
