"""Objects that a model writes: what is asked again, what is refused, and the schemas for it."""

import asyncio
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from webseam.kernel.features.models.checked_objects import JsonObject, ObjectAnswer, ask_for_object
from webseam.kernel.features.models.small_work import sources_request, text_request
from webseam.kernel.features.models.structured_output import drop_absent
from webseam.kernel.laws.schema_keywords import unknown_keyword
from webseam.ports.errors import (
    BadPayload,
    ContentFiltered,
    InvalidQuery,
    RateLimited,
    StructuredOutputInvalid,
)
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse, WritingRules
from webseam.ports.receipts import Usage

USAGE = Usage(input_tokens=3, output_tokens=1)


class Scripted:
    """A model that gives answers in turn, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *answers: Any) -> None:  # noqa: ANN401  a backend may return anything
        self.answers = list(answers)
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, /) -> Any:  # noqa: ANN401
        self.asked.append(request)
        return self.answers.pop(0)

    def stream(self, request: ChatRequest, /) -> Any:  # noqa: ANN401  never called
        raise NotImplementedError(request)


def said(text: str | None, finish: FinishReason = "stop") -> Success[NormalizedResponse]:
    return Success(NormalizedResponse(content=text, finish_reason=finish, usage=USAGE))


async def has_noon(value: JsonObject) -> Result[object, str]:
    return Success(value["noon"]) if "noon" in value else Failure("noon is missing")


def ask(*answers: object) -> tuple[ObjectAnswer[object], Scripted]:
    model = Scripted(*answers)
    request = ChatRequest(model="m", messages=({"role": "user", "content": "When?"},))
    return asyncio.run(ask_for_object(request, model, has_noon)), model


def test_a_good_object_is_taken_at_once() -> None:
    answer, model = ask(said('{"noon": 12}'))

    assert answer.checked.unwrap().value == 12
    assert (answer.usage, len(model.asked)) == (USAGE, 1)


def test_a_second_answer_costs_both() -> None:
    answer, model = ask(said("At noon."), said('```json\n{"noon": 12}\n```'))

    assert answer.checked.unwrap().value == 12
    assert answer.usage == Usage(input_tokens=6, output_tokens=2)
    assert [turn["role"] for turn in model.asked[1].messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (said('{"one": 1}'), "noon is missing"),
        (said("[12]"), "the answer is not an object"),
        (said(None), "the answer is empty"),
        (said('{"noon": 12}', "length"), "the answer was cut off at its limit"),
    ],
)
def test_a_second_bad_answer_is_refused_with_its_reason(last: object, reason: str) -> None:
    answer, _ = ask(said(None), last)

    assert answer.checked.failure() == StructuredOutputInvalid(reason=reason, backend="m")
    assert answer.usage == Usage(input_tokens=6, output_tokens=2)


def test_a_model_that_fails_is_not_asked_again() -> None:
    assert isinstance(ask(Failure(RateLimited()))[0].checked.failure(), RateLimited)
    assert isinstance(ask(Success("text"))[0].checked.failure(), BadPayload)
    filtered, _ = ask(said("no", "content_filter"))
    assert isinstance(filtered.checked.failure(), ContentFiltered)


def test_a_request_about_a_blank_text_is_refused() -> None:
    assert isinstance(text_request(" ", "Write.", "m").failure(), InvalidQuery)
    assert isinstance(sources_request("When?", " ", "m", WritingRules()).failure(), InvalidQuery)
    asked = sources_request("When?", "[1] Tides", "m", WritingRules()).unwrap()
    assert "JSON object" in str(asked.messages[0]["content"])


def test_nulls_of_optional_fields_are_dropped() -> None:
    schema = {
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["string", "null"]},
            "c": {"type": "string"},
            "d": {"items": {"properties": {"e": {"type": ["integer"]}}}},
            "f": {"$ref": "#/$defs/F"},
            "g": {"type": "object", "properties": {"h": {"type": "string"}}},
            "i": True,
        },
        "required": ["c"],
    }
    nulls = dict.fromkeys("abcfi")

    kept = drop_absent({**nulls, "d": [{"e": None}, 1], "g": {"h": None}, "z": None}, schema)

    assert kept == {"b": None, "c": None, "f": None, "i": None, "d": [{}, 1], "g": {}, "z": None}
    assert drop_absent({"a": None}, {"properties": [], "required": 1}) == {"a": None}
    assert drop_absent({"a": None}, {"properties": {"a": {"type": "null"}}, "required": 1}) == {
        "a": None
    }


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"minLenght": 3}, "minLenght"),
        ({"properties": {"minLenght": {"type": "string"}}}, None),
        ({"properties": {"a": {"items": [{"anyOf": [{"typ": "a"}]}]}}}, "typ"),
        ({"$defs": {"A": {"not": {"oneof": []}}}}, "oneof"),
        ({"dependencies": {"a": ["b"], "c": {"unknown": 1}}}, "unknown"),
        ({"enum": [{"any": 1}], "default": {"any": 1}, "x-order": 1}, None),
        ({"additionalProperties": False, "items": True}, None),
        ({"properties": 3}, None),
    ],
)
def test_the_first_unknown_keyword_is_found(schema: dict[str, object], name: str | None) -> None:
    assert unknown_keyword(schema) == name
