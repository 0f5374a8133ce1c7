"""The renderer: a page as the machine's own browser shows it, behind the fetcher's guard."""

import asyncio
import os
from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result

from ....ports.errors import DeadlineExceeded, NotConfigured, WebError
from ..fetch import Guard, Surroundings
from .find import find_browser
from .limits import BrowserSettings, RenderLimits
from .reach import Reach
from .rendering import Program, Rendered, Rendering


class Renderer:
    """Renders public pages, each in a browser of its own that is gone afterwards."""

    def __init__(
        self,
        surroundings: Surroundings,
        public: Guard,
        *,
        settings: BrowserSettings,
        limits: RenderLimits,
        environment: Mapping[str, str],
    ) -> None:
        """Work with what a fetcher is given, and with the guard that has nothing opened."""
        self._around = surroundings
        self._public = public
        self._settings = settings
        self._limits = limits
        self._environment = environment
        self._turns = asyncio.Semaphore(limits.browsers)

    async def render(self, url: str) -> Result[Rendered, WebError]:
        """Return the page at ``url`` after its scripts ran, or why there is none.

        Cancellation passes through; the browser does not outlive it.
        """
        try:
            async with asyncio.timeout(self._limits.deadline):
                rendered = await self._begin(url)
        except TimeoutError:
            rendered = Failure(DeadlineExceeded(deadline=self._limits.deadline))
        except OSError as error:
            reason = f"The browser could not be started ({error.strerror})"
            rendered = Failure(NotConfigured(setting="render.browser", reason=reason))
        return rendered.alt(lambda error: self._about(error, url))

    async def _begin(self, url: str) -> Result[Rendered, WebError]:
        """Judge first: for a URL that is refused no browser is needed, nor looked for."""
        reach = Reach(self._around, self._public)
        begun = await reach.begin(url)
        if isinstance(begun, Failure):
            return begun
        found = find_browser(self._settings.browser, self._environment)
        if isinstance(found, Failure):
            return found
        program = Program(
            path=found.unwrap(),
            sandbox=self._settings.sandbox and os.geteuid() != 0,
            environment=self._environment,
        )
        # A page may look at what stands behind the #, which is never sent.
        start = begun.unwrap().target.url + "".join(url.partition("#")[1:])
        async with self._turns:
            return await Rendering(self._around, reach, self._limits).run(url, start, program)

    def _about(self, error: WebError, url: str) -> WebError:
        if error.url is not None:
            return error
        return msgspec.structs.replace(error, url=self._around.guard.redact_url(url))
