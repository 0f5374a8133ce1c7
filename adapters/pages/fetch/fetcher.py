"""The guarded fetcher, which follows redirects itself and judges each of them."""

import asyncio
from collections.abc import Mapping
from functools import partial

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports import errors
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import WebError
from webseam.ports.errors.error_fields import PAGES_READER
from webseam.ports.pages import Fetched
from webseam.ports.targets import Target
from webseam.ports.usage import USAGE_HEADERS

from ...call_context import conditional_headers
from .connect import FetchDeps
from .large_bodies import LargeBodies
from .visit import PageResponse, Redirect, VisitOutcome, visit_target

# The response headers that describe the page itself.
PAGE_HEADERS = (
    "content-disposition", "content-language", "etag", "last-modified", *USAGE_HEADERS,
)  # fmt: skip

# A robot's name in one line of this header does not count for the next line.
_HEADER_SEPARATORS = {"x-robots-tag": "\n"}


# A shorter proof is a price, which pages may state.
_MIN_SECRET_CHARS = 32


class _Purchase(msgspec.Struct):
    """What one fetch has paid, or a plugin may have paid for it; empty if it was nothing."""

    price: str = ""
    dollars: float = 0.0
    proof: str = ""


class Fetcher:
    """Fetches public pages.

    Each request has its own connection, so no connection outlives its check and a cancelled fetch
    leaves nothing open. It uses no keys or environment, only a configured proxy, and the headers
    and cookies that the user gave for one site. It pays once at most for a page.
    """

    def __init__(self, deps: FetchDeps) -> None:
        self._deps = deps
        self._large_bodies = LargeBodies()
        # Paid without a page, and never again: no more than the budgets allow.
        self._unserved: set[str] = set()

    async def fetch(self, url: str) -> Result[Fetched, WebError]:
        """Return the page at ``url``, or why there is none. Cancellation passes through."""
        limits, purchase = self._deps.limits, _Purchase()
        try:
            async with asyncio.timeout(limits.deadline):
                fetched = await self._fetch_with_retries(url, purchase)
        except TimeoutError:
            fetched = Failure(errors.DeadlineExceeded(deadline=limits.deadline))
        return fetched.alt(lambda error: self._add_page_url(_add_payment(error, purchase), url))

    async def _fetch_with_retries(self, url: str, purchase: _Purchase) -> Result[Fetched, WebError]:
        """Retry while the retry rule allows it; return the last error with its attempts."""
        judged = self._deps.guard.judge_url(url)
        if isinstance(judged, Failure):
            return judged
        attempts: tuple[BackendAttempt, ...] = ()
        while True:
            started = asyncio.get_running_loop().time()
            fetched = await self._follow_redirects(url, judged.unwrap(), (), purchase)
            attempt = _backend_attempt(fetched, started, is_retry=bool(attempts))
            attempts = (*attempts, msgspec.structs.replace(attempt, cost=purchase.dollars))
            if not isinstance(fetched, Failure):
                made = attempts if len(attempts) > 1 or purchase.price else ()
                page = _remove_proof(fetched.unwrap(), purchase.proof)
                return Success(msgspec.structs.replace(page, attempts=made))
            wait = self._deps.retry(fetched.failure(), len(attempts))
            if wait is None or purchase.price:
                return Failure(msgspec.structs.replace(fetched.failure(), attempts=attempts))
            await asyncio.sleep(wait)

    async def _follow_redirects(
        self, url: str, target: Target, passed: tuple[str, ...], purchase: _Purchase
    ) -> Result[Fetched, WebError]:
        """Visit ``target`` after ``passed`` others, and follow its redirect."""
        excess = self._check_redirects(target, passed)
        if excess is not None:
            return Failure(excess)
        visited = await self._visit_or_pay(target, passed, purchase)
        if isinstance(visited, Failure):
            return Failure(_add_redirect_hop(visited.failure(), len(passed)))
        response = visited.unwrap()
        if isinstance(response, PageResponse):
            return Success(_make_fetched_page(url, target, response, len(passed)))
        further = (*passed, target.url)
        judged = self._deps.guard.judge_redirect(target, response.status, response.location)
        if isinstance(judged, Failure):
            return Failure(_add_redirect_hop(judged.failure(), len(further)))
        return await self._follow_redirects(url, judged.unwrap(), further, purchase)

    async def _visit_or_pay(
        self, target: Target, passed: tuple[str, ...], purchase: _Purchase
    ) -> VisitOutcome:
        """Visit a target; if it asks for money and a plugin pays, visit it once more."""
        terms: dict[str, str] = {}
        own_headers = self._deps.site_headers(target, passed)
        visit = partial(visit_target, target, self._deps, self._large_bodies)
        visited = await visit(conditional_headers(target.url), own_headers, terms)
        if not (isinstance(visited, Failure) and terms):
            return visited
        paid = await self._pay_page(target, visited.failure(), terms, purchase)
        if isinstance(paid, Failure):
            return paid
        # Without conditions: a 304 is no page.
        visited = await visit((), (*own_headers, paid.unwrap()))
        response = visited.value_or(None)
        if isinstance(response, Redirect):
            # The proof is for this URL alone.
            return Failure(errors.BadRedirect(status=response.status, reason="after a payment"))
        if isinstance(response, PageResponse):
            self._unserved.remove(target.url)
        return visited

    async def _pay_page(
        self, target: Target, error: WebError, terms: Mapping[str, str], purchase: _Purchase
    ) -> Result[tuple[str, str], WebError]:
        """Return the header that pays, or why nothing was paid."""
        if self._deps.pay is None or not isinstance(error, errors.PaymentRequired):
            return Failure(error)
        if target.url in self._unserved:
            unpaid = "an earlier payment for this page brought none"
            return Failure(msgspec.structs.replace(error, unpaid=unpaid))
        # Cancelled from here on, a plugin may have paid.
        self._unserved.add(target.url)
        purchase.price = error.price
        paid = await self._deps.pay(target, terms)
        if isinstance(paid, Success):
            purchase.price, purchase.dollars, proof = paid.unwrap()
            purchase.proof = proof[1]
            return Success(proof)
        purchase.price, reason = "", paid.failure()
        if not isinstance(reason, errors.MiddlewareFailed | errors.PluginTimedOut):
            self._unserved.remove(target.url)
        if isinstance(reason, str):
            reason = msgspec.structs.replace(error, unpaid=reason)
        return Failure(reason)

    def _check_redirects(
        self, target: Target, passed: tuple[str, ...]
    ) -> errors.TooManyRedirects | None:
        if target.url in passed:
            return errors.TooManyRedirects(hops=len(passed), circle=True)
        limit = self._deps.limits.redirects
        return errors.TooManyRedirects(hops=limit) if len(passed) > limit else None

    def _add_page_url(self, error: WebError, url: str) -> WebError:
        shown_url = self._deps.guard.redact_url(url) if error.url is None else error.url
        return msgspec.structs.replace(error, url=shown_url)


def _backend_attempt(
    fetched: Result[Fetched, WebError], started: float, *, is_retry: bool
) -> BackendAttempt:
    return BackendAttempt(
        backend=PAGES_READER,
        why="again" if is_retry else "first",
        outcome=fetched.failure().kind if isinstance(fetched, Failure) else "answered",
        milliseconds=round((asyncio.get_running_loop().time() - started) * 1000),
    )


def _add_redirect_hop(error: WebError, hop: int) -> WebError:
    return msgspec.structs.replace(error, hop=hop) if isinstance(error, errors.UrlDenied) else error


def _add_payment(error: WebError, purchase: _Purchase) -> WebError:
    """Return the error of a page that was paid for."""
    if not purchase.price:
        return error
    asked = error.price if isinstance(error, errors.PaymentRequired) else ""
    # A site may quote the proof as its price.
    is_quoted = any(len(it) >= _MIN_SECRET_CHARS and it in purchase.proof for it in asked.split())
    return errors.PaymentFailed(
        paid=purchase.price, cause=error.kind, asked="" if is_quoted else asked, url=error.url
    )


def _remove_proof(page: Fetched, proof: str) -> Fetched:
    """Return a page without the proof of its payment: caches and recordings keep pages."""
    if len(proof) < _MIN_SECRET_CHARS:
        return page
    return msgspec.structs.replace(
        page,
        content_type=page.content_type.replace(proof, ""),
        headers={name: value.replace(proof, "") for name, value in page.headers.items()},
        body=page.body.replace(proof.encode(), b""),
    )


def _make_fetched_page(url: str, target: Target, page: PageResponse, hops: int) -> Fetched:
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
