"""Run the scenes, print the tables, judge the targets, draw the pictures.

python -m benchmarks.planner [--calls 100000] [--jobs 2] [--svg FOLDER] [--json FILE] [--table]
                             [--collection FOLDER]

A run in pieces: each with ``--only SCENE... --json PIECE``, and then
``--join PIECE...`` in the place of playing anything.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.index.collection import load, make

from .fusion import ROUTE, FusionFigures, lines_of, measure
from .ours import Fold
from .plots import draw
from .regimes import REGIMES
from .rivals import FanOut, LiteLLM, Naive, Planner, Single
from .run import RATE, Figures, figures, play
from .scenes import recovered_at, scenes
from .world import World

_PLANNERS: dict[str, Callable[[World], Planner]] = {
    "single": Single,
    "naive": Naive,
    "LiteLLM": LiteLLM,
    "fan-out": FanOut,
    "webseam": Fold,
}
_HEAD = (
    "scene                          planner  success    alive   p50   p95   p99   paid   dead  429s"
    "  by a  back  over  us/call"
)


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    print(_HEAD)
    results = _join_runs(options.join) if options.join else _play(options)
    if not options.only:
        fused = measure(load(options.collection) if options.collection else make(3000, 200))
        print("\n".join(lines_of(fused)))
        print("\n".join(_target_lines({(one.scene, one.planner): one for one in results}, fused)))
    if options.table:
        print("\n".join(_table(results)))
    if options.svg:
        draw(results, options.svg)
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(results)))
    return 0


def _play(options: argparse.Namespace) -> list[Figures]:
    results: list[Figures] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in pool.map(_play_task, _tasks(options.calls, options.only)):
            print(_line(one), flush=True)
            results.append(one)
    return results


def _join_runs(pieces: Sequence[Path]) -> list[Figures]:
    """Return the figures of several runs, in the order of the whole one."""
    rows = [row for piece in pieces for row in msgspec.json.decode(piece.read_bytes())]
    every = [
        msgspec.convert({name: _number(value) for name, value in row.items()}, Figures)
        for row in rows
    ]
    figures_by_task = {(one.scene, one.planner): one for one in every}
    names = list(scenes(1.0))
    ordered = sorted(
        figures_by_task.values(),
        key=lambda one: names.index(one.scene) if one.scene in names else len(names),
    )
    print("\n".join(map(_line, ordered)))
    return ordered


def _number(value: object) -> object:
    """Return a value as it was: JSON has no word for what is no number."""
    return math.nan if value is None else value


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.planner", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="in each scene")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="SCENE", help="of scenes and regimes"
    )
    parser.add_argument(
        "--join", nargs="+", type=Path, metavar="PIECE", help="figures of earlier runs"
    )
    parser.add_argument("--table", action="store_true", help="print a table for the documentation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--svg", type=Path, help="draw pictures into this folder")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--collection", type=Path, help="a test collection in BEIR's layout")
    return parser.parse_args(arguments)


def _tasks(calls: int, only: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return what is played: every scene by every planner, then what the scenes do not show."""
    names = [name for name in scenes(calls / RATE) if not only or name in only]
    regimes = [name for name in REGIMES if not only or name in only]
    tasks = [(name, planner, calls) for name in names for planner in _PLANNERS]
    return [*tasks, *((name, "", calls) for name in regimes)]


def _play_task(task: tuple[str, str, int]) -> Figures:
    """Play one scene, in a process of its own."""
    name, planner, calls = task
    if not planner:
        return REGIMES[name](calls)
    seconds = calls / RATE
    world, cpu = play(_PLANNERS[planner], scenes(seconds)[name], calls)
    since = recovered_at(seconds) if name == "outage" else 0.0
    return figures((name, planner), world, cpu, calls, since)


def _line(one: Figures) -> str:
    return (
        f"{one.scene:30} {one.planner:8} {one.success:7.2%} {one.alive:8.3%} {one.p50:5.2f} {one.p95:5.2f}"
        f" {one.p99:5.2f} {one.paid:6.3f} {one.dead:6d} {one.refused:5d} {one.by_first:5.0%}"
        f" {one.recovery:5.1f} {one.overspend:5.1%} {one.microseconds:8.0f}"
    )


def _table(results: Sequence[Figures]) -> list[str]:
    """Return the figures of us and of a router's rules side by side, in Markdown."""
    cells = {(one.scene, one.planner): _cell(one) for one in results}
    names = [one.scene for one in results if one.planner == "webseam" and not one.overspend]
    rows = [
        f"| {name} | {cells[name, 'webseam']} | {cells.get((name, 'LiteLLM'), '-')} |"
        for name in names
    ]
    return ["", "| scene | webseam | LiteLLM's router rules |", "| --- | --- | --- |", *rows]


def _cell(one: Figures) -> str:
    return f"{one.success:.2%}: {one.p95:.2f} / {one.p99:.2f} s, {one.paid:.3f}, {one.dead}"


def _target_lines(
    results: dict[tuple[str, str], Figures], fused: Sequence[FusionFigures]
) -> list[str]:
    """Hold the figures against what was asked for."""
    second = results["second alone", "single"]
    hung, rare = results["hung", "webseam"], results["one call a minute, first hung", "webseam"]
    busy, spread = results["overload", "webseam"], results["overload", "LiteLLM"]
    ours = [one for (_, planner), one in results.items() if planner == "webseam"]
    living = [one for one in ours if one.scene != "outage"]
    ailing = [one for one in ours if one.scene in ("hung", "hangs midway", "flapping", "outage")]
    by_order = [one for one in fused if one.weights == ROUTE]
    lines = {
        "hung first: p95 at most 1.1x the second's": hung.p95 <= 1.1 * second.p95,
        "hung first: at most 5.5 % extra paid calls": hung.paid <= 1.055,
        "the same at one call a minute": rare.p95 <= 1.1 * second.p95 and rare.paid <= 1.055,
        "overload: p95 not above a random spread's": busy.p95 <= spread.p95,
        "a dead backend is asked at most once a cooldown": all(one.probes == 1 for one in ailing),
        "success at least 99.9 % while any lives": all(one.alive >= 0.999 for one in living),
        "no overspend": all(one.overspend == 0.0 for one in ours),
        "fused at least the best member": all(one.change >= 0.0 for one in by_order),
    }
    return ["", *(f"{'yes' if holds else 'NO '} {target}" for target, holds in lines.items())]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
