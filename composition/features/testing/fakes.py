"""Fakes of the ports: they answer from data, and record their calls."""

# As text, annotations keep a signature readable: WebError is a union of a hundred names.
from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Coroutine, Iterable
from typing import TypeAlias, TypeVar, cast

from returns.result import Failure, Result, Success

from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract
from webseam.kernel.search import web_search
from webseam.ports.backends import Abilities, BackendAbout, UntrustedRow
from webseam.ports.errors import UnsupportedCapability, WebError
from webseam.ports.errors.error_fields import ErrorFields
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from webseam.ports.web import Query, SearchOutcome, WebExtractResult, WebSearchQuery
from webseam.ports.x_search import UntrustedXAnswer, XSearchRequest

Value = TypeVar("Value")
Raised: TypeAlias = BaseException | type[BaseException]


class FakeBackend:
    """A ``WebBackend`` that returns ``rows`` and ``document`` unchanged; each may be a ``Result``.

    ``document`` may be plain text: then it is the content of every page. Without a document the
    backend cannot extract. ``search`` and ``extract`` replace them: an error, a ``Result``, any
    other value, or a function (plain or async) of the query or the URL. Both methods raise
    ``raises``.
    ``embedded`` means that the backend is no third party; ``abilities`` are its limits and filters.
    ``searched`` and ``extracted`` hold the queries and URLs, in order.
    """

    def __init__(
        self,
        rows: Iterable[object] | Result[object, WebError] = (),
        document: str | UntrustedRow | Result[object, WebError] | None = None,
        *,
        search: object = None,
        extract: object = None,
        raises: Raised | None = None,
        name: str = "fake",
        embedded: bool = False,
        abilities: Abilities | None = None,
    ) -> None:
        self.about = BackendAbout(name=name, embedded=embedded, abilities=abilities)
        self.searched: list[WebSearchQuery] = []
        self.extracted: list[str] = []
        self._rows, self._document = rows, document
        self._search = rows if search is None and isinstance(rows, Result) else search
        self._extract = document if extract is None and isinstance(document, Result) else extract
        self._raises = raises

    async def search(self, query: WebSearchQuery, /) -> Result[list[UntrustedRow], WebError]:
        """Return the rows, or what replaces them."""
        self.searched.append(query)
        raise_fake_error(self._raises)
        outcome = (
            Success(self._rows) if self._search is None else await fake_answer(self._search, query)
        )
        return cast("Result[list[UntrustedRow], WebError]", outcome)

    async def extract(self, url: str, /) -> Result[UntrustedRow, WebError]:
        """Return the document, or what replaces it."""
        self.extracted.append(url)
        raise_fake_error(self._raises)
        result = self._page(url) if self._extract is None else await fake_answer(self._extract, url)
        return cast("Result[UntrustedRow, WebError]", result)

    def _page(self, url: str) -> Result[UntrustedRow, WebError]:
        if self._document is None:
            return Result.from_failure(
                UnsupportedCapability(capability="extract", backend=self.about.name)
            )
        if isinstance(self._document, str):
            return Success({"url": url, "content": self._document})
        return Success(cast("UntrustedRow", self._document))


class FakeResults:
    """``web_search`` and ``web_extract`` over a fake, each a Result at once, without an event loop.

    ``deps`` replace ``rows`` and ``document``; their backend may not wait for anything.

    >>> len(FakeResults([{"title": "Tides", "url": "https://a.example/"}]).search("q").unwrap().rows)
    1
    """

    def __init__(
        self,
        rows: Iterable[object] | Result[object, WebError] = (),
        document: str | UntrustedRow | Result[object, WebError] | None = None,
        *,
        deps: WebDeps | None = None,
    ) -> None:
        """Answer from data, which the kernel checks."""
        self.deps = deps or WebDeps(backend=FakeBackend(rows, document))

    def search(self, query: Query) -> Result[SearchOutcome, WebError]:
        """Search."""
        return _run_without_loop(web_search(query, self.deps))

    def extract(self, url: str) -> Result[WebExtractResult, WebError]:
        """Read a page."""
        return _run_without_loop(web_extract(url, self.deps))


def _run_without_loop(work: Coroutine[object, object, Value]) -> Value:
    try:
        work.send(None)
    except StopIteration as end:
        return cast("Value", end.value)
    work.close()
    message = "the backend waits for something: use asyncio.run"
    raise RuntimeError(message)


class FakeCompressor:
    """A ``Compressor`` that always returns ``text``, which may be a ``Result``.

    ``answer`` replaces it: a ``Result``, any other value, or a function (plain or async) of the
    text and the instruction. ``calls`` holds both, for each call.
    """

    def __init__(
        self,
        text: str | Result[str, WebError] = "short",
        *,
        answer: object = None,
        raises: Raised | None = None,
    ) -> None:
        self.calls: list[tuple[str, str]] = []
        result = text if isinstance(text, Result) else Success(text)
        self._answer = result if answer is None else answer
        self._raises = raises

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return the text, or what replaces it."""
        self.calls.append((text, instruction))
        raise_fake_error(self._raises)
        return cast("Result[str, WebError]", await fake_answer(self._answer, text, instruction))


class FakeClock:
    """A wall clock that only moves by ``advance``.

    >>> clock = FakeClock(100.0)
    >>> clock.advance(2.5)
    >>> clock()
    102.5
    """

    def __init__(self, now: float = 0.0) -> None:
        """Start at ``now``, in seconds since the epoch."""
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move the time forward."""
        self.now += seconds


def raise_fake_error(raises: Raised | None) -> None:
    """Raise the exception, if there is one."""
    if raises is not None:
        raise raises


async def fake_answer(answer: object, *asked: object) -> object:
    """Return an answer, or what a function says to ``asked``; an error becomes a failure."""
    value = answer(*asked) if callable(answer) else answer
    if inspect.isawaitable(value):
        value = await value
    return Failure(value) if isinstance(value, ErrorFields) else value


class FakeModel:
    """A ``ChatModel`` that always answers ``text``, or fails with a ``Failure`` in its place.

    ``answer`` replaces it: a ``NormalizedResponse``, a ``Result``, or a function (plain or async)
    of the request. A stream gives the same answer word by word. ``asked`` holds the requests.

    >>> import asyncio
    >>> model = FakeModel("Hi.")
    >>> asyncio.run(model.complete(ChatRequest(model="m", messages=()))).unwrap().content
    'Hi.'
    """

    def __init__(
        self,
        text: str | Failure[WebError] = "short",
        *,
        answer: object = None,
        raises: Raised | None = None,
        name: str = "fake",
    ) -> None:
        self.name = name
        self.asked: list[ChatRequest] = []
        default = (
            NormalizedResponse(content=text, finish_reason="stop")
            if isinstance(text, str)
            else text
        )
        self._answer = default if answer is None else answer
        self._raises = raises

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the answer."""
        self.asked.append(request)
        raise_fake_error(self._raises)
        outcome = await fake_answer(self._answer, request)
        wrapped = outcome if isinstance(outcome, Result) else Success(outcome)
        return cast("Result[NormalizedResponse, WebError]", wrapped)

    async def stream(self, request: ChatRequest, /) -> AsyncIterator[StreamItem]:
        """Yield the answer word by word, and then the complete one; a failure comes alone."""
        if not isinstance(result := await self.complete(request), Failure):
            for word in re.findall(r"\S+\s*|\s+", result.unwrap().content or ""):
                yield Delta(text=word)
        yield result

    async def aclose(self) -> None:
        """Do nothing; nothing is open."""


class FakeXSearch:
    """An ``XSearchBackend`` that answers ``text`` from one post, or fails with a ``Failure``.

    ``answer`` replaces it: a mapping of fields, a ``Result``, or a function (plain or async) of
    the request. ``asked`` holds the requests.

    >>> import asyncio
    >>> from datetime import date
    >>> from webseam import XSearchDeps, x_search
    >>> deps = XSearchDeps(backend=FakeXSearch("High tide."), today=lambda: date(2026, 11, 15))
    >>> asyncio.run(x_search({"query": "tides"}, deps)).unwrap().answer
    'High tide.'
    """

    def __init__(
        self,
        text: str | Failure[WebError] = "A post.",
        *,
        answer: object = None,
        raises: Raised | None = None,
        name: str = "fake",
    ) -> None:
        self.name = name
        self.asked: list[XSearchRequest] = []
        default: dict[str, object] = {
            "answer": text,
            "citations": ["https://x.com/i/status/1"],
            "response_id": "response-1",
            "x_search_calls": 1,
            "model": "fake-model",
            "credential_source": "fake",
        }
        self._answer = answer
        if answer is None:
            self._answer = default if isinstance(text, str) else text
        self._raises = raises

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Return the answer."""
        self.asked.append(request)
        raise_fake_error(self._raises)
        outcome = await fake_answer(self._answer, request)
        wrapped = outcome if isinstance(outcome, Result) else Success(outcome)
        return cast("Result[UntrustedXAnswer, WebError]", wrapped)
