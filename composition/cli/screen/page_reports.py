"""What came of pages that were asked for: printed, written, or told after an interrupt."""

import argparse
import sys
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.stores.reading_positions import ReadingPosition, ReadingPositions
from ....kernel.envelopes import joined_pages
from ....kernel.text.display import strip_hidden
from ....ports.errors import WebError
from ....ports.web import WebExtractResult
from ...file_locations import reading_places_file
from ...tools.stages import CallOutcome
from ..command_calls import print_next_steps, print_reply
from ..exit_codes import BACKEND_FAILED, DONE, INTERRUPTED
from ..harvest import Harvest
from ..output import print_error, print_json, print_notes, print_warnings
from ..output_files import write_whole
from .attempts import print_wanted_attempts
from .drawing.terminal_look import read_terminal_look
from .formats import Format, page_entries, pages_text
from .harvests import stopped_lines, summary_lines


def report_interrupt(harvest: Harvest) -> int:
    """Tell what was kept of many pages; of one there is nothing to tell."""
    if len(harvest.urls) > 1:
        lines = stopped_lines(harvest, harvest.leave_over(), read_terminal_look(sys.stderr))
        print("\n".join(["", *lines]), file=sys.stderr)
    return INTERRUPTED


def report_outcomes(harvest: Harvest, options: argparse.Namespace, seconds: float) -> int:
    """Write or print every outcome; any page that failed is one and the same exit code."""
    calls = [harvest.calls[url] for url in harvest.urls if url in harvest.calls]
    _mark_places(calls)
    written = _write(harvest, calls)
    if isinstance(written, Failure):
        return print_error(written.failure(), as_json=options.json)
    if harvest.destination is None:
        _tell(harvest, calls, options, seconds)
    else:
        lines = summary_lines(
            harvest, harvest.leave_over(), seconds, read_terminal_look(sys.stderr)
        )
        print("\n".join(lines), file=sys.stderr)
        # Of many pages in a folder, nobody reads them all.
        _tell_notes([*harvest.calls.items()] if len(calls) == 1 else [], harvest.destination.form)
    return BACKEND_FAILED if harvest.errors else DONE


def _mark_places(calls: Sequence[CallOutcome]) -> None:
    """Remember where each page that is shown in part stops, for ``webseam more``."""
    places = ReadingPositions(reading_places_file())
    for call in calls:
        page = call.outcome
        if isinstance(page, WebExtractResult) and page.receipt.handle is not None:
            place = ReadingPosition(cursor=page.receipt.next_cursor or 0, size=len(page.content))
            mark = places.keep(page.receipt.handle, place)
            print_warnings([mark.failure().message] if isinstance(mark, Failure) else ())


def _write(harvest: Harvest, calls: Sequence[CallOutcome]) -> Result[None, WebError]:
    """Write the file that was named; pages in a folder are there already."""
    destination = harvest.destination
    if harvest.problem is not None:
        return Failure(harvest.problem)
    if destination is None or destination.folder:
        return Success(None)
    text = _text(calls, destination.form)
    # Nothing that was read is nothing to write, and no reason to replace a file.
    return write_whole(destination.path, f"{text}\n").map(lambda _: None) if text else Success(None)


def _text(calls: Sequence[CallOutcome], form: Format) -> str:
    envelopes = [call.reply.envelope for call in calls]
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(joined_pages(envelopes))).decode()
    return pages_text([entry for each in envelopes for entry in page_entries(each)], form)


def _name(url: str, *, first: bool) -> None:
    """Say whose failure follows: on a line of its own to a person, before it in a pipe."""
    sys.stdout.flush()
    if read_terminal_look(sys.stderr).person:
        print(("" if first else "\n") + strip_hidden(url), file=sys.stderr)
    else:
        print(f"{url!a}:", file=sys.stderr, end=" ")


def _tell_notes(calls: Sequence[tuple[str, CallOutcome]], form: Format | None) -> None:
    """Tell the notes on pages in a format that has no place for them."""
    for url, call in calls if form not in ("json", "jsonl") else ():
        print_notes(call.outcome, page_name=url if len(calls) > 1 else "")


def _tell(
    harvest: Harvest, calls: Sequence[CallOutcome], options: argparse.Namespace, seconds: float
) -> None:
    """Print every outcome in order."""
    if options.json:
        pages = joined_pages([call.reply.envelope for call in calls])
        # Where one page was read, the whole is none that failed.
        print_json(pages, None if pages["success"] else calls[0].reply.error)
        return
    if options.format is not None:
        text = _text(calls, options.format)
        print(text, end="\n" if text else "")
        _tell_notes([*zip(harvest.urls, calls, strict=True)], options.format)
    for number, (url, call) in enumerate(zip(harvest.urls, calls, strict=True)):
        failed = call.reply.error is not None
        if options.format is not None and not failed:
            continue
        sys.stdout.write("\n---\n\n" if number and not failed else "")
        if failed and len(calls) > 1:
            _name(url, first=not number)
        alone = len(calls) == 1
        lasted = seconds if alone else None
        print_reply(call, as_json=False, pager=not options.no_pager, alone=alone, seconds=lasted)
        print_notes(call.outcome, page_name="" if alone else url)
        print_wanted_attempts(call, options)
    print_next_steps(harvest.errors.values() if len(calls) > 1 else ())
