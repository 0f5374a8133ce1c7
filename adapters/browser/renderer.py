"""The renderer: a page as the machine's own browser shows it, behind the fetcher's guard."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import (
    BlockedByRemote,
    ConnectionLost,
    DeadlineExceeded,
    EmptyContent,
    NotConfigured,
    ParseFailed,
    ResponseTooLarge,
    UnsupportedCapability,
    WebError,
)
from ...ports.pages import Fetched
from ..pages.fetch.connect import FetchDeps
from ..pages.fetch.content import CHALLENGE_BYTES, MAYBE_CHALLENGE, shows_challenge, status_refusal
from ..pages.fetch.fetcher import TELLING
from .browser_command import find_browser
from .deps import RenderDeps, RenderLimits
from .devtools import DevTools
from .network.proxy import ByteAllowance, GuardingProxy
from .network.render_guard import RenderGuard
from .network.request_guard import ExpectedHosts, Traffic, TrafficAnswer
from .page import BrowserPage, RenderedDocument
from .process import Launch, RunningBrowser, start_browser

_POLL_SECONDS: Final = 0.02
# Finding new processes is most of the cost, and one that is new has little yet.
_LOOKS_PER_SEARCH: Final = 5
_PROCESSES: Final = Path("/proc")
_SESSION_FIELD: Final = 3


class MemoryWatch:
    """Kills a browser whose processes together take more than ``limit`` bytes.

    In a thread: an event loop that is busy for a tenth of a second lets a page take 160 MiB more.
    Where there is no ``/proc`` nothing is watched.
    """

    def __init__(self, leader: int, limit: int) -> None:
        """Watch the session that the process ``leader`` leads; not before ``with``."""
        self.exceeded = False
        self._leader = leader
        self._limit = limit
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webseam-memory", daemon=True)

    def __enter__(self) -> Self:
        """Begin to look."""
        if is_watchable():
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop looking, before the process's number can belong to another."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        looks, processes = 0, [self._leader]
        while not self._over.wait(_POLL_SECONDS):
            if looks % _LOOKS_PER_SEARCH == 0:
                processes = list(session_processes(self._leader))
            looks += 1
            if resident_bytes(processes) > self._limit:
                self.exceeded = True
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._leader, signal.SIGKILL)
                return


def is_watchable() -> bool:
    """Tell whether this system says what a process takes."""
    return (_PROCESSES / "self" / "statm").exists()


def session_processes(leader: int) -> Iterator[int]:
    """Yield the processes of a session: those of a browser may have other parents than it."""
    for folder in _PROCESSES.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            status = (folder / "stat").read_bytes()
        except OSError:
            continue
        # The program's name is in parentheses and may hold anything.
        fields = status.rpartition(b")")[2].split()
        if int(fields[_SESSION_FIELD]) == leader:
            yield int(folder.name)


def resident_bytes(processes: Iterable[int]) -> int:
    """Return what processes of one program take together, about as their PSS would say.

    What each has for itself, and of what is shared as much as the largest holder has: they map the
    same program. Exact figures (smaps_rollup) take a hundred times as long.
    """
    own, shared = 0, 0
    for process in processes:
        try:
            with (_PROCESSES / str(process) / "statm").open("rb", buffering=0) as file:
                _, resident, of_files, *_ = map(int, file.read(128).split())
        except (OSError, ValueError):
            continue
        own += resident - of_files
        shared = max(shared, of_files)
    return (own + shared) * os.sysconf("SC_PAGE_SIZE")


# One rendering: a proxy, a browser, a page in it, and what becomes of it.

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


# The renderer: a page as the machine's own browser shows it, behind the fetcher's guard.


class Renderer:
    """Renders public pages, each in a browser of its own that is gone afterwards."""

    def __init__(self, surroundings: RenderDeps) -> None:
        """Work with what it is given; nothing is started before a rendering."""
        self._given = surroundings
        self._around = surroundings.fetching
        self._limits = surroundings.limits
        self._turns = asyncio.Semaphore(surroundings.limits.browsers)

    async def render(self, url: str) -> Result[Fetched, WebError]:
        """Return the page at ``url`` as HTML after its scripts ran, or why there is none.

        Cancellation passes through; the browser does not outlive it.
        """
        try:
            async with asyncio.timeout(self._limits.deadline):
                rendered = await self._begin(url)
        except TimeoutError:
            rendered = Failure(DeadlineExceeded(deadline=self._limits.deadline))
        except OSError as error:
            reason = f"The browser could not be started ({error.strerror})"
            rendered = Failure(NotConfigured(settings=("render.browser",), reason=reason))
        return rendered.alt(lambda error: self._about(error, url))

    async def _begin(self, url: str) -> Result[Fetched, WebError]:
        """Judge first: for a URL that is refused no browser is needed, nor looked for."""
        if self._around.proxy is not None:
            # The browser's requests would go around the proxy, which nobody asked for.
            return Failure(UnsupportedCapability(capability="render pages behind policy.proxy"))
        reach = RenderGuard(self._around, self._given.public, self._given.on_refused)
        begun = await reach.begin(url)
        if isinstance(begun, Failure):
            return begun
        browser = find_browser(self._given.settings.browser, self._given.environment)
        if isinstance(browser, Failure):
            return browser
        program = BrowserProgram(
            path=browser.unwrap(),
            sandbox=self._given.settings.sandbox,
            environment=self._given.environment,
        )
        # A page may look at what stands behind the #, which is never sent.
        start = begun.unwrap().target.url + "".join(url.partition("#")[1:])
        async with self._turns:
            return await Rendering(self._around, reach, self._limits).run(url, start, program)

    def _about(self, error: WebError, url: str) -> WebError:
        if error.url is not None:
            return error
        return msgspec.structs.replace(error, url=self._around.guard.redact_url(url))
