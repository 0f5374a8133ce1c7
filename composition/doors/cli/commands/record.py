"""Look things up: run a command and record its searches and pages, or replay them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from webseam.composition.terminal.argument_parser import Parser, day_option
from webseam.composition.terminal.output import print_error
from webseam.ports.dates import DAY_HINT
from webseam.ports.errors import InvalidQuery


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = command_line().parse_args(arguments)
    if options.replay and not Path(options.replay).is_file():
        error = InvalidQuery(field="--replay", reason=f"there is no file {options.replay!r}")
        return print_error(error, as_json=False)
    prefix = "WEBSEAM_PLUGINS_RECORDER"
    environment = {
        **os.environ,
        f"{prefix}_FILE": str(Path(options.replay or options.file).absolute()),
        f"{prefix}_MODE": "frozen" if options.replay else "record",
        f"{prefix}_AS_OF": options.as_of or "",
    }
    try:
        code = subprocess.run(options.command, env=environment, check=False).returncode  # noqa: S603  the user's own command
    except (OSError, ValueError) as error:
        reason = f"cannot be run ({type(error).__name__})"
        return print_error(InvalidQuery(field="COMMAND", reason=reason), as_json=False)
    # As a shell tells that a signal ended a command.
    return code if code >= 0 else 128 - code


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam record",
        example="-- python agent.py\n--replay recording.jsonl -- python agent.py",
        with_json=False,
        description="Run a command, and keep every search and page of its tools; or answer them "
        "from a recording without a network.",
    )
    parser.add_argument("--file", default="recording.jsonl", help="append to this one")
    parser.add_argument("--replay", metavar="FILE", help="answer from this recording")
    parser.add_argument("--as-of", metavar="DATE", type=day_option, help=f"up to: {DAY_HINT}")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the command, after --")
    return parser
