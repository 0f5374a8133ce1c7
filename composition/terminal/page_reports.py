"""Reports on extracted pages: printed, written, or summed up after an interrupt."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.stores.text_files import ReadingPosition, ReadingPositions
from webseam.kernel.envelopes import joined_pages
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import NobodyAnswered, UrlDenied, WebError
from webseam.ports.errors.planner import dollars_text
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.text import truncate
from webseam.ports.web import SearchOutcome, WebExtractResult
from webseam.ports.x_search import XSearchOutcome

from ..settings.file_locations import FileLocations
from ..tools.stages import CallOutcome
from .command_calls import print_next_steps, print_tool_reply
from .exit_codes import BACKEND_FAILED, DONE, INTERRUPTED
from .output import print_json, print_page_notes, print_warnings, unwrap_or_exit
from .output_files import FAILED_URLS_FILE, Harvest, write_output_file
from .search_output import Format, formatted_records_text, joined_page_texts, printed_page_entries
from .shown_values import duration_text, shown_address
from .styled_lines import (
    Column,
    NextStep,
    Span,
    hanging_lines,
    shell_quote,
    step_lines,
    table_lines,
)
from .terminal_look import TerminalLook, read_terminal_look

_ATTEMPT_COLUMNS = (
    Column("backend"), Column("key", drop=1, right=True), Column("why", drop=3), Column("outcome"),
    Column("ms", right=True), Column("cost", drop=4, right=True),
    Column("left alone until", drop=2),
)  # fmt: skip
_ATTEMPT_REASONS = {
    "first": "the first choice", "next": "nobody before it answered",
    "hedge": "the one before was late", "probe": "to see whether it is well again",
    "beside": "in case the probe fails", "last": "it rests, but nothing else was left",
    "shared": "another call at the same time asked",
    "member": "asked with others", "again": "once more",
}  # fmt: skip
# How a cooldown without a time ends.
_COOLDOWN_ENDS = {"auth_failed": "its key changes"}
_MAX_EXAMPLES = 2
_MAX_URL_CHARS = 200


def print_explained_attempts(called: CallOutcome, options: argparse.Namespace) -> None:
    """Print a line for each attempt of a call to standard error if ``--explain`` is given."""
    if not options.explain or options.json:
        return
    attempts, outcome = _shown_attempts(called), called.outcome
    if attempts:
        print_attempts(attempts)
    elif called.reply.error is None:
        sentence = "answered from the cache, or by what is built in; nobody was asked"
        print(f"webseam: {sentence}", file=sys.stderr)
    else:
        print_failed_attempts(called.reply.error)
    if isinstance(outcome, WebExtractResult) and outcome.receipt.compressor_attempts:
        print("webseam: and to make the page shorter:", file=sys.stderr)
        print_attempts(outcome.receipt.compressor_attempts)


def print_failed_attempts(error: WebError) -> None:
    """Print the attempts of a failed call to standard error."""
    if isinstance(error, NobodyAnswered) and error.attempts:
        print_attempts(error.attempts)
        return
    backend_text = f"{one_line(error.backend)} alone was" if error.backend else "nobody was"
    print(f"webseam: {backend_text} asked: {error.kind}", file=sys.stderr)


def print_attempts(attempts: Sequence[BackendAttempt]) -> None:
    """Print a line for each attempt to standard error."""
    rows = [[Span(cell) for cell in _attempt_table_cells(attempt)] for attempt in attempts]
    lines = table_lines(_ATTEMPT_COLUMNS, rows, read_terminal_look(sys.stderr))
    print("\n".join(lines), file=sys.stderr)


def _shown_attempts(called: CallOutcome) -> Sequence[BackendAttempt]:
    match called.outcome, called.reply.error:
        case (SearchOutcome() | WebExtractResult() | XSearchOutcome()) as outcome, _:
            return outcome.receipt.attempts
        case _, NobodyAnswered() as error:
            return error.attempts
        case _:
            return ()


def _cost_text(dollars: float | None) -> str:
    if dollars is None:
        return "unknown"
    return dollars_text(dollars) if dollars else "-"


def _attempt_table_cells(attempt: BackendAttempt) -> tuple[str, ...]:
    until = attempt.cooled_until
    clock = "" if until is None else f"{datetime.fromtimestamp(until, UTC):%H:%M:%S} UTC"
    return (
        one_line(attempt.backend),
        str(attempt.key),
        _ATTEMPT_REASONS[attempt.why],
        one_line(attempt.outcome),
        str(attempt.milliseconds),
        _cost_text(attempt.cost),
        clock or _COOLDOWN_ENDS.get(attempt.outcome, "-"),
    )


def harvest_summary_lines(
    harvest: Harvest, retry_command: Sequence[str], seconds: float, look: TerminalLook
) -> Iterator[str]:
    """Yield the summary of work that was written to a file or a folder."""
    symbols = look.symbols
    if not (count := len(harvest.urls) - len(harvest.kept_before)):
        notice = f"All {len(harvest.urls):,} pages are there; --force reads them again."
        spans = [Span(f"{symbols.good} ", "good"), Span(notice, "title")]
        yield from hanging_lines(spans, look, hang=2)
        return
    target = "" if harvest.destination is None else str(harvest.destination.path)
    pages = "page" if count == 1 else "pages"
    spans = [
        Span(f"{symbols.good} ", "good") if harvest.read else Span(f"{symbols.bad} ", "bad"),
        Span(f"{harvest.read:,} of {count:,} {pages} read", "title"),
        Span(f" {symbols.to} {one_line(target, 4096)}" if target else ""),
        Span(f"   {_harvest_facts(harvest, seconds)}", "quiet"),
    ]
    yield from hanging_lines(spans, look, hang=2)
    yield from harvest_failure_lines(harvest, look)
    again = harvest_resume_step(harvest, retry_command, "Again")
    denied = [url for url, error in harvest.errors.items() if isinstance(error, UrlDenied)][:1]
    whys = [NextStep("Why", f"webseam policy check {shell_quote(url)}") for url in denied]
    if offers := [*filter(None, [again]), *whys]:
        yield ""
        yield from step_lines(offers, look)


def harvest_stopped_lines(
    harvest: Harvest, retry_command: Sequence[str], look: TerminalLook
) -> Iterator[str]:
    """Yield the counts of interrupted work, and the command that resumes it."""
    fate = "what was read is kept"
    if harvest.destination is None or not harvest.destination.folder:
        fate = "what was read stays in the cache for a while"
    spans = [Span(f"{look.symbols.care} ", "care"), Span(f"Stopped; {fate}.", "title")]
    yield from hanging_lines(spans, look, hang=2)
    counts = [
        f"{harvest.read:,} read",
        f"{len(harvest.kept_before):,} there before" if harvest.kept_before else "",
        f"{len(harvest.errors):,} failed" if harvest.errors else "",
        f"{len(harvest.unread_urls):,} not reached",
    ]
    line = look.symbols.dot.join(filter(None, counts))
    yield from hanging_lines([Span(line, "quiet")], look, indent=2)
    if (offer := harvest_resume_step(harvest, retry_command, "Go on")) is not None:
        yield ""
        yield from step_lines([offer], look)


def harvest_failure_lines(harvest: Harvest, look: TerminalLook) -> Iterator[str]:
    """Yield the failures by kind, most first, two examples and a count."""
    if not (kinds := harvest.failure_kinds()):
        return
    title = Span(f"{len(harvest.errors):,} failed", "title")
    yield from hanging_lines([Span(f"{look.symbols.bad} ", "bad"), title], look)
    widest = max(len(kind) for kind, _ in kinds)
    for kind, urls in kinds:
        examples = ", ".join(
            truncate(shown_address(url), _MAX_URL_CHARS) for url in urls[:_MAX_EXAMPLES]
        )
        more = f" and {len(urls) - _MAX_EXAMPLES:,} more" if len(urls) > _MAX_EXAMPLES else ""
        spans = [Span(f"{len(urls):4,}  {kind:<{widest}}  "), Span(examples + more, "quiet")]
        yield from hanging_lines(spans, look, hang=8 + widest)


def harvest_resume_step(
    harvest: Harvest, retry_command: Sequence[str], label: str
) -> NextStep | None:
    """Return the command that reads the missing pages; None if none can succeed."""
    destination = harvest.destination
    if not retry_command:
        return None
    source = shell_quote(retry_command[0]) if len(retry_command) == 1 else "-"
    command = f"webseam extract {source} {harvest.options}".rstrip()
    if len(retry_command) == 1:
        return NextStep(label, command)
    if destination is None or not destination.folder:
        return NextStep(label, command, "with the same URLs again")
    file = shell_quote(str(destination.path / FAILED_URLS_FILE))
    return NextStep(label, f"{command} < {file}", f"the {len(retry_command):,} that may work")


def _harvest_facts(harvest: Harvest, seconds: float) -> str:
    rate = f", {harvest.read / seconds:.1f} a second" if harvest.read > 1 and seconds else ""
    before = f", {len(harvest.kept_before):,} there before" if harvest.kept_before else ""
    return f"{duration_text(seconds)}{rate}{before}"


def print_harvest_interrupt(harvest: Harvest) -> int:
    """Print the pages that were stored before an interrupt, if there are several URLs."""
    if len(harvest.urls) > 1:
        lines = harvest_stopped_lines(
            harvest, harvest.write_failed_urls(), read_terminal_look(sys.stderr)
        )
        print("\n".join(["", *lines]), file=sys.stderr)
    return INTERRUPTED


def print_harvest_outcomes(harvest: Harvest, options: argparse.Namespace, seconds: float) -> int:
    """Write or print every outcome; return 4 if any page failed."""
    calls = [harvest.calls[url] for url in harvest.urls if url in harvest.calls]
    # Store where each truncated page stops, for ``webseam more``.
    positions = ReadingPositions(FileLocations().reading_positions_file)
    for call in calls:
        page = call.outcome
        if not isinstance(page, WebExtractResult):
            continue
        handle, cursor = page.receipt.handle, page.receipt.next_cursor
        if handle is not None and cursor is not None:
            mark = positions.keep(handle, ReadingPosition(cursor=cursor, size=len(page.content)))
            print_warnings([mark.failure().message] if isinstance(mark, Failure) else ())
    unwrap_or_exit(_write_harvest_file(harvest, calls), options)
    if harvest.destination is None:
        _print_page_outcomes(harvest, calls, options, seconds)
    elif harvest.urls:
        look = read_terminal_look(sys.stderr)
        lines = harvest_summary_lines(harvest, harvest.write_failed_urls(), seconds, look)
        print("\n".join(lines), file=sys.stderr)
        # Print notes for a single page only: a folder may hold many.
        noted = [*harvest.calls.items()] if len(calls) == 1 else []
        _print_harvest_notes(noted, harvest.destination.form)
    return BACKEND_FAILED if harvest.errors else DONE


def _write_harvest_file(harvest: Harvest, calls: Sequence[CallOutcome]) -> Result[None, WebError]:
    """Write the file that was named; pages in a folder are there already."""
    destination = harvest.destination
    if harvest.problem is not None:
        return Failure(harvest.problem)
    if destination is None or destination.folder:
        return Success(None)
    if not (text := _harvest_text(harvest, calls, destination.form)):
        # Do not replace an existing file.
        return Success(None)
    return write_output_file(destination.path, f"{text}\n").map(lambda _: None)


def _harvest_text(harvest: Harvest, calls: Sequence[CallOutcome], form: Format) -> str:
    envelopes = [call.reply.envelope for call in calls]
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(joined_pages(envelopes))).decode()
    if form in ("csv", "jsonl"):
        entries = [entry for envelope in envelopes for entry in printed_page_entries(envelope)]
        return formatted_records_text(entries, form)
    texts = [harvest.texts[url] for url in harvest.urls if url in harvest.texts]
    return joined_page_texts([text for text in texts if text], form)


def _print_failed_url(url: str, *, first: bool) -> None:
    """Print the URL of the next failure: on its own line at a terminal."""
    sys.stdout.flush()
    if read_terminal_look(sys.stderr).person:
        print(("" if first else "\n") + strip_hidden(url), file=sys.stderr)
    else:
        print(f"{url!a}:", file=sys.stderr, end=" ")


def _print_harvest_notes(calls: Sequence[tuple[str, CallOutcome]], form: Format | None) -> None:
    for url, call in calls if form not in ("json", "jsonl") else ():
        print_page_notes(call.outcome, page_name=url if len(calls) > 1 else "")


def _print_page_outcomes(
    harvest: Harvest, calls: Sequence[CallOutcome], options: argparse.Namespace, seconds: float
) -> None:
    if options.json:
        pages = joined_pages([call.reply.envelope for call in calls])
        # The call failed only if no page was read.
        error = None if pages["success"] else calls[0].reply.error
        print_json(pages, error, short=None if options.receipt else ExtractReceipt)
        return
    if options.format is not None:
        text = _harvest_text(harvest, calls, options.format)
        print(text, end="\n" if text else "")
        _print_harvest_notes([*zip(harvest.urls, calls, strict=True)], options.format)
    for number, (url, call) in enumerate(zip(harvest.urls, calls, strict=True)):
        failed = call.reply.error is not None
        if options.format is not None and not failed:
            continue
        sys.stdout.write("\n---\n\n" if number and not failed else "")
        if failed and len(calls) > 1:
            _print_failed_url(url, first=not number)
        alone = len(calls) == 1
        lasted = seconds if alone else None
        print_tool_reply(call, as_json=False, alone=alone, seconds=lasted)
        print_page_notes(call.outcome, page_name="" if alone else url)
        print_explained_attempts(call, options)
    print_next_steps(harvest.errors.values() if len(calls) > 1 else ())
