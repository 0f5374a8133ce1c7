"""Commands that are made of a few plain ones, each with nothing but ``--json``."""

import argparse
from collections.abc import Callable, Sequence
from typing import TypeAlias

# Its name, what it does, and the function that does it and returns the exit code.
Action: TypeAlias = tuple[str, str, Callable[[argparse.Namespace], int]]


def run_action(
    parser: argparse.ArgumentParser, actions: Sequence[Action], arguments: Sequence[str]
) -> int:
    """Run the one that ``arguments`` name, and return its exit code."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, what, action in actions:
        command = commands.add_parser(name, help=what, description=f"{what.capitalize()}.")
        command.add_argument("--json", action="store_true", help="print JSON for programs")
        command.set_defaults(run=action)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code
