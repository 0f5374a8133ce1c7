"""Fetch pages politely: the guard judges every hop, robots.txt allows it, and turns pace it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import kind_of_type
from webseam.adapters.pages.fetch.connect import FetchDeps
from webseam.adapters.pages.fetch.content import NOT_MODIFIED, media_type_essence
from webseam.adapters.pages.fetch.large_bodies import LargeBodies
from webseam.adapters.pages.fetch.user_headers import Headers
from webseam.adapters.pages.fetch.visit import (
    PageResponse,
    Redirect,
    page_request_bytes,
    visit_target,
)
from webseam.ports import errors
from webseam.ports.targets import Target
from webseam.ports.usage import UsageStatement

from .hosts import HostTurns
from .recent_answers import RecentAnswers
from .robots import MAX_ROBOTS_BYTES, RobotsFiles
from .robots_usage import robots_statements

Statements: TypeAlias = tuple[UsageStatement, ...]


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """A request and its response; a redirect has no body here.

    ``statements`` are those of robots.txt about the use of the page.
    """

    url: str
    request: bytes
    status: int
    headers: Headers
    body: bytes
    at: float
    statements: Statements = ()


class PageVisit(msgspec.Struct, frozen=True, kw_only=True):
    """All hops of a fetch, and the error if the last of them is not a page.

    ``unchanged`` says that the page is the same as at the earlier visit. ``onward`` is the redirect
    target if another process fetches from that host. ``size`` counts the bytes fetched. ``look`` is
    the second look at a page in markdown, ``look_error`` why there is none.
    """

    hops: tuple[Hop, ...] = ()
    error: errors.WebError | None = None
    unchanged: bool = False
    onward: str | None = None
    size: int = 0
    look: Hop | None = None
    look_error: errors.WebError | None = None


class FetchManners(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of fetching: at most ``slots`` requests at once over all hosts.

    ``rest`` is how long an overloaded host is left alone. ``usage_refusal`` is checked with the
    statements of robots.txt, ``refusal`` right before a request. ``is_ours`` tells which hosts this
    process fetches from, and ``page_of`` returns the canonical spelling of a URL. ``looks`` tells
    of which pages in markdown the HTML is fetched, too.
    """

    slots: int
    rest: Callable[[float | None], float]
    is_stopping: Callable[[], bool] = lambda: False
    refusal: Callable[[], errors.WebError | None] = lambda: None
    usage_refusal: Callable[[Statements], errors.WebError | None] = lambda _statements: None
    is_ours: Callable[[Target], bool] = lambda _target: True
    page_of: Callable[[str], str] = lambda url: url
    looks: Callable[[str], bool] = lambda _url: False


class EarlierAnswer(NamedTuple):
    """The validators and the answer of a page from an earlier run.

    When a redirect leads to a page that was found unchanged, ``answer`` returns the earlier page
    with the headers of the new response.
    """

    validators: Headers = ()
    answer: Callable[[Headers], PageResponse] | None = None


NO_EARLIER_ANSWER: Final = EarlierAnswer()


class _PageRequest(NamedTuple):
    target: Target
    validators: Headers
    deps: FetchDeps


class _PageResponse(NamedTuple):
    response: Redirect | PageResponse
    is_new: bool
    statements: Statements = ()


class PoliteFetcher:
    """Fetch pages, hop by hop."""

    def __init__(
        self,
        deps: FetchDeps,
        turns: HostTurns,
        manners: FetchManners,
        recent: RecentAnswers | None = None,
    ) -> None:
        """Send no request yet; ``recent`` has answers of earlier fetches."""
        self._deps, self._loop_and_semaphore, self._rest = deps, turns, manners.rest
        # Read robots.txt regardless of its type, its invalid bytes and its length.
        limits = msgspec.structs.replace(deps.limits, start_bytes=MAX_ROBOTS_BYTES + 1)
        self._text_deps = msgspec.structs.replace(deps, limits=limits)
        self._is_stopping, self._refusal = manners.is_stopping, manners.refusal
        self._is_ours, self._page_of = manners.is_ours, manners.page_of
        self._usage_refusal, self._has_second_look = manners.usage_refusal, manners.looks
        self._look_deps = msgspec.structs.replace(deps, prefer="html only")
        self._slots = asyncio.Semaphore(manners.slots)
        self._large = LargeBodies()
        self._recent = recent or RecentAnswers()
        self.robots: RobotsFiles | None = None

    def judge_page_url(self, url: str) -> Result[Target, errors.WebError]:
        """Return the target of a URL, or the reason against fetching it."""
        return self._deps.guard.judge_url(url).alt(lambda error: error)

    async def fetch_page(
        self, url: str, former: EarlierAnswer = NO_EARLIER_ANSWER, *, before: int = 0
    ) -> PageVisit | None:
        """Return a page's outcome, or None; ``before`` counts the hops of other processes."""
        return await self._follow_redirects(url, former, with_robots=True, before=before)

    async def fetch_text(self, url: str) -> Result[bytes, errors.WebError]:
        """Return the body at a URL without checking robots.txt, since it may be that file."""
        visited = await self._follow_redirects(url, NO_EARLIER_ANSWER, with_robots=False)
        if visited is None:
            return Failure(errors.DeadlineExceeded(deadline=0.0))
        if visited.error is not None:
            return Failure(visited.error)
        return Success(visited.hops[-1].body)

    async def _follow_redirects(
        self, url: str, former: EarlierAnswer, *, with_robots: bool, before: int = 0
    ) -> PageVisit | None:
        guard = self._deps.guard
        judged = self.judge_page_url(url)
        hops: list[Hop] = []
        while before + len(hops) <= self._deps.limits.redirects:
            if isinstance(judged, Failure):
                return PageVisit(hops=tuple(hops), error=judged.failure())
            target = judged.unwrap()
            # Follow redirects of robots.txt to any host: every process reads the files it needs.
            if hops and with_robots and not self._is_ours(target):
                return PageVisit(hops=tuple(hops), onward=target.url)
            visited = await self._visit_hop(target, former, with_robots=with_robots)
            if not isinstance(visited, Success):
                error = None if visited is None else visited.failure()
                return None if error is None else PageVisit(hops=tuple(hops), error=error)
            response, is_new, statements = visited.unwrap()
            hop = _make_hop(target, response, self._deps, former.validators)
            hops.append(msgspec.structs.replace(hop, statements=statements))
            if isinstance(response, PageResponse):
                visit = _make_visit(hops, is_new=is_new)
                return await self._look_again(visit, target, response) if with_robots else visit
            redirect = guard.judge_redirect(target, response.status, response.location)
            judged, former = redirect.alt(lambda error: error), NO_EARLIER_ANSWER
        return PageVisit(
            hops=tuple(hops), error=errors.TooManyRedirects(hops=before + len(hops) - 1)
        )

    async def _look_again(
        self, visit: PageVisit, target: Target, page: PageResponse
    ) -> PageVisit | None:
        """Fetch the HTML of a page in markdown, if the page is in the sample."""
        kind = kind_of_type(media_type_essence(page.headers.get("content-type", "")))
        if visit.error is not None or kind != "markdown" or not self._has_second_look(target.url):
            return visit
        delay = None if self.robots is None else (await self.robots.host_rules(target)).delay
        response = await self._request_page(_PageRequest(target, (), self._look_deps), delay)
        if response is None:
            return None
        if isinstance(response, Failure):
            return msgspec.structs.replace(visit, look_error=response.failure())
        look = _make_hop(target, response.unwrap(), self._look_deps)
        return msgspec.structs.replace(visit, look=look, size=visit.size + len(look.body))

    async def _visit_hop(
        self, target: Target, former: EarlierAnswer, *, with_robots: bool
    ) -> Result[_PageResponse, errors.WebError] | None:
        delay: float | None = None
        statements: Statements = ()
        if with_robots and self.robots is not None:
            rules = await self.robots.host_rules(target)
            # A stopped run may have no rules.
            if self._is_stopping():
                return None
            # Check our refusal first: without permission to fetch, robots.txt is unreachable too.
            refusal = self._refusal() or rules.explain_refusal(target.url, self.robots.agent)
            statements = robots_statements(rules.usage, target.path)
            refusal = refusal or self._usage_refusal(statements)
            if refusal is not None:
                return Failure(refusal)
            delay = rules.delay
        page = self._page_of(target.url)
        async with self._recent.lock_page(page) as recent:
            # Do not reuse a robots.txt: it is fetched again after a day.
            if recent is not None and with_robots:
                return Success(_PageResponse(recent, is_new=False, statements=statements))
            deps = self._deps if with_robots else self._text_deps
            visited = await self._request_page(_PageRequest(target, former.validators, deps), delay)
            if visited is None or isinstance(visited, Failure):
                return visited
            self._recent.store_page_answer(page, _restore_unchanged_page(visited.unwrap(), former))
            response = visited.unwrap()
            return Success(_PageResponse(response, is_new=True, statements=statements))

    async def _request_page(
        self, request: _PageRequest, delay: float | None
    ) -> Result[Redirect | PageResponse, errors.WebError] | None:
        """Send a request, and retry while the rules allow it; each time in its turn."""
        attempt = 0
        while not self._is_stopping():
            attempt += 1
            visited = await self._request_in_host_turn(request, delay)
            if not isinstance(visited, Failure):
                return visited
            if self._deps.retry(visited.failure(), attempt) is None:
                return visited
        return None

    async def _request_in_host_turn(
        self, request: _PageRequest, delay: float | None
    ) -> Result[Redirect | PageResponse, errors.WebError] | None:
        host = request.target.authority
        async with self._loop_and_semaphore.host_turn(host, delay):
            if self._is_stopping():
                return None
            visited = await self._send_request(request)
            if isinstance(visited, Failure):
                error = visited.failure()
                if isinstance(error, errors.RateLimited | errors.UpstreamUnavailable):
                    self._loop_and_semaphore.pause_host(host, self._rest(error.retry_after))
            return visited

    async def _send_request(
        self, request: _PageRequest
    ) -> Result[Redirect | PageResponse, errors.WebError]:
        limit = self._deps.limits.deadline
        async with self._slots:
            refusal = self._refusal()
            if refusal is not None:
                return Failure(refusal)
            try:
                async with asyncio.timeout(limit):
                    return await visit_target(
                        request.target, request.deps, self._large, request.validators
                    )
            except TimeoutError:
                return Failure(errors.DeadlineExceeded(deadline=limit))


def _make_hop(
    target: Target, response: Redirect | PageResponse, deps: FetchDeps, validators: Headers = ()
) -> Hop:
    headers: Headers = ()
    if isinstance(response, Redirect):
        headers, body = (("Location", response.location),), b""
    else:
        headers, body = tuple(response.headers.multi_items()), response.body
    request = page_request_bytes(target, deps, headers=validators)
    return Hop(
        url=target.url,
        request=request,
        status=response.status,
        headers=headers,
        body=body,
        at=time.time(),
    )


def _make_visit(hops: list[Hop], *, is_new: bool) -> PageVisit:
    last = hops[-1]
    if last.status == NOT_MODIFIED:
        # A 304 is an error for a caller without the earlier page.
        return PageVisit(
            hops=tuple(hops), error=errors.HttpStatus(status=NOT_MODIFIED), unchanged=True
        )
    return PageVisit(hops=tuple(hops), size=len(last.body) if is_new else 0)


def _restore_unchanged_page(
    response: Redirect | PageResponse, former: EarlierAnswer
) -> Redirect | PageResponse:
    """Return the response; for an unchanged page the earlier answer with new headers."""
    if response.status != NOT_MODIFIED or former.answer is None or isinstance(response, Redirect):
        return response
    return former.answer(tuple(response.headers.multi_items()))
