"""One page in a browser: opened, waited for, read as it is after its scripts ran."""

import asyncio
from typing import NamedTuple

from returns.result import Failure, Result, Success

from ....ports.errors import ParseFailed, WebError
from .devtools import DevTools, Fields, Message
from .events import AuthRequired, FrameNavigated, Lifecycle, Paused, net_error, read_event
from .traffic import Traffic

_READINGS = 3


class Seen(NamedTuple):
    """A page's address and its document, written out."""

    url: str
    html: str


class BrowserPage:
    """A tab of a browser. Pages that ask are told no, and those that knock are let fall."""

    def __init__(self, devtools: DevTools, traffic: Traffic) -> None:
        """Begin before there is a tab."""
        self._devtools = devtools
        self._traffic = traffic
        self._loader = ""
        self._quiet_loader = ""

    async def open(self) -> Result[None, WebError]:
        """Open the tab, and have every request of it wait for our word."""
        tab_made = await self._make_tab()
        if isinstance(tab_made, Failure):
            return tab_made
        tab = tab_made.unwrap()
        attached = await self._devtools.ask("Target.attachToTarget", targetId=tab, flatten=True)
        if isinstance(attached, Failure):
            return attached
        self._devtools.session = str(attached.unwrap().get("sessionId"))
        self._devtools.on_event = self._on_event
        self._traffic.frame = tab
        return await self._prepare()

    async def visit(self, url: str, settle: float) -> Result[None, WebError]:
        """Go to ``url`` and wait until the page is quiet, or for ``settle`` seconds."""
        gone = await self._devtools.ask("Page.navigate", url=url)
        if self._traffic.trouble is not None:
            return Failure(self._traffic.trouble)
        if isinstance(gone, Failure):
            return gone
        error = str(gone.unwrap().get("errorText", ""))
        if error:
            return Failure(net_error(error))
        try:
            async with asyncio.timeout(settle):
                return await self._settle()
        except TimeoutError:
            # A script without an end would let nobody read.
            self._devtools.tell("Runtime.terminateExecution")
            return Success(None)

    async def read(self) -> Result[Seen, WebError]:
        """Return the document. A page that moves on meanwhile is tried again."""
        seen: Result[Seen, WebError] = Failure(ParseFailed(reason="crashed"))
        for _ in range(_READINGS):
            seen = await self._read_once()
            if isinstance(seen, Success):
                break
        if self._traffic.trouble is not None:
            return Failure(self._traffic.trouble)
        return seen

    async def _make_tab(self) -> Result[str, WebError]:
        """Make the tab in a context of its own: the browser's own business is in another.

        Only this one is given the proxy's password, so whatever else the browser wants from the
        internet does not get through.
        """
        context = await self._devtools.ask("Target.createBrowserContext", disposeOnDetach=True)
        if isinstance(context, Failure):
            return context
        own = context.unwrap().get("browserContextId")
        self._devtools.tell("Browser.setDownloadBehavior", behavior="deny", browserContextId=own)
        target = await self._devtools.ask(
            "Target.createTarget", url="about:blank", browserContextId=own
        )
        return target.map(lambda answer: str(answer.get("targetId")))

    async def _prepare(self) -> Result[None, WebError]:
        """Have everything told to us. A page visited earlier would come and go unnoticed."""
        requests = {"requestStage": "Request"}
        answered = {"requestStage": "Response", "resourceType": "Document"}
        numbers = (
            self._devtools.tell(
                "Fetch.enable", patterns=[requests, answered], handleAuthRequests=True
            ),
            self._devtools.tell("Inspector.enable"),
            self._devtools.tell("Page.enable"),
            self._devtools.tell("Page.setLifecycleEventsEnabled", enabled=True),
        )
        return await self._devtools.hear(numbers)

    async def _settle(self) -> Result[None, WebError]:
        while not self._settled:
            heard = await self._devtools.listen()
            if isinstance(heard, Failure):
                return heard
            if self._traffic.trouble is not None:
                return Failure(self._traffic.trouble)
        return Success(None)

    @property
    def _settled(self) -> bool:
        arrived = bool(self._loader) and not self._traffic.moving
        return arrived and self._quiet_loader == self._loader

    async def _read_once(self) -> Result[Seen, WebError]:
        document = await self._devtools.ask("DOM.getDocument", depth=0)
        if isinstance(document, Failure):
            return document
        root: Fields = document.unwrap().get("root", {})
        written = await self._devtools.ask("DOM.getOuterHTML", nodeId=root.get("nodeId"))
        return written.map(
            lambda answer: Seen(str(root.get("documentURL")), str(answer.get("outerHTML")))
        )

    async def _on_event(self, message: Message) -> None:
        match message.method:
            case "Fetch.requestPaused":
                await self._on_paused(message.params)
            case "Fetch.authRequired":
                self._on_auth(message.params)
            case "Page.javascriptDialogOpening":
                self._devtools.tell("Page.handleJavaScriptDialog", accept=False)
            case _:
                self._on_progress(message)

    def _on_progress(self, message: Message) -> None:
        match message.method:
            case "Page.frameNavigated":
                self._on_navigated(message.params)
            case "Page.lifecycleEvent":
                self._on_lifecycle(message.params)
            case "Inspector.targetCrashed":
                self._traffic.trouble = ParseFailed(reason="crashed")

    async def _on_paused(self, params: Fields) -> None:
        paused = read_event(params, Paused)
        if paused is not None:
            await self._traffic.on_paused(paused)

    def _on_auth(self, params: Fields) -> None:
        challenge = read_event(params, AuthRequired)
        if challenge is not None:
            self._traffic.on_auth(challenge)

    def _on_navigated(self, params: Fields) -> None:
        shown = read_event(params, FrameNavigated)
        if shown is not None and shown.frame.id == self._traffic.frame:
            self._loader = shown.frame.loader_id
            self._traffic.on_shown()

    def _on_lifecycle(self, params: Fields) -> None:
        come = read_event(params, Lifecycle)
        if come is None or come.frame_id != self._traffic.frame:
            return
        if come.name == "networkIdle":
            self._quiet_loader = come.loader_id
