"""A search and its follow-ups, on an imitation that knows only what it stored."""

import asyncio

from returns.result import Result

from tests.features.models.x_search.imitation import imitation
from tests.features.models.x_search.serving import settings
from webseam import HttpStatus, WebError, XSearchOutcome, x_searcher

Found = Result[XSearchOutcome, WebError]


async def chain(url: str, *requests: dict[str, object]) -> list[Found]:
    """Ask one after the other, each going on from the one before it."""
    searcher = x_searcher(settings(XAI_BASE_URL=url)).unwrap()
    answer_found: list[Found] = []
    for request in requests:
        going_on = (
            {"previous_response_id": answer_found[-1].unwrap().response_id} if answer_found else {}
        )
        answer_found.append(await searcher({**going_on, **request}))
    await searcher.aclose()
    return answer_found


def test_a_chain_goes_on_from_what_was_stored() -> None:
    with imitation() as xai:
        first, second, third = asyncio.run(
            chain(
                xai.url,
                {"query": "posts", "instructions": "Be brief.", "store": True},
                {"query": "which is best?", "instructions": "Be brief."},
                {"query": "why?"},
            )
        )

    assert [each.unwrap().answer for each in (first, second, third)] == [
        "Answer 1.",
        "Answer 2.",
        "Answer 3.",
    ]
    assert [each.unwrap().receipt.dropped for each in (first, second, third)] == [
        (),
        ("instructions",),
        (),
    ]
    assert [body.get("previous_response_id") for body in xai.asked] == [
        None,
        "response-1",
        "response-2",
    ]
    assert xai.kept == ["response-1", "response-2", "response-3"]


def test_search_that_was_not_stored_cannot_be_continued() -> None:
    with imitation() as xai:
        _, second = asyncio.run(chain(xai.url, {"query": "posts"}, {"query": "which is best?"}))

    error = second.failure()
    assert isinstance(error, HttpStatus)
    assert error.status == 404
    assert error.detail == (
        "there is no response response-1; only a stored answer can be continued"
    )
    assert xai.kept == []
