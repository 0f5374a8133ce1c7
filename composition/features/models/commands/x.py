"""Look things up: search X."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.x_search import PROVIDER_NAME
from webseam.adapters.stores.text_files import LastResponse
from webseam.composition.planning.open_backends import close_after
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.terminal import argument_parser, command_calls
from webseam.composition.terminal.exit_codes import DONE, failure_exit_code
from webseam.composition.terminal.output import print_error, print_json, print_warnings
from webseam.composition.terminal.page_reports import print_explained_attempts
from webseam.composition.terminal.schema_files import read_schema_option
from webseam.composition.tools.dispatch import Tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.features.models.x_search_request import x_failure_envelope
from webseam.kernel.text.display import strip_hidden
from webseam.ports.dates import DAY_HINT
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.x_search import XSearchOutcome, XSearchReceipt

from ..x_search_setup import open_x_search
from ..x_search_tool import x_tool

LAST = "LAST"


def command_line() -> argument_parser.Parser:
    """Return the parser of all options."""
    parser = argument_parser.Parser(
        prog="webseam x",
        example="storm reports",
        description="Search X through xAI's models. Needs XAI_API_KEY.",
        epilog="Nothing is kept at xAI without --store; what goes on from an answer is kept too.",
    )
    add = parser.add_argument
    add("query", nargs="+", help="what to look for; words need no quotes")
    for name, field, what in (
        ("--from", "allowed", "only posts of this author; repeatable"),
        ("--not-from", "excluded", "no posts of this author"),
    ):
        add(name, dest=field, action="append", default=[], metavar="HANDLE", help=what)
    add(
        "--since",
        type=argument_parser.day_option,
        metavar="DAY",
        help=f"since {DAY_HINT}",
    )
    add("--until", type=argument_parser.day_option, metavar="DAY", help="until such a day")
    add("--images", action="store_true", help="look at the images in posts")
    add("--videos", action="store_true", help="look at the videos in posts")
    add("--schema", metavar="FILE", help="a JSON schema that the answer follows")
    add("--instructions", help="how to answer: language, style")
    add("--store", action="store_true", help="let xAI keep it, to go on from")
    add(
        "--continue",
        dest="previous",
        metavar=f"{LAST}|ID",
        help=f"go on from an answer that was stored: {LAST} is the last one",
    )
    argument_parser.add_receipt_option(parser)
    argument_parser.add_model_options(parser, "xai/grok-4.5,xai/grok-4.3")
    return parser


def x_request(
    options: argparse.Namespace, last: LastResponse
) -> Result[dict[str, object], WebError]:
    """Return the request that the options describe, or the option that cannot be used."""
    schema = Success(None) if options.schema is None else read_schema_option(options.schema)
    if isinstance(schema, Failure):
        return schema
    if isinstance(previous := _previous_id(options.previous, last), Failure):
        return previous
    fields = {
        "query": " ".join(options.query), "allowed_x_handles": options.allowed,
        "excluded_x_handles": options.excluded, "from_date": options.since,
        "to_date": options.until, "enable_image_understanding": options.images,
        "enable_video_understanding": options.videos, "output_schema": schema.unwrap(),
        "instructions": options.instructions, "previous_response_id": previous.unwrap(),
        "store": options.store,
    }  # fmt: skip
    return Success({name: value for name, value in fields.items() if value is not None})


def _previous_id(identifier: str | None, last: LastResponse) -> Result[str | None, WebError]:
    if identifier is None or identifier.upper() != LAST:
        return Success(identifier)
    if isinstance(stored := last.load(), Failure):
        return stored
    if stored.unwrap() is None:
        reason = "no answer was stored yet; search with --store first"
        return Failure(InvalidQuery(field="--continue", reason=reason))
    return Success(stored.unwrap())


def run(arguments: Sequence[str]) -> int:
    """Search, print, and return the exit code."""
    options = command_line().parse_args(arguments)
    last = LastResponse(FileLocations().last_response_file)
    if isinstance(request := x_request(options, last), Failure):
        return _print_failure(request.failure(), as_json=options.json)
    if isinstance(
        called := _call_tool(request.unwrap(), argument_parser.route_from_options(options)),
        Failure,
    ):
        return _print_failure(called.failure(), as_json=options.json)
    print_explained_attempts(called.unwrap(), options)
    if not isinstance(outcome := called.unwrap().outcome, XSearchOutcome):
        return command_calls.print_tool_reply(called.unwrap(), as_json=options.json)
    if options.json:
        print_json(
            called.unwrap().reply.envelope, short=None if options.receipt else XSearchReceipt
        )
    else:
        print(outcome_text(outcome))
        print_warnings(_search_remarks(outcome))
    _store_response_id(outcome, last)
    return DONE


def outcome_text(outcome: XSearchOutcome) -> str:
    """Return the structured output, else the answer and its sources, as text."""
    if outcome.structured_output is not None:
        written = msgspec.json.encode(outcome.structured_output)
        return strip_hidden(msgspec.json.format(written, indent=2).decode())
    inline = (citation.url for citation in outcome.inline_citations)
    sources = dict.fromkeys((*inline, *outcome.citations))
    listed = "\n".join(f"- {url}" for url in sources)
    answer = strip_hidden(outcome.answer).strip() or "(no answer)"
    return f"{answer}\n\nSources:\n{listed}" if listed else answer


def _call_tool(request: dict[str, object], route: Sequence[str]) -> Result[CallOutcome, WebError]:
    if isinstance(settings_root := read_settings_root(), Failure):
        return settings_root
    print_warnings(settings_root.unwrap().settings.warnings)
    if isinstance(
        plugged := command_calls.load_plugins_for_command(settings_root.unwrap()), Failure
    ):
        return plugged
    root, session = plugged.unwrap()
    if isinstance(searcher := open_x_search(root, route=route), Failure):
        return searcher
    tools = Tools((x_tool(searcher),), session)
    work = command_calls.run_in_command_session(tools, lambda: tools.ask("x_search", request))
    return Success(asyncio.run(close_after(searcher.unwrap(), work)))


def _search_remarks(outcome: XSearchOutcome) -> Iterator[str]:
    yield from outcome.receipt.warnings
    if outcome.degraded_reason is not None:
        yield f"This may not rest on X: {outcome.degraded_reason}."
    if outcome.structured_error is not None:
        yield f"There is no structured output: {outcome.structured_error}."
    if outcome.schema_error is not None:
        yield f"The output does not keep to the schema: {outcome.schema_error}."
    if outcome.receipt.stored:
        yield f"Stored; go on with webseam x --continue {LAST} QUERY"


def _store_response_id(outcome: XSearchOutcome, last: LastResponse) -> None:
    if not outcome.receipt.stored or outcome.response_id is None:
        return
    if isinstance(saved := last.save(outcome.response_id), Failure):
        print_warnings([saved.failure().message])


def _print_failure(error: WebError, *, as_json: bool) -> int:
    if not as_json:
        return print_error(error, as_json=False)
    print_json(x_failure_envelope(error, PROVIDER_NAME), error)
    return failure_exit_code(error)
