"""Structured output as a type of the caller's own."""

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import pytest

from tests.features.models.x_search.asking import ask, saying
from webseam import InvalidQuery, StructuredOutputInvalid, WebError
from webseam.kernel.features.models.structured_output import output_type_schema
from webseam.testing import FakeXSearch


class Post(msgspec.Struct, frozen=True):
    """A post."""

    handle: str
    title: str | None = None
    mood: Literal["good", "bad"] = "good"


class Report(msgspec.Struct, frozen=True):
    posts: tuple[Post, ...]
    best: Post


class Tree(msgspec.Struct):
    name: str
    below: list["Tree"] = []


class Strict(msgspec.Struct):
    likes: int

    def __post_init__(self) -> None:
        if self.likes < 0:
            message = "likes: less than none"
            raise ValueError(message)
        if self.likes > 100:
            raise KeyError(self.likes)


@dataclass
class Plain:
    handle: str


def typed(text: str, output_type: type) -> object:
    backend = saying(text)
    outcome = ask({"query": "posts"}, backend, output_type=output_type).unwrap()

    assert backend.asked[0].output_schema == output_type_schema(output_type).unwrap()
    return outcome.structured_output


def failed(text: str, output_type: type) -> WebError:
    return ask({"query": "posts"}, saying(text), output_type=output_type).failure()


def test_the_schema_closes_every_object_and_requires_every_field() -> None:
    schema: Any = output_type_schema(Report).unwrap()
    post = {
        "type": "object",
        "description": "A post.",
        "properties": {
            "handle": {"type": "string"},
            "title": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "mood": {"enum": ["bad", "good"]},
        },
        "required": ["handle", "title", "mood"],
        "additionalProperties": False,
    }

    assert schema["$defs"]["Post"] == post
    assert schema["properties"] == {
        "posts": {"type": "array", "items": {"$ref": "#/$defs/Post"}},
        "best": {"$ref": "#/$defs/Post"},
    }
    assert (schema["required"], schema["additionalProperties"]) == (["posts", "best"], False)
    assert "$defs" not in output_type_schema(Post).unwrap()


def test_an_answer_becomes_the_type() -> None:
    text = '```json\n{"posts": [{"handle": "a", "title": null, "mood": "bad"}], "best": {"handle": "b"}}\n```'

    assert typed(text, Report) == Report(
        posts=(Post(handle="a", mood="bad"),), best=Post(handle="b")
    )


def test_dataclasses_and_types_that_hold_themselves_are_types_too() -> None:
    assert typed('{"handle": "a"}', Plain) == Plain("a")
    assert typed('{"name": "a", "below": [{"name": "b"}]}', Tree) == Tree("a", [Tree("b")])


@pytest.mark.parametrize(
    ("text", "output_type", "reason"),
    [
        ("Nothing.", Post, "the answer is not JSON"),
        ("", Post, "the answer is empty"),
        ('{"handle": 3}', Post, "Expected `str`, got `int` - at `$.handle`"),
        ("{}", Post, "Object missing required field `handle`"),
        ("null", Post, "Expected `object`, got `null`"),
        ('{"likes": -1}', Strict, "likes: less than none"),
        ('{"likes": 101}', Strict, "KeyError in the type's own code"),
    ],
)
def test_an_answer_that_is_not_of_the_type_is_a_failure(
    text: str, output_type: type, reason: str
) -> None:
    error = failed(text, output_type)

    assert error == StructuredOutputInvalid(reason=reason, backend="fake")
    assert reason in error.message


@pytest.mark.parametrize(
    ("output_type", "reason"),
    [
        (object(), "has no JSON schema; use a msgspec Struct, a dataclass or a TypedDict"),
        (complex, "has no JSON schema; use a msgspec Struct, a dataclass or a TypedDict"),
        (int, "must describe an object: every answer is one"),
        (list[int], "must describe an object: every answer is one"),
    ],
)
def test_a_type_that_no_answer_can_have_is_refused_before_any_call(
    output_type: type, reason: str
) -> None:
    backend = FakeXSearch()
    error = ask({"query": "posts"}, backend, output_type=output_type).failure()

    assert error == InvalidQuery(field="output_type", reason=reason)
    assert backend.asked == []


def test_other_failures_stay_what_they_are() -> None:
    error = ask({"query": ""}, output_type=Post).failure()
    assert isinstance(error, InvalidQuery)
    assert error.field == "query"

    error = ask(None, output_type=Post).failure()
    assert isinstance(error, InvalidQuery)
    assert error.field == "query"
