"""Set up: the settings, and where each of them came from."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure

from ....kernel.envelopes import failure_envelope
from ....kernel.text.display import one_line, strip_hidden
from ...file_locations import FileLocations, is_file
from ...settings.loader import load_settings
from ...settings.schema import Settings
from ...terminal.arguments.parser import Parser, run_action, with_actions
from ...terminal.exit_codes import DONE, NOT_CONFIGURED
from ...terminal.output import print_error, print_json, utf8_safe
from ...terminal.screen.drawing.styled_lines import Span, cell_width, hanging_lines, labelled_lines
from ...terminal.screen.drawing.terminal_look import TerminalLook, read_terminal_look

if TYPE_CHECKING:
    from ...settings.overview import Overview, ShownSetting

_MAX_VALUE_WIDTH = 60


def run(arguments: Sequence[str]) -> int:
    """Show the settings, or the file they are in; return the exit code."""
    return run_action(command_line(), arguments)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam config", description="The settings, and where each of them came from."
    )
    actions = (
        ("show", "show each setting and its origin, keys masked", _show),
        ("path", "print where the settings file is, or would be", _path),
    )
    return with_actions(parser, actions)


def _path(options: argparse.Namespace) -> int:
    file = FileLocations().config_file
    if options.json:
        print_json({"success": True, "data": {"file": str(file), "exists": is_file(file)}})
    else:
        print(utf8_safe(str(file)))
    return DONE


def _show(options: argparse.Namespace) -> int:
    loaded = load_settings(os.environ)
    if isinstance(loaded, Failure):
        return print_error(loaded.failure(), as_json=options.json)
    from ...settings.overview import build_overview  # noqa: PLC0415
    from ...wiring.backends.backend_rows import feature_backends  # noqa: PLC0415
    from ...wiring.backends.services import installed_services  # noqa: PLC0415  only who shows them loads them

    settings = loaded.unwrap()
    models = {name for source in feature_backends() for name in source.installed()}
    shown = build_overview(settings, installed_services(), models)
    if options.json:
        first = next(iter(shown.problems), None)
        print_json({**_verdict(shown), "data": _data(settings, shown)}, first)
    else:
        print("\n".join(_lines(settings, shown.settings)))
        for sentence in (*settings.warnings, *(problem.message for problem in shown.problems)):
            print(f"webseam: {one_line(sentence)}", file=sys.stderr)
    return NOT_CONFIGURED if shown.problems else DONE


def _verdict(shown: "Overview") -> dict[str, object]:
    if not shown.problems:
        return {"success": True}
    return failure_envelope(shown.problems[0])


def _data(settings: Settings, shown: "Overview") -> dict[str, object]:
    return {
        "file": settings.file,
        "exists": is_file(FileLocations().config_file),
        "settings": msgspec.to_builtins(shown.settings),
        "problems": [
            {**msgspec.to_builtins(each), "message": each.message} for each in shown.problems
        ],
        "warnings": list(settings.warnings),
        "folder": msgspec.to_builtins(settings.folder),
    }


def _lines(settings: Settings, rows: "Sequence[ShownSetting]") -> Iterator[str]:
    there = "" if is_file(FileLocations().config_file) else " (not there)"
    pairs = [(f"{row.key}: {_in_words(row.value)}", str(row.origin)) for row in rows]
    look = read_terminal_look(sys.stdout)
    # Most origins are the default, which is to stand at the end of a line.
    widest = (
        min(_MAX_VALUE_WIDTH, look.width - len("  default")) if look.person else _MAX_VALUE_WIDTH
    )
    width = min(max(len(lines) for lines, _ in pairs), widest)
    yield from labelled_lines("settings file:", strip_hidden(f"{settings.file}{there}"), look)
    yield ""
    for setting, origin in pairs:
        yield from _row(strip_hidden(setting), strip_hidden(origin), width, look)
    yield from settings.folder.lines


def _row(setting: str, origin: str, width: int, look: TerminalLook) -> Iterator[str]:
    """Yield a setting with its origin; one that has no room beside it stands under it."""
    line = f"{setting:<{width}}  {origin}"
    if not look.person or cell_width(line) <= look.width:
        yield line
    else:
        yield from hanging_lines([Span(setting)], look, hang=2)
        yield from hanging_lines([Span(origin)], look, indent=2)


def _in_words(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))
