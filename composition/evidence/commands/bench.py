"""Check: ask several backends the same questions, and compare."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.evidence.bench.comparison import compare_routes
from ....kernel.evidence.bench.report import report_html, report_text
from ....ports.bench import Recording
from ....ports.errors import InvalidQuery, WebError
from ...terminal.arguments.parser import Parser
from ...terminal.command_calls import with_plugins
from ...terminal.exit_codes import DONE
from ...terminal.output import print_error, print_json
from ...terminal.screen.progress import Progress
from ...wiring.root import make_root
from ..bench_recording import page_urls, read_pages, read_questions, read_recording, record_replies


def run(arguments: Sequence[str]) -> int:
    """Compare, print, and return the exit code."""
    options = command_line().parse_args(arguments)
    recording = _recording(options)
    if isinstance(recording, Failure):
        return print_error(recording.failure(), as_json=options.json)
    comparison = compare_routes(recording.unwrap(), options.k)
    files = {
        options.record: msgspec.json.encode(recording.unwrap()),
        options.html: report_html(comparison).encode(),
    }
    for file, content in files.items():
        written = _write(file, content)
        if isinstance(written, Failure):
            return print_error(written.failure(), as_json=options.json)
    if options.json:
        tests = [{**msgspec.to_builtins(pair), "noise": pair.is_noise} for pair in comparison.pairs]
        routes = msgspec.to_builtins(comparison.routes)
        print_json({"success": True, "data": {"k": options.k, "routes": routes, "pairs": tests}})
    else:
        print(report_text(comparison))
    return DONE


def _recording(options: argparse.Namespace) -> Result[Recording, WebError]:
    if options.replay:
        return read_recording(options.file)
    questions = read_questions(options.file)
    if isinstance(questions, Failure):
        return questions
    routes = [word.strip() for word in (options.over or "").split(",") if word.strip()]
    if not routes:
        reason = "names nobody; e.g. --over brave,tavily"
        return Failure(InvalidQuery(field="--over", reason=reason))
    root = make_root().bind(with_plugins)
    if isinstance(root, Failure):
        return root
    with Progress("Asking", len(routes) * len(questions.unwrap())) as progress:
        recording = record_replies(questions.unwrap(), routes, root.unwrap()[0], progress.step)
    if isinstance(recording, Failure) or not options.pages:
        return recording
    urls = page_urls(recording.unwrap(), options.pages)
    with Progress("Reading", len(urls)) as progress:
        pages = read_pages(urls, root.unwrap()[0], progress.step)
    return pages.map(
        lambda texts: msgspec.structs.replace(
            recording.unwrap(), page_rows=options.pages, pages=texts
        )
    )


def _write(file: str | None, content: bytes) -> Result[None, WebError]:
    if file is None:
        return Success(None)
    try:
        Path(file).write_bytes(content)
    except OSError as error:
        return Failure(InvalidQuery(field="FILE", reason=f"{file}: {error.strerror}"))
    return Success(None)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam bench",
        example="questions.jsonl",
        description="Ask several backends the same questions and compare the rows: right pages,"
        " right answers, time, cost, failures, and whether a difference is more than chance.",
        epilog="A line of FILE is a JSON object: question, and any of urls, domains, answers,"
        " judgments. docs/evidence.md tells more.",
    )
    parser.add_argument("file", metavar="FILE", help="questions, or with --replay a recording")
    parser.add_argument(
        "--over",
        metavar="ROUTES",
        help="whom to compare, e.g. brave,tavily,searxng+exa; brave>tavily is a route in turn",
    )
    parser.add_argument("-k", type=_count, default=10, help="look at this many rows; 10")
    parser.add_argument(
        "--pages",
        type=_count,
        default=0,
        metavar="N",
        help="read the pages of the first N rows, and look for the answer there, too",
    )
    parser.add_argument("--record", metavar="FILE", help="keep every reply, for --replay")
    parser.add_argument("--replay", action="store_true", help="compare what was kept; offline")
    parser.add_argument("--html", metavar="FILE", help="write a report with plots")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 10:  # noqa: PLR2004  as many rows as are asked for
        message = "must be from 1 to 10"
        raise argparse.ArgumentTypeError(message)
    return number
