"""Clients and tools over a fake backend: no user settings, plugins, network or files."""

from returns.result import Failure, Result, Success

from webseam.kernel.deps import WebDeps
from webseam.ports.backends import WebBackend
from webseam.ports.errors import InvalidQuery, WebError

from ...doors.client.blocking import BlockingWeb, open_blocking
from ...doors.client.web import Web, open as open_web
from ...tools.dispatch import Tools
from ...tools.web_tools import extract_tool, more_tool, search_tool
from .fakes import FakeBackend

# Paths that do not exist and cannot be made.
_EMPTY_ENVIRONMENT = {"HOME": "/nonexistent", "WEBSEAM_CONFIG": "/nonexistent/config.yaml"}


class FakeTexts:
    """A ``TextStore`` in memory; ``texts`` holds the texts by handle.

    >>> import asyncio
    >>> texts = FakeTexts()
    >>> asyncio.run(texts.load(asyncio.run(texts.save("long")).unwrap())).unwrap()
    'long'
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Store a text under the next number."""
        existing = next((handle for handle, stored in self.texts.items() if stored == text), None)
        handle = existing or f"text-{len(self.texts) + 1}"
        self.texts[handle] = text
        return Success(handle)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return a stored text."""
        if handle in self.texts:
            return Success(self.texts[handle])
        return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))


def fake_web(backend: WebBackend | None = None) -> Web:
    """Return a client as ``webseam.open()`` does, over ``backend``, or one that finds nothing.

    >>> import asyncio
    >>> asyncio.run(fake_web().search("tides")).unwrap().rows
    ()
    """
    return open_web(
        backend=backend or FakeBackend(), texts=FakeTexts(), environment=_EMPTY_ENVIRONMENT
    )


def fake_blocking_web(backend: WebBackend | None = None) -> BlockingWeb:
    """Return a client as ``webseam.open_blocking()`` does, to call or to give to an integration.

    >>> fake_blocking_web().search("tides").rows
    ()
    """
    return open_blocking(
        backend=backend or FakeBackend(), texts=FakeTexts(), environment=_EMPTY_ENVIRONMENT
    )


def fake_tools(backend: WebBackend | None = None) -> Tools:
    """Return the tools of an agent's toolbox over ``backend``: search, extract and more.

    >>> print(*(tool.name for tool in fake_tools()))
    web_search web_extract web_more
    """
    texts = FakeTexts()
    deps = Success(WebDeps(backend=backend or FakeBackend(), texts=texts))
    return Tools((search_tool(deps, pages=deps), extract_tool(deps), more_tool(deps)))
