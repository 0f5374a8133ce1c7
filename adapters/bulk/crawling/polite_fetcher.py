"""A page of the web, fetched as a guest: every hop is judged, allowed by robots.txt, and paced."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import (
    DeadlineExceeded,
    HttpStatus,
    RateLimited,
    TooManyRedirects,
    UpstreamUnavailable,
    WebError,
)
from ....ports.targets import Target
from ...pages.fetch.connect import FetchDeps
from ...pages.fetch.content import NOT_MODIFIED
from ...pages.fetch.large_bodies import LargeBodies
from ...pages.fetch.visit import Headers, PageArrived, Redirected, request_bytes, visit_target
from .hosts import HostTurns
from .recent_answers import RecentAnswers
from .robots import MAX_ROBOTS_BYTES, RobotsFiles


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One question and its answer; a redirect has no body here."""

    url: str
    request: bytes
    status: int
    headers: Headers
    body: bytes
    at: float


class PageVisit(msgspec.Struct, frozen=True, kw_only=True):
    """All hops that were made, and the error where the last of them is no page.

    ``unchanged`` says that the page is as it was at the former visit. ``onward`` is where it was
    moved to, when somebody else asks that host. ``size`` counts the bytes that were asked for.
    """

    hops: tuple[Hop, ...] = ()
    error: WebError | None = None
    unchanged: bool = False
    onward: str | None = None
    size: int = 0


class FetchManners(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are asked for: ``slots`` at once over all hosts.

    ``rest`` is how long a host is left alone that is overloaded; ``refusal`` is asked
    right before a page is. ``is_ours`` tells which hosts are asked from here, and
    ``page_of`` the spelling that all names of a page have.
    """

    slots: int
    rest: Callable[[float | None], float]
    is_stopping: Callable[[], bool] = lambda: False
    refusal: Callable[[], WebError | None] = lambda: None
    is_ours: Callable[[Target], bool] = lambda _target: True
    page_of: Callable[[str], str] = lambda url: url


class EarlierAnswer(NamedTuple):
    """What is known of a page from an earlier run: what to ask with, and the answer it gave.

    Who is moved to the page after it was found unchanged is given that answer, with the headers
    that it was found so with.
    """

    validators: Headers = ()
    answer: Callable[[Headers], PageArrived] | None = None


NOTHING: Final = EarlierAnswer()


class _Question(NamedTuple):
    target: Target
    validators: Headers
    around: FetchDeps


class _Answer(NamedTuple):
    response: Redirected | PageArrived
    is_new: bool


class PoliteFetcher:
    """Fetches pages, one hop after the other."""

    def __init__(
        self,
        around: FetchDeps,
        turns: HostTurns,
        manners: FetchManners,
        recent: RecentAnswers | None = None,
    ) -> None:
        """Ask nobody yet; ``recent`` is what others asked for before."""
        self._around, self._turns, self._rest = around, turns, manners.rest
        # A robots.txt is one whatever its type, whatever bytes went astray in it, however long.
        limits = msgspec.structs.replace(around.limits, start_bytes=MAX_ROBOTS_BYTES + 1)
        self._texts = msgspec.structs.replace(around, limits=limits)
        self._is_stopping, self._refusal = manners.is_stopping, manners.refusal
        self._is_ours, self._page_of = manners.is_ours, manners.page_of
        self._slots = asyncio.Semaphore(manners.slots)
        self._large = LargeBodies()
        self._recent = recent or RecentAnswers()
        self.robots: RobotsFiles | None = None

    def judge(self, url: str) -> Result[Target, WebError]:
        """Return where a URL leads, or why it is not to be asked for."""
        return self._around.guard.judge_url(url).alt(lambda error: error)

    async def fetch(
        self, url: str, former: EarlierAnswer = NOTHING, *, before: int = 0
    ) -> PageVisit | None:
        """Return what came of a page; None when the run was stopped before it was asked for.

        So many hops were made ``before``, by others.
        """
        return await self._follow(url, former, with_robots=True, before=before)

    async def fetch_text(self, url: str) -> Result[bytes, WebError]:
        """Return the body at a URL, without asking its robots.txt, which may be what it is."""
        visited = await self._follow(url, NOTHING, with_robots=False)
        if visited is None:
            return Failure(DeadlineExceeded(deadline=0.0))
        if visited.error is not None:
            return Failure(visited.error)
        return Success(visited.hops[-1].body)

    async def _follow(
        self, url: str, former: EarlierAnswer, *, with_robots: bool, before: int = 0
    ) -> PageVisit | None:
        guard = self._around.guard
        judged = self.judge(url)
        hops: list[Hop] = []
        while before + len(hops) <= self._around.limits.redirects:
            if isinstance(judged, Failure):
                return PageVisit(hops=tuple(hops), error=judged.failure())
            target = judged.unwrap()
            # A robots.txt is read by whoever needs it, wherever it was moved to.
            if hops and with_robots and not self._is_ours(target):
                return PageVisit(hops=tuple(hops), onward=target.url)
            visited = await self._visit(target, former, with_robots=with_robots)
            if not isinstance(visited, Success):
                return None if visited is None else _ended(hops, visited.failure())
            response, is_new = visited.unwrap()
            hops.append(self._hop(target, response, former.validators))
            if isinstance(response, PageArrived):
                return _arrived(hops, is_new=is_new)
            redirect = guard.judge_redirect(target, response.status, response.location)
            judged, former = redirect.alt(lambda error: error), NOTHING
        return PageVisit(hops=tuple(hops), error=TooManyRedirects(hops=before + len(hops) - 1))

    async def _visit(
        self, target: Target, former: EarlierAnswer, *, with_robots: bool
    ) -> Result[_Answer, WebError] | None:
        delay = None
        if with_robots and self.robots is not None:
            rules = await self.robots.rules(target)
            # Whoever is stopped may not have read them.
            if self._is_stopping():
                return None
            # Ours first: whoever may ask nobody any more cannot reach a robots.txt either.
            refusal = self._refusal() or rules.refusal(target.url, self.robots.agent)
            if refusal is not None:
                return Failure(refusal)
            delay = rules.delay
        page = self._page_of(target.url)
        async with self._recent.alone(page) as known:
            # A robots.txt is asked for again when its day is over.
            if known is not None and with_robots:
                return Success(_Answer(known, is_new=False))
            around = self._around if with_robots else self._texts
            visited = await self._persist(_Question(target, former.validators, around), delay)
            if visited is None or isinstance(visited, Failure):
                return visited
            self._recent.keep(page, _whole(visited.unwrap(), former))
            return Success(_Answer(visited.unwrap(), is_new=True))

    async def _persist(
        self, question: _Question, delay: float | None
    ) -> Result[Redirected | PageArrived, WebError] | None:
        """Ask, and ask again while that may help; each time in its turn."""
        attempt = 0
        while not self._is_stopping():
            attempt += 1
            visited = await self._in_turn(question, delay)
            if not isinstance(visited, Failure):
                return visited
            if self._around.retry(visited.failure(), attempt) is None:
                return visited
        return None

    async def _in_turn(
        self, question: _Question, delay: float | None
    ) -> Result[Redirected | PageArrived, WebError] | None:
        host = question.target.authority
        async with self._turns.turn(host, delay):
            if self._is_stopping():
                return None
            visited = await self._ask(question)
            if isinstance(visited, Failure):
                error = visited.failure()
                if isinstance(error, RateLimited | UpstreamUnavailable):
                    self._turns.rest(host, self._rest(error.retry_after))
            return visited

    async def _ask(self, question: _Question) -> Result[Redirected | PageArrived, WebError]:
        limit = self._around.limits.deadline
        async with self._slots:
            refusal = self._refusal()
            if refusal is not None:
                return Failure(refusal)
            try:
                async with asyncio.timeout(limit):
                    return await visit_target(
                        question.target, question.around, self._large, question.validators
                    )
            except TimeoutError:
                return Failure(DeadlineExceeded(deadline=limit))

    def _hop(self, target: Target, response: Redirected | PageArrived, validators: Headers) -> Hop:
        request = request_bytes(target, self._around.user_agent, headers=validators)
        if isinstance(response, Redirected):
            headers: Headers = (("Location", response.location),)
            body = b""
        else:
            headers = tuple(response.headers.multi_items())
            body = response.body
        return Hop(
            url=target.url,
            request=request,
            status=response.status,
            headers=headers,
            body=body,
            at=time.time(),
        )


def _ended(hops: list[Hop], error: WebError) -> PageVisit:
    return PageVisit(hops=tuple(hops), error=error)


def _arrived(hops: list[Hop], *, is_new: bool) -> PageVisit:
    last = hops[-1]
    if last.status == NOT_MODIFIED:
        # No page for whoever has none of before.
        return PageVisit(hops=tuple(hops), error=HttpStatus(status=NOT_MODIFIED), unchanged=True)
    return PageVisit(hops=tuple(hops), size=len(last.body) if is_new else 0)


def _whole(response: Redirected | PageArrived, former: EarlierAnswer) -> Redirected | PageArrived:
    """Return an answer; of a page that has not changed the one of before, as it is now."""
    if response.status != NOT_MODIFIED or former.answer is None or isinstance(response, Redirected):
        return response
    return former.answer(tuple(response.headers.multi_items()))
