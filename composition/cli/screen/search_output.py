"""What came of a search, printed: drawn for a person, plain in a pipe, or in a named format."""

import sys
from collections.abc import Iterator, Mapping

import msgspec

from ....kernel.envelopes import ToolReply
from ....kernel.text.display import strip_hidden
from ....ports.errors import InvalidQuery, WebError
from ....ports.receipts import SearchReceipt
from ....ports.web import SearchOutcome
from ...tools.stages import CallOutcome
from ..command_calls import changed_text, print_failure
from ..exit_codes import BAD_INPUT, DONE
from ..output import print_error, print_json, print_warnings, search_text
from .drawing.terminal_look import read_terminal_look
from .formats import Format, rows_text
from .result_lines import nothing_lines, search_footer, search_lines

_OPEN_TO_ALL = "wikipedia"
_FLAGS = {
    "max_results": "--max-results",
    "include_domains": "--site",
    "exclude_domains": "--not-site",
    "published_after": "--since",
    "published_before": "--until",
    "country": "--country",
    "language": "--language",
    "topic": "--topic",
    "safe_search": "--safe-search",
}


def print_search(
    called: CallOutcome, query: Mapping[str, object], wanted: Format | None, *, seconds: float
) -> None:
    """Print the rows, or why there are none."""
    reply, outcome = called.reply, called.outcome
    if wanted == "json":
        print_json(reply.envelope, reply.error)
    elif reply.error is not None:
        _say_failure(reply, reply.error)
    elif not isinstance(outcome, SearchOutcome):
        print(changed_text(reply.envelope))
    elif wanted is not None:
        _print_rows(rows_text(outcome, wanted))
        print_warnings(_warnings(outcome.receipt))
    else:
        _show(outcome, query, seconds)
        print_warnings(_warnings(outcome.receipt))


def _warnings(receipt: SearchReceipt) -> Iterator[str]:
    """Yield what is not right, and which filters the search went without."""
    yield from receipt.warnings
    if receipt.refused:
        left = ", ".join(_FLAGS.get(name, name) for name in receipt.refused)
        yield f"{receipt.backend} searched without {left}, which it cannot honour"


def _say_failure(reply: ToolReply, error: WebError) -> None:
    """Tell what failed; what is wrong with a field is told by the flag that set it."""
    is_said = reply.envelope["error"] == error.message
    if isinstance(error, InvalidQuery) and error.field in _FLAGS and is_said:
        print_error(_with_flags(error), as_json=False)
    else:
        print_failure(reply, error)


def _with_flags(error: InvalidQuery) -> InvalidQuery:
    """Return an error that names options and no fields."""
    reason = error.reason
    for field, name in _FLAGS.items():
        reason = reason.replace(field, name) if "_" in field else reason
    return msgspec.structs.replace(error, field=_FLAGS[error.field], reason=reason)


def _print_rows(text: str) -> None:
    if text:
        print(text)


def _show(outcome: SearchOutcome, query: Mapping[str, object], seconds: float) -> None:
    look = read_terminal_look(sys.stdout)
    if not look.person and not look.styles:
        print(search_text(outcome))
        return
    empty = not outcome.rows and outcome.answer is None and not outcome.rejected
    elsewhere = () if outcome.receipt.backend == _OPEN_TO_ALL else (_OPEN_TO_ALL,)
    lines = nothing_lines(query, look, elsewhere) if empty else search_lines(outcome, look)
    print("\n".join(lines))
    if look.person:
        print("\n" + "\n".join(search_footer(outcome, seconds, look)))


def open_row(called: CallOutcome, position: int) -> int:
    """Open a row in the user's browser, and return the exit code."""
    outcome = called.outcome
    rows = outcome.rows if isinstance(outcome, SearchOutcome) else ()
    row = next((row for row in rows if row.position == position), None)
    if row is None:
        there = f"there are {len(rows)} results" if rows else "there is no result"
        print(f"webseam: argument --open: {position} is no result; {there}.", file=sys.stderr)
        return BAD_INPUT
    import webbrowser  # noqa: PLC0415  only when it is used

    if not webbrowser.open(row.url):
        print(f"webseam: no browser could be opened for {strip_hidden(row.url)}.", file=sys.stderr)
    return DONE
