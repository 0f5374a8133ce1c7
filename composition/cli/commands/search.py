"""``webseam search``: search the web."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from returns.result import Failure, Success

from ....kernel.deps import WebDeps
from ...calls.closing import closing
from ...settings.endpoints import SEARCH_URL
from ...tools.kit import search_tool
from ...wiring.choice import choose
from ...wiring.root import make_root
from ...wiring.search import search, what_else
from ..calls import in_session, open_tools, say_next, say_reply
from ..options import add_backend_options, name_of
from ..output import fail, warn

# Documents of their own would have answered.
_WITHOUT_NETWORK = (
    "webseam index add keeps documents of yours, which are searched without a network."
)


def run(arguments: Sequence[str]) -> int:
    """Search, print, and return the exit code."""
    options = _parser().parse_args(arguments)
    root = make_root(index=options.index, endpoint=options.endpoint)
    if isinstance(root, Failure):
        return fail(root.failure(), as_json=options.json)
    chosen = choose("search", root.unwrap(), named=name_of(options), cached=not options.no_cache)
    if isinstance(chosen, Failure):
        return fail(chosen.failure(), as_json=options.json)
    warn(root.unwrap().settings.warnings)
    deps = WebDeps(
        backend=chosen.unwrap().backend,
        rows="quarantine" if options.quarantine else "strict",
        filters="best-effort" if options.best_effort else "strict",
        policy=chosen.unwrap().policy,
    )
    tool = search_tool(Success(deps), lambda query, given: search(query, chosen.unwrap(), given))
    tools = open_tools(tool, root.unwrap().settings)
    if isinstance(tools, Failure):
        return fail(tools.failure(), as_json=options.json)
    session = in_session(tools.unwrap(), lambda: tools.unwrap().ask("web_search", _query(options)))
    called = asyncio.run(closing(chosen.unwrap().backend, session))
    code = say_reply(called, as_json=options.json)
    if not options.json:
        error = called.reply.error
        say_next([error])
        step = what_else(chosen.unwrap().choice, error)
        print(step, end="\n" if step else "", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webseam search",
        description="Search the web. One bad row fails the whole search.",
        epilog="webseam backends lists who can answer; webseam setup adds a key.",
    )
    parser.add_argument("query", help="what to search for")
    parser.add_argument("-n", "--max-results", type=int, help="at most this many rows, 1 to 100")
    parser.add_argument("--site", action="append", default=[], help="only this domain; repeatable")
    parser.add_argument("--not-site", action="append", default=[], help="not this domain")
    parser.add_argument("--after", help="published on or after this date, e.g. 2026-01-31")
    parser.add_argument("--before", help="published on or before this date")
    parser.add_argument("--country", help="ISO code, e.g. DE")
    parser.add_argument("--language", help="ISO code, e.g. en")
    parser.add_argument("--topic", help="general, news or finance")
    parser.add_argument("--safe-search", help="off, moderate or strict")
    parser.add_argument(
        "--best-effort",
        action="store_true",
        help="search without the filters that the backend cannot honour, instead of failing",
    )
    parser.add_argument("--endpoint", help=f"JSON search API to ask, instead of {SEARCH_URL}")
    add_backend_options(parser)
    parser.add_argument(
        "--quarantine", action="store_true", help="set bad rows aside instead of failing"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _query(options: argparse.Namespace) -> dict[str, object]:
    fields = {
        "query": options.query,
        "max_results": options.max_results,
        "include_domains": options.site,
        "exclude_domains": options.not_site,
        "published_after": options.after,
        "published_before": options.before,
        "country": options.country,
        "language": options.language,
        "topic": options.topic,
        "safe_search": options.safe_search,
    }
    return {name: value for name, value in fields.items() if value is not None}
