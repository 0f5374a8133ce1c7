"""One rendering: a proxy, a browser, a page in it, and what becomes of it."""

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import (
    BlockedByRemote,
    ConnectionLost,
    EmptyContent,
    NotConfigured,
    ParseFailed,
    ResponseTooLarge,
    WebError,
)
from ....ports.pages import Fetched
from ..fetch.deps import FetchDeps
from ..fetch.fetcher import TELLING
from ..fetch.statuses import CHALLENGE_BYTES, MAYBE_CHALLENGE, shows_challenge, status_refusal
from .deps import RenderLimits
from .devtools import DevTools
from .memory import MemoryWatch
from .network.expected_hosts import ExpectedHosts
from .network.proxy import GuardingProxy
from .network.relay import ByteAllowance
from .network.render_guard import RenderGuard
from .network.request_guard import Traffic, TrafficAnswer
from .page import BrowserPage, RenderedDocument
from .process import Launch, RunningBrowser, start_browser

_ERROR_PAGE = "chrome-error:"
# The pipe writes a letter beyond ASCII as six bytes, where UTF-8 has two or more.
_BYTES_PER_BYTE = 3
_SLACK = 1024 * 1024


class BrowserProgram(msgspec.Struct, frozen=True, kw_only=True):
    """The browser, and how to start it."""

    path: str
    sandbox: bool
    environment: Mapping[str, str]


class Rendering:
    """Renders one page, once."""

    def __init__(self, around: FetchDeps, reach: RenderGuard, limits: RenderLimits) -> None:
        """Begin with the whole allowance."""
        self._around = around
        self._reach = reach
        self._limits = limits
        self._allowance = ByteAllowance(limits.connections, limits.transfer_bytes)
        self._expected = ExpectedHosts()
        self._proxy = GuardingProxy(reach, self._allowance, self._expected)

    async def run(self, url: str, start: str, program: BrowserProgram) -> Result[Fetched, WebError]:
        """Render ``start`` for whoever asked for ``url``. Raises OSError when nothing starts."""
        launch = Launch(
            program=program.path,
            sandbox=program.sandbox,
            environment=program.environment,
            message_bytes=self._limits.html_bytes * _BYTES_PER_BYTE + _SLACK,
            memory_bytes=self._limits.memory_bytes,
        )
        async with start_browser(launch) as browser, self._proxy.serve(browser.listener):
            with MemoryWatch(browser.process.pid, self._limits.memory_bytes) as memory:
                browser.begin()
                shown = await self._show(url, start, browser)
            too_much = memory.exceeded and isinstance(shown, Failure)
            if too_much or browser.was_killed_for_memory():
                return Failure(ParseFailed(reason="out_of_memory"))
            return shown

    async def _show(
        self, url: str, start: str, browser: RunningBrowser
    ) -> Result[Fetched, WebError]:
        devtools = DevTools(browser.reader, browser.writer, self._limits.html_bytes)
        traffic = Traffic(
            devtools,
            self._reach,
            self._around.guard,
            password=self._proxy.password,
            expected=self._expected,
        )
        traffic.moves = self._limits.moves
        page = BrowserPage(devtools, traffic)
        if isinstance(await page.open(), Failure):
            return Failure(_not_started(browser))
        visited = await page.visit(start, self._limits.settle)
        if isinstance(visited, Failure):
            return Failure(self._because(visited.failure(), traffic))
        seen = await page.read()
        return seen.alt(lambda error: self._because(error, traffic)).bind(
            lambda document: self._fetched(url, document, traffic)
        )

    def _because(self, error: WebError, traffic: Traffic) -> WebError:
        """Return what was behind an error, where the browser could not know it."""
        if self._allowance.overdrawn:
            return ResponseTooLarge(what="body", limit=self._limits.transfer_bytes)
        if traffic.trouble is not None:
            return traffic.trouble
        place = traffic.passed[-1].authority if traffic.passed else ""
        return self._reach.unreachable.get(place) or self._refusal(traffic.answer) or error

    def _refusal(self, answer: TrafficAnswer | None) -> WebError | None:
        if answer is None:
            return None
        return status_refusal(answer.status, answer.headers, self._around.now())

    def _fetched(
        self, url: str, seen: RenderedDocument, traffic: Traffic
    ) -> Result[Fetched, WebError]:
        if self._allowance.overdrawn or seen.url.startswith(_ERROR_PAGE):
            return Failure(self._because(ConnectionLost(), traffic))
        final = self._around.guard.judge_url(seen.url)
        if isinstance(final, Failure) or traffic.shown is None:
            return Failure(EmptyContent(reason="no_text"))
        status, headers = traffic.shown
        body = seen.html.encode("utf-8", "replace")
        refusal = self._refusal(traffic.shown)
        if refusal is not None:
            return Failure(_unless_challenge(refusal, status, body))
        if len(body) > self._limits.html_bytes:
            return Failure(ResponseTooLarge(what="decoded", limit=self._limits.html_bytes))
        return Success(
            Fetched(
                url=url,
                final_url=final.unwrap().url,
                status=status,
                content_type="text/html; charset=utf-8",
                headers={name: headers[name] for name in TELLING if name in headers},
                body=body,
                hops=len(traffic.passed) - 1,
            )
        )


def _not_started(browser: RunningBrowser) -> NotConfigured:
    last_words = browser.last_words()[:200]
    setting, remedy = "render.browser", "Set render.browser to one that works."
    if "sandbox" in last_words.lower():
        setting, remedy = "render.sandbox", _NO_SANDBOX
    reason = f"The browser does not start: {last_words}"
    return NotConfigured(settings=(setting,), reason=reason, remedy=remedy)


_NO_SANDBOX = (
    "Let Chromium have its sandbox, or set render.sandbox to false if you trust the pages."
)


def _unless_challenge(refusal: WebError, status: int, body: bytes) -> WebError:
    maybe = status in MAYBE_CHALLENGE and shows_challenge(body[:CHALLENGE_BYTES])
    return BlockedByRemote(status=status) if maybe else refusal
