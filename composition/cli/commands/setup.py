"""``webseam setup``: write settings to the file, by answering questions or with ``--set``."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from ....adapters.service.declaration import Service
from ....kernel.text.display import visible
from ....ports.errors import InvalidQuery, WebError
from ...places import config_file
from ...settings.changes import Changes, change_file, read_assignment
from ...settings.entries import spelled
from ...settings.json_services import custom_services
from ...settings.loader import load_settings
from ...settings.schema import Settings
from ...settings.services import SEVERAL
from ...settings.yaml.edits import Value
from ...wiring.models.search import own_search_model
from ...wiring.services import installed_services
from ...wiring.strangers import stranger
from ..arguments.parser import Parser
from ..dialogue import (
    Console,
    Terminal,
    ask_options,
    ask_service,
    ask_use,
    is_terminal,
    named_service,
)
from ..exits import BAD_INPUT, DONE
from ..output import fail, say_json

_NO_TERMINAL = (
    "asks questions and needs a terminal; without one, use --service NAME --set api_key=VALUE"
)


def run(arguments: Sequence[str]) -> int:
    """Change the settings file, say what was done, and return the exit code."""
    options = command_line().parse_args(arguments)
    loaded = load_settings(os.environ)
    if isinstance(loaded, Failure):
        return fail(loaded.failure(), as_json=options.json)
    try:
        changes = _changes(options, loaded.unwrap())
    except EOFError:
        print("\nwebseam: no answer, so nothing was changed", file=sys.stderr)
        return BAD_INPUT
    if isinstance(changes, Failure):
        return fail(changes.failure(), as_json=options.json)
    return _write(changes.unwrap(), as_json=options.json)


def questions(
    console: Console, named: Service | None, services: Mapping[str, Service], settings: Settings
) -> Changes:
    """Ask for everything that one service needs, and return what is to be written."""
    service = named or ask_service(console, services, settings)
    changes = ask_options(console, service, settings)
    used = ask_use(console, service, settings)
    return {**changes, **({("backend",): service.name} if used else {})}


def _changes(options: argparse.Namespace, settings: Settings) -> Result[Changes, WebError]:
    described = custom_services(settings)
    if isinstance(described, Failure):
        return described
    own = {name: one.service for name, one in described.unwrap().items()}
    model = own_search_model()
    services = {**installed_services(), **own, model.name: model}
    service = named_service(options.service or "", services)
    if options.service is not None and service is None:
        return Failure(stranger(options.service, services))
    if options.set or options.use:
        return _assigned(options, service)
    if not is_terminal():
        return Failure(InvalidQuery(field="setup", reason=_NO_TERMINAL))
    return Success(questions(Terminal(), service, services, settings))


def _assigned(options: argparse.Namespace, service: Service | None) -> Result[Changes, WebError]:
    if options.use and service is None:
        return Failure(InvalidQuery(field="--use", reason="needs --service NAME"))
    changes: Changes = {}
    for text in options.set:
        assignment = read_assignment(text, service, sys.stdin.readline)
        if isinstance(assignment, Failure):
            return assignment
        changes = _with(changes, assignment.unwrap())
    if options.use and service is not None:
        changes = {**changes, ("backend",): service.name}
    return Success(changes)


def _with(changes: Changes, more: Changes) -> Changes:
    """Add what was given; a key that is given again is one more key."""
    several = {
        path: (*_several(changes[path]), *_several(value))
        for path, value in more.items()
        if path in changes and path[-1] == SEVERAL
    }
    return {**changes, **more, **several}


def _several(value: Value) -> tuple[str | int, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _write(changes: Changes, *, as_json: bool) -> int:
    file = config_file(os.environ)
    if changes:
        written = change_file(file, changes)
        if isinstance(written, Failure):
            return fail(written.failure(), as_json=as_json)
    names = [spelled(path) for path in changes]
    if as_json:
        say_json({"success": True, "data": {"file": str(file), "set": names}})
    elif names:
        print(visible(f"Written to {file}: {', '.join(names)}"))
        print("webseam doctor tells whether it works.")
    else:
        print("Nothing to change.")
    return DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam setup",
        description="Set up a service: answer a few questions, or give the values. The settings "
        "file keeps its comments and whatever else is in it, and is readable by you alone.",
        epilog="webseam config path names the file; webseam backends lists the services.",
    )
    parser.add_argument("--service", metavar="NAME", help="the service to set up")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an option of the service, or without --service any setting; a VALUE of - is read "
        "from standard input, which keeps a key out of the shell's history; repeatable, and an "
        "api_key that is given again is one more key",
    )
    parser.add_argument("--use", action="store_true", help="use the service from now on")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
