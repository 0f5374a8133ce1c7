"""``webseam doctor``: is everything set up, does it answer, and what to do if not."""

import asyncio
import sys
from collections.abc import Sequence
from functools import cache, partial

import msgspec
from returns.result import Failure, Result

from ....kernel.text.display import one_line
from ....ports.errors import UnknownBackend, WebError
from ...health.probes import Diagnosis, diagnose, probe_all
from ...health.sandboxes import Sandboxes, examine_sandboxes
from ...plugins.host import enabled_around
from ...settings.openings import risks
from ...wiring.choice import proper_name
from ...wiring.models.search import broken_search_models
from ...wiring.planner.resting import health_words, known_health
from ...wiring.root import make_root
from ...wiring.rows import BackendRow, Root
from ...wiring.services import broken_services
from ...wiring.table import all_rows
from ..arguments.parser import Parser
from ..exits import BACKEND_FAILED, DONE
from ..output import fail, say_json


def run(arguments: Sequence[str]) -> int:
    """Examine the backends, print what was found, and return the exit code."""
    options = command_line().parse_args(arguments)
    opened_root = make_root(index=options.index)
    if isinstance(opened_root, Failure):
        return fail(opened_root.failure(), as_json=options.json)
    plugins = cache(partial(enabled_around, None, opened_root.unwrap().settings))
    root = msgspec.structs.replace(opened_root.unwrap(), session=plugins)
    rows = _named(all_rows(root), [proper_name(name, root) or name for name in options.backend])
    if isinstance(rows, Failure):
        return fail(rows.failure(), as_json=options.json)
    diagnoses = _examine(rows.unwrap(), root, live=options.live)
    sandboxes = _sandboxes(diagnoses, root)
    failed = any(one.probe is not None and one.probe.error is not None for one in diagnoses)
    if options.json:
        say_json({"success": not failed, "data": _data(diagnoses, root, sandboxes)})
    else:
        _print(diagnoses, root, sandboxes)
    return BACKEND_FAILED if failed else DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam doctor",
        description="Look at every backend: is it set up, does its key look right, and, with "
        "--live, does it answer, how fast, and what to do if not.",
    )
    parser.add_argument("backend", nargs="*", help="only these; all by default")
    parser.add_argument(
        "--live",
        action="store_true",
        help="make one real call to each that can answer; services may count it",
    )
    parser.add_argument("--index", metavar="FILE", help="the index to look into")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _named(rows: list[BackendRow], names: Sequence[str]) -> Result[list[BackendRow], WebError]:
    known = {row.candidate.name: row for row in rows}
    stranger = next((name for name in names if name not in known), None)
    if stranger is not None:
        return Result.from_failure(UnknownBackend(name=stranger, capable=tuple(sorted(known))))
    ordered = sorted(rows, key=lambda row: (row.candidate.rank, row.candidate.name))
    return Result.from_value([known[name] for name in names] or ordered)


def _examine(rows: list[BackendRow], root: Root, *, live: bool) -> list[Diagnosis]:
    return asyncio.run(probe_all(rows, root)) if live else _remembered(rows)


def _remembered(rows: list[BackendRow]) -> list[Diagnosis]:
    """Say how each is set up, and how it was when it was last asked."""
    known = known_health()
    return [diagnose(row, health_words(row.candidate.name, known)) for row in rows]


def _sandboxes(diagnoses: list[Diagnosis], root: Root) -> Sandboxes | None:
    """Look at what keeps our own reader in, where it is among those that are asked about."""
    if all(one.name != "pages" for one in diagnoses):
        return None
    return examine_sandboxes(root.settings.render.program)


def _data(diagnoses: list[Diagnosis], root: Root, sandboxes: Sandboxes | None) -> dict[str, object]:
    return {
        "settings": root.settings.file,
        "warnings": [*root.settings.warnings, *risks(root.settings)],
        "broken": _broken(),
        "sandboxes": msgspec.to_builtins(sandboxes),
        "backends": [msgspec.to_builtins(one) for one in diagnoses],
    }


def _print(diagnoses: list[Diagnosis], root: Root, sandboxes: Sandboxes | None) -> None:
    print(f"settings: {root.settings.file}")
    width = max(len(one.name) for one in diagnoses)
    for one in diagnoses:
        print(f"{_mark(one)} {one.name:<{width}}  {_said(one)}")
    for name, why in _broken().items():
        print(f"x {one_line(name)}  a package announces it, but {why}")
    if sandboxes is not None:
        print(f"parsers are kept in by: {sandboxes.parsers}")
        print(f"the browser is kept in by: {sandboxes.browser}")
    for warning in (*root.settings.warnings, *risks(root.settings)):
        print(f"webseam: {one_line(warning)}", file=sys.stderr)


def _broken() -> dict[str, str]:
    return {**broken_services(), **broken_search_models()}


def _mark(one: Diagnosis) -> str:
    if one.probe is not None:
        return "x" if one.probe.error is not None else "+"
    return "+" if one.state in ("set up", "open to everybody") else "-"


def _said(one: Diagnosis) -> str:
    state = f"{one.state}, {one.detail}" if one.detail else one.state
    if one.probe is None:
        return one_line(f"{state}. {one.advice}" if one.advice else state)
    took = f"{one.probe.operation} in {one.probe.seconds:.2f} s"
    if one.probe.error is None:
        return one_line(f"{state}, {took}. {one.advice}" if one.advice else f"{state}, {took}")
    return one_line(f"{took}: {one.probe.error.message} {one.probe.advice}")
