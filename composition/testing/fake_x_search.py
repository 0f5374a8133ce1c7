"""A search of X that says what it is told to, and remembers what it was asked."""

from typing import cast

from returns.result import Result, Success

from ...ports.errors import WebError
from ...ports.x_search import UntrustedXAnswer, XSearchRequest
from .fakes import Raised, raise_if_told, said


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
        raise_if_told(self._raises)
        given = await said(self._answer, request)
        wrapped = given if isinstance(given, Result) else Success(given)
        return cast("Result[UntrustedXAnswer, WebError]", wrapped)
