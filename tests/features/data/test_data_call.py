"""A call for typed values as JSON: its arguments, its envelope, and a plugin's changes of it."""

import copy
from typing import Any

import msgspec
import pytest
from returns.result import Failure, Success

import webseam
from tests.features.data.pages import SOUP, make_page
from webseam.kernel.features.data.data_call import (
    check_data_arguments,
    check_replaced_data,
    data_envelope,
    wanted_of,
)
from webseam.kernel.plugin_changes import Original
from webseam.ports.data import Data
from webseam.ports.errors import BadPayload, DataRefused, InvalidQuery
from webseam.ports.receipts import ExtractReceipt

RECEIPT = ExtractReceipt(
    backend="pages",
    url="https://example.com/",
    final_url="https://example.com/",
    characters=1,
    compressed=False,
    compressed_characters=None,
)


class Venue(msgspec.Struct):
    name: str = ""


class Recipe(msgspec.Struct):
    title: str = ""
    servings: int | None = None
    location: Venue | None = None


def soup() -> Data[Any]:
    linked = {
        "@type": "Recipe",
        "name": "Leek soup",
        "recipeYield": "6",
        "location": {"name": "Kiel"},
    }
    html = make_page("<h1>Leek soup</h1><p>Serves 4</p><p>Kiel</p>", linked)
    return webseam.data_from_html(html, Recipe, url="https://example.com/soup").unwrap()


def test_arguments_name_a_schema_or_a_shipped_type() -> None:
    schema = {"properties": {"title": {"type": "string"}}}
    like = check_data_arguments({"url": "example.com/soup", "like": "recipe"}).unwrap()
    own = check_data_arguments({"url": "https://example.com/", "schema": schema}).unwrap()

    assert (like.url, wanted_of(like)) == ("https://example.com/soup", webseam.like.Recipe)
    assert wanted_of(own) == schema


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"url": "example.com"}, "schema"),
        ({"url": "example.com", "like": "recipe", "schema": {}}, "schema"),
        ({"url": "example.com", "like": "cake"}, "like"),
        ({"url": "example.com", "schema": {"properties": {"a": {"type": "null"}}}}, "schema.a"),
        ({"url": 5, "like": "recipe"}, "url"),
        ({"like": "recipe"}, "url"),
    ],
)
def test_wrong_arguments_are_refused_by_name(fields: dict[str, object], field: str) -> None:
    error = check_data_arguments(fields).failure()

    assert isinstance(error, InvalidQuery)
    assert error.field == field


def test_an_envelope_has_the_given_values_nested_and_the_receipt() -> None:
    got = soup()
    envelope: Any = data_envelope(Success(msgspec.structs.replace(got, receipt=RECEIPT)))

    assert envelope["data"]["values"] == {"title": "Leek soup", "location": {"name": "Kiel"}}
    assert envelope["data"]["basis"].keys() == {"title", "location.name"}
    assert envelope["data"]["refused"].keys() == {"servings"}
    assert envelope["receipt"]["backend"] == "pages"
    assert "receipt" not in data_envelope(Success(got))


def test_a_failure_keeps_what_was_proved() -> None:
    schema = {
        "title": "Recipe",
        "properties": {"title": {"type": "string"}, "servings": {"type": "integer"}},
        "required": ["servings"],
    }
    got = webseam.data_from_html(SOUP, schema)
    envelope: Any = data_envelope(got)

    assert isinstance(got.failure(), DataRefused)
    assert envelope["failure"]["proved"]["title"]["value"] == "Leek soup"
    assert envelope["failure"]["refused"]["servings"]["reason"] == "disagrees"


def changed(change: str) -> dict[str, Any]:
    envelope: Any = copy.deepcopy(data_envelope(Success(soup())))
    data = envelope["data"]
    match change:
        case "taken away":
            del data["values"]["title"], data["basis"]["title"]
        case "another value":
            data["values"]["title"] = "Pea soup"
        case "another quote":
            data["basis"]["title"]["quotes"][0]["text"] = "Pea soup"
        case "no basis":
            data["values"]["servings"] = 4
        case "a basis without a value":
            del data["values"]["title"]
        case "given and refused":
            data["refused"]["title"] = {"reason": "missing"}
        case "no data":
            envelope["data"] = {"values": {}}
    return dict(envelope)


@pytest.mark.parametrize("change", ["another value", "another quote"])
def test_a_plugin_that_saw_the_result_changes_no_value(change: str) -> None:
    own = Original(data_envelope(Success(soup())), soup())

    checked = check_replaced_data(changed(change), [own])

    assert isinstance(checked, Failure)
    assert isinstance(checked.failure(), BadPayload)


@pytest.mark.parametrize(
    "change", ["no basis", "a basis without a value", "given and refused", "no data"]
)
def test_an_envelope_that_breaks_the_laws_of_values_is_refused(change: str) -> None:
    assert isinstance(check_replaced_data(changed(change)), Failure)


def test_a_plugin_may_take_values_away_and_a_recorded_answer_counts() -> None:
    own = Original(data_envelope(Success(soup())), soup())
    same = check_replaced_data(changed("nothing"), [own]).unwrap().outcome
    fewer: Any = check_replaced_data(changed("taken away"), [own]).unwrap().outcome
    recorded = {**changed("nothing"), "receipt": msgspec.to_builtins(RECEIPT)}
    again: Any = check_replaced_data(recorded).unwrap().outcome

    assert same is own.outcome
    assert dict(fewer) == {"location.name": "Kiel"}
    assert again["title"] == "Leek soup"
    assert again.receipt == RECEIPT
