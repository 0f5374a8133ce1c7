"""The guarded fetcher: follows redirects itself, and judges every one of them."""

import asyncio

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import DeadlineExceeded, TooManyRedirects, UrlDenied, WebError
from ....ports.pages import Fetched
from ....ports.targets import Target
from .connect import FetchDeps
from .large_bodies import LargeBodies
from .visit import PageArrived, visit_target

# What a head says about the page itself; the rest is the site's business.
TELLING = ("content-disposition", "content-language", "etag", "last-modified", "x-robots-tag")


class Fetcher:
    """Fetches public pages and nothing else.

    One connection per request: none is kept, so none outlives the check it was opened under and a
    cancelled fetch leaves nothing behind. No cookies, no keys, no environment; no proxy but one
    that is named.
    """

    def __init__(self, surroundings: FetchDeps) -> None:
        """Work with what it is given; nothing is opened before a fetch."""
        self._around = surroundings
        self._large = LargeBodies()

    async def fetch(self, url: str) -> Result[Fetched, WebError]:
        """Return the page at ``url``, or why there is none. Cancellation passes through."""
        limits = self._around.limits
        try:
            async with asyncio.timeout(limits.deadline):
                fetched = await self._persist(url)
        except TimeoutError:
            fetched = Failure(DeadlineExceeded(deadline=limits.deadline))
        return fetched.alt(lambda error: self._about(error, url))

    async def _persist(self, url: str) -> Result[Fetched, WebError]:
        """Try again while that may help; what failed last is what is told."""
        attempt = 1
        while True:
            fetched = await self._begin(url)
            if not isinstance(fetched, Failure):
                return fetched
            wait = self._around.retry(fetched.failure(), attempt)
            if wait is None:
                return fetched
            await asyncio.sleep(wait)
            attempt += 1

    async def _begin(self, url: str) -> Result[Fetched, WebError]:
        judged = self._around.guard.judge_url(url)
        if isinstance(judged, Failure):
            return judged
        return await self._go(url, judged.unwrap(), ())

    async def _go(
        self, url: str, target: Target, passed: tuple[str, ...]
    ) -> Result[Fetched, WebError]:
        """Visit ``target`` after ``passed`` others, and go on where it sends us."""
        excess = self._excess(target, passed)
        if excess is not None:
            return Failure(excess)
        visited = await visit_target(target, self._around, self._large)
        if isinstance(visited, Failure):
            return Failure(_on_hop(visited.failure(), len(passed)))
        response = visited.unwrap()
        if isinstance(response, PageArrived):
            return Success(_fetched(url, target, response, len(passed)))
        further = (*passed, target.url)
        judged = self._around.guard.judge_redirect(target, response.status, response.location)
        if isinstance(judged, Failure):
            return Failure(_on_hop(judged.failure(), len(further)))
        return await self._go(url, judged.unwrap(), further)

    def _excess(self, target: Target, passed: tuple[str, ...]) -> TooManyRedirects | None:
        if target.url in passed:
            return TooManyRedirects(hops=len(passed), circle=True)
        limit = self._around.limits.redirects
        return TooManyRedirects(hops=limit) if len(passed) > limit else None

    def _about(self, error: WebError, url: str) -> WebError:
        if error.url is not None:
            return error
        return msgspec.structs.replace(error, url=self._around.guard.redact_url(url))


def _on_hop(error: WebError, hop: int) -> WebError:
    return msgspec.structs.replace(error, hop=hop) if isinstance(error, UrlDenied) else error


def _fetched(url: str, target: Target, page: PageArrived, hops: int) -> Fetched:
    headers = page.headers
    return Fetched(
        url=url,
        final_url=target.url,
        status=page.status,
        content_type=headers.get("content-type", ""),
        headers={name: headers[name] for name in TELLING if name in headers},
        body=page.body,
        hops=hops,
    )
