"""Many pages: list the URLs of a site."""

import asyncio
import shlex
import tempfile
from collections.abc import Sequence

from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_numbers import DONE, INTERRUPTED
from webseam.composition.terminal.output import print_data, print_error, unwrap_or_exit

from .. import command_options
from ..checks import read_policy
from ..crawl import CrawlOptions, discover_pages


def run(arguments: Sequence[str]) -> int:
    """Print the URLs of a site and return the exit code."""
    options = command_line().parse_args(arguments)
    policy = unwrap_or_exit(read_policy(), options)
    site = CrawlOptions(
        rules=command_options.crawl_site_rules(options),
        depth=options.depth,
        pages=options.pages,
        sitemaps=not options.no_sitemap,
        ahead=True,
    )
    with tempfile.TemporaryDirectory(prefix="webseam-map-") as folder:
        run_options = command_options.bulk_options(options, (), folder)
        with command_options.watch_run(shlex.join(("webseam", "map", *arguments))) as watch:
            outcome = asyncio.run(discover_pages(site, run_options, policy, watch))
    discovery = unwrap_or_exit(outcome, options)
    if discovery.problem is not None and len(discovery.urls) == 1:
        return print_error(discovery.problem, as_json=options.json)
    data = {"urls": discovery.urls, "complete": discovery.is_complete}
    print_data(data, "\n".join(discovery.urls), options)
    return DONE if discovery.is_complete else INTERRUPTED


def command_line() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="webseam map",
        example="https://example.com/",
        description="Print the URLs of a site: those of its sitemaps, and those that its pages "
        "link to. Pages of the last step are listed, not fetched.",
        epilog="webseam crawl reads them. Install with: pip install 'webseam[map]'",
        hints=command_options.MAP_HINTS,
    )
    command_options.add_site_options(parser, depth=1, pages=1000)
    command_options.add_pace_options(parser)
    return parser
