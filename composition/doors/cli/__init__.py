"""The command line: ``webseam COMMAND``. A command is a file; it is loaded when it is used."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import ENAMETOOLONG
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from types import ModuleType

from ...feature_table import FEATURES
from ...settings.notices import show_notices_through
from ...terminal import TRUST_FOLDER_VARIABLE
from ...terminal.exit_numbers import BACKEND_FAILED, BAD_INPUT, BUG, DONE, INTERRUPTED
from ...terminal.streams import discard_stdout, prepare_standard_streams

# The titles of the overview, in order, and the commands that come first under their title.
_COMMAND_TITLES = ("Look things up", "Many pages", "Your own", "Serve", "Set up", "Check")
_FIRST_COMMANDS = ("search", "extract", "ask", "index", "bulk", "mcp", "setup", "doctor")
_PACKAGE_FOLDER = Path(__file__).parents[3]
_COMMAND_FOLDERS = ("doors/cli", *(f"features/{name}" for name in FEATURES))
_USAGE = "webseam COMMAND [OPTIONS]"
_TRY_ROWS = (
    ("webseam demo", "see it at work, offline"),
    ("webseam search tide tables", ""),
    ("webseam extract example.com", ""),
)
_EXIT_HELP = (
    "Exit codes: 0 done (also when nothing was found), 1 doctor or ask verify found trouble, "
    "2 bad input, 3 not configured or key refused, 4 backend or network failed, "
    "5 refused by policy, 70 a bug, 130 interrupted."
)
# What other programs call our commands.
_COMMANDS_ELSEWHERE = {
    "ask": "answer question research", "cache clear": "clean clear", "config show": "env settings",
    "crawl": "download spider", "doctor": "check diagnose health info status verify",
    "extract": "browse curl download-page fetch get markdown open page scrape url view visit wget",
    "index add": "add ingest", "keys": "key token tokens users", "map": "links sitemap urls",
    "mcp install": "install", "model ask": "chat complete llm prompt", "more": "continue next",
    "search": "find google lookup news query web", "serve": "api gateway proxy run server start",
    "setup": "auth configure connect init login", "spend": "balance budget cost credits usage",
}  # fmt: skip
_MIN_COMMAND_SIMILARITY = 0.7  # serach is close to search; open is not close to spend


@cache
def find_commands() -> dict[str, str]:
    """Return every command and its module: the files in the folders named ``commands``."""
    modules = {}
    for folder in _COMMAND_FOLDERS:
        commands = _PACKAGE_FOLDER / "composition" / folder / "commands"
        for file in sorted(commands.glob("[!_]*.py")):
            modules[file.stem] = ".".join(
                ("webseam.composition", *folder.split("/"), "commands", file.stem)
            )
    return modules


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    prepare_standard_streams()
    words = _expand_help_command(list(sys.argv[1:] if arguments is None else arguments))
    if not words or words[0] not in find_commands():
        return _guard_command(lambda: _print_overview(words))
    with show_notices_through(_print_command_notice), _restore_trust_variable():
        return _guard_command(lambda: _run_command(words[0], words[1:]))


def _print_overview(words: Sequence[str]) -> int:
    """Print the overview or the version, or report an unknown command."""
    named = words[1:] if words[:1] == ["help"] else words
    if not named or named[0] in ("-h", "--help", "all"):
        print(command_overview(with_all="all" in named))
        return DONE
    if named[0] in ("-V", "--version"):
        print(f"webseam {import_module('webseam').__version__}")
        return DONE
    return _print_unknown_command(named[0], as_json="--json" in words)


def _expand_help_command(words: list[str]) -> list[str]:
    """Turn ``help COMMAND`` into ``COMMAND --help``; return other words unchanged."""
    if len(words) > 1 and words[0] == "help" and words[1] in find_commands():
        return [*words[1:], "--help"]
    return words


def _print_command_notice(sentence: str) -> None:
    print(f"webseam: {sentence}", file=sys.stderr)


@contextmanager
def _restore_trust_variable() -> Iterator[None]:
    """Restore the variable that ``--trust-folder`` sets, so that it covers one command."""
    before = os.environ.get(TRUST_FOLDER_VARIABLE)
    try:
        yield
    finally:
        os.environ.pop(TRUST_FOLDER_VARIABLE, None)
        if before is not None:
            os.environ[TRUST_FOLDER_VARIABLE] = before


def command_overview(*, with_all: bool = False) -> str:
    """Return the first screen, or all commands: the first line of a command's file describes it."""
    commands = find_commands()
    lines = ["Search the web, read pages, and give both to agents.", "", "usage: " + _USAGE]
    groups: dict[str, list[str]] = {title: [] for title in _COMMAND_TITLES if with_all}
    names = sorted(commands, key=lambda name: (*_FIRST_COMMANDS, name).index(name))
    for name in names if with_all else _FIRST_COMMANDS:
        title, purpose = describe_command(commands[name])
        groups.setdefault(title if with_all else "Commands", []).extend(_help_row(name, purpose))
    for title, rows in groups.items():
        lines += ["", title, *rows]
    lines += ["", "Try", *(line for row in _TRY_ROWS for line in _help_row(*row))]
    ending = _EXIT_HELP if with_all else f"webseam --help all lists all {len(commands)} commands."
    text = f"webseam COMMAND --help tells more. {ending}"
    return "\n".join([*lines, "", *_wrap_overview(text, "")])


def _help_row(name: str, purpose: str) -> list[str]:
    return _wrap_overview(f"  {name:<10}  {purpose}", " " * 14)


def _wrap_overview(text: str, indent: str) -> list[str]:
    from ...terminal.terminal_look import terminal_columns  # only for the overview

    width = max(terminal_columns(), len(indent) + 20)
    return wrap(text, width, subsequent_indent=indent, break_long_words=False)


def describe_command(module: str) -> tuple[str, str]:
    """Return a command's title in the overview and what it does, without loading it."""
    _, *folders, name = module.split(".")
    with _PACKAGE_FOLDER.joinpath(*folders, f"{name}.py").open(encoding="utf-8") as file:
        title, _, purpose = file.readline().strip().strip('"').partition(": ")
    return title, purpose.removesuffix(".")


def load_command(name: str) -> ModuleType:
    """Return the module of a command."""
    return import_module(find_commands()[name])


def _run_command(command: str, arguments: list[str]) -> int:
    try:
        return int(load_command(command).run(arguments))
    except SystemExit as ended:
        # argparse exits after it prints help; return, so that the output is flushed.
        return ended.code if isinstance(ended.code, int) else BAD_INPUT


def _guard_command(work: Callable[[], int]) -> int:
    """Run ``work`` and return its exit code; map every exception to one."""
    try:
        code = work()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe and paid work ended early, e.g. `model ask --stream | head`.
        discard_stdout()
        return DONE
    except OSError as error:
        discard_stdout()
        # Standard error itself may be on the full disk.
        with suppress(OSError):
            print(f"webseam: {_os_error_text(error)}.", file=sys.stderr)
        return BAD_INPUT if error.errno == ENAMETOOLONG else BACKEND_FAILED
    except Exception as error:  # noqa: BLE001  the boundary: report a bug without its text, which may hold a secret
        name = type(error).__name__
        print(f"webseam: this is a bug in webseam ({name}); please report it.", file=sys.stderr)
        return BUG
    return code


def _os_error_text(error: OSError) -> str:
    """Describe an OSError by its file name, or as an output error when it has none."""
    if error.filename is None:
        reason = (error.strerror or "it cannot be written to").lower()
        return f"the output is not complete: {reason}"
    from webseam.kernel.text.display import quote_value  # hardly ever

    name = quote_value(os.fsdecode(error.filename))
    return f"{name} cannot be used: {(error.strerror or 'it is no file').lower()}"


def _guess_command(name: str) -> str:
    """Return the command that a wrong name may mean; empty if there is none."""
    from webseam.ports.text import nearest_name  # hardly ever

    for command, names in _COMMANDS_ELSEWHERE.items():
        if name.lower() in names.split():
            return command
    return nearest_name(name, find_commands(), _MIN_COMMAND_SIMILARITY)


def _print_unknown_command(name: str, *, as_json: bool) -> int:
    from webseam.kernel.text.display import quote_value  # hardly ever

    near = _guess_command(name)
    reason = f"there is no command {quote_value(name)}"
    hint = f"Did you mean {near}?" if near else "webseam --help lists them."
    if name.startswith("-"):
        reason = f"there is no option {quote_value(name)} here"
        hint = "Options follow a command: webseam COMMAND --help lists them."
    if not as_json:
        print(f"webseam: {reason}. {hint}", file=sys.stderr)
        return BAD_INPUT
    from webseam.kernel.envelopes import failure_envelope  # only for JSON
    from webseam.ports.errors import InvalidQuery

    from ...terminal.output import print_json

    wrong = failure_envelope(InvalidQuery(field="command", reason=reason))
    print_json({**wrong, "next": ["webseam --help"]})
    return BAD_INPUT
