"""Look things up: search the web."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
import sys
import time
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from returns.result import Failure, Result, Success

from webseam.adapters.call_context import limit_cache_age
from webseam.adapters.timer import asyncio_timer
from webseam.composition.feature_table import Part, load
from webseam.composition.planning.open_backends import close_after
from webseam.composition.settings import remedies
from webseam.composition.settings.file_locations import INDEX_VARIABLE
from webseam.composition.settings.json_endpoints import SEARCH_URL_VARIABLE
from webseam.composition.terminal import argument_parser
from webseam.composition.terminal.command_calls import (
    load_plugins_for_command,
    run_in_command_session,
)
from webseam.composition.terminal.exit_codes import DONE, failure_exit_code
from webseam.composition.terminal.output import print_error, print_warnings, unwrap_or_exit
from webseam.composition.terminal.progress import Progress
from webseam.composition.terminal.search_output import (
    ROW_FORMATS,
    open_row_in_browser,
    print_search,
)
from webseam.composition.terminal.styled_lines import NextStep, step_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.tools.dispatch import Tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.tools.web_tools import Tool, search_tool
from webseam.composition.wiring.backend_choice import ChosenBackend, choose_backend
from webseam.composition.wiring.backend_rows import CallRules, Root
from webseam.composition.wiring.root import read_root
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.selection import UNREACHED_ERRORS, BackendSelection
from webseam.kernel.search import web_search
from webseam.ports.backends import Closeable
from webseam.ports.dates import DAY_HINT
from webseam.ports.errors import NobodyAnswered, WebError
from webseam.ports.models import Reranker
from webseam.ports.web import Query, SearchOutcome, WebSearchQuery

if TYPE_CHECKING:
    from webseam.composition.tools.row_pages import RowPageReader

_UNREACHED_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in UNREACHED_ERRORS)


def offline_search_advice(choice: BackendSelection, error: WebError | None) -> str:
    """Return advice when no backend was named and none was reached; else nothing."""
    if isinstance(error, NobodyAnswered):
        is_unreachable = all(item.outcome in _UNREACHED_KINDS for item in error.attempts)
    else:
        is_unreachable = isinstance(error, UNREACHED_ERRORS)
    return remedies.OFFLINE_REMEDY if choice.reason == "keyless" and is_unreachable else ""


class OpenReranker(Reranker, Closeable, Protocol):
    """A reranker that holds a connection."""


RERANKER = Part[Callable[[Root], Result[OpenReranker, WebError]]]("open_reranker")


def run(arguments: Sequence[str]) -> int:
    """Search, print, and return the exit code."""
    options = _parse_options(arguments)
    unused = argument_parser.explain_unused_endpoint(options)
    if unused is not None:
        return print_error(unused, as_json=options.json)
    root = unwrap_or_exit(read_root(index=options.index, endpoint=options.endpoint), options)
    plugged_root, session = unwrap_or_exit(load_plugins_for_command(root), options)
    rules = CallRules(
        rows="quarantine" if options.quarantine else "strict",
        filters="best-effort" if options.best_effort else "strict",
    )
    chosen = unwrap_or_exit(
        choose_backend(
            "search",
            plugged_root,
            backend_name=argument_parser.backend_from_options(options),
            route=argument_parser.route_from_options(options),
            everybody=options.all,
            cached=not options.no_cache,
            rules=rules,
        ),
        options,
    )
    print_warnings(root.settings.warnings)
    deps = WebDeps(
        backend=chosen.backend,
        rows=rules.rows,
        filters=rules.filters,
        policy=chosen.policy,
        deadline=root.settings.deadline,
        timer=asyncio_timer,
        now=plugged_root.clock,
    )
    if isinstance(reranker := _load_reranker(options, plugged_root), Failure):
        asyncio.run(chosen.backend.aclose())
        return print_error(reranker.failure(), as_json=options.json)
    ranker = reranker.unwrap()
    if isinstance(reader := _open_page_reader(options, plugged_root), Failure):
        asyncio.run(chosen.backend.aclose())
        return print_error(reader.failure(), as_json=options.json)
    pages = reader.unwrap()
    tools = Tools((_make_tool(deps, ranker, pages),), session)
    query = _query_from_options(options)
    began = time.monotonic()
    with Progress("Searching"), limit_cache_age(options.max_age):
        work = run_in_command_session(tools, lambda: tools.ask("web_search", query))
        ranked = work if ranker is None else close_after(ranker, work)
        read = ranked if pages is None else close_after(pages, ranked)
        called = asyncio.run(close_after(chosen.backend, read))
    print_search(
        called,
        query,
        options.format,
        seconds=time.monotonic() - began,
        has_whole_receipt=options.receipt,
    )
    if options.explain:
        from webseam.composition.terminal.page_reports import print_explained_attempts  # when asked

        print_explained_attempts(called, options)
    return _finish_search(called, options, chosen)


def _finish_search(called: CallOutcome, options: Namespace, chosen: ChosenBackend) -> int:
    """Open a row or print advice after a search; return the exit code."""
    if (error := called.reply.error) is None:
        return open_row_in_browser(called, options.open) if options.open is not None else DONE
    if options.format != "json":
        _print_offline_advice(offline_search_advice(chosen.choice, error))
    return failure_exit_code(error)


def _print_offline_advice(sentence: str) -> None:
    """Print offline advice: a next step at a terminal, a sentence in a pipe."""
    look = read_terminal_look(sys.stderr)
    command, remark = "webseam index add PATH_OR_URL", "your documents, without a network"
    lines = step_lines([NextStep("Offline", command, remark)], look) if look.person else [sentence]
    for line in lines if sentence else ():
        print(line, file=sys.stderr)


def _open_page_reader(options: Namespace, root: Root) -> Result[RowPageReader | None, WebError]:
    if not options.contents:
        return Success(None)
    from webseam.composition.tools.row_pages import open_row_page_reader  # when asked

    named = argument_parser.backend_from_options(options)
    return open_row_page_reader(root, named, cached=not options.no_cache)


def _make_tool(deps: WebDeps, ranker: Reranker | None, pages: RowPageReader | None) -> Tool:
    search = _search_with_reranker(ranker)
    if pages is None:
        return search_tool(Success(deps), search)
    return search_tool(
        Success(deps), search, pages=Success(pages.deps), documents=pages.documents.index_deps
    )


def _load_reranker(options: Namespace, root: Root) -> Result[OpenReranker | None, WebError]:
    return load(RERANKER)(root) if options.rerank else Success(None)


def _search_with_reranker(
    reranker: Reranker | None,
) -> Callable[[Query, WebDeps], Awaitable[Result[SearchOutcome, WebError]]]:
    async def search_and_rank(query: Query, deps: WebDeps) -> Result[SearchOutcome, WebError]:
        outcome = await web_search(query, deps)
        if reranker is None or isinstance(outcome, Failure):
            return outcome
        from webseam.kernel.relevance import rerank_outcome  # when asked

        return await rerank_outcome(outcome.unwrap(), reranker)

    return search_and_rank


def _parse_options(arguments: Sequence[str]) -> Namespace:
    options = command_line().parse_args(arguments)
    options.query = " ".join(options.query)
    options.format = "json" if options.json else options.format
    options.json = options.format == "json"
    return options


def command_line() -> argument_parser.Parser:
    """Return the parser of the command's arguments."""
    parser = argument_parser.Parser(
        prog="webseam search",
        example="tide tables",
        description="Search the web. One bad row fails the whole search.",
        epilog="webseam backends lists who can answer; webseam setup adds a key.",
        hints={"--timeout": argument_parser.TIMEOUT_HINT},
        conflicts=[("--max-age", "--no-cache")],
    )
    add = parser.add_argument
    add("query", nargs="+", help="what to search for; words need no quotes")
    add("-n", "--max-results", type=int, help="at most this many rows, 1 to 100")
    add("--page", type=int, metavar="N", help="the N-th page of so many rows")
    add(
        "--site",
        dest="include_domains",
        metavar="SITE",
        action="append",
        default=[],
        help="only this domain; repeatable",
    )
    add(
        "--since",
        "--after",
        dest="published_after",
        type=argument_parser.day_option,
        metavar="DAY",
        help=f"published since {DAY_HINT}",
    )
    add("--contents", action="store_true", help="also read the pages, and print their text")
    add("--open", type=int, metavar="N", help="open the N-th result in your browser")
    add("--format", choices=ROW_FORMATS, help="how the rows are written")
    argument_parser.add_receipt_option(parser)
    add = parser.add_argument_group("more filters").add_argument
    add(
        "--not-site",
        dest="exclude_domains",
        metavar="SITE",
        action="append",
        default=[],
        help="not this domain",
    )
    add(
        "--until",
        "--before",
        dest="published_before",
        type=argument_parser.day_option,
        metavar="DAY",
        help="published until such a day",
    )
    add("--country", help="ISO code, e.g. DE")
    add("--language", help="ISO code, e.g. en")
    add("--topic", help="general, news, finance or images")
    add("--safe-search", metavar="LEVEL", help="off, moderate or strict")
    add("--best-effort", action="store_true", help="drop a filter that the backend does not have")
    add("--quarantine", action="store_true", help="set bad rows aside instead of failing")
    add = argument_parser.add_backend_options(parser, with_all=True).add_argument
    add(
        "--endpoint",
        metavar="URL",
        help=f"JSON search API to ask, instead of {SEARCH_URL_VARIABLE}",
    )
    add("--index", metavar="FILE", help=f"the index, instead of {INDEX_VARIABLE}")
    ranked = "put the rows in the order of rerank.provider's model"
    add("--rerank", action="store_true", help=ranked)
    return parser


def _query_from_options(options: Namespace) -> dict[str, object]:
    fields = {name: getattr(options, name) for name in WebSearchQuery.__struct_fields__}
    fields["contents"] = options.contents or None
    return {name: value for name, value in fields.items() if value is not None}
