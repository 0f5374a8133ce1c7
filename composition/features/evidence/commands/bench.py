"""Check: ask several backends the same questions, and compare."""

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.composition.planning.open_backends import close_after
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.command_calls import load_plugins_for_command
from webseam.composition.terminal.output import print_data, unwrap_or_exit
from webseam.composition.terminal.progress import Progress
from webseam.composition.tools.batch import ExtractResult, extract_tool_pages
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.indexed_documents import IndexedDocuments
from webseam.composition.wiring.root import read_root
from webseam.kernel.deps import WebDeps
from webseam.kernel.features.evidence.bench_comparison import compare_routes
from webseam.kernel.features.evidence.bench_report import report_html, report_text
from webseam.kernel.search import web_search
from webseam.kernel.text.display import quote_value
from webseam.ports.bench import BenchPage, BenchQuestion, BenchReply, BenchRow, Recording
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.web import SearchOutcome

_MAX_FILE_BYTES = 512 * 1024 * 1024
# Recordings are shared, so they keep only the start of a page.
_MAX_PAGE_CHARS = 100_000


def read_bench_questions(file: str) -> Result[tuple[BenchQuestion, ...], WebError]:
    """Return the questions of a JSON Lines file, or the error of a line."""
    if isinstance(text := read_bench_text(file), Failure):
        return text
    questions = []
    for number, line in enumerate(text.unwrap().splitlines(), 1):
        if not line.strip():
            continue
        try:
            questions.append(msgspec.json.decode(line, type=BenchQuestion))
        except (ValueError, RecursionError) as error:
            return _refuse_file(file, f"line {number}: {error}")
    return Success(tuple(questions)) if questions else _refuse_file(file, "holds no question")


def read_bench_recording(file: str) -> Result[Recording, WebError]:
    """Return the recording in a file, or why it cannot be read."""
    if isinstance(text := read_bench_text(file), Failure):
        return text
    try:
        recording = msgspec.json.decode(text.unwrap(), type=Recording)
    except (ValueError, RecursionError):
        return _refuse_file(file, "is no recording of webseam bench")
    count = len(recording.questions)
    if any(not 0 <= reply.question < count for reply in recording.replies):
        return _refuse_file(file, "has a reply to a question that is not in it")
    return Success(recording)


def read_bench_text(file: str) -> Result[str, WebError]:
    """Return the text in a file."""
    try:
        with Path(file).open("rb") as opened:
            return Success(opened.read(_MAX_FILE_BYTES).decode())
    except OSError as error:
        return _refuse_file(file, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return _refuse_file(file, "is not text in UTF-8")


def _refuse_file(file: str, reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="FILE", reason=f"{quote_value(file)}: {reason}"))


def record_bench_replies(
    questions: tuple[BenchQuestion, ...],
    routes: Sequence[str],
    root: Root,
    on_reply: Callable[[str, str], None],
) -> Result[Recording, WebError]:
    """Ask every route every question in turn, without the cache."""
    replies: list[BenchReply] = []
    for route in routes:
        chosen = choose_backend("search", root, route=tuple(route.split(">")), cached=False)
        if isinstance(chosen, Failure):
            return chosen
        work = _ask_bench(questions, route, chosen.unwrap().web_deps(root), on_reply)
        replies += asyncio.run(close_after(chosen.unwrap().backend, work))
    return Success(Recording(questions=questions, routes=tuple(routes), replies=tuple(replies)))


def read_bench_pages(
    urls: Sequence[str], root: Root, on_page: Callable[[str, str], None]
) -> Result[tuple[BenchPage, ...], WebError]:
    """Read pages in parallel; a page that fails has the kind of its error."""
    if isinstance(chosen := choose_backend("extract", root, cached=False), Failure):
        return chosen

    def tell(url: str, page: ExtractResult) -> None:
        on_page(url, page.failure().kind if isinstance(page, Failure) else "read")

    documents = IndexedDocuments(root)
    deps = chosen.unwrap().web_deps(root)
    work = extract_tool_pages(urls, deps, documents=documents.index_deps, done=tell)
    pages = asyncio.run(close_after(chosen.unwrap().backend, close_after(documents, work)))
    return Success(tuple(map(_make_page, urls, pages)))


def _make_page(url: str, page: ExtractResult) -> BenchPage:
    if isinstance(page, Failure):
        return BenchPage(url=url, failure=page.failure().kind)
    return BenchPage(url=url, text=page.unwrap().content[:_MAX_PAGE_CHARS])


async def _ask_bench(
    questions: Sequence[BenchQuestion], route: str, deps: WebDeps, done: Callable[[str, str], None]
) -> list[BenchReply]:
    replies = []
    for index, question in enumerate(questions):
        began = time.monotonic()
        outcome = await web_search({"query": question.question, "max_results": 10}, deps)
        replies.append(_make_reply(route, index, time.monotonic() - began, outcome))
        done(question.question, replies[-1].failure or "answered")
    return replies


def _make_reply(
    route: str, question: int, seconds: float, outcome: Result[SearchOutcome, WebError]
) -> BenchReply:
    if isinstance(outcome, Failure):
        kind = outcome.failure().kind
        return BenchReply(route=route, question=question, seconds=seconds, failure=kind)
    attempts = outcome.unwrap().receipt.attempts
    return BenchReply(
        route=route,
        question=question,
        seconds=seconds,
        rows=tuple(
            BenchRow(url=row.url, title=row.title, snippet=row.snippet)
            for row in outcome.unwrap().rows
        ),
        cost=sum(attempt.cost for attempt in attempts) if attempts else None,
    )


def run(arguments: Sequence[str]) -> int:
    """Compare, print, and return the exit code."""
    options = command_line().parse_args(arguments)
    recording = unwrap_or_exit(_make_recording(options), options)
    comparison = compare_routes(recording, options.k)
    files = {
        options.record: msgspec.json.encode(recording),
        options.html: report_html(comparison).encode(),
    }
    for file, content in files.items():
        unwrap_or_exit(_write_file(file, content), options)
    tests = [{**msgspec.to_builtins(pair), "noise": pair.is_noise} for pair in comparison.pairs]
    data = {"k": options.k, "routes": comparison.routes, "pairs": tests}
    return print_data(data, report_text(comparison), options)


def _make_recording(options: argparse.Namespace) -> Result[Recording, WebError]:
    if options.replay:
        return read_bench_recording(options.file)
    if isinstance(questions := read_bench_questions(options.file), Failure):
        return questions
    routes = [route.strip() for route in (options.over or "").split(",") if route.strip()]
    if not routes:
        reason = "names no backend; e.g. --over brave,tavily"
        return Failure(InvalidQuery(field="--over", reason=reason))
    if isinstance(root := read_root().bind(load_plugins_for_command), Failure):
        return root
    with Progress("Asking", len(routes) * len(questions.unwrap())) as progress:
        recording = record_bench_replies(
            questions.unwrap(), routes, root.unwrap()[0], progress.count_step
        )
    if isinstance(recording, Failure) or not options.pages:
        return recording
    recorded = recording.unwrap()
    # Take the unique URLs of the first rows of questions with answers.
    urls = tuple(
        dict.fromkeys(
            row.url
            for reply in recorded.replies
            if recorded.questions[reply.question].answers
            for row in reply.rows[: options.pages]
        )
    )
    with Progress("Reading", len(urls)) as progress:
        pages = read_bench_pages(urls, root.unwrap()[0], progress.count_step)
    return pages.map(lambda texts: replace(recorded, page_rows=options.pages, pages=texts))


def _write_file(file: str | None, content: bytes) -> Result[None, WebError]:
    if file is None:
        return Success(None)
    try:
        Path(file).write_bytes(content)
    except OSError as error:
        return Failure(InvalidQuery(field="FILE", reason=f"{file}: {error.strerror}"))
    return Success(None)


def command_line() -> Parser:
    """Return the parser of ``webseam bench``."""
    parser = Parser(
        prog="webseam bench",
        example="questions.jsonl",
        description="Ask several backends the same questions and compare the rows: right pages,"
        " right answers, time, cost, failures, and whether a difference is more than chance.",
        epilog="A line of FILE is a JSON object: question, and any of urls, domains, answers,"
        " judgments. docs/evidence.md tells more.",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="questions, or with --replay a recording")
    add(
        "--over",
        metavar="ROUTES",
        help="whom to compare, e.g. brave,tavily,searxng+exa; brave>tavily is a route in turn",
    )
    add("-k", type=_bench_rows, default=10, help="look at this many rows; 10")
    add(
        "--pages", type=_bench_rows, default=0, metavar="N",
        help="read the pages of the first N rows, and look for the answer there, too",
    )  # fmt: skip
    add = parser.add_argument_group("recordings and reports").add_argument
    add("--record", metavar="FILE", help="keep every reply, for --replay")
    add("--replay", action="store_true", help="compare what was kept; offline")
    add("--html", metavar="FILE", help="write a report with plots")
    return parser


def _bench_rows(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 10:  # noqa: PLR2004  as many rows as are asked for
        message = "must be from 1 to 10"
        raise argparse.ArgumentTypeError(message)
    return number
