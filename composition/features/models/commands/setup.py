"""Set up: add a key for search, models or X."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from returns.result import Failure, Result, Success

from webseam.adapters.features.models.x_search import PROVIDER_NAME as XAI
from webseam.composition.settings.changes import (
    Changes,
    SetupTarget,
    change_settings_file,
    read_setting_assignment,
)
from webseam.composition.settings.entries import setting_path_text
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import MULTI_VALUE_OPTION
from webseam.composition.settings.yaml_edits import Value
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.console import Console, Terminal, ask_yes_no, is_terminal
from webseam.composition.terminal.exit_codes import BAD_INPUT, DONE, INTERRUPTED
from webseam.composition.terminal.output import (
    print_error,
    print_json,
    print_warnings,
    unwrap_or_exit,
)
from webseam.composition.terminal.styled_lines import NextStep, Span, hanging_lines, step_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.root import read_root
from webseam.kernel.text.display import quote_value, strip_hidden
from webseam.ports.errors import AuthFailed, InvalidQuery, WebError
from webseam.ports.text import nearest_name

from .. import setup
from ..health import provider_trial_words, providers_in_use, try_provider_setup

# Returns the error of a target's changes; None when they work.
Trial: TypeAlias = Callable[[SetupTarget, Changes], WebError | None]
_NO_TERMINAL_REASON = (
    "asks questions and needs a terminal; without one, name what to set up and give its key on "
    "standard input: webseam setup NAME < key.txt"
)
_VISIBLE_KEY_WARNING = (
    "a key on the command line can be seen by others on this machine; "
    "--set api_key=- reads it from standard input"
)
_STDIN_KEY_ASSIGNMENT = "api_key=-"
_NOT_SAVED_NOTICE = "Nothing was saved; --no-try saves it untried."


def run(arguments: Sequence[str]) -> int:
    """Change the settings file, print the changes, and return the exit code."""
    options = command_line().parse_args(arguments)
    try:
        return _run_setup(options)
    except EOFError:
        print("\nwebseam: no answer, so nothing was changed", file=sys.stderr)
        return BAD_INPUT
    except UnicodeDecodeError:
        error = InvalidQuery(field="standard input", reason="is not text in UTF-8")
        return print_error(error, as_json=options.json)
    except KeyboardInterrupt:
        print("\nwebseam: stopped, so nothing was changed", file=sys.stderr)
        return INTERRUPTED


def _run_setup(options: argparse.Namespace) -> int:
    root = unwrap_or_exit(read_root(), options)
    targets = unwrap_or_exit(setup.read_setup_targets(root.settings), options)
    words = [*filter(None, [options.service]), *options.what]
    target = unwrap_or_exit(targets.find(words), options)
    is_piped = target is not None and not is_terminal()
    if options.set or options.use or options.env or is_piped:
        return _setup_by_flags(options, target, root)
    if not is_terminal():
        error = InvalidQuery(field="setup", reason=_NO_TERMINAL_REASON)
        return print_error(error, as_json=options.json)
    console = Terminal()
    chosen = target or ask_setup_target(console, options.what, targets)
    trial = None if options.no_try else partial(try_provider_setup, root=root)
    changes = ask_setup_questions(console, chosen, root.settings, trial)
    return _write_changes(changes, chosen, as_json=options.json)


def ask_setup_target(
    console: Console, words: Sequence[str], shop: setup.SetupCatalogue
) -> SetupTarget:
    """Ask what to set up: a search service, a provider of models, or X."""
    kind = words[0] if words else ""
    while kind not in (setup.SEARCH, setup.MODEL):
        kind = console.ask_line("Set up search, a model or x? [search] ").lower() or setup.SEARCH
        if kind in (setup.SEARCH, setup.MODEL):
            break
        named: SetupTarget | None = shop.find([kind]).lash(lambda _: Success(None)).unwrap()
        if named is not None:
            return named
        near = nearest_name(kind, (*setup.KINDS, *shop.services, *shop.providers))
        hint = f"Did you mean {near}?" if near else "Answer search, model, x or a name."
        console.print_line(f"There is no {kind!r}. {hint}")
    if kind == setup.MODEL:
        provider = setup.ask_setup_provider(console, shop.providers)
        return SetupTarget(service=provider, block="providers")
    return SetupTarget(service=setup.ask_setup_service(console, shop.services, shop.settings))


def ask_setup_questions(
    console: Console, target: SetupTarget, settings: Settings, trial: Trial | None = None
) -> Changes:
    """Ask for every option, try the answers, and return the changes to write."""
    changes = setup.ask_setup_options(console, target, settings)
    while changes and trial is not None:
        console.print_line(f"Trying it: {provider_trial_words(target)}.")
        if (error := trial(target, changes)) is None:
            console.print_line("It works.")
            break
        console.print_line(strip_hidden(error.message))
        is_key_refused = isinstance(error, AuthFailed)
        if is_key_refused and ask_yes_no(console, "Give another key? [Y/n] ", default=True):
            changes = setup.ask_setup_options(console, target, settings)
        elif ask_yes_no(console, "Save it all the same? [y/N] ", default=False):
            break
        else:
            return {}
    if target.block == "providers":
        is_default = _has_other_providers(target, settings) and setup.ask_default_provider(
            console, target.service
        )
    else:
        is_default = setup.ask_default_service(console, target.service, settings)
    return {**changes, **(_default_changes(target) if is_default else {})}


def _has_other_providers(target: SetupTarget, settings: Settings) -> bool:
    """Tell whether other providers are set up and model_route is empty."""
    name = target.service.name
    others = [provider for provider in providers_in_use(settings) if provider not in (name, XAI)]
    return bool(others) and name != XAI and not settings.model_route


def _default_changes(target: SetupTarget) -> Changes:
    name = target.service.name
    return {("model_route",): (name,)} if target.block == "providers" else {("backend",): name}


def _setup_by_flags(options: argparse.Namespace, target: SetupTarget | None, root: Root) -> int:
    changes = unwrap_or_exit(_read_assignments(options, target), options)
    has_key_changes = any(path not in (("backend",), ("model_route",)) for path in changes)
    if target is not None and not options.no_try and has_key_changes:
        if not options.json:
            print(f"Trying it: {provider_trial_words(target)}.", file=sys.stderr)
        if (error := try_provider_setup(target, changes, root)) is not None:
            code = print_error(error, as_json=options.json)
            if not options.json:
                print(f"webseam: {_NOT_SAVED_NOTICE}", file=sys.stderr)
            return code
    return _write_changes(changes, target, as_json=options.json)


def _read_assignments(
    options: argparse.Namespace, target: SetupTarget | None
) -> Result[Changes, WebError]:
    if (flag_error := _check_usage(options, target)) is not None:
        return Failure(flag_error)
    used = {} if target is None or not options.use else _default_changes(target)
    return _read_flag_changes(options, target).bind(
        lambda changes: _read_piped_key(options, target, changes).map(
            lambda piped: {**changes, **piped, **used}
        )
    )


def _read_flag_changes(
    options: argparse.Namespace, target: SetupTarget | None
) -> Result[Changes, WebError]:
    changes: Changes = {}
    for text, read_line in _flag_assignments(options):
        if isinstance(assignment := read_setting_assignment(text, target, read_line), Failure):
            return assignment
        if target is not None and _has_visible_key(text, target):
            print(f"webseam: {_VISIBLE_KEY_WARNING}", file=sys.stderr)
        if isinstance(merged := _merge_key_changes(changes, assignment.unwrap()), Failure):
            return merged
        changes = merged.unwrap()
    return Success(changes)


def _read_piped_key(
    options: argparse.Namespace, target: SetupTarget | None, changes: Changes
) -> Result[Changes, WebError]:
    """Return the key in standard input after the lines of ``--set``; any other line is an error."""
    by_flags = bool(options.set or options.use or options.env)
    if sys.stdin.isatty():
        rest = "" if by_flags else sys.stdin.readline().strip()
    else:
        # Editors and PowerShell put a byte order mark before a text.
        rest = sys.stdin.read().removeprefix("\ufeff").strip()
    if by_flags and not rest:
        return Success({})
    if (
        target is None
        or target.option_path(MULTI_VALUE_OPTION) in changes
        or len(rest.splitlines()) > 1
    ):
        reason = "holds more than is asked for; < /dev/null gives nothing"
        return Failure(InvalidQuery(field="standard input", reason=reason))
    return read_setting_assignment(_STDIN_KEY_ASSIGNMENT, target, lambda: rest)


def _check_usage(options: argparse.Namespace, target: SetupTarget | None) -> InvalidQuery | None:
    flag = ""
    if options.use:
        flag = "--use"
    elif options.env:
        flag = "--env"
    if target is None and (flag or options.what):
        reason = "needs the NAME of what is set up"
        return InvalidQuery(field=flag or options.what[0], reason=reason)
    if options.env and not os.environ.get(options.env, "").strip():
        return InvalidQuery(field="--env", reason=f"{options.env} is not set")
    return None


def _flag_assignments(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], str]]]:
    for text in options.set:
        yield text, sys.stdin.readline
    if options.env:
        yield _STDIN_KEY_ASSIGNMENT, lambda: os.environ[options.env]


def _has_visible_key(assignment: str, target: SetupTarget) -> bool:
    name, _, value = assignment.partition("=")
    return name.strip() in target.service.secret_options() and value.strip() != "-"


def _merge_key_changes(changes: Changes, added: Changes) -> Result[Changes, WebError]:
    """Merge changes; an api_key that is given again becomes one more key, else that is an error."""
    again = changes.keys() & added.keys()
    for path in again:
        if path[-1] != MULTI_VALUE_OPTION:
            reason = f"{quote_value(setting_path_text(path))} is given twice"
            return Failure(InvalidQuery(field="--set", reason=reason))
    keys = {path: (*_as_key_tuple(changes[path]), *_as_key_tuple(added[path])) for path in again}
    return Success({**changes, **added, **keys})


def _as_key_tuple(value: Value) -> tuple[str | int, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _write_changes(changes: Changes, target: SetupTarget | None, *, as_json: bool) -> int:
    file = FileLocations().config_file
    if changes and isinstance(written := change_settings_file(file, changes), Failure):
        return print_error(written.failure(), as_json=as_json)
    names = [setting_path_text(path) for path in changes]
    print_warnings(_overriding_variables(changes, target))
    if as_json:
        print_json({"success": True, "data": {"file": str(file), "set": names}})
    elif names:
        look = read_terminal_look(sys.stdout)
        sentence = strip_hidden(f"Saved to {file}: {', '.join(names)}")
        spans = [Span(f"{look.symbols.good} ", "good"), Span(sentence)]
        steps = step_lines([_next_step(target)], look)
        print("\n".join([*hanging_lines(spans, look, hang=2), *steps]))
    else:
        print("Nothing was changed.")
    return DONE


def _overriding_variables(changes: Changes, target: SetupTarget | None) -> Iterator[str]:
    """Yield a warning for each written setting that a variable replaces."""
    if isinstance(loaded := load_settings(os.environ), Failure):
        return
    settings = loaded.unwrap()
    origins = {} if target is None else setup.setup_option_origins(target, settings)
    for path in changes:
        is_option = target is not None and path == (target.block, target.service.name, path[-1])
        origin = origins.get(path[-1]) if is_option else settings.entries.origin(path)
        if origin is not None and origin.layer in ("environment", "dotenv"):
            yield f"{origin} wins over {setting_path_text(path)} in the file"


def _next_step(target: SetupTarget | None) -> NextStep:
    if target is None:
        return NextStep("Next", "webseam config show")
    name = target.service.name
    if target.block == "services":
        searches = target.service.search is not None or not target.service.extract
        task = "search tide tables" if searches else "extract https://example.com/"
        return NextStep("Next", f"webseam {task} --backend {name}")
    if name == XAI:
        return NextStep("Next", "webseam x 'storm reports'")
    return NextStep("Next", f"webseam model ask 'what is a neap tide?' --provider {name}")


def command_line() -> Parser:
    """Return the parser of ``webseam setup``."""
    parser = Parser(
        prog="webseam setup",
        example="brave\nfirecrawl --set base_url=http://box:3002",
        description="Add a key for search, models or X. It is tried with one call before it is "
        "saved. Standard input may hold the key: webseam setup brave < key.txt",
    )
    add = parser.add_argument
    add(
        "what",
        nargs="*",
        metavar="NAME",
        help="a service, a provider of models, or x; search or model to choose from a list",
    )
    add("--service", metavar="NAME", help=argparse.SUPPRESS)
    add(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an option of NAME, or any setting; a VALUE of - is standard input; repeatable",
    )
    add("--env", metavar="VARIABLE", help="take the key from this variable")
    add(
        "--use",
        action="store_true",
        help="it answers from now on: searches, or questions to a model",
    )
    add("--no-try", action="store_true", help="save the key without trying it")
    return parser
