"""Print the links of pages, or their HTML, in place of their text."""

import argparse
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from webseam.kernel.text.display import strip_hidden
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.web import WebExtractResult

from ..tools.stages import CallOutcome
from .argument_parser import Parser
from .exit_codes import BACKEND_FAILED, DONE
from .output import print_error


def add_html_options(parser: Parser) -> None:
    """Add the options that need the HTML of a page."""
    add = parser.add_argument_group("of its HTML").add_argument
    add("--links", action="store_true", help="print the URLs of all its links, not its text")
    add("--html", action="store_true", help="print its HTML, not its text")
    add("--select", metavar="CSS", help="print only what this CSS selector matches")


def html_option_fields(options: argparse.Namespace) -> dict[str, object]:
    """Return the options that were given, as fields of a call; empty without any."""
    fields = {"links": options.links, "html": options.html, "select": options.select}
    return {name: value for name, value in fields.items() if value}


def check_html_printing(options: argparse.Namespace) -> Result[None, WebError]:
    """Return a failure if the selector is none, or links or HTML cannot be printed so."""
    if options.select is not None:
        from webseam.adapters.transforms.selectors import check_selector  # noqa: PLC0415  loads the parser

        checked = check_selector(options.select)
        if isinstance(checked, Failure):
            return checked
    if not options.links and not options.html:
        return Success(None)
    name = "--links" if options.links else "--html"
    if options.links and options.html and not options.json:
        return Failure(InvalidQuery(field=name, reason="stands beside --html only with --json"))
    if options.output is not None or options.format not in (None, "json"):
        reason = "is printed as it is: leave out --output, and every --format but json"
        return Failure(InvalidQuery(field=name, reason=reason))
    return Success(None)


def print_html_pages(calls: Mapping[str, CallOutcome], options: argparse.Namespace) -> int:
    """Print the links of each page, one a line, or its HTML; return the exit code."""
    is_failed = False
    for called in calls.values():
        page = called.outcome
        if called.reply.error is not None:
            is_failed = True
            print_error(called.reply.error, as_json=False, alone=len(calls) == 1)
        elif isinstance(page, WebExtractResult) and options.links:
            addresses = dict.fromkeys(link.url for link in page.links or ())
            print("\n".join(addresses), end="\n" if addresses else "")
        elif isinstance(page, WebExtractResult):
            print(strip_hidden(page.html or ""))
    return BACKEND_FAILED if is_failed else DONE
