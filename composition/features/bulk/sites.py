"""A site from Python: its pages, or their URLs. ``webseam.bulk.crawl`` keeps them in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from returns.result import Failure

from webseam.kernel.features.bulk.frontier import CrawlRules
from webseam.kernel.urls.spelling import complete_web_url
from webseam.ports.errors import InvalidQuery

from ...doors.client.results import WebseamError, hide_inner_frames
from ...doors.client.web import page_url
from . import library
from .conversion import RunWatch
from .crawl import CrawlOptions, Discovery, discover_pages
from .options import DEFAULT_DELAY_SECONDS, BulkOptions

if TYPE_CHECKING:
    from webseam.kernel.policy.policy_rules import Policy
    from webseam.ports.bulk import BulkRow

    from ...doors.client.web import PageAddress


@hide_inner_frames
def crawl(
    url: PageAddress,
    /,
    *,
    pages: int = 100,
    depth: int = 2,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    same_host: bool = False,
    delay: float = DEFAULT_DELAY_SECONDS,
    policy: Policy | None = None,
) -> list[BulkRow]:
    """Read the pages of a site, breadth first, or raise ``WebseamError``.

    Each row has the ``url``, ``title`` and ``content`` of a page, or the ``error`` of one that
    failed. ``include`` and ``exclude`` are regular expressions for URLs. The call obeys robots.txt,
    and waits ``delay`` seconds between requests to one host. It needs ``webseam[bulk]``, whose
    ``webseam.bulk.crawl`` can be resumed.
    """
    with TemporaryDirectory(prefix="webseam-crawl-") as folder:
        library.crawl(
            _address(url),
            folder,
            pages=pages,
            depth=depth,
            include=include,
            exclude=exclude,
            same_host=same_host,
            delay=delay,
            policy=policy,
        )
        return [*library.rows(folder)]


@hide_inner_frames
def map(  # noqa: A001  it is read as webseam.map
    url: PageAddress,
    /,
    *,
    pages: int = 1000,
    depth: int = 1,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    same_host: bool = False,
    delay: float = DEFAULT_DELAY_SECONDS,
    policy: Policy | None = None,
) -> list[str]:
    """Return the URLs of a site, or raise ``WebseamError``.

    They are those of its sitemaps, and those that its pages link to; pages of the last step are
    listed, not fetched. The options are those of ``crawl``. It needs ``webseam[map]``.
    """
    rules = CrawlRules(
        start=complete_web_url(_address(url)),
        same_host=same_host,
        include=tuple(include),
        exclude=tuple(exclude),
    )
    site = CrawlOptions(rules=rules, depth=depth, pages=pages, ahead=True)
    allowed = library.resolve_policy(policy)
    with TemporaryDirectory(prefix="webseam-map-") as folder:
        run = BulkOptions(inputs=(), folder=folder, delay=delay)
        outcome = library.run_bulk_blocking(
            lambda stop: discover_pages(site, run, allowed, RunWatch(is_stopping=stop))
        )
    if isinstance(outcome, Failure):
        raise WebseamError(outcome.failure())
    return _listed_urls(outcome.unwrap())


def _address(url: PageAddress) -> str:
    address = page_url(url)
    if not isinstance(address, str):
        raise WebseamError(InvalidQuery(field="url", reason="must be the URL of a site"))
    return address


def _listed_urls(discovery: Discovery) -> list[str]:
    if discovery.problem is not None and len(discovery.urls) == 1:
        raise WebseamError(discovery.problem)
    return discovery.urls
