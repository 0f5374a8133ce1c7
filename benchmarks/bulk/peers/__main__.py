"""Run every reader and extractor that is installed here, and print a table."""

import argparse
import json
import os
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
OURS = "webseam"
TEXT_PEER = "datatrove + trafilatura"
MARKDOWN_PEERS = ("datatrove + trafilatura, markdown", "Ray Data + trafilatura")
PEERS = (TEXT_PEER, *MARKDOWN_PEERS)


def main() -> int:
    """Return 0 when every page is a row of ours, at five times the speed of the markdown peers."""
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
    # Only who has a row for every page has a speed of ours.
    if OURS not in speeds:
        return 1
    for peer in filter(speeds.get, PEERS):
        print(f"{OURS} makes {speeds[OURS] / speeds[peer]:.1f} times the pages of {peer}")
    judges = filter(speeds.get, MARKDOWN_PEERS)
    return int(any(speeds[OURS] < _WANTED * speeds[peer] for peer in judges))


def _readers(
    folder: Path, warcs: Path, count: int, options: argparse.Namespace
) -> dict[str, float]:
    speeds: dict[str, list[float]] = {}
    print(f"{'':<34}{'pages/s':>9}{'seconds':>9}{'rows':>8}{'with text':>11}")
    for turn in range(options.rounds):
        for name in filter(_is_here, options.readers):
            out = folder / f"out-{turn}-{name.replace(' ', '')}"
            out.mkdir()
            began = time.perf_counter()
            line = _output("runs", name, str(warcs), str(out), str(options.processes))
            if line is None:
                continue
            seconds = time.perf_counter() - began
            rows, full = json.loads(line)
            if rows == count or name in PEERS:
                speeds.setdefault(name, []).append(count / seconds)
            print(
                f"{name:<34}{count / seconds:>9.1f}{seconds:>9.1f}{rows:>8,}{full:>11,}",
                flush=True,
            )
    return {name: statistics.median(each) for name, each in speeds.items()}


def _extractors(warcs: Path) -> None:
    print(f"\n{'one process, processor time':<34}{'pages/s':>9}{'pages':>9}{'with text':>11}")
    for name in filter(_is_here, EXTRACTORS):
        line = _output("extractors", name, str(warcs))
        if line is not None:
            count, full, seconds = json.loads(line)
            print(f"{name:<34}{count / seconds:>9.1f}{count:>9,}{full:>11,}", flush=True)


def _is_here(name: str) -> bool:
    return all(find_spec(package) for word, package in _NEEDS.items() if word in name)


def _output(module: str, *arguments: str) -> str | None:
    """Return the last line that a process prints; one that fails is told, and the others go on."""
    command = (sys.executable, "-m", f"benchmarks.bulk.peers.{module}", *arguments)
    quiet = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    done = subprocess.run(command, capture_output=True, env=quiet, check=False)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        print(f"{arguments[0]:<34}   failed: {' '.join(reason)[:200]}", flush=True)
        return None
    return done.stdout.decode().splitlines()[-1]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.bulk.peers",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER")
    parser.add_argument("--readers", nargs="+", choices=READERS, default=list(READERS))
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
