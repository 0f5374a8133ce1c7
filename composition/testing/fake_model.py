"""A model that says what it is told to, and remembers what it was asked."""

import re
from collections.abc import AsyncIterator
from typing import cast

from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from .fakes import Raised, raise_if_told, said


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
        raise_if_told(self._raises)
        given = await said(self._answer, request)
        wrapped = given if isinstance(given, Result) else Success(given)
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
