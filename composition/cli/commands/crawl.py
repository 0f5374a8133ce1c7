"""``webseam crawl``: a site into a dataset, breadth first."""

import asyncio
import shlex
from collections.abc import Sequence

from returns.result import Failure

from ....kernel.bulk.frontier import CrawlRules
from ...bulk.crawl import CrawlOptions, crawl
from ...bulk.watch import Watch
from ..arguments.parser import Parser
from ..bulk.runs import (
    Screen,
    Stop,
    add_manners,
    add_rows,
    add_since,
    bulk_options,
    read_policy,
    tell_with_report,
)
from ..bulk.site_options import add_site, rules_of
from ..output import fail


def run(arguments: Sequence[str]) -> int:
    """Crawl, and return the exit code."""
    options = command_line().parse_args(arguments)
    policy = read_policy()
    if isinstance(policy, Failure):
        return fail(policy.failure(), as_json=False)
    wanted = bulk_options(options, (), options.output)
    rules: CrawlRules = rules_of(options)
    site = CrawlOptions(
        rules=rules, depth=options.depth, pages=options.pages, sitemaps=not options.no_sitemap
    )
    options.command = shlex.join(("webseam", "crawl", *arguments))
    with Screen() as screen, Stop(options.command) as stop:
        watch = Watch(
            on_lost=screen.tell_lost,
            on_plan=screen.begin,
            on_fetch=screen.count_fetch,
            on_row=screen.count,
            is_stopping=stop.event.is_set,
        )
        ended = asyncio.run(crawl(site, wanted, policy.unwrap(), watch))
    if isinstance(ended, Failure):
        return fail(ended.failure(), as_json=False)
    return tell_with_report(ended.unwrap(), wanted.folder, options)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam crawl",
        example="https://example.com/ -o dataset",
        description="Read a site into a folder of Parquet or JSONL files: breadth first, by its "
        "sitemaps and links, within robots.txt. The same command goes on after Ctrl-C.",
        epilog="docs/bulk.md tells what the rows hold. It needs: pip install 'webseam[bulk]'",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write")
    add_site(parser, depth=2, pages=100)
    add_since(parser)
    add_rows(parser)
    add_manners(parser)
    return parser
