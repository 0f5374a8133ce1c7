"""Many pages: read a site into a dataset, breadth first."""

import asyncio
import shlex
from collections.abc import Sequence

from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.output import unwrap_or_exit

from .. import command_options
from ..checks import read_policy
from ..crawl import CrawlOptions, run_crawl


def run(arguments: Sequence[str]) -> int:
    """Crawl a site and return the exit code."""
    options = command_line().parse_args(arguments)
    policy = unwrap_or_exit(read_policy(), options)
    run_options = command_options.bulk_options(options, (), options.output)
    site = CrawlOptions(
        rules=command_options.crawl_site_rules(options),
        depth=options.depth,
        pages=options.pages,
        sitemaps=not options.no_sitemap,
    )
    options.command = shlex.join(("webseam", "crawl", *arguments))
    with command_options.watch_run(options.command) as watch:
        ended = asyncio.run(run_crawl(site, run_options, policy, watch))
    end = unwrap_or_exit(ended, options)
    return command_options.print_end_and_write_report(end, run_options.folder, options)


def command_line() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="webseam crawl",
        example="https://example.com/ -o dataset",
        description="Read a site into a folder of Parquet or JSONL files: breadth first, by its "
        "sitemaps and links, within robots.txt. The same command goes on after Ctrl-C.",
        epilog="docs/bulk.md describes the rows. Install with: pip install 'webseam[bulk]'",
        hints=command_options.ROW_HINTS,
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write")
    command_options.add_site_options(parser, depth=2, pages=100)
    command_options.add_since_option(parser)
    command_options.add_row_options(parser)
    command_options.add_fetch_options(parser)
    return parser
