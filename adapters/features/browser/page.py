"""Open one page in a browser, wait for its scripts, and read its document."""

import asyncio
from typing import NamedTuple

from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed, WebError

from . import events
from .devtools import DevTools, Fields, Message
from .request_guard import Traffic

_MAX_READ_ATTEMPTS = 3
_DIALOG_COMMAND = "Page.handleJavaScriptDialog"
# These targets belong to the browser, not to a page, so the browser must announce them.
_SHARED_TARGETS = tuple({"type": kind} for kind in ("shared_worker", "service_worker", "page"))
_EXCLUDE_OTHERS = {"exclude": True}


class RenderedDocument(NamedTuple):
    """A page's address and its serialised document."""

    url: str
    html: str


class BrowserPage:
    """A tab of a browser. Dialogs and downloads are refused, and new pages are held."""

    def __init__(self, devtools: DevTools, traffic: Traffic) -> None:
        self._devtools, self._traffic = devtools, traffic
        self._loader = self._quiet_loader = ""

    async def open(self) -> Result[None, WebError]:
        """Open the tab, and pause every request of it for judgement."""
        tab_made = await self._make_tab()
        if isinstance(tab_made, Failure):
            return tab_made
        tab = tab_made.unwrap()
        attached = await self._devtools.call("Target.attachToTarget", targetId=tab, flatten=True)
        if isinstance(attached, Failure):
            return attached
        self._devtools.session = str(attached.unwrap().get("sessionId"))
        self._devtools.on_event = self._on_browser_event
        self._traffic.frame = tab
        # Enable all events before the visit, so that none of the page's events is missed.
        numbers = (
            *self._hold_requests(self._devtools.session),
            self._announce_targets("", filter=(*_SHARED_TARGETS, _EXCLUDE_OTHERS)),
            self._devtools.send_command("Inspector.enable"),
            self._devtools.send_command("Page.enable"),
            self._devtools.send_command("Page.setLifecycleEventsEnabled", enabled=True),
        )
        return await self._devtools.await_commands(numbers)

    async def visit(self, url: str, settle: float) -> Result[None, WebError]:
        """Go to ``url`` and wait until the page is quiet, or for ``settle`` seconds."""
        navigated = await self._devtools.call("Page.navigate", url=url)
        if self._traffic.error is not None:
            return Failure(self._traffic.error)
        if isinstance(navigated, Failure):
            return navigated
        error = str(navigated.unwrap().get("errorText", ""))
        if error:
            return Failure(events.chromium_net_error(error))
        try:
            async with asyncio.timeout(settle):
                return await self._wait_until_quiet()
        except TimeoutError:
            # An endless script would block reading.
            self._devtools.send_command("Runtime.terminateExecution")
            return Success(None)

    async def read(self) -> Result[RenderedDocument, WebError]:
        """Return the document; try again if the page navigates meanwhile."""
        document: Result[RenderedDocument, WebError] = Failure(ParseFailed(reason="crashed"))
        for _ in range(_MAX_READ_ATTEMPTS):
            document = await self._read_document_once()
            if isinstance(document, Success):
                break
        if self._traffic.error is not None:
            return Failure(self._traffic.error)
        return document

    async def _make_tab(self) -> Result[str, WebError]:
        """Make the tab in its own context, apart from the browser's background requests.

        Only this context gets the proxy's password. Chromium 150 makes background requests in it
        too, so the password is not enough: see ``ExpectedHosts``.
        """
        context = await self._devtools.call("Target.createBrowserContext", disposeOnDetach=True)
        if isinstance(context, Failure):
            return context
        context_id = context.unwrap().get("browserContextId")
        self._devtools.send_command(
            "Browser.setDownloadBehavior", behavior="deny", browserContextId=context_id
        )
        target = await self._devtools.call(
            "Target.createTarget", url="about:blank", browserContextId=context_id
        )
        return target.map(lambda answer: str(answer.get("targetId")))

    def _hold_requests(self, session: str) -> tuple[int, ...]:
        """Pause every request of a page, frame or worker, and announce its new targets."""
        responses = {"requestStage": "Response", "resourceType": "Document"}
        patterns = [{"requestStage": "Request"}, responses]
        send = self._devtools.send_to_session
        return (
            send(session, "Fetch.enable", patterns=patterns, handleAuthRequests=True),
            # WebSockets and workers of the headless shell cannot be paused, only observed.
            send(session, "Network.enable"),
            self._announce_targets(session),
        )

    def _announce_targets(self, session: str, **params: object) -> int:
        """Pause new frames of other sites and new workers until their requests are held."""
        command = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, **params}
        return self._devtools.send_to_session(session, "Target.setAutoAttach", **command)

    async def _wait_until_quiet(self) -> Result[None, WebError]:
        while not self._loader or self._traffic.moving or self._quiet_loader != self._loader:
            received = await self._devtools.next_message()
            if isinstance(received, Failure):
                return received
            if self._traffic.error is not None:
                return Failure(self._traffic.error)
        return Success(None)

    async def _read_document_once(self) -> Result[RenderedDocument, WebError]:
        document = await self._devtools.call("DOM.getDocument", depth=0)
        if isinstance(document, Failure):
            return document
        root: Fields = document.unwrap().get("root", {})
        written = await self._devtools.call(
            "DOM.getOuterHTML", nodeId=root.get("nodeId"), includeShadowDOM=True
        )
        url = str(root.get("documentURL"))
        return written.map(lambda answer: RenderedDocument(url, str(answer.get("outerHTML"))))

    async def _on_browser_event(self, message: Message) -> None:
        event = events.read_event(message)
        match event:
            case events.RequestPaused():
                await self._traffic.on_request_paused(event)
            case events.AuthRequired():
                self._traffic.on_password_request(event)
            case (
                events.SocketCreated(url=url) | events.RequestSent(request=events.Request(url=url))
            ):
                self._traffic.on_request_sent(url)
            case events.TargetAttached(waiting_for_debugger=True):
                # Keep this order, or the first request would be sent before it can be held.
                self._hold_requests(event.session_id)
                self._devtools.send_to_session(event.session_id, "Runtime.runIfWaitingForDebugger")
        self._on_page_progress(message, event)

    def _on_page_progress(self, message: Message, event: events.BrowserEvent | None) -> None:
        """Refuse dialogs and follow the page itself; a frame's progress is not the page's."""
        frame = self._traffic.frame
        if message.method == "Page.javascriptDialogOpening":
            self._devtools.send_to_session(message.session, _DIALOG_COMMAND, accept=False)
        elif message.session not in ("", self._devtools.session):
            return
        elif message.method == "Inspector.targetCrashed":
            self._traffic.error = ParseFailed(reason="crashed")
        elif isinstance(event, events.FrameNavigated) and event.frame.id == frame:
            self._loader = event.frame.loader_id
            self._traffic.on_page_shown()
        elif (
            isinstance(event, events.Lifecycle)
            and event.name == "networkIdle"
            and event.frame_id == frame
        ):
            self._quiet_loader = event.loader_id
