"""``webseam search``: search the web."""

import argparse
import asyncio
import os
from collections.abc import Sequence

from returns.result import Failure

from ...kernel.deps import RowPolicy, WebDeps
from ...kernel.envelope import search_envelope
from ...kernel.search import web_search
from ..choosing import Choice, choose, index_path
from ..closing import closing
from ..config import read_policy
from ..settings.endpoints import API_KEY, SEARCH_URL, Endpoints, read_endpoints
from .backend_options import add_backend_options
from .exits import DONE
from .output import fail, say_json, search_text


def run(arguments: Sequence[str]) -> int:
    """Search, print, and return the exit code."""
    options = _parser().parse_args(arguments)
    policy = read_policy(os.environ)
    if isinstance(policy, Failure):
        return fail(policy.failure(), as_json=options.json)
    backend = choose(_choice(options), policy.unwrap())
    if isinstance(backend, Failure):
        return fail(backend.failure(), as_json=options.json)
    rows: RowPolicy = "quarantine" if options.quarantine else "strict"
    deps = WebDeps(backend=backend.unwrap(), rows=rows)
    outcome = asyncio.run(closing(backend.unwrap(), web_search(_query(options), deps)))
    if isinstance(outcome, Failure):
        return fail(outcome.failure(), as_json=options.json)
    if options.json:
        say_json(search_envelope(outcome))
    else:
        print(search_text(outcome.unwrap()))
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webseam search",
        description="Search the web. One bad row fails the whole search.",
        epilog=f"The endpoint is {SEARCH_URL}, the key {API_KEY}.",
    )
    parser.add_argument("query", help="what to search for")
    parser.add_argument("-n", "--max-results", type=int, help="at most this many rows, 1 to 100")
    parser.add_argument("--site", action="append", default=[], help="only this domain; repeatable")
    parser.add_argument("--not-site", action="append", default=[], help="not this domain")
    parser.add_argument("--after", help="published on or after this date, e.g. 2026-01-31")
    parser.add_argument("--before", help="published on or before this date")
    parser.add_argument("--country", help="ISO code, e.g. DE")
    parser.add_argument("--language", help="ISO code, e.g. en")
    parser.add_argument("--endpoint", help=f"JSON search API to ask, instead of {SEARCH_URL}")
    add_backend_options(parser, ("json", "local"), "the JSON API if there is one, else your index")
    parser.add_argument(
        "--quarantine", action="store_true", help="set bad rows aside instead of failing"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _choice(options: argparse.Namespace) -> Choice:
    return Choice(
        name=options.backend,
        capability="search",
        settings=_settings(options),
        index=index_path(options.index),
        cached=not options.no_cache,
    )


def _settings(options: argparse.Namespace) -> Endpoints:
    settings = read_endpoints(os.environ)
    if options.endpoint is None:
        return settings
    return Endpoints(search_url=options.endpoint, key=settings.key)


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
    }
    return {name: value for name, value in fields.items() if value is not None}
