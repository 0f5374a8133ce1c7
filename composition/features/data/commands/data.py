"""Look things up: read typed values of a page, each with the words that show it."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.backend import PAGES_BACKEND
from webseam.adapters.pages.detection import media_type_of_name
from webseam.adapters.pages.fetch.content import is_html_type
from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.planning.open_backends import OpenBackend, close_after
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.terminal import command_calls, output
from webseam.composition.terminal.argument_parser import Parser, max_age_option
from webseam.composition.terminal.exit_codes import BACKEND_FAILED, DONE, failure_exit_code
from webseam.composition.terminal.page_files import read_page_file
from webseam.composition.terminal.styled_lines import Span, hanging_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.tools.batch import MAX_CONCURRENT_PAGES
from webseam.composition.tools.dispatch import Tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.typed_addresses import typed_url
from webseam.kernel.envelopes import envelope_reply, failure_envelope
from webseam.kernel.features.data.data_call import data_envelope
from webseam.kernel.features.data.shipped_types import SHIPPED_TYPES
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.kernel.text.display import one_line
from webseam.ports.data import Data, refusal_text, value_text
from webseam.ports.errors import DataRefused, InvalidQuery, WebError

from ..data_tool import data_tool
from ..page_data import read_file_data
from ..rules_command import run_rules

_MAX_SCHEMA_BYTES = 1_000_000
_Call: TypeAlias = tuple[str, CallOutcome]


def run(arguments: Sequence[str]) -> int:
    """Read the values of each page, print them, and return the exit code."""
    if arguments[:1] == ["rules"]:
        return run_rules(arguments[1:])
    options = command_line().parse_args(arguments)
    wanted = output.unwrap_or_exit(_read_wanted_fields(options), options)
    calls = asyncio.run(_read_pages(options, wanted))
    errors = [called.reply.error for _, called in calls if called.reply.error is not None]
    if options.json:
        all_failed = len(errors) == len(calls)
        output.print_json(_joined_envelope(calls), errors[0] if all_failed else None)
    else:
        for number, (page, called) in enumerate(calls):
            _print_call(page, called, number, of_several=len(calls) > 1)
    if not errors:
        return DONE
    return failure_exit_code(errors[0]) if len(calls) == 1 else BACKEND_FAILED


class _WantedFields(NamedTuple):
    """What is wanted: the arguments that the tool takes, and the type that they name."""

    arguments: Mapping[str, object]
    type: object


def _read_wanted_fields(options: Namespace) -> Result[_WantedFields, WebError]:
    if options.like is not None:
        return Success(_WantedFields({"like": options.like}, SHIPPED_TYPES[options.like]))
    schema = _read_schema(Path(options.schema))
    return schema.bind(lambda it: read_wanted(it).map(lambda _: _WantedFields({"schema": it}, it)))


def _read_schema(file: Path) -> Result[dict[str, object], WebError]:
    try:
        with file.open("rb") as opened:
            body = opened.read(_MAX_SCHEMA_BYTES + 1)
        schema = msgspec.json.decode(body) if len(body) <= _MAX_SCHEMA_BYTES else None
    except OSError as error:
        return _refuse_schema(f"{file} cannot be read: {error.strerror}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _refuse_schema(f"{file} is no JSON: {error}")
    if not isinstance(schema, dict):
        return _refuse_schema(f"{file} is no JSON Schema of an object")
    return Success(schema)


def _refuse_schema(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="--schema", reason=reason))


async def _read_pages(options: Namespace, wanted: _WantedFields) -> list[_Call]:
    """Read several pages at once; return a call for each, in their order."""
    pages = list(dict.fromkeys(options.page))
    urls = {page: url for page in pages if (url := _page_url(page)) is not None}
    files = {page: await _read_file(page, options, wanted) for page in pages if page not in urls}
    called = await _read_urls(urls, options, wanted) if urls else {}
    return [(page, {**files, **called}[page]) for page in pages]


def _page_url(page: str) -> str | None:
    """Return the URL of an argument; None for a file and for standard input."""
    return page if "://" in page else typed_url(page)


async def _read_file(page: str, options: Namespace, wanted: _WantedFields) -> CallOutcome:
    kind = media_type_of_name(page)
    if kind and not is_html_type(kind):
        refused = InvalidQuery(field="file", reason=f"{page!r} is {kind}; values are read of HTML")
        return _wrap_outcome(Failure(refused))
    body = read_page_file(page)
    if isinstance(body, Failure):
        return _wrap_outcome(body)
    return _wrap_outcome(await read_file_data(body.unwrap(), wanted.type, options.url))


def _wrap_outcome(got: Result[Data[object], WebError]) -> CallOutcome:
    error = got.failure() if isinstance(got, Failure) else None
    return CallOutcome(reply=envelope_reply(data_envelope(got), error), outcome=got.value_or(None))


async def _read_urls(
    urls: Mapping[str, str], options: Namespace, wanted: _WantedFields
) -> dict[str, CallOutcome]:
    tools, backend = output.unwrap_or_exit(_open_tools(options), options)
    gate = asyncio.Semaphore(MAX_CONCURRENT_PAGES)
    age = {} if options.max_age is None else {"max_age": options.max_age}

    async def read(url: str) -> CallOutcome:
        async with gate:
            return await tools.ask("web_data", {"url": url, **wanted.arguments, **age})

    async def read_each() -> list[CallOutcome]:
        return list(await asyncio.gather(*map(read, urls.values())))

    work = command_calls.run_in_command_session(tools, read_each)
    return dict(zip(urls, await close_after(backend, work), strict=True))


def _open_tools(options: Namespace) -> Result[tuple[Tools, OpenBackend], WebError]:
    root = read_root(arguments={"render.mode": options.render})
    plugged = root.bind(command_calls.load_plugins_for_command)
    if isinstance(plugged, Failure):
        return plugged
    plugged_root, session = plugged.unwrap()
    output.print_warnings(plugged_root.settings.warnings)
    chosen = choose_backend(
        "extract", plugged_root, backend_name=PAGES_BACKEND, cached=not options.no_cache
    )
    if isinstance(chosen, Failure):
        return chosen
    backend, deps = chosen.unwrap().backend, chosen.unwrap().web_deps(plugged_root)
    texts = TextFiles(FileLocations().cache_folder / "texts")
    tool = data_tool(Success(msgspec.structs.replace(deps, texts=texts)))
    return Success((Tools((tool,), session), backend))


def _joined_envelope(calls: Sequence[_Call]) -> dict[str, object]:
    """Return the envelope of one page, or of several with an entry for each."""
    envelopes = [(page, called.reply.envelope) for page, called in calls]
    if len(calls) == 1:
        return envelopes[0][1]
    errors = [called.reply.error for _, called in calls if called.reply.error is not None]
    results = [
        {"page": page, **{name: it[name] for name in ("data", "failure", "error") if name in it}}
        for page, it in envelopes
    ]
    success = len(errors) < len(calls)
    failure = {} if success else failure_envelope(errors[0])
    return {
        **failure,
        "success": success,
        "data": {"results": results},
        "failed": len(errors),
    }


def _print_call(page: str, called: CallOutcome, number: int, *, of_several: bool) -> None:
    look = read_terminal_look(sys.stdout)
    error, got = called.reply.error, called.outcome
    if of_several:
        separator = "\n" if number else ""
        print(f"{separator}{one_line(page)}")
    if error is not None:
        sys.stdout.flush()
        command_calls.print_tool_failure(called.reply, error, alone=not of_several)
        if isinstance(error, DataRefused):
            output.print_warnings(_refused_lines(error))
    elif isinstance(got, Data):
        for name, value, proof in got.rows():
            spans = [
                Span(f"{one_line(name)}: "),
                Span(one_line(value)),
                Span(f"  ({one_line(proof)})", "quiet"),
            ]
            print("\n".join(hanging_lines(spans, look, hang=2)))
        output.print_warnings(() if got.receipt is None else got.receipt.warnings)
    else:
        print(command_calls.changed_reply_text(called.reply.envelope))


def _refused_lines(error: DataRefused) -> list[str]:
    """Return what was offered for the fields that are not given, and what was proved."""
    lines = [f"{name}: {refusal_text(it)}" for name, it in error.refused.items() if it.seen]
    lines += [f"{name}: {value_text(it.value)}, proved" for name, it in error.proved.items()]
    return lines


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam data",
        example="https://example.com/leek-soup --like recipe\n"
        "saved.html --schema recipe.json --json",
        description="Read typed values of pages: those that the words of the page show, each with "
        "these words. Of every other value it prints why it is not given. No model is asked.",
        epilog="When a value that --schema requires is not given, or a page cannot be read, the "
        "exit code is 4. `webseam data rules` lists what was learned for sites.",
    )
    add = parser.add_argument
    add("page", nargs="+", help="a URL, an HTML file, or - for HTML on standard input")
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--schema", metavar="FILE", help="a JSON Schema of what is wanted")
    wanted.add_argument(
        "--like",
        metavar="NAME",
        choices=tuple(SHIPPED_TYPES),
        help=f"or a shipped type: {', '.join(SHIPPED_TYPES)}",
    )
    add("--url", default="", help="where a file came from, to tell the site's name from an author")
    reading = parser.add_argument_group("how pages are read")
    add = reading.add_argument
    add(
        "--render",
        metavar="WHEN",
        choices=("never", "auto", "always"),
        help="use this machine's Chromium: never, always, or auto, for pages that need scripts",
    )
    add("--no-cache", action="store_true", help="ask again, and keep nothing")
    add(
        "--max-age",
        type=max_age_option,
        metavar="AGE",
        help="how old a cached page may be: seconds, or 10m, 2h, 7d; 0 looks again",
    )
    return parser
