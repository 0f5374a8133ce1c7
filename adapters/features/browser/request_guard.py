"""Judge every request of a page: continue it, stop it, or answer it.

The proxy enforces the allowed targets. Only DevTools shows which request is the page itself, whose
moves are judged like redirects, and which are just pictures.
"""

import asyncio
import socket
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import (
    EmptyContent,
    TooManyRedirects,
    UnsupportedContent,
    UrlDenied,
    WebError,
)
from webseam.ports.targets import Target

from ...http.error_mapping import network_error
from ...pages.fetch.connect import FetchDeps, Guard, Resolve, open_socket
from ...pages.fetch.content import NO_BODY_STATUSES, REDIRECT_STATUSES, media_type_essence
from ...pages.fetch.visit import resolve_target
from .browser_command import PROXY_USER
from .deps import OnRefused
from .devtools import DevTools
from .events import AuthRequired, RequestPaused

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
# A WebSocket cannot be paused: its event and its connection race.
_EVENT_TIMEOUT_SECONDS = 1.0
_REFUSED_RESOURCE_TYPES = frozenset({"Font", "Media"})
# All pictures get this answer, because a failed picture may make a page change itself.
_PIXEL_GIF_BASE64 = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
_FOUND_STATUS = 302


class PinnedNames:
    """A resolver that asks another one only once for each name; failures are not cached."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._cached: dict[str, Sequence[str]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that ``host`` had at its first lookup."""
        async with self._locks.setdefault(host, asyncio.Lock()):
            if host not in self._cached:
                self._cached[host] = tuple(await self._resolve(host, port))
            return self._cached[host]


class ReachableTarget(NamedTuple):
    """An allowed target and its allowed addresses."""

    target: Target
    addresses: Sequence[str]


class RenderGuard:
    """The guard of one rendering. ``unreachable`` holds connection errors by authority."""

    def __init__(self, deps: FetchDeps, public: Guard, on_refused: OnRefused) -> None:
        """Use the fetcher's collaborators, the guard without exceptions, and a callback."""
        self.judge_redirect = deps.guard.judge_redirect
        self._fetch_deps = msgspec.structs.replace(deps, resolve=PinnedNames(deps.resolve))
        self._public_deps = msgspec.structs.replace(self._fetch_deps, guard=public)
        self._is_confined = False
        self._on_refused = on_refused
        self.unreachable: dict[str, WebError] = {}

    async def judge_page(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge the requested page, and note whether it is on the public internet."""
        outcome = await _judge_url(url, self._fetch_deps)
        if isinstance(outcome, Success):
            self._is_confined = isinstance(await _judge_url(url, self._public_deps), Success)
        return outcome

    async def judge_request(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge a request of the page."""
        outcome = await _judge_url(url, self._fetch_deps)
        if isinstance(outcome, Success) and self._is_confined:
            # The settings already allow it, so the error must not name a setting.
            outcome = await _judge_url(url, self._public_deps)
            outcome = outcome.alt(lambda error: _change_denial(error, setting=None))
        return outcome.alt(self._report_refusal)

    async def connect(self, reachable: ReachableTarget) -> Result[socket.socket, WebError]:
        """Connect to a checked target."""
        deps = self._public_deps if self._is_confined else self._fetch_deps
        try:
            opened = await open_socket(reachable.target, reachable.addresses, deps)
        except httpx.HTTPError as error:
            connect_error = network_error(error, reachable.target.host)
            self.unreachable[reachable.target.authority] = connect_error
            return Failure(connect_error)
        return opened.alt(self._report_refusal)

    def _report_refusal(self, error: WebError) -> WebError:
        if isinstance(error, UrlDenied):
            self._on_refused(error)
        return error


async def _judge_url(url: str, deps: FetchDeps) -> Result[ReachableTarget, WebError]:
    judged = deps.guard.judge_url(url)
    if isinstance(judged, Failure):
        return judged
    target = judged.unwrap()
    addresses = await resolve_target(target, deps)
    return addresses.map(lambda checked: ReachableTarget(target, checked))


def _change_denial(error: WebError, **fields: object) -> WebError:
    return msgspec.structs.replace(error, **fields) if isinstance(error, UrlDenied) else error


class ExpectedHosts:
    """Hosts and ports of announced requests; paths do not matter."""

    def __init__(self) -> None:
        self._hosts: set[tuple[str, int]] = set()
        self._changed = asyncio.Event()

    def add(self, url: str) -> None:
        """Expect a connection to the host and port of ``url``."""
        host_port = url_host_port(url)
        if host_port is not None:
            self._hosts.add(host_port)
            self._changed.set()
            self._changed = asyncio.Event()

    async def is_expected(self, url: str) -> bool:
        """Tell whether the host and port of ``url`` are expected, or become so shortly."""
        host_port = url_host_port(url)
        try:
            async with asyncio.timeout(_EVENT_TIMEOUT_SECONDS):
                while host_port is not None and host_port not in self._hosts:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return host_port is not None


def url_host_port(url: str) -> tuple[str, int] | None:
    """Return the host and port of a URL; None when it has none.

    >>> url_host_port("wss://A.example")
    ('a.example', 443)
    >>> url_host_port("https://u@[::1]:8443/x")
    ('::1', 8443)
    >>> url_host_port("data:,x")
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return None if not host or port is None else (host, port)


class TrafficAnswer(NamedTuple):
    """The status and headers of a site's answer for a page."""

    status: int
    headers: httpx.Headers


class Traffic:
    """Judges the requests of one page.

    ``passed`` holds the visited targets, ``answer`` the last answer and ``shown`` the displayed
    one; ``moving`` tells whether the page is navigating, and ``error`` why there is no page.
    """

    def __init__(
        self, devtools: DevTools, guard: RenderGuard, expected: ExpectedHosts, password: str
    ) -> None:
        self.frame, self.moves, self.moving = "", 0, False
        self.visited: list[Target] = []
        self.answer: TrafficAnswer | None = None
        self.shown: TrafficAnswer | None = None
        self.error: WebError | None = None
        self._devtools, self._guard = devtools, guard
        self._password, self._expected = password, expected
        self._answered_auth: set[tuple[str, str]] = set()

    async def on_request_paused(self, event: RequestPaused) -> None:
        """Continue, stop or answer a paused request."""
        if event.frame_id == self.frame and event.resource_type == "Document":
            await self._on_page_request(event)
        elif event.resource_type in _REFUSED_RESOURCE_TYPES:
            self._stop_request(event)
        elif event.resource_type == "Image":
            self._reply_to_request(
                "Fetch.fulfillRequest",
                event,
                responseCode=200,
                responseHeaders=[{"name": "Content-Type", "value": "image/gif"}],
                body=_PIXEL_GIF_BASE64,
            )
        else:
            self._continue_request(event)

    def on_request_sent(self, url: str) -> None:
        """Expect the host of a request that cannot be paused."""
        self._expected.add(url)

    def on_password_request(self, event: AuthRequired) -> None:
        """Give the proxy its password once per request; refuse all other password requests."""
        request_id, session = event.request_id, event.session
        response = {"response": "CancelAuth"}
        is_repeated = (session, request_id) in self._answered_auth
        if event.auth_challenge.source == "Proxy" and not is_repeated:
            credentials = {"username": PROXY_USER, "password": self._password}
            response = {"response": "ProvideCredentials", **credentials}
        self._answered_auth.add((session, request_id))
        self._devtools.send_to_session(
            session, "Fetch.continueWithAuth", requestId=request_id, authChallengeResponse=response
        )

    def on_page_shown(self) -> None:
        """Note that the last answer is displayed now."""
        self.moving = False
        self.shown = self.answer

    async def _on_page_request(self, event: RequestPaused) -> None:
        is_shown = True
        if not event.is_answered:
            await self._on_page_move(event.request.url)
        elif event.response_status_code is not None:
            is_shown = self._on_page_answer(_traffic_answer(event))
        if is_shown and self.error is None:
            self._continue_request(event)
        else:
            self._stop_request(event)

    async def _on_page_move(self, url: str) -> None:
        self.moving = True
        judged = await self._judge_page_move(url)
        if isinstance(judged, Failure):
            self.error = _change_denial(judged.failure(), hop=len(self.visited))
        else:
            self.visited.append(judged.unwrap())

    async def _judge_page_move(self, url: str) -> Result[Target, WebError]:
        if len(self.visited) > self.moves:
            return Failure(TooManyRedirects(hops=self.moves))
        if self.visited:
            status = self.answer.status if self.answer else _FOUND_STATUS
            redirect = self._guard.judge_redirect(self.visited[-1], status, url)
            if isinstance(redirect, Failure):
                return redirect
        checked = await self._guard.judge_request(url)
        return checked.map(lambda reachable: reachable.target)

    def _on_page_answer(self, answer: TrafficAnswer) -> bool:
        """Store an answer; return False when it is not a page and the displayed one stays."""
        refusal = _non_page_error(answer)
        if refusal is not None and self.shown is not None:
            self.moving = False
            self.visited.pop()
            return False
        self.answer, self.error = answer, self.error or refusal
        return True

    def _continue_request(self, event: RequestPaused) -> None:
        # Add it first, so that the proxy expects the host before the browser connects.
        self._expected.add(event.request.url)
        self._reply_to_request("Fetch.continueRequest", event)

    def _stop_request(self, event: RequestPaused) -> None:
        self._reply_to_request("Fetch.failRequest", event, errorReason="BlockedByClient")

    def _reply_to_request(self, method: str, event: RequestPaused, **params: object) -> None:
        self._devtools.send_to_session(event.session, method, requestId=event.request_id, **params)


def _traffic_answer(event: RequestPaused) -> TrafficAnswer:
    pairs = [(header.name, header.value) for header in event.response_headers]
    return TrafficAnswer(event.response_status_code or 0, httpx.Headers(pairs, encoding="utf-8"))


def _non_page_error(answer: TrafficAnswer) -> WebError | None:
    """Return the error for an answer that a browser would not display; None for a page."""
    if answer.status in REDIRECT_STATUSES:
        return None
    if answer.status in NO_BODY_STATUSES:
        return EmptyContent(reason="no_body")
    kind = media_type_essence(answer.headers.get("content-type", ""))
    is_download = answer.headers.get("content-disposition", "").lower().startswith("attachment")
    if is_download or kind not in ("", "text/html", "application/xhtml+xml"):
        return UnsupportedContent(content_type=kind[:100] or "a download")
    return None
