"""A word on every request of a page: go, stop, or never mind.

The proxy keeps the page where it may be. Here is what only a browser's user knows: which request
is the page itself, so that where it goes is judged like a redirect, and which are just pictures.
"""

import asyncio
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import msgspec
from returns.result import Failure, Result

from ....ports.errors import EmptyContent, TooManyRedirects, UnsupportedContent, UrlDenied, WebError
from ....ports.targets import Target
from ...pages.fetch.connect import Guard
from ...pages.fetch.content import NO_BODY, REDIRECTS, media_type_essence
from ..browser_command import USER
from ..devtools import DevTools
from ..events import AuthRequired, RequestPaused
from .render_guard import RenderGuard

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
# A WebSocket cannot be held until we have heard of it: its event and its connection race.
_EVENT_TIMEOUT_SECONDS = 1.0


class ExpectedHosts:
    """Hosts and ports, as requests are heard of. Their paths are the browser's affair."""

    def __init__(self) -> None:
        """Expect nothing yet."""
        self._places: set[tuple[str, int]] = set()
        self._changed = asyncio.Event()

    def add(self, url: str) -> None:
        """Expect a connection to where ``url`` is."""
        place = url_host_port(url)
        if place is not None:
            self._places.add(place)
            self._changed.set()
            self._changed = asyncio.Event()

    async def holds(self, url: str) -> bool:
        """Tell whether ``url`` is at an expected place, or becomes so within a moment."""
        place = url_host_port(url)
        try:
            async with asyncio.timeout(_EVENT_TIMEOUT_SECONDS):
                while place is not None and place not in self._places:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return place is not None


def url_host_port(url: str) -> tuple[str, int] | None:
    """Return the host and port of a URL; None when it has none.

    >>> (url_host_port("wss://A.example"), url_host_port("https://u@[::1]:8443/x"),
    ...  url_host_port("data:,x"))
    (('a.example', 443), ('::1', 8443), None)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return None if not host or port is None else (host, port)


# A word on every request of a page: go, stop, or never mind.

_PAGES = ("", "text/html", "application/xhtml+xml")
_UNWANTED = frozenset({"Font", "Media"})
# Pictures are answered with this one, since a picture that fails may make a page change itself.
_PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
_FOUND = 302


class TrafficAnswer(NamedTuple):
    """The head of what a site sent for a page."""

    status: int
    headers: httpx.Headers


class Traffic:
    """Judges the requests of one page.

    ``passed`` is where the page has been, ``answer`` the last that came for it and ``shown`` the
    one that is looked at; ``moving`` is whether it is on its way, and ``trouble`` is why there will
    be no page.
    """

    def __init__(
        self,
        devtools: DevTools,
        reach: RenderGuard,
        guard: Guard,
        *,
        password: str,
        expected: ExpectedHosts,
    ) -> None:
        """Begin with nothing asked for."""
        self.frame = ""
        self.moves = 0
        self.moving = False
        self.passed: list[Target] = []
        self.answer: TrafficAnswer | None = None
        self.shown: TrafficAnswer | None = None
        self.trouble: WebError | None = None
        self._devtools = devtools
        self._reach = reach
        self._guard = guard
        self._password = password
        self._expected = expected
        self._told: set[tuple[str, str]] = set()

    async def on_paused(self, event: RequestPaused) -> None:
        """Let a request pass, or not."""
        of_page = event.frame_id == self.frame and event.resource_type == "Document"
        if of_page:
            await self._on_page(event)
        elif event.resource_type in _UNWANTED:
            self._stop(event)
        elif event.resource_type == "Image":
            self._show_nothing(event)
        else:
            self._pass(event)

    def on_sent(self, url: str) -> None:
        """Take note of what is not held, so that there is nothing to be said."""
        self._expected.add(url)

    def on_auth(self, event: AuthRequired) -> None:
        """Give the proxy its password, once for each request, and nobody else any."""
        number, session = event.request_id, event.session
        wanted = event.auth_challenge.source == "Proxy" and (session, number) not in self._told
        self._told.add((session, number))
        response = {"response": "CancelAuth"}
        if wanted:
            response = {
                "response": "ProvideCredentials",
                "username": USER,
                "password": self._password,
            }
        self._devtools.tell_in(
            session, "Fetch.continueWithAuth", requestId=number, authChallengeResponse=response
        )

    def on_shown(self) -> None:
        """Note that what came is looked at now."""
        self.moving = False
        self.shown = self.answer

    async def _on_page(self, event: RequestPaused) -> None:
        if not event.answered:
            await self._on_move(event.request.url)
        elif event.response_status_code is not None and not self._on_answer(_answer(event)):
            self._stop(event)
            return
        if self.trouble is None:
            self._pass(event)
        else:
            self._stop(event)

    async def _on_move(self, url: str) -> None:
        self.moving = True
        judged = await self._judge_move(url)
        if isinstance(judged, Failure):
            self.trouble = _on_hop(judged.failure(), len(self.passed))
        else:
            self.passed.append(judged.unwrap())

    async def _judge_move(self, url: str) -> Result[Target, WebError]:
        if len(self.passed) > self.moves:
            return Failure(TooManyRedirects(hops=self.moves))
        if self.passed:
            status = self.answer.status if self.answer else _FOUND
            led = self._guard.judge_redirect(self.passed[-1], status, url)
            if isinstance(led, Failure):
                return led
        checked = await self._reach.check(url)
        return checked.map(lambda place: place.target)

    def _on_answer(self, answer: TrafficAnswer) -> bool:
        """Take an answer; False when it is no page and the one that is shown stays."""
        refusal = _no_page(answer)
        if refusal is not None and self.shown is not None:
            self.moving = False
            self.passed.pop()
            return False
        self.answer, self.trouble = answer, self.trouble or refusal
        return True

    def _pass(self, event: RequestPaused) -> None:
        # First, so that the proxy knows of the place before the browser comes to it.
        self._expected.add(event.request.url)
        self._answer("Fetch.continueRequest", event)

    def _stop(self, event: RequestPaused) -> None:
        self._answer("Fetch.failRequest", event, errorReason="BlockedByClient")

    def _show_nothing(self, event: RequestPaused) -> None:
        self._answer(
            "Fetch.fulfillRequest",
            event,
            responseCode=200,
            responseHeaders=[{"name": "Content-Type", "value": "image/gif"}],
            body=_PIXEL,
        )

    def _answer(self, method: str, event: RequestPaused, **params: object) -> None:
        self._devtools.tell_in(event.session, method, requestId=event.request_id, **params)


def _answer(event: RequestPaused) -> TrafficAnswer:
    pairs = [(header.name, header.value) for header in event.response_headers]
    return TrafficAnswer(event.response_status_code or 0, httpx.Headers(pairs, encoding="utf-8"))


def _no_page(answer: TrafficAnswer) -> WebError | None:
    """Refuse what a browser would store or do nothing with, rather than show it."""
    if answer.status in REDIRECTS:
        return None
    if answer.status in NO_BODY:
        return EmptyContent(reason="no_body")
    kind = media_type_essence(answer.headers.get("content-type", ""))
    stored = answer.headers.get("content-disposition", "").lower().startswith("attachment")
    if stored or kind not in _PAGES:
        return UnsupportedContent(content_type=kind[:100] or "a download")
    return None


def _on_hop(error: WebError, hop: int) -> WebError:
    return msgspec.structs.replace(error, hop=hop) if isinstance(error, UrlDenied) else error
