"""Look things up: read a page as markdown."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import argparse
import asyncio
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from returns.result import Failure, Result, Success

from webseam.adapters.call_context import ask_second_look, limit_cache_age
from webseam.adapters.pages.backend import PAGES_BACKEND
from webseam.adapters.stores.text_files import TextFiles
from webseam.adapters.timer import asyncio_timer
from webseam.composition.planning.open_backends import close_after
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.json_endpoints import EXTRACT_URL_VARIABLE
from webseam.composition.settings.schema import Settings
from webseam.composition.terminal import argument_parser
from webseam.composition.terminal.command_calls import (
    load_plugins_for_command,
    run_in_command_session,
)
from webseam.composition.terminal.find_lines import (
    add_find_option,
    find_in_call,
    print_found_pages,
)
from webseam.composition.terminal.html_lines import (
    add_html_options,
    check_html_printing,
    html_option_fields,
    print_html_pages,
)
from webseam.composition.terminal.output import print_error, print_warnings, unwrap_or_exit
from webseam.composition.terminal.output_files import Harvest, read_output_option
from webseam.composition.terminal.page_reports import (
    print_harvest_interrupt,
    print_harvest_outcomes,
)
from webseam.composition.terminal.progress import Progress
from webseam.composition.terminal.search_output import PAGE_FORMATS
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.tools.batch import MAX_CONCURRENT_PAGES, ExtractResult
from webseam.composition.tools.dispatch import Tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.tools.web_tools import extract_tool, read_tool_pages
from webseam.composition.wiring.backend_choice import ChosenBackend, choose_backend
from webseam.composition.wiring.compressors import open_compressor
from webseam.composition.wiring.indexed_documents import IndexedDocuments
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.typed_addresses import typed_url
from webseam.kernel.deps import COMPRESS_INSTRUCTION, WebDeps
from webseam.kernel.envelopes import envelope_reply, extract_envelope
from webseam.kernel.pages.find import check_find
from webseam.kernel.text.trim import Budget
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.found import DEFAULT_PASSAGES
from webseam.ports.models import Compressor, Condenser
from webseam.ports.tools import ExtractArguments

_PAGE_IN_PIPE_REASON = (
    "standard input holds a page and not a list of URLs; webseam read - reads a page"
)
_COMPRESSOR_HINT = "put WEBSEAM_COMPRESSOR=extractive before the command"


def read_url_arguments(arguments: Sequence[str]) -> Result[list[str], InvalidQuery]:
    """Return every URL; ``-`` reads lines of standard input, except blanks and comments."""
    urls: list[str] = []
    for word in arguments:
        if word != "-":
            urls.append(word)
            continue
        try:
            lines = list(_stdin_urls())
        except UnicodeDecodeError:
            return Failure(InvalidQuery(field="url", reason="standard input is not text in UTF-8"))
        # A page in a pipe is not guessed at: it must not choose what is fetched.
        if lines and lines[0].startswith("<"):
            return Failure(InvalidQuery(field="url", reason=_PAGE_IN_PIPE_REASON))
        urls += lines
    return Success([typed_url(url) or url for url in urls])


def _stdin_urls() -> Iterator[str]:
    stripped = (line.strip() for line in sys.stdin)
    return (line for line in stripped if line and not line.startswith("#"))


def run(arguments: Sequence[str]) -> int:
    """Read the pages, print or write them, and return the exit code."""
    options = command_line().parse_args(arguments)
    options.format = "json" if options.json else options.format
    options.json = options.format == "json"
    unused = argument_parser.explain_unused_endpoint(options)
    if unused is not None:
        return print_error(unused, as_json=options.json)
    if options.find is not None:
        unwrap_or_exit(_check_find_options(options), options)
    unwrap_or_exit(check_html_printing(options), options)
    harvest = unwrap_or_exit(_open_harvest(options, arguments), options)
    if not harvest.urls:
        print_warnings(["no URL came on standard input, so there is no page"])
    began = time.monotonic()
    _warm_drawing(harvest, options)
    try:
        gathered = _run_command(options, harvest) if harvest.urls else Success(None)
    except KeyboardInterrupt:
        return print_harvest_interrupt(harvest)
    unwrap_or_exit(gathered, options)
    if options.find is not None:
        found = {url: find_in_call(url, harvest.calls[url], options) for url in harvest.urls}
        return print_found_pages(found, options)
    if (options.links or options.html) and not options.json:
        return print_html_pages(harvest.calls, options)
    return print_harvest_outcomes(harvest, options, time.monotonic() - began)


def _check_find_options(options: argparse.Namespace) -> Result[object, WebError]:
    """Return a failure if the words cannot be looked for, or the options cannot stand together."""
    if options.output is not None or options.format not in (None, "json"):
        reason = "prints what it finds: leave out --output, and every --format but json"
        return Failure(InvalidQuery(field="--find", reason=reason))
    return check_find(options.find, DEFAULT_PASSAGES)


def _warm_drawing(harvest: Harvest, options: argparse.Namespace) -> None:
    """Start what draws pages for a person, while the first one is fetched."""
    look = read_terminal_look(sys.stdout)
    if look.person and harvest.destination is None and options.format is None:
        from webseam.composition.terminal.page_lines import warm_drawing  # only for a person

        warm_drawing()


def _run_command(options: argparse.Namespace, harvest: Harvest) -> Result[None, WebError]:
    """Read every page into the harvest, or return what is not set up."""
    root = read_root(
        arguments={
            "render.mode": options.render,
            "extract_comments": options.comments or None,
            "extract_walled": options.walled or None,
        },
        endpoint=options.endpoint,
    )
    if isinstance(root, Failure):
        return root
    if isinstance(plugged := load_plugins_for_command(root.unwrap()), Failure):
        return plugged
    plugged_root, session = plugged.unwrap()
    named = argument_parser.backend_from_options(options)
    route = argument_parser.route_from_options(options)
    if html_option_fields(options) and named is None and not route:
        # A service has its own rendering of a page, and seldom the HTML.
        named = PAGES_BACKEND
    chosen = choose_backend(
        "extract",
        plugged_root,
        backend_name=named,
        route=route,
        cached=not options.no_cache,
    )
    if isinstance(chosen, Failure):
        return chosen
    settings = root.unwrap().settings
    print_warnings(settings.warnings)
    opened = open_compressor(plugged_root, settings.compressor.kind)
    if isinstance(opened, Failure):
        return opened
    deps = _make_deps(options, chosen.unwrap(), settings, opened.unwrap().compressor)
    documents = IndexedDocuments(root.unwrap())
    tools = Tools((extract_tool(Success(deps), documents.index_deps),), session)
    reading = close_after(
        documents, _extract_with_progress(options, harvest, deps, documents, tools)
    )
    work = close_after(opened.unwrap(), reading)
    with limit_cache_age(options.max_age), ask_second_look(asked=options.second_look or None):
        asyncio.run(close_after(chosen.unwrap().backend, work))
    return Success(None)


def _open_harvest(
    options: argparse.Namespace, arguments: Sequence[str]
) -> Result[Harvest, WebError]:
    rest = shlex.join(word for word in arguments if word not in options.url)
    destination = read_output_option(options.output, options.format, force=options.force)
    read = read_url_arguments(options.url)
    if isinstance(read, Failure):
        return read
    urls = read.unwrap()
    if not options.json:
        # A person wants a page once; a program wants a result for each URL that it gave.
        urls = list(dict.fromkeys(urls))
    return destination.map(lambda output: Harvest(urls, output, rest, options.format))


async def _extract_with_progress(
    options: argparse.Namespace,
    harvest: Harvest,
    deps: WebDeps,
    documents: IndexedDocuments,
    tools: Tools,
) -> None:
    urls = harvest.unread_urls
    with Progress("Reading", len(urls) if len(urls) > 1 else None) as progress:

        def take(url: str, called: CallOutcome) -> None:
            harvest.write_page(url, called)
            progress.count_step(url, "" if called.reply.error is None else "failed")

        if tools.around.callbacks.has_any:
            await run_in_command_session(
                tools, lambda: _extract_each_with_plugins(urls, options, tools, take)
            )
            return
        await read_tool_pages(
            ExtractArguments(
                urls=tuple(urls),
                links=options.links or None,
                html=options.html or None,
                select=options.select,
            ),
            deps,
            documents.index_deps,
            at_once=options.at_once,
            done=lambda url, page: take(url, _wrap_extracted_page(url, page)),
        )


async def _extract_each_with_plugins(
    urls: Sequence[str],
    options: argparse.Namespace,
    tools: Tools,
    take: Callable[[str, CallOutcome], None],
) -> None:
    """Extract each page in its own call, so that plugins see every page."""
    gate = asyncio.Semaphore(options.at_once)

    async def ask(url: str) -> None:
        async with gate:
            fields = {"urls": [url], **html_option_fields(options)}
            called = await tools.ask("web_extract", fields)
        take(url, called)

    await asyncio.gather(*[ask(url) for url in urls])


def _wrap_extracted_page(url: str, page: ExtractResult) -> CallOutcome:
    """Wrap a page that was read without plugins in a call outcome."""
    error = page.failure() if isinstance(page, Failure) else None
    envelope = extract_envelope([url], [page])
    return CallOutcome(reply=envelope_reply(envelope, error), outcome=page.value_or(None))


def _make_deps(
    options: argparse.Namespace,
    chosen: ChosenBackend,
    settings: Settings,
    compressor: Compressor | None,
) -> WebDeps:
    # Words are looked for in all of the page.
    is_whole = options.find is not None
    budget = Budget(characters=options.max_chars or settings.extract_char_limit)
    return WebDeps(
        backend=chosen.backend,
        compressor=None if is_whole else compressor,
        instruction=options.focus or COMPRESS_INSTRUCTION,
        policy=chosen.policy,
        budget=None if is_whole else budget,
        texts=TextFiles(FileLocations().cache_folder / "texts"),
        focus=options.focus,
        condense=_load_focus_condenser() if options.focus else None,
        deadline=settings.deadline,
        timer=asyncio_timer,
        now=time.time,
        keeps_parts=is_whole,
    )


def _load_focus_condenser() -> Condenser:
    from webseam.adapters.transforms.passages import condense  # only when it is used

    return condense


def command_line() -> argument_parser.Parser:
    """Return the parser of the command's arguments."""
    parser = argument_parser.Parser(
        prog="webseam extract",
        example="https://example.com/",
        description="Read pages and print their content as markdown. No key is needed.",
        epilog="Many pages are read at once and printed in their order. When some fail, the others "
        "are printed; when any failed, the exit code is 4. A folder gets a file for each page; one "
        "that is there already is not read again, so the same command goes on after Ctrl-C.",
        hints={
            "--max-tokens": argument_parser.LENGTH_HINT,
            "--timeout": argument_parser.TIMEOUT_HINT,
            "--no-pager": argument_parser.PAGER_HINT,
            "--index": argument_parser.INDEX_HINT,
            "--compress": _COMPRESSOR_HINT,
            "--compressor": _COMPRESSOR_HINT,
            "--instruction": "use --focus, which a compressor follows as well",
        },
        conflicts=[
            ("--max-age", "--no-cache"),
            ("--focus", "--find"),
            ("--max-chars", "--find"),
        ],
    )
    add = parser.add_argument
    add("url", nargs="+", metavar="URL", help="an http or https URL; - reads them from stdin")
    add(
        *("-o", "--output"),
        metavar="FILE",
        help="write to this file, whose name says the format (page.csv), or to a folder (DIR/)",
    )
    add("--format", choices=PAGE_FORMATS, help="how the pages are written")
    argument_parser.add_length_option(parser)
    focused = "a question: of a page that is cut, show the passages that matter to it"
    add("--focus", metavar="TEXT", help=focused)
    add_find_option(parser)
    add_html_options(parser)
    add("--force", action="store_true", help="replace files that are there")
    argument_parser.add_receipt_option(parser)
    reading = parser.add_argument_group("how pages are read")
    add = reading.add_argument
    add(
        "--render",
        metavar="WHEN",
        choices=("never", "auto", "always"),
        help="use this machine's Chromium: never, always, or auto, for pages that need scripts",
    )
    add(
        "--comments",
        action="store_true",
        help="keep what readers wrote under a page, apart from it (in the metadata of --json)",
    )
    argument_parser.add_walled_option(reading)
    looked = "leave out text of a markdown page that its HTML does not show"
    add("--second-look", action="store_true", help=looked)
    add(
        "--at-once",
        type=argument_parser.positive_number_option,
        default=MAX_CONCURRENT_PAGES,
        help=f"pages read at once, {MAX_CONCURRENT_PAGES} by default",
    )
    backends = argument_parser.add_backend_options(parser)
    backends.add_argument(
        "--endpoint",
        metavar="URL",
        help=f"JSON extract API to ask, instead of {EXTRACT_URL_VARIABLE}",
    )
    return parser
