"""One page in a browser: opened, waited for, read as it is after its scripts ran."""

import asyncio
from typing import NamedTuple

from returns.result import Failure, Result, Success

from ...ports.errors import ParseFailed, WebError
from .devtools import DevTools, Fields, Message
from .events import (
    AuthRequired,
    FrameNavigated,
    Lifecycle,
    RequestPaused,
    RequestSent,
    SocketCreated,
    TargetAttached,
    net_error,
    read_event,
)
from .network.request_guard import Traffic

_READINGS = 3
_DIALOG = "Page.handleJavaScriptDialog"
# These belong to the browser rather than to a page, so that the browser has to announce them.
_SHARED = tuple({"type": kind} for kind in ("shared_worker", "service_worker", "page"))
_NO_OTHER = {"exclude": True}


class RenderedDocument(NamedTuple):
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

    async def read(self) -> Result[RenderedDocument, WebError]:
        """Return the document. A page that moves on meanwhile is tried again."""
        seen: Result[RenderedDocument, WebError] = Failure(ParseFailed(reason="crashed"))
        for _ in range(_READINGS):
            seen = await self._read_once()
            if isinstance(seen, Success):
                break
        if self._traffic.trouble is not None:
            return Failure(self._traffic.trouble)
        return seen

    async def _make_tab(self) -> Result[str, WebError]:
        """Make the tab in a context of its own: the browser's own business is in another.

        Only this one is given the proxy's password. Chromium 150 has errands in this context too,
        so the password alone keeps nobody out: see ``expected``.
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
        numbers = (
            *self._hold_requests(self._devtools.session),
            self._announce("", filter=(*_SHARED, _NO_OTHER)),
            self._devtools.tell("Inspector.enable"),
            self._devtools.tell("Page.enable"),
            self._devtools.tell("Page.setLifecycleEventsEnabled", enabled=True),
        )
        return await self._devtools.hear(numbers)

    def _hold_requests(self, session: str) -> tuple[int, ...]:
        """Have every request of a page, frame or worker wait, and what it starts announced."""
        requests = {"requestStage": "Request"}
        answered = {"requestStage": "Response", "resourceType": "Document"}
        patterns = [requests, answered]
        tell = self._devtools.tell_in
        return (
            tell(session, "Fetch.enable", patterns=patterns, handleAuthRequests=True),
            # For what cannot be held: WebSockets, and workers of the headless shell.
            tell(session, "Network.enable"),
            self._announce(session),
        )

    def _announce(self, session: str, **params: object) -> int:
        """Have new frames of other sites and new workers wait until we hold their requests."""
        return self._devtools.tell_in(
            session,
            "Target.setAutoAttach",
            autoAttach=True,
            waitForDebuggerOnStart=True,
            flatten=True,
            **params,
        )

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

    async def _read_once(self) -> Result[RenderedDocument, WebError]:
        document = await self._devtools.ask("DOM.getDocument", depth=0)
        if isinstance(document, Failure):
            return document
        root: Fields = document.unwrap().get("root", {})
        written = await self._devtools.ask(
            "DOM.getOuterHTML", nodeId=root.get("nodeId"), includeShadowDOM=True
        )
        return written.map(
            lambda answer: RenderedDocument(
                str(root.get("documentURL")), str(answer.get("outerHTML"))
            )
        )

    async def _on_event(self, message: Message) -> None:
        match message.method:
            case "Fetch.requestPaused":
                await self._on_paused(message)
            case "Fetch.authRequired":
                self._on_auth(message)
            case "Page.javascriptDialogOpening":
                self._devtools.tell_in(message.session, _DIALOG, accept=False)
            case _ if message.session in ("", self._devtools.session):
                self._on_progress(message)
        self._on_new(message)

    def _on_new(self, message: Message) -> None:
        match message.method:
            case "Target.attachedToTarget":
                self._on_attached(message.params)
            case "Network.webSocketCreated":
                self._on_socket(message.params)
            case "Network.requestWillBeSent":
                self._on_sent(message.params)

    def _on_progress(self, message: Message) -> None:
        """Follow the page itself; a frame's progress is not the page's."""
        match message.method:
            case "Page.frameNavigated":
                self._on_navigated(message.params)
            case "Page.lifecycleEvent":
                self._on_lifecycle(message.params)
            case "Inspector.targetCrashed":
                self._traffic.trouble = ParseFailed(reason="crashed")

    async def _on_paused(self, message: Message) -> None:
        paused = read_event(message.params | {"session": message.session}, RequestPaused)
        if paused is not None:
            await self._traffic.on_paused(paused)

    def _on_attached(self, params: Fields) -> None:
        attached = read_event(params, TargetAttached)
        if attached is None or not attached.waiting_for_debugger:
            return
        # In this order, or the first request would be gone before it could be held.
        self._hold_requests(attached.session_id)
        self._devtools.tell_in(attached.session_id, "Runtime.runIfWaitingForDebugger")

    def _on_socket(self, params: Fields) -> None:
        created = read_event(params, SocketCreated)
        if created is not None:
            self._traffic.on_sent(created.url)

    def _on_sent(self, params: Fields) -> None:
        sent = read_event(params, RequestSent)
        if sent is not None:
            self._traffic.on_sent(sent.request.url)

    def _on_auth(self, message: Message) -> None:
        challenge = read_event(message.params | {"session": message.session}, AuthRequired)
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
