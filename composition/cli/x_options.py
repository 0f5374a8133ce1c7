"""The options of ``webseam x``, and the request they describe."""

import argparse

from returns.result import Failure, Result, Success

from ...adapters.stores.last_response import LastResponse
from ...ports.errors import InvalidQuery, WebError
from .schema_files import read_schema

LAST = "LAST"


def x_parser() -> argparse.ArgumentParser:
    """Return the parser of all options."""
    parser = argparse.ArgumentParser(
        prog="webseam x",
        description="Search X through xAI's models. Needs XAI_API_KEY.",
        epilog="Nothing is kept at xAI without --store; what goes on from an answer is kept too.",
    )
    parser.add_argument("query", help="what to look for")
    for name, field, what in (
        ("--from", "allowed", "only posts of this author; repeatable"),
        ("--not-from", "excluded", "no posts of this author"),
    ):
        parser.add_argument(
            name, dest=field, action="append", default=[], metavar="HANDLE", help=what
        )
    parser.add_argument("--since", metavar="DATE", help="of this day or later, e.g. 2026-01-31")
    parser.add_argument("--until", metavar="DATE", help="of this day or earlier")
    parser.add_argument("--images", action="store_true", help="look at the images in posts")
    parser.add_argument("--videos", action="store_true", help="look at the videos in posts")
    parser.add_argument("--schema", metavar="FILE", help="a JSON schema that the answer follows")
    parser.add_argument("--instructions", help="how to answer: language, style")
    parser.add_argument("--store", action="store_true", help="let xAI keep it, to go on from")
    parser.add_argument(
        "--continue",
        dest="previous",
        metavar=f"{LAST}|ID",
        help=f"go on from an answer that was stored: {LAST} is the last one",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def x_request(
    options: argparse.Namespace, last: LastResponse
) -> Result[dict[str, object], WebError]:
    """Return the request that the options describe, or the option that cannot be used."""
    schema = Success(None) if options.schema is None else read_schema(options.schema)
    if isinstance(schema, Failure):
        return Failure(schema.failure())
    previous = _previous(options.previous, last)
    if isinstance(previous, Failure):
        return Failure(previous.failure())
    fields = {
        "query": options.query,
        "allowed_x_handles": options.allowed,
        "excluded_x_handles": options.excluded,
        "from_date": options.since,
        "to_date": options.until,
        "enable_image_understanding": options.images,
        "enable_video_understanding": options.videos,
        "output_schema": schema.unwrap(),
        "instructions": options.instructions,
        "previous_response_id": previous.unwrap(),
        "store": options.store,
    }
    return Success({name: value for name, value in fields.items() if value is not None})


def _previous(given: str | None, last: LastResponse) -> Result[str | None, WebError]:
    if given is None or given.upper() != LAST:
        return Success(given)
    kept = last.load()
    if isinstance(kept, Failure):
        return Failure(kept.failure())
    if kept.unwrap() is None:
        reason = "no answer was stored yet; search with --store first"
        return Failure(InvalidQuery(field="--continue", reason=reason))
    return Success(kept.unwrap())
