"""What ``crawl`` and ``map`` are told about a site."""

import argparse

from ....kernel.bulk.frontier import CrawlRules
from .run_options import count_option, whole_number_option


def add_site_options(parser: argparse.ArgumentParser, *, depth: int, pages: int) -> None:
    """Add where to begin and how far to go."""
    parser.add_argument("url", metavar="URL", help="where to begin")
    parser.add_argument(
        "--depth", type=_steps, default=depth, help=f"steps from there at most; {depth}"
    )
    parser.add_argument(
        "--pages", type=count_option, default=pages, help=f"pages at most; {pages:,}"
    )
    parser.add_argument(
        "--include", action="append", default=[], metavar="REGEX", help="only URLs that match"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="REGEX", help="no URLs that match"
    )
    parser.add_argument(
        "--same-host", action="store_true", help="this host alone, without its subdomains"
    )
    parser.add_argument("--no-sitemap", action="store_true", help="go by links alone")


def site_rules(options: argparse.Namespace) -> CrawlRules:
    """Return the rules that were typed."""
    return CrawlRules(
        start=options.url,
        same_host=options.same_host,
        include=tuple(options.include),
        exclude=tuple(options.exclude),
    )


def _steps(text: str) -> int:
    return whole_number_option(text, 0)
