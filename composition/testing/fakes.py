"""Fakes of the ports: they answer from data, and remember what they were asked."""

import inspect
import re
from collections.abc import AsyncIterator, Iterable
from typing import TypeAlias, cast

from returns.result import Failure, Result, Success

from ...ports.backends import Abilities, BackendAbout, UntrustedRow
from ...ports.errors import UnsupportedCapability, WebError
from ...ports.models.chat import ChatRequest, Delta, NormalizedResponse, StreamItem
from ...ports.web import WebSearchQuery
from ...ports.x_search import UntrustedXAnswer, XSearchRequest

Raised: TypeAlias = BaseException | type[BaseException]


class FakeBackend:
    """A ``WebBackend`` that hands over ``rows`` and ``document`` just as they are.

    ``document`` may be plain text: then it is the content of whatever page is asked for. Without
    one, ``extract`` is a capability this backend lacks. ``search`` and ``extract`` answer in their
    place: a ``Result``, any other value, or a function (plain or async) of what was asked.
    ``raises`` is raised by both; ``embedded`` says that it is no third party, ``abilities`` which
    limits and filters it has. ``searched`` and ``extracted`` hold what was asked, in order.
    """

    def __init__(  # noqa: PLR0913  each is a way to answer, all but two by name
        self,
        rows: Iterable[object] = (),
        document: str | UntrustedRow | None = None,
        *,
        search: object = None,
        extract: object = None,
        raises: Raised | None = None,
        name: str = "fake",
        embedded: bool = False,
        abilities: Abilities | None = None,
    ) -> None:
        """Answer from data; nothing is checked here."""
        self.about = BackendAbout(name=name, embedded=embedded, abilities=abilities)
        self.searched: list[WebSearchQuery] = []
        self.extracted: list[str] = []
        self._rows = rows
        self._document = document
        self._search = search
        self._extract = extract
        self._raises = raises

    async def search(self, query: WebSearchQuery, /) -> Result[list[UntrustedRow], WebError]:
        """Give the rows, or what stands in their place."""
        self.searched.append(query)
        raise_if_given(self._raises)
        outcome = (
            Success(self._rows) if self._search is None else await fake_answer(self._search, query)
        )
        return cast("Result[list[UntrustedRow], WebError]", outcome)

    async def extract(self, url: str, /) -> Result[UntrustedRow, WebError]:
        """Give the document, or what stands in its place."""
        self.extracted.append(url)
        raise_if_given(self._raises)
        outcome = (
            self._page(url) if self._extract is None else await fake_answer(self._extract, url)
        )
        return cast("Result[UntrustedRow, WebError]", outcome)

    def _page(self, url: str) -> Result[UntrustedRow, WebError]:
        if self._document is None:
            return Result.from_failure(
                UnsupportedCapability(capability="extract", backend=self.about.name)
            )
        if isinstance(self._document, str):
            return Success({"url": url, "content": self._document})
        return Success(self._document)


class FakeCompressor:
    """A ``Compressor`` that says ``text`` whatever it is given.

    ``answer`` stands in its place: a ``Result``, any other value, or a function (plain or async)
    of the text and the instruction. ``calls`` holds both, for each call.
    """

    def __init__(
        self, text: str = "short", *, answer: object = None, raises: Raised | None = None
    ) -> None:
        """Answer from data; nothing is checked here."""
        self.calls: list[tuple[str, str]] = []
        self._answer = Success(text) if answer is None else answer
        self._raises = raises

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Give the text, or what stands in its place."""
        self.calls.append((text, instruction))
        raise_if_given(self._raises)
        return cast("Result[str, WebError]", await fake_answer(self._answer, text, instruction))


class FakeClock:
    """A wall clock that stands still until it is moved.

    >>> clock = FakeClock(100.0)
    >>> clock.advance(2.5)
    >>> clock()
    102.5
    """

    def __init__(self, now: float = 0.0) -> None:
        """Stand at ``now``, in seconds since the epoch."""
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by that many seconds."""
        self.now += seconds


def raise_if_given(raises: Raised | None) -> None:
    """Raise an exception that was given as data, if one was."""
    if raises is not None:
        raise raises


async def fake_answer(answer: object, *asked: object) -> object:
    """Return an answer given as data, or what a function says to ``asked``."""
    value = answer(*asked) if callable(answer) else answer
    return await value if inspect.isawaitable(value) else value


# A model that says what it is told to, and remembers what it was asked.


class FakeModel:
    """A ``ChatModel`` that says ``text``, whatever it is asked.

    ``answer`` stands in its place: a ``NormalizedResponse``, a ``Result``, or a function (plain or
    async) of the request. A stream says the same, word by word. ``asked`` holds the requests.

    >>> import asyncio
    >>> model = FakeModel("Hi.")
    >>> asyncio.run(model.complete(ChatRequest(model="m", messages=()))).unwrap().content
    'Hi.'
    """

    def __init__(
        self,
        text: str = "short",
        *,
        answer: object = None,
        raises: Raised | None = None,
        name: str = "fake",
    ) -> None:
        """Answer from data; nothing is checked here."""
        self.name = name
        self.asked: list[ChatRequest] = []
        usual = NormalizedResponse(content=text, finish_reason="stop")
        self._answer = usual if answer is None else answer
        self._raises = raises

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Give the answer."""
        self.asked.append(request)
        raise_if_given(self._raises)
        outcome = await fake_answer(self._answer, request)
        wrapped = outcome if isinstance(outcome, Result) else Success(outcome)
        return cast("Result[NormalizedResponse, WebError]", wrapped)

    async def stream(self, request: ChatRequest, /) -> AsyncIterator[StreamItem]:
        """Give the answer word by word, and then as a whole; a failure comes alone."""
        result = await self.complete(request)
        if not isinstance(result, Failure):
            for word in re.findall(r"\S+\s*|\s+", result.unwrap().content or ""):
                yield Delta(text=word)
        yield result

    async def aclose(self) -> None:
        """Hold nothing open."""


# A search of X that says what it is told to, and remembers what it was asked.


class FakeXSearch:
    """An ``XSearchBackend`` that says ``text`` from one post, whatever it is asked.

    ``answer`` stands in its place: a mapping of fields, a ``Result``, or a function (plain or
    async) of the request. ``asked`` holds the requests.

    >>> import asyncio
    >>> from datetime import date
    >>> from webseam import XSearchDeps, x_search
    >>> deps = XSearchDeps(backend=FakeXSearch("High tide."), today=lambda: date(2026, 11, 15))
    >>> asyncio.run(x_search({"query": "tides"}, deps)).unwrap().answer
    'High tide.'
    """

    def __init__(
        self,
        text: str = "A post.",
        *,
        answer: object = None,
        raises: Raised | None = None,
        name: str = "fake",
    ) -> None:
        """Answer from data; nothing is checked here."""
        self.name = name
        self.asked: list[XSearchRequest] = []
        usual: dict[str, object] = {
            "answer": text,
            "citations": ["https://x.com/i/status/1"],
            "response_id": "response-1",
            "x_search_calls": 1,
            "model": "fake-model",
            "credential_source": "fake",
        }
        self._answer = usual if answer is None else answer
        self._raises = raises

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Give the answer."""
        self.asked.append(request)
        raise_if_given(self._raises)
        outcome = await fake_answer(self._answer, request)
        wrapped = outcome if isinstance(outcome, Result) else Success(outcome)
        return cast("Result[UntrustedXAnswer, WebError]", wrapped)
