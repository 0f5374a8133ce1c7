"""Tools over a fake backend, with callbacks of a test's own around them."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from returns.result import Success

from webseam.composition.session import Approve, Session
from webseam.composition.tools import Tools, web_tools
from webseam.kernel import WebDeps
from webseam.ports import Hook, Middleware
from webseam.ports.middleware import Callbacks, Mishap
from webseam.testing import FakeBackend

ROWS = [{"title": "A", "url": "https://a.example/", "snippet": "about a"}]
PAGE = "Words of the page."
URL = "https://a.example/page"


class Bench:
    """A place to call tools at: what is registered, what was logged, who was asked."""

    def __init__(self, backend: FakeBackend | None = None, approve: Approve | None = None) -> None:
        self.backend = backend or FakeBackend(rows=ROWS, document=PAGE)
        self.middleware: list[Middleware] = []
        self.hooks: list[Hook] = []
        self.mishaps: list[Mishap] = []
        self.approve = approve
        self.now = 0.0

    def uses(self, kind: str, callback: Callable[..., object], **how: Any) -> "Bench":
        plugin = how.pop("plugin", "p")
        self.middleware.append(Middleware(kind=kind, callback=callback, plugin=plugin, **how))
        return self

    def hears(self, name: str, callback: Callable[..., object], **how: Any) -> "Bench":
        plugin = how.pop("plugin", "p")
        self.hooks.append(Hook(name=name, callback=callback, plugin=plugin, **how))
        return self

    @property
    def tools(self) -> Tools:
        deps = Success(WebDeps(backend=self.backend))
        around = Session(
            callbacks=Callbacks(middleware=tuple(self.middleware), hooks=tuple(self.hooks)),
            session_id="session",
            new_id=lambda: "call-1",
            clock=lambda: self.now,
            log=self.mishaps.append,
            approve=self.approve,
        )
        return Tools(web_tools(deps, deps), around)

    def call(self, name: str, args: object, **ids: str) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(asyncio.run(self.tools.call(name, args, **ids)))
        return envelope

    def search(self, **args: object) -> dict[str, Any]:
        return self.call("web_search", {"query": "q", **args})

    def extract(self, *urls: str) -> dict[str, Any]:
        return self.call("web_extract", {"urls": list(urls or (URL,))})
