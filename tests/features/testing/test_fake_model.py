"""The fake model: it says what it is told to."""

import asyncio

import pytest
from returns.result import Failure, Result

from tests.features.models.clients import client
from webseam.ports import ChatModel, ChatRequest, Delta, ModelOverloaded, NormalizedResponse
from webseam.ports.models import StreamItem
from webseam.testing import FakeModel, ScriptedTransport

REQUEST = ChatRequest(model="m", messages=({"role": "user", "content": "hello"},))


async def streamed(model: FakeModel) -> list[StreamItem]:
    return [item async for item in model.stream(REQUEST)]


def test_a_fake_and_a_client_are_chat_models() -> None:
    models: list[ChatModel] = [FakeModel(), client(ScriptedTransport())]

    assert [type(model).__name__ for model in models] == ["FakeModel", "ModelClient"]


def test_it_says_its_text_and_remembers_the_question() -> None:
    model = FakeModel("Hi there.")

    answer = asyncio.run(model.complete(REQUEST))
    asyncio.run(model.aclose())

    assert answer.unwrap() == NormalizedResponse(content="Hi there.", finish_reason="stop")
    assert model.asked == [REQUEST]


def test_a_stream_says_the_same_in_pieces() -> None:
    *pieces, last = asyncio.run(streamed(FakeModel(" Hi  there. ")))

    assert "".join(piece.text for piece in pieces if isinstance(piece, Delta)) == " Hi  there. "
    assert isinstance(last, Result)
    assert last.unwrap().content == " Hi  there. "


def test_a_failure_comes_alone() -> None:
    failure = Failure(ModelOverloaded())

    assert asyncio.run(streamed(FakeModel(answer=failure))) == [failure]


def test_it_may_answer_by_the_question_or_raise() -> None:
    echo = FakeModel(
        answer=lambda request: NormalizedResponse(content=request.model, finish_reason="stop")
    )

    assert asyncio.run(echo.complete(REQUEST)).unwrap().content == "m"
    with pytest.raises(OSError, match="gone"):
        asyncio.run(FakeModel(raises=OSError("gone")).complete(REQUEST))
