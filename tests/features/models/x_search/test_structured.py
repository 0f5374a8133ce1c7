"""JSON out of an answer, and whether it keeps to the schema that was given."""

import asyncio

import pytest
from returns.result import Failure, Result, Success

from tests.features.models.x_search.asking import SCHEMA, TODAY, found, saying
from webseam import XSearchDeps, XSearchOutcome, x_search

GOOD = '{"handle": "alice"}'


def held(text: str) -> XSearchOutcome:
    return found(saying(text), output_schema=SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"```JSON {GOOD} ```",
        f"Here it is:\n\n```json\r\n{GOOD}\r\n```\nAnything else?",
        f"```python\nprint()\n```\n```json\n{GOOD}\n```",
    ],
)
def test_json_is_read_bare_and_between_fences(text: str) -> None:
    outcome = held(text)

    assert outcome.structured_output == {"handle": "alice"}
    assert outcome.answer == text
    assert (outcome.structured_error, outcome.schema_valid, outcome.schema_error) == (
        None,
        True,
        None,
    )


def test_fenced_json_may_hold_fences() -> None:
    outcome = held('```json\n{"handle": "```a```"}\n```')

    assert outcome.structured_output == {"handle": "```a```"}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Nothing to report.", "the answer is not JSON"),
        ('{"handle": "al', "the answer is not JSON"),
        (f"Here: {GOOD}", "the answer is not JSON"),
        ('{"handle": NaN}', "the answer is not JSON"),
        ("```json\nnothing\n```", "the answer is not JSON"),
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ("[" * 101 + "]" * 101, "the answer is nested too deep"),
        ("[" * 100_000, "the answer is not JSON"),
    ],
)
def test_unparsable_output_is_a_success_with_its_error(text: str, error: str) -> None:
    outcome = held(text)

    assert (outcome.structured_output, outcome.structured_error) == (None, error)
    assert (outcome.answer, outcome.schema_valid) == (text, None)


def test_without_a_schema_nothing_is_read() -> None:
    outcome = found(saying(GOOD))

    assert (outcome.structured_output, outcome.structured_error) == (None, None)


@pytest.mark.parametrize(
    ("text", "value", "error"),
    [
        ('{"handle": 3}', {"handle": 3}, '$.handle: 3 is not of type "string"'),
        ("{}", {}, '"handle" is a required property'),
        ("[1]", [1], '[1] is not of type "object"'),
        ("null", None, 'null is not of type "object"'),
    ],
)
def test_a_value_that_breaks_the_schema_is_given_with_what_it_breaks(
    text: str, value: object, error: str
) -> None:
    outcome = held(text)

    assert (outcome.structured_output, outcome.structured_error) == (value, None)
    assert (outcome.schema_valid, outcome.schema_error) == (False, error)


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        (
            {"type": "nonsense"},
            "the schema is not valid: $.type: \"nonsense\" is not valid under any of the schemas listed in the 'anyOf' keyword",
        ),
        (
            {"$ref": "https://schemas.example/other.json"},
            "the schema refers to another one, which is not fetched",
        ),
        (
            {"$ref": "file:///etc/hostname"},
            "the schema refers to another one, which is not fetched",
        ),
        ({"$schema": {}}, 'the schema is not valid: $.$schema: {} is not of type "string"'),
    ],
)
def test_a_schema_of_no_use_leaves_it_open_whether_the_value_is_valid(
    schema: dict[str, object], error: str
) -> None:
    outcome = found(saying(GOOD), output_schema=schema)

    assert outcome.structured_output == {"handle": "alice"}
    assert (outcome.schema_valid, outcome.schema_error) == (None, error)


def test_older_drafts_and_unknown_ones_are_read() -> None:
    for draft in ("http://json-schema.org/draft-07/schema#", "https://nobody.example/draft"):
        assert found(saying(GOOD), output_schema={**SCHEMA, "$schema": draft}).schema_valid is True


def test_a_long_reason_is_cut() -> None:
    error = held('{"handle": ["' + "a" * 1000 + '"]}').schema_error or ""

    assert (len(error), error[-1]) == (300, "…")


def test_without_a_checker_it_is_left_open() -> None:
    deps = XSearchDeps(backend=saying(GOOD), today=lambda: TODAY)
    outcome = asyncio.run(x_search({"query": "q", "output_schema": SCHEMA}, deps)).unwrap()

    assert (outcome.structured_output, outcome.schema_valid) == ({"handle": "alice"}, None)


def test_a_checker_of_ones_own_is_asked() -> None:
    def check(value: object, schema: object) -> Result[str | None, str]:
        assert (value, schema) == ({"handle": "alice"}, SCHEMA)
        return Failure("not today")

    deps = XSearchDeps(backend=saying(GOOD), today=lambda: TODAY, check_schema=check)
    outcome = asyncio.run(x_search({"query": "q", "output_schema": SCHEMA}, deps))

    assert isinstance(outcome, Success)
    assert outcome.unwrap().schema_error == "not today"
