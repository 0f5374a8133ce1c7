"""Measure it, and print a table."""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.bulk.peers.warcs import pack

from . import __doc__ as about
from .inputs import KINDS, make
from .tree import Cost, run

MOST_BYTES: Final = 400_000_000
LEAST_EFFICIENCY: Final = 0.85
_PROGRAM: Final = "from webseam.composition.doors.cli.program import main; raise SystemExit(main())"
_WEBSEAM: Final = (sys.executable, "-c", _PROGRAM, "bulk")


def main() -> int:
    """Return 0 when every row is there, within the memory and at the speed that are promised."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        if options.cores:
            return _scale(Path(folder), options)
        print(f"{'':<22}{'rows':>10}{'rows/s':>9}{'CPU s':>9}{'MB held':>9}{'MB written':>12}")
        problems = [
            problem
            for kind in options.kinds
            for rows in options.rows
            for problem in _grow(kind, rows, Path(folder) / f"{kind}-{rows}")
        ]
    print("\n".join(problems))
    return int(bool(problems))


def _grow(kind: str, rows: int, folder: Path) -> list[str]:
    inputs, out = make(kind, rows, folder / "in"), folder / "out"
    cost = run((*_WEBSEAM, "extract", *map(str, inputs), "-o", str(out)))
    summary = json.loads((out / "_summary.json").read_bytes())
    problems = [] if summary["rows"] == rows else [f"{kind}: {summary['rows']:,} of {rows:,} rows"]
    problems += _report_cost(f"extract {kind}", rows, cost, out)
    if summary["ok"]:
        marking = run((*_WEBSEAM, "duplicates", str(out)))
        problems += _report_cost("  duplicates", rows, marking, out)
    return problems


def _report_cost(name: str, rows: int, cost: Cost, out: Path) -> list[str]:
    written = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(
        f"{name:<22}{rows:>10,}{rows / cost.seconds:>9,.0f}{cost.cpu_seconds:>9,.1f}"
        f"{cost.bytes / 1e6:>9,.0f}{written / 1e6:>12,.1f}",
        flush=True,
    )
    if cost.bytes < MOST_BYTES:
        return []
    return [f"{name.strip()}: {rows:,} rows took {cost.bytes / 1e6:,.0f} MB"]


def _scale(folder: Path, options: argparse.Namespace) -> int:
    """Read the same pages on one core and on two, in turns."""
    pack(folder / "in", 4, options.pages, options.source)
    inputs = sorted(map(str, (folder / "in").iterdir()))
    speeds: dict[int, list[float]] = {1: [], 2: []}
    for turn in range(options.rounds):
        for cores, figures in speeds.items():
            out = str(folder / f"out-{cores}-{turn}")
            command = (*_WEBSEAM, "extract", *inputs, "-o", out, "--per-shard", "100")
            cost = run(command, cores=frozenset(range(cores)))
            figures.append(options.pages / cost.seconds)
            print(f"cores: {cores}, {figures[-1]:.1f} pages/s, {cost.cpu_seconds:.1f} s CPU")
    one, two = (statistics.median(figures) for figures in speeds.values())
    print(f"efficiency of the second core: {two / one / 2:.2f}")
    return int(two / one / 2 < LEAST_EFFICIENCY)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.bulk.growth",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["pages", "answers", "urls"])
    parser.add_argument("--cores", action="store_true", help="one core beside two")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
