"""Render pages in the machine's browser, behind the fetcher's guard."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Self

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports import errors
from webseam.ports.pages import Fetched

from ...pages.fetch import connect, content, fetcher
from . import browser_command, proxy
from .deps import RenderDeps, RenderLimits
from .devtools import DevTools
from .page import BrowserPage, RenderedDocument
from .process import Launch, RunningBrowser, start_browser
from .request_guard import ExpectedHosts, RenderGuard, Traffic, TrafficAnswer

_POLL_SECONDS: Final = 0.02
# Finding new processes is most of the cost, and a new process uses little memory.
_POLLS_PER_SEARCH: Final = 5
_PROCESS_FOLDER: Final = Path("/proc")
_SESSION_INDEX: Final = 3
# The pipe writes a non-ASCII letter as six bytes, UTF-8 as two or more.
_PIPE_BYTES_PER_HTML_BYTE = 3
_MESSAGE_SLACK_BYTES = 1024 * 1024
_NO_SANDBOX_REMEDY = (
    "Let Chromium have its sandbox, or set render.sandbox to false if you trust the pages."
)


class MemoryWatch:
    """Kills a browser whose processes together take more than ``limit`` bytes.

    It runs in a thread: while the event loop is busy for 0.1 s, a page can take 160 MiB more.
    Without ``/proc`` nothing is watched.
    """

    def __init__(self, leader: int, limit: int) -> None:
        """Prepare to watch the session of the process ``leader``; ``with`` starts it."""
        self.is_exceeded = False
        self._leader, self._limit = leader, limit
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webseam-memory", daemon=True)

    def __enter__(self) -> Self:
        if can_watch_memory():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching, before the system can reuse the process id."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        polls, processes = 0, [self._leader]
        while not self._is_over.wait(_POLL_SECONDS):
            if polls % _POLLS_PER_SEARCH == 0:
                processes = list(session_processes(self._leader))
            polls += 1
            if estimate_resident_bytes(processes) > self._limit:
                self.is_exceeded = True
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._leader, signal.SIGKILL)
                return


def can_watch_memory() -> bool:
    """Tell whether this system reports the memory of processes."""
    return (_PROCESS_FOLDER / "self" / "statm").exists()


def session_processes(leader: int) -> Iterator[int]:
    """Yield the process ids of a session: a browser's processes may have other parents."""
    for folder in _PROCESS_FOLDER.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            status = (folder / "stat").read_bytes()
        except OSError:
            continue
        # The program's name is in parentheses and may contain anything.
        fields = status.rpartition(b")")[2].split()
        if int(fields[_SESSION_INDEX]) == leader:
            yield int(folder.name)


def estimate_resident_bytes(processes: Iterable[int]) -> int:
    """Return the memory of one program's processes together, an estimate of their PSS.

    It adds the private memory of each and the largest shared part: they map the same program.
    Exact figures (smaps_rollup) take a hundred times as long.
    """
    private, shared = 0, 0
    for process in processes:
        try:
            with (_PROCESS_FOLDER / str(process) / "statm").open("rb", buffering=0) as file:
                _, resident, mapped, *_ = map(int, file.read(128).split())
        except (OSError, ValueError):
            continue
        private += resident - mapped
        shared = max(shared, mapped)
    return (private + shared) * os.sysconf("SC_PAGE_SIZE")


class Rendering:
    """Renders one page, once."""

    def __init__(self, deps: connect.FetchDeps, guard: RenderGuard, limits: RenderLimits) -> None:
        self._fetch_deps, self._guard, self._limits = deps, guard, limits
        self._allowance = proxy.TransferBudget(limits.connections, limits.transfer_bytes)
        self._expected = ExpectedHosts()
        self._proxy = proxy.GuardingProxy(guard, self._allowance, self._expected)

    async def run(self, url: str, start: str, launch: Launch) -> Result[Fetched, errors.WebError]:
        """Render ``start``, the checked form of ``url``. Raises OSError when nothing starts."""
        async with start_browser(launch) as browser, self._proxy.serve(browser.listener):
            with MemoryWatch(browser.process.pid, self._limits.memory_bytes) as memory:
                browser.start()
                result = await self._show_page(url, start, browser)
            is_over_memory = memory.is_exceeded and isinstance(result, Failure)
            if is_over_memory or browser.was_killed_for_memory():
                return Failure(errors.ParseFailed(reason="out_of_memory"))
            return result

    async def _show_page(
        self, url: str, start: str, browser: RunningBrowser
    ) -> Result[Fetched, errors.WebError]:
        devtools = DevTools(browser.reader, browser.writer, self._limits.html_bytes)
        traffic = Traffic(devtools, self._guard, self._expected, self._proxy.password)
        traffic.moves = self._limits.moves
        page = BrowserPage(devtools, traffic)
        if isinstance(await page.open(), Failure):
            return Failure(_start_error(browser))
        visited = await page.visit(start, self._limits.settle)
        if isinstance(visited, Failure):
            return Failure(self._find_cause(visited.failure(), traffic))
        document = await page.read()
        return document.alt(lambda error: self._find_cause(error, traffic)).bind(
            lambda document: self._make_fetched(url, document, traffic)
        )

    def _find_cause(self, error: errors.WebError, traffic: Traffic) -> errors.WebError:
        """Return the cause of an error where the browser could not know it."""
        if self._allowance.is_overdrawn:
            return errors.ResponseTooLarge(what="body", limit=self._limits.transfer_bytes)
        if traffic.error is not None:
            return traffic.error
        authority = traffic.visited[-1].authority if traffic.visited else ""
        unreachable = self._guard.unreachable.get(authority)
        return unreachable or self._page_status_error(traffic.answer) or error

    def _page_status_error(self, answer: TrafficAnswer | None) -> errors.WebError | None:
        if answer is None:
            return None
        return content.status_refusal(answer.status, answer.headers, self._fetch_deps.now())

    def _make_fetched(
        self, url: str, document: RenderedDocument, traffic: Traffic
    ) -> Result[Fetched, errors.WebError]:
        if self._allowance.is_overdrawn or document.url.startswith("chrome-error:"):
            return Failure(self._find_cause(errors.ConnectionLost(), traffic))
        final = self._fetch_deps.guard.judge_url(document.url)
        if isinstance(final, Failure) or traffic.shown is None:
            return Failure(errors.EmptyContent(reason="no_text"))
        status, headers = traffic.shown
        body = document.html.encode("utf-8", "replace")
        refusal = self._page_status_error(traffic.shown)
        if refusal is not None:
            return Failure(_classify_refusal(refusal, status, body))
        if len(body) > self._limits.html_bytes:
            return Failure(errors.ResponseTooLarge(what="decoded", limit=self._limits.html_bytes))
        return Success(
            Fetched(
                url=url,
                final_url=final.unwrap().url,
                status=status,
                content_type="text/html; charset=utf-8",
                headers={name: headers[name] for name in fetcher.PAGE_HEADERS if name in headers},
                body=body,
                hops=len(traffic.visited) - 1,
            )
        )


def _start_error(browser: RunningBrowser) -> errors.NotConfigured:
    last_error_line = browser.last_error_line()[:200]
    setting, remedy = "render.browser", "Set render.browser to one that works."
    if "sandbox" in last_error_line.lower():
        setting, remedy = "render.sandbox", _NO_SANDBOX_REMEDY
    reason = f"The browser does not start: {last_error_line}"
    return errors.NotConfigured(settings=(setting,), reason=reason, remedy=remedy)


def _classify_refusal(refusal: errors.WebError, status: int, body: bytes) -> errors.WebError:
    is_challenge = status in content.CHALLENGE_STATUSES and content.is_challenge_body(
        body[: content.MAX_CHALLENGE_BYTES]
    )
    return errors.BlockedByRemote(status=status) if is_challenge else refusal


class Renderer:
    """Renders public pages, each in its own browser, which ends afterwards."""

    def __init__(self, deps: RenderDeps) -> None:
        self._deps, self._fetch_deps, self._limits = deps, deps.fetching, deps.limits
        self._loop_and_semaphore = asyncio.Semaphore(deps.limits.browsers)

    async def render(self, url: str) -> Result[Fetched, errors.WebError]:
        """Return the page at ``url`` as HTML after its scripts ran, or why there is none.

        Cancellation passes through and ends the browser.
        """
        try:
            async with asyncio.timeout(self._limits.deadline):
                rendered = await self._render_once(url)
        except TimeoutError:
            rendered = Failure(errors.DeadlineExceeded(deadline=self._limits.deadline))
        except OSError as error:
            reason = f"The browser could not be started ({error.strerror})"
            rendered = Failure(errors.NotConfigured(settings=("render.browser",), reason=reason))
        return rendered.alt(lambda error: self._add_url_to_error(error, url))

    async def _render_once(self, url: str) -> Result[Fetched, errors.WebError]:
        """Judge the URL first: a refused URL needs no browser."""
        if self._fetch_deps.proxy is not None:
            # The browser's requests would bypass the configured proxy.
            capability = "render pages behind policy.proxy"
            return Failure(errors.UnsupportedCapability(capability=capability))
        guard = RenderGuard(self._fetch_deps, self._deps.public, self._deps.on_refused)
        judged = await guard.judge_page(url)
        if isinstance(judged, Failure):
            return judged
        browser = browser_command.find_browser(self._deps.settings.browser, self._deps.environment)
        if isinstance(browser, Failure):
            return browser
        launch = Launch(
            program=browser.unwrap(),
            sandbox=self._deps.settings.sandbox,
            environment=self._deps.environment,
            message_bytes=self._limits.html_bytes * _PIPE_BYTES_PER_HTML_BYTE
            + _MESSAGE_SLACK_BYTES,
            memory_bytes=self._limits.memory_bytes,
        )
        # A script may read the fragment, which is never sent.
        start = judged.unwrap().target.url + "".join(url.partition("#")[1:])
        async with self._loop_and_semaphore:
            return await Rendering(self._fetch_deps, guard, self._limits).run(url, start, launch)

    def _add_url_to_error(self, error: errors.WebError, url: str) -> errors.WebError:
        shown_url = self._fetch_deps.guard.redact_url(url) if error.url is None else error.url
        return msgspec.structs.replace(error, url=shown_url)
