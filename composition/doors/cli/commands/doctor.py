"""Set up: check your setup, and get a command for each problem."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.settings import BrowserSettings
from webseam.composition.feature_table import Part, load
from webseam.composition.health.examination import Examination, examine_health, examine_named
from webseam.composition.health.health_parts import (
    HealthPart,
    HealthVerdict,
    Sandboxes,
    State,
    judge_health,
)
from webseam.composition.health.probes import Diagnosis
from webseam.composition.plugins.plugin_choice import plugin_session
from webseam.composition.settings.file_locations import FileLocations, path_exists
from webseam.composition.settings.services import plain_http_risks
from webseam.composition.terminal.argument_parser import INDEX_HINT, Parser
from webseam.composition.terminal.exit_codes import DONE, UNHEALTHY
from webseam.composition.terminal.output import (
    print_json,
    print_verdict,
    print_warnings,
    unwrap_or_exit,
)
from webseam.composition.terminal.progress import Progress
from webseam.composition.terminal.streams import redirect_prints
from webseam.composition.terminal.styled_lines import (
    NextStep,
    Span,
    display_width,
    fact_footer,
    hanging_lines,
    step_lines,
)
from webseam.composition.terminal.terminal_look import (
    Meaning,
    Symbols,
    TerminalLook,
    read_terminal_look,
)
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.unknown_backends import broken_backends
from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.text.display import one_line
from webseam.ports.errors import CheckFailed, InvalidSetting, WebError

_STATE_MEANINGS: dict[State, Meaning] = {
    "good": "good",
    "care": "care",
    "bad": "bad",
    "off": "quiet",
}
SANDBOXES = Part[Callable[[BrowserSettings], Sandboxes]]("sandboxes")


def doctor_state_symbol(state: State, symbols: Symbols) -> str:
    """Return the symbol of a state."""
    return str(getattr(symbols, state))


def doctor_verdict_lines(verdict: HealthVerdict, look: TerminalLook) -> Iterator[str]:
    """Yield the verdict and the next command."""
    state: State = "good"
    if not verdict.healthy:
        state = "bad"
    elif verdict.idle:
        state = "off"
    mark = Span(f"{doctor_state_symbol(state, look.symbols)} ", _STATE_MEANINGS[state])
    yield from hanging_lines([mark, Span(one_line(verdict.sentence, 2000), "title")], look, hang=2)
    yield from step_lines([NextStep("Next", verdict.command, verdict.why)], look)


def doctor_part_lines(parts: Sequence[HealthPart], look: TerminalLook) -> Iterator[str]:
    """Yield a line for each part, its detail indented below."""
    name_width = max(display_width(part.name) for part in parts)
    word_width = max(display_width(part.word) for part in parts)
    for part in parts:
        spans = [
            Span(f"{doctor_state_symbol(part.state, look.symbols)} ", _STATE_MEANINGS[part.state]),
            Span(f"{part.name:<{name_width}}  {part.word:<{word_width}}"),
            Span(f"  {one_line(part.detail, 2000)}" if part.detail else "", "quiet"),
        ]
        yield from hanging_lines(spans, look, indent=2, hang=name_width + word_width + 6)


def doctor_backend_lines(diagnoses: Sequence[Diagnosis], look: TerminalLook) -> Iterator[str]:
    """Yield a line for each backend: how it is set up, what it answered, what to do."""
    name_width = max(display_width(diagnosis.name) for diagnosis in diagnoses)
    for diagnosis in diagnoses:
        state = _diagnosis_state(diagnosis)
        spans = [
            Span(f"{doctor_state_symbol(state, look.symbols)} ", _STATE_MEANINGS[state]),
            Span(f"{diagnosis.name:<{name_width}}  "),
            Span(_command_text(diagnosis), "plain" if state in ("bad", "care") else "quiet"),
        ]
        yield from hanging_lines(spans, look, indent=2, hang=name_width + 4)


def _diagnosis_state(diagnosis: Diagnosis) -> State:
    if diagnosis.probe is not None:
        return "bad" if diagnosis.probe.error is not None else "good"
    if diagnosis.state in ("set up", "open to everybody"):
        return "good"
    return "off" if diagnosis.state in ("not set up", "works without a key") else "care"


def _command_text(diagnosis: Diagnosis) -> str:
    state = f"{diagnosis.state}, {diagnosis.detail}" if diagnosis.detail else diagnosis.state
    if diagnosis.probe is None:
        return one_line(f"{state}. {diagnosis.advice}" if diagnosis.advice else state, 2000)
    took = f"{diagnosis.probe.operation} in {diagnosis.probe.seconds:.2f} s"
    if diagnosis.probe.error is None:
        return one_line(f"{state}, {took}" + (f". {diagnosis.advice}" if diagnosis.advice else ""))
    return one_line(f"{took}: {diagnosis.probe.error.message} {diagnosis.probe.advice}", 2000)


def run(arguments: Sequence[str]) -> int:
    """Examine all parts or the named ones, print the verdict, and return the exit code."""
    options = command_line().parse_args(arguments)
    if isinstance(opened_root := read_root(), Failure):
        return _print_settings_error(opened_root.failure(), as_json=options.json)
    plugins = cache(partial(plugin_session, opened_root.unwrap()))
    root = msgspec.structs.replace(opened_root.unwrap(), session=plugins)
    examined = unwrap_or_exit(_run_examination(options, root), options)
    verdict = judge_health(examined.parts, live=options.live, is_named=bool(options.part))
    sandboxes = _examine_sandboxes(options, examined, root)
    if options.json:
        data = _examination_data(verdict, examined, root, sandboxes)
        problem = None if verdict.healthy else CheckFailed(problem=verdict.sentence)
        print_verdict(data, problem, [verdict.command])
    else:
        look = read_terminal_look(sys.stdout)
        lines = _examination_lines(options, verdict, examined, sandboxes, look)
        print("\n".join([*lines, *_footer(options, examined, root, look)]))
        print_warnings(_warnings(root))
    return DONE if verdict.healthy else UNHEALTHY


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam doctor",
        description="Does it work, and what to do if not: search, pages, models, X, your index and "
        "your plugins. No service is called without --live.",
        epilog="Exit code 1: something that is set up does not work.",
        hints={"--index": INDEX_HINT},
    )
    help_text = "only these: backends, providers of models, x, model"
    add = parser.add_argument
    add("part", nargs="*", metavar="NAME", help=help_text)
    add(
        "--live",
        action="store_true",
        help="make one real call to each that is set up; services may count it",
    )
    add(
        *("-v", "--verbose", "--all"),
        action="store_true",
        help="also every backend that is not set up, and what keeps parsers and the browser in",
    )
    return parser


def _run_examination(options: argparse.Namespace, root: Root) -> Result[Examination, WebError]:
    with redirect_prints(), Progress("Asking" if options.live else "Looking"):
        if options.part:
            return examine_named(options.part, root, live=options.live)
        return Success(examine_health(root, live=options.live, include_all=options.verbose))


def _print_settings_error(error: WebError, *, as_json: bool) -> int:
    """Print a verdict on settings that cannot be read; return the exit code."""
    sentence = f"The settings cannot be used: {error.message}"
    command, why = "webseam config path", "names the file"
    if isinstance(error, InvalidSetting) and error.place in os.environ:
        command, why = f"unset {error.place}", "or give it another value"
    if as_json:
        data = {"verdict": sentence, "next": command}
        print_json({**failure_envelope(error), "data": data, "next": [command]})
    else:
        verdict = HealthVerdict(healthy=False, sentence=sentence, command=command, why=why)
        print("\n".join(doctor_verdict_lines(verdict, read_terminal_look(sys.stdout))))
    return UNHEALTHY


def _examine_sandboxes(
    options: argparse.Namespace, examined: Examination, root: Root
) -> Sandboxes | None:
    """Examine the sandboxes, which is slow, only with --verbose or for ``pages``."""
    named = any(diagnosis.name == "pages" for diagnosis in examined.backends) and options.part
    if not (options.verbose or named):
        return None
    return load(SANDBOXES)(root.settings.render.program)


def _examination_data(
    verdict: HealthVerdict, examined: Examination, root: Root, sandboxes: Sandboxes | None
) -> dict[str, object]:
    return {
        "verdict": verdict.sentence,
        "next": verdict.command,
        "parts": msgspec.to_builtins(examined.parts),
        "settings": root.settings.file,
        "warnings": list(_warnings(root)),
        "folder": msgspec.to_builtins(root.settings.folder),
        "broken": broken_backends(),
        "sandboxes": msgspec.to_builtins(sandboxes),
        "backends": msgspec.to_builtins(examined.backends),
    }


def _examination_lines(
    options: argparse.Namespace,
    verdict: HealthVerdict,
    examined: Examination,
    sandboxes: Sandboxes | None,
    look: TerminalLook,
) -> Iterator[str]:
    yield from doctor_verdict_lines(verdict, look)
    yield ""
    backends = {diagnosis.name for diagnosis in examined.backends} if options.part else set()
    if parts := [part for part in examined.parts if part.name not in backends]:
        yield from doctor_part_lines(parts, look)
    if options.verbose and not options.part:
        yield ""
    if (options.part or options.verbose) and examined.backends:
        yield from doctor_backend_lines(examined.backends, look)
    if sandboxes is not None:
        yield from ("" for _ in range(options.verbose))
        for label, sandbox in (("Parsers", sandboxes.parsers), ("Browser", sandboxes.browser)):
            spans = [Span(f"{label}  kept in by: "), Span(one_line(sandbox), "quiet")]
            yield from hanging_lines(spans, look, indent=2, hang=9)


def _warnings(root: Root) -> Iterator[str]:
    yield from root.settings.warnings
    yield from plain_http_risks(root.settings)
    file = FileLocations().config_file
    if os.environ.get("WEBSEAM_CONFIG", "").strip() and not path_exists(file):
        yield f"WEBSEAM_CONFIG names {file}, which is not there; the defaults hold"


def _footer(
    options: argparse.Namespace, examined: Examination, root: Root, look: TerminalLook
) -> Iterator[str]:
    yield from root.settings.folder.lines
    unused = f"{examined.unused} not set up: --all" if not options.verbose else ""
    if not options.part and look.person:
        yield ""
        yield from fact_footer((f"settings: {root.settings.file}", unused), look)
