"""The fake search of X: it says what it is told to."""

import asyncio

import pytest
from returns.result import Failure, Success

from webseam.ports import RateLimited, XSearchBackend, XSearchRequest
from webseam.testing import FakeXSearch

REQUEST = XSearchRequest(query="tides")


def said(backend: XSearchBackend) -> object:
    return asyncio.run(backend.x_search(REQUEST))


def test_it_says_its_text_from_a_post_and_remembers_the_question() -> None:
    backend = FakeXSearch("High tide.")

    answer = said(backend)

    assert isinstance(answer, Success)
    assert answer.unwrap()["answer"] == "High tide."
    assert answer.unwrap()["citations"] == ["https://x.com/i/status/1"]
    assert backend.asked == [REQUEST]


def test_it_answers_in_any_other_way() -> None:
    limited = Failure(RateLimited())

    assert said(FakeXSearch(answer=limited)) == limited
    assert said(FakeXSearch(answer={"answer": "a"})) == Success({"answer": "a"})
    assert said(FakeXSearch(answer=lambda request: {"answer": request.query})) == Success(
        {"answer": "tides"}
    )


def test_it_raises_what_it_is_told_to() -> None:
    with pytest.raises(OSError, match="away"):
        said(FakeXSearch(raises=OSError("away")))
