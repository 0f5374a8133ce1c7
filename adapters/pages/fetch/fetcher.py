"""The guarded fetcher, which follows redirects itself and judges each of them."""

import asyncio

import msgspec
from returns.result import Failure, Result, Success

from ....ports.attempts import BackendAttempt
from ....ports.errors import DeadlineExceeded, TooManyRedirects, UrlDenied, WebError
from ....ports.errors.error_fields import PAGES_READER
from ....ports.pages import Fetched
from ....ports.targets import Target
from ....ports.usage import USAGE_HEADERS
from ...call_context import conditional_headers
from .connect import FetchDeps
from .large_bodies import LargeBodies
from .visit import PageArrived, fetch_target

# The response headers that describe the page itself.
PAGE_HEADERS = (
    "content-disposition", "content-language", "etag", "last-modified", *USAGE_HEADERS,
)  # fmt: skip

# A robot's name in one line of this header does not count for the next line.
_HEADER_SEPARATORS = {"x-robots-tag": "\n"}


class Fetcher:
    """Fetches public pages.

    Each request has its own connection, so no connection outlives its check and a cancelled fetch
    leaves nothing open. It uses no keys or environment, only a configured proxy, and the headers
    and cookies that the user gave for one site.
    """

    def __init__(self, deps: FetchDeps) -> None:
        self._deps = deps
        self._large_bodies = LargeBodies()

    async def fetch(self, url: str) -> Result[Fetched, WebError]:
        """Return the page at ``url``, or why there is none. Cancellation passes through."""
        limits = self._deps.limits
        try:
            async with asyncio.timeout(limits.deadline):
                fetched = await self._fetch_with_retries(url)
        except TimeoutError:
            fetched = Failure(DeadlineExceeded(deadline=limits.deadline))
        return fetched.alt(lambda error: self._add_page_url(error, url))

    async def _fetch_with_retries(self, url: str) -> Result[Fetched, WebError]:
        """Retry while the retry rule allows it; return the last error."""
        attempts: tuple[BackendAttempt, ...] = ()
        while True:
            started = asyncio.get_running_loop().time()
            fetched = await self._fetch_page_once(url)
            attempts = (*attempts, _fetch_attempt(fetched, started, is_retry=bool(attempts)))
            if not isinstance(fetched, Failure):
                made = attempts if len(attempts) > 1 else ()
                return Success(msgspec.structs.replace(fetched.unwrap(), attempts=made))
            wait = self._deps.retry(fetched.failure(), len(attempts))
            if wait is None:
                return fetched
            await asyncio.sleep(wait)

    async def _fetch_page_once(self, url: str) -> Result[Fetched, WebError]:
        judged = self._deps.guard.judge_url(url)
        if isinstance(judged, Failure):
            return judged
        return await self._follow_redirects(url, judged.unwrap(), ())

    async def _follow_redirects(
        self, url: str, target: Target, passed: tuple[str, ...]
    ) -> Result[Fetched, WebError]:
        """Visit ``target`` after ``passed`` others, and follow its redirect."""
        excess = self._check_redirects(target, passed)
        if excess is not None:
            return Failure(excess)
        own_headers, conditions = (
            self._deps.site_headers(target, passed),
            conditional_headers(target.url),
        )
        visited = await fetch_target(
            target, self._deps, self._large_bodies, conditions, own_headers=own_headers
        )
        if isinstance(visited, Failure):
            return Failure(_add_fetch_redirect_hop(visited.failure(), len(passed)))
        response = visited.unwrap()
        if isinstance(response, PageArrived):
            return Success(_make_fetched_page(url, target, response, len(passed)))
        further = (*passed, target.url)
        judged = self._deps.guard.judge_redirect(target, response.status, response.location)
        if isinstance(judged, Failure):
            return Failure(_add_fetch_redirect_hop(judged.failure(), len(further)))
        return await self._follow_redirects(url, judged.unwrap(), further)

    def _check_redirects(self, target: Target, passed: tuple[str, ...]) -> TooManyRedirects | None:
        if target.url in passed:
            return TooManyRedirects(hops=len(passed), circle=True)
        limit = self._deps.limits.redirects
        return TooManyRedirects(hops=limit) if len(passed) > limit else None

    def _add_page_url(self, error: WebError, url: str) -> WebError:
        shown_url = self._deps.guard.redact_url(url) if error.url is None else error.url
        return msgspec.structs.replace(error, url=shown_url)


def _fetch_attempt(
    fetched: Result[Fetched, WebError], started: float, *, is_retry: bool
) -> BackendAttempt:
    return BackendAttempt(
        backend=PAGES_READER,
        why="again" if is_retry else "first",
        outcome=fetched.failure().kind if isinstance(fetched, Failure) else "answered",
        milliseconds=round((asyncio.get_running_loop().time() - started) * 1000),
    )


def _add_fetch_redirect_hop(error: WebError, hop: int) -> WebError:
    return msgspec.structs.replace(error, hop=hop) if isinstance(error, UrlDenied) else error


def _make_fetched_page(url: str, target: Target, page: PageArrived, hops: int) -> Fetched:
    headers = page.headers
    return Fetched(
        url=url,
        final_url=target.url,
        status=page.status,
        content_type=headers.get("content-type", ""),
        headers={
            name: _HEADER_SEPARATORS.get(name, ", ").join(headers.get_list(name))
            for name in PAGE_HEADERS
            if name in headers
        },
        body=page.body,
        hops=hops,
    )
