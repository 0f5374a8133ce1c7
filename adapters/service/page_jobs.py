"""Many pages at once: a job asked after to its end, and pages matched to URLs by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import HttpStatus, Missing, WebError
from .operations import Access, ExtractAsk, PageFailed, Reply, ServiceCall, ServiceJob

Ask: TypeAlias = Callable[[Callable[[Access], ServiceCall]], Awaitable[Result[Reply, WebError]]]
_NOT_THERE = frozenset({404, 405, 501})
# What no service needs to be done, so that one that never ends is left.
_MAX_JOB_CALLS = 100


async def finish_job(
    job: ServiceJob, urls: tuple[str, ...], ask: Ask, pause: Callable[[float], Awaitable[None]]
) -> Result[Reply, WebError]:
    """Return the last reply, which knows the earlier ones, or what went wrong on the way."""
    whose = Access()

    def first(access: Access) -> ServiceCall:
        nonlocal whose
        whose = access
        return job.encode(ExtractAsk(urls=urls, access=access))

    reply = await ask(first)
    earlier: tuple[Reply, ...] = ()
    while isinstance(reply, Success):
        newest = msgspec.structs.replace(reply.unwrap(), earlier=earlier)
        step = job.follow(ExtractAsk(urls=urls, access=whose), newest)
        if step is None or len(earlier) + 1 >= _MAX_JOB_CALLS:
            return Success(newest)
        earlier = (*earlier, reply.unwrap())
        await pause(step.wait)
        reply = await ask(_always(step.call))
    return reply


def lacks_jobs(error: WebError) -> bool:
    """Tell whether a service has no such jobs: its address for them does not exist."""
    return isinstance(error, HttpStatus) and error.status in _NOT_THERE


def _always(call: ServiceCall) -> Callable[[Access], ServiceCall]:
    # A job is known to the key that it was handed over with, and to no other.
    return lambda _access: call


def match_pages(
    pages: Sequence[UntrustedRow | PageFailed],
    urls: Sequence[str],
    canonical: Callable[[str], str],
) -> tuple[Result[UntrustedRow, WebError], ...]:
    """Return one outcome for each URL; one that the service forgot is ``Missing``.

    When one page was asked for and one came, it is handed on whatever it calls itself: the kernel
    says what is wrong with it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    named: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _url(page)
        if isinstance(url, str):
            named.setdefault(canonical(url), page)
    return tuple(_outcome(named.get(canonical(url)), url) for url in urls)


def _outcome(page: UntrustedRow | PageFailed | None, url: str) -> Result[UntrustedRow, WebError]:
    if page is None:
        return Failure(Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # As it was asked for: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None
