"""The renderer: a page as the machine's own browser shows it, behind the fetcher's guard."""

import asyncio

import msgspec
from returns.result import Failure, Result

from ....ports.errors import DeadlineExceeded, NotConfigured, UnsupportedCapability, WebError
from ....ports.pages import Fetched
from .browser_command import find_browser
from .deps import RenderDeps
from .network.render_guard import RenderGuard
from .rendering import BrowserProgram, Rendering


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
