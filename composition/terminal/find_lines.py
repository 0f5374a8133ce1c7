"""Print where words stand in a page."""

import argparse
import sys

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.pages.find import find_in_page, unread_found
from webseam.kernel.text.display import one_line, strip_hidden, strip_hidden_values
from webseam.ports.errors import WebError
from webseam.ports.found import DEFAULT_PASSAGES, Found
from webseam.ports.web import WebExtractResult

from ..tools.stages import CallOutcome
from .argument_parser import Parser
from .exit_codes import BACKEND_FAILED, DONE
from .output import print_error, print_json


def add_find_option(parser: Parser) -> None:
    """Add ``--find``, which looks for words in a page."""
    parser.add_argument(
        "--find", metavar="TEXT", help="say whether and where these words stand in the page"
    )


def print_found(found: Found) -> None:
    """Print what was found, for a person or a program that reads text."""
    print(found.sentence)
    for passage in found.passages:
        print(f"\n[{passage.part}, from {passage.offset}]\n{strip_hidden(passage.text)}")
    if found.render is not None and found.status != "found":
        sys.stdout.flush()
        hint = f"no script ran; to look at what a browser shows: {found.render}"
        print(f"webseam: {one_line(hint, len(hint))}", file=sys.stderr)


def find_in_call(
    url: str, called: CallOutcome, options: argparse.Namespace
) -> Result[Found, WebError]:
    """Say where words stand in a page that was read, or why it was not read."""
    if called.reply.error is not None:
        return unread_found(called.reply.error, options.find, url)
    page = called.outcome
    if not isinstance(page, WebExtractResult):
        raise TypeError(page)
    return find_in_page(page, options.find, DEFAULT_PASSAGES)


def print_found_pages(
    found: dict[str, Result[Found, WebError]], options: argparse.Namespace
) -> int:
    """Print what was found in each page; every status is a success, and a page not read is not."""
    errors = [outcome.failure() for outcome in found.values() if isinstance(outcome, Failure)]
    if errors and len(found) == 1:
        print_error(errors[0], as_json=options.json)
        return BACKEND_FAILED
    if options.json:
        entries = [_found_entry(url, outcome) for url, outcome in found.items()]
        data = entries[0] if len(entries) == 1 else {"results": entries}
        print_json({"success": not errors or len(errors) < len(entries), "data": data})
        return BACKEND_FAILED if errors else DONE
    for number, (url, outcome) in enumerate(found.items()):
        if len(found) > 1:
            print(("\n" if number else "") + f"<{one_line(url, len(url))}>", flush=True)
        if isinstance(outcome, Success):
            print_found(outcome.unwrap())
        else:
            print_error(outcome.failure(), as_json=False, alone=False)
    return BACKEND_FAILED if errors else DONE


def _found_entry(url: str, outcome: Result[Found, WebError]) -> dict[str, object]:
    if isinstance(outcome, Failure):
        error = outcome.failure()
        return {"url": url, "error": {"kind": error.kind, "message": strip_hidden(error.message)}}
    fields = strip_hidden_values(msgspec.to_builtins(outcome.unwrap()))
    return fields if isinstance(fields, dict) else {}
