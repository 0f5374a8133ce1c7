"""Who was asked, why, and what came of it, for ``--explain``."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from ....kernel.text.display import one_line
from ....ports.errors import NobodyAnswered, WebError
from ....ports.errors.planner import dollars_text
from ....ports.planning.attempts import BackendAttempt
from ....ports.web import SearchOutcome, WebExtractResult
from ....ports.x_search import XSearchOutcome
from ...tools.stages import CallOutcome
from .drawing.column_tables import Column, table_lines
from .drawing.styled_lines import Span
from .drawing.terminal_look import read_terminal_look

_COLUMNS = (
    Column("backend"),
    Column("key", drop=1, right=True),
    Column("why", drop=3),
    Column("outcome"),
    Column("ms", right=True),
    Column("cost", drop=4, right=True),
    Column("left alone until", drop=2),
)

_WHY = {
    "first": "the first choice",
    "next": "nobody before it answered",
    "hedge": "the one before was late",
    "probe": "to see whether it is well again",
    "beside": "in case the probe fails",
    "member": "asked with others",
    "again": "once more",
}
# Where no clock says until when.
_UNTIL = {"auth_failed": "its key changes"}


def print_wanted_attempts(called: CallOutcome, options: argparse.Namespace) -> None:
    """Print a line for each attempt of a call, to standard error, if that is wanted."""
    if not options.explain or options.json:
        return
    attempts, outcome = _attempts(called), called.outcome
    if attempts:
        print_attempts(attempts)
    elif called.reply.error is None:
        sentence = "answered from the cache, or by what is built in; nobody was asked"
        print(f"webseam: {sentence}", file=sys.stderr)
    else:
        explain_failure(called.reply.error)
    if isinstance(outcome, WebExtractResult) and outcome.receipt.compressor_attempts:
        print("webseam: and to make the page shorter:", file=sys.stderr)
        print_attempts(outcome.receipt.compressor_attempts)


def explain_failure(error: WebError) -> None:
    """Print who was asked in vain, to standard error."""
    if isinstance(error, NobodyAnswered) and error.attempts:
        print_attempts(error.attempts)
        return
    asked = f"{one_line(error.backend)} alone was" if error.backend else "nobody was"
    print(f"webseam: {asked} asked: {error.kind}", file=sys.stderr)


def print_attempts(attempts: Sequence[BackendAttempt]) -> None:
    """Print a line for each attempt to standard error."""
    rows = [[Span(cell) for cell in _line(attempt)] for attempt in attempts]
    print("\n".join(table_lines(_COLUMNS, rows, read_terminal_look(sys.stderr))), file=sys.stderr)


def _attempts(called: CallOutcome) -> Sequence[BackendAttempt]:
    match called.outcome, called.reply.error:
        case (SearchOutcome() | WebExtractResult() | XSearchOutcome()) as outcome, _:
            return outcome.receipt.attempts
        case _, NobodyAnswered() as error:
            return error.attempts
        case _:
            return ()


def _line(attempt: BackendAttempt) -> tuple[str, ...]:
    until = attempt.cooled_until
    clock = "" if until is None else f"{datetime.fromtimestamp(until, UTC):%H:%M:%S} UTC"
    return (
        one_line(attempt.backend),
        str(attempt.key),
        _WHY[attempt.why],
        one_line(attempt.outcome),
        str(attempt.milliseconds),
        dollars_text(attempt.cost) if attempt.cost else "-",
        clock or _UNTIL.get(attempt.outcome, "-"),
    )
