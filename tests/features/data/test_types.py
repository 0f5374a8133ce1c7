"""The types that may ask for values, and how the answer is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pytest

import webseam
from tests.features.data.pages import SOUP, make_page
from webseam.ports.errors import DataRefused, InvalidQuery

URL = "https://example.com/leek-soup"


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


def read(wanted: Any, html: str = SOUP) -> Any:  # noqa: ANN401  the tests' own types
    return webseam.data_from_html(html, wanted, url=URL)


def test_a_dataclass_and_a_typed_dict_are_filled() -> None:
    @dataclass
    class Dish:
        title: str

    class Menu(TypedDict, total=False):
        title: str
        servings: int

    assert read(Dish).unwrap().value == Dish("Leek soup")
    assert read(Menu).unwrap().value == {"title": "Leek soup"}


class Model:
    """A class that describes and builds itself, as those of pydantic do."""

    def __init__(self, values: dict[str, object]) -> None:
        self.title = values["title"]

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {
            "title": "Recipe",
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
        }

    @classmethod
    def model_validate(cls, values: dict[str, object]) -> "Model":
        return cls(values)


class Picky(Model):
    @classmethod
    def model_validate(cls, values: dict[str, object]) -> "Model":
        raise ValueError(values)


def test_a_model_is_built_by_its_own_constructor() -> None:
    assert read(Model).unwrap().value.title == "Leek soup"


def test_values_that_a_model_does_not_take_are_a_failure_that_keeps_them() -> None:
    error = read(Picky).failure()

    assert isinstance(error, DataRefused)
    assert (error.required, error.proved["title"].value) == (("title",), "Leek soup")


def test_a_json_schema_gives_a_dict() -> None:
    schema = {
        "$defs": {"Time": {"type": "string", "format": "duration"}},
        "title": "Recipe",
        "type": "object",
        "required": ["title"],
        "properties": {
            "title": {"type": "string"},
            "ingredients": {"type": "array", "items": {"type": "string"}},
            "total_time": {"$ref": "#/$defs/Time"},
            "servings": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "calories": {"type": ["number", "null"]},
            "weights": {
                "type": "array",
                "items": {"type": "number"},
                "x-webseam": {"path": "weight", "unseen": True},
            },
            "grams": {
                "anyOf": [{"type": "number"}, {"type": "string"}],
                "x-webseam": {"path": "weight", "unseen": True},
            },
            "author": {"type": "object", "properties": {"name": {"type": "string"}}},
            "size": {"enum": ["small"]},
        },
    }
    html = SOUP.replace('"recipeYield": "6"', '"recipeYield": "4", "weight": [2, 2]')

    assert read(schema, html).unwrap().value == {
        "title": "Leek soup",
        "ingredients": ["3 leeks", "1 l stock"],
        "total_time": "PT4800S",
        "servings": 4,
        "weights": [2.0, 2.0],
        "grams": 2.0,
        "author": {"name": "Ann Mason"},
    }


def nested(depth: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": nested(depth - 1) if depth else {"type": "string"}},
    }


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({}, "schema"),
        ({"properties": {"a": {"type": "string"}}, "required": "a"}, "schema"),
        ({"properties": {"a": {"type": "string"}}, "minProperties": 1}, "schema"),
        ({"properties": {"a.b": {"type": "string"}}}, "schema"),
        ({"properties": {"a": {"type": "string", "minLength": 3}}}, "schema.a"),
        ({"properties": {"a": {"type": "string", "x-webseam": {"where": "b"}}}}, "schema.a"),
        ({"properties": {"a": 5}}, "schema.a"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "schema.a"),
        (
            {"$defs": {"b": {"$ref": "#/$defs/b"}}, "properties": {"a": {"$ref": "#/$defs/b"}}},
            "schema.a",
        ),
        (
            {
                "definitions": 5,
                "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            },
            "schema.a",
        ),
        ({"properties": {"a": {"type": ["string", "number"]}}}, "schema.a"),
        ({"properties": {"a": {"type": "boolean"}}}, "schema.a"),
        ({"properties": {"a": {"type": ["string"], "format": "email"}}}, "schema.a"),
        ({"properties": {"a": {"type": "array"}}}, "schema.a"),
        (
            {"properties": {"a": {"type": "array", "items": {"type": "string", "pattern": "b"}}}},
            "schema.a",
        ),
        ({"properties": {"a": {"type": "array", "items": {"properties": {"b": {}}}}}}, "schema.a"),
        (nested(9), "schema.a.a.a.a.a.a.a"),
    ],
)
def test_unknown_schema_keyword_is_refused_by_name(schema: dict[str, Any], field: str) -> None:
    error = read(schema).failure()

    assert isinstance(error, InvalidQuery)
    assert error.field == field


def test_a_type_that_cannot_be_proved_is_refused_by_name() -> None:
    class Inner(msgspec.Struct):
        name: str

    class Flag(msgspec.Struct):
        vegan: bool

    class Many(msgspec.Struct):
        people: list[Inner]

    class Either(msgspec.Struct):
        number: int | str

    class Deep(msgspec.Struct):
        below: "Deep | None" = None

    class Bad(msgspec.Struct):
        inner: Annotated[Inner, webseam.asks("author")]
        flag: Flag

    cases = {Flag: "vegan", Many: "people", Either: "number", Bad: "flag.vegan", int: "type"}
    for wanted, name in cases.items():
        error = read(wanted).failure()
        assert isinstance(error, InvalidQuery), wanted
        assert error.field == name
    for unreadable in (Deep, 5):
        assert isinstance(read(unreadable).failure(), InvalidQuery)


def test_nested_structs_and_enums_are_filled() -> None:
    class Address(msgspec.Struct):
        city: Annotated[str, webseam.asks("addressLocality")]

    class Venue(msgspec.Struct):
        name: str
        address: Address

    class Event(msgspec.Struct):
        location: Venue
        size: Size
        kinds: list[Literal["jazz", "folk"]] | None = None

    linked = {
        "@type": "Event",
        "size": "LARGE",
        "location": {"name": "Blue Hall", "address": {"addressLocality": "Bern"}},
    }

    got = read(Event, make_page("<p>Blue Hall</p><p>Bern</p><p>Large</p>", linked)).unwrap()

    assert got.value == Event(Venue("Blue Hall", Address("Bern")), Size.LARGE)
    assert got["location.address.city"] == "Bern"


def test_a_value_that_the_type_does_not_take_is_refused() -> None:
    class Dish(msgspec.Struct):
        title: Annotated[str, msgspec.Meta(max_length=3)] = ""

    class Part(msgspec.Struct):
        name: Annotated[str, msgspec.Meta(max_length=3)] = ""

    class Whole(msgspec.Struct):
        author: Part | None = None
        ingredients: Annotated[list[str], msgspec.Meta(max_length=1)] = []

    assert read(Dish).unwrap().refused["title"].reason == "disagrees"
    assert set(read(Whole).unwrap().refused) == {"author.name", "ingredients"}


def test_money_is_shown_as_an_amount_with_its_currency() -> None:
    class Product(msgspec.Struct):
        price: webseam.Money | None = None

    offer = {"price": "19.90", "priceCurrency": "EUR"}
    html = make_page("<p>19,90 €</p>", {"@type": "Product", "offers": offer})

    assert str(read(Product, html).unwrap()).startswith("price: 19.90 EUR  (“19,90”")


def test_values_are_a_mapping_a_text_and_a_table() -> None:
    class Dish(msgspec.Struct):
        title: str
        servings: int | None = None
        language: Annotated[str, webseam.asks(unseen=True)] = ""
        cuisine: str = ""

    html = SOUP.replace('"recipeYield"', '"inLanguage": "en", "recipeYield"')
    got = read(Dish, html).unwrap()
    as_dict = read({"title": "Recipe", "properties": {"title": {"type": "string"}}}).unwrap()

    assert dict(got) == {"title": "Leek soup", "language": "en"}
    assert got.keys() == ["title", "language"]
    assert got.values() == ["Leek soup", "en"]
    assert got.items() == [("title", "Leek soup"), ("language", "en")]
    assert len(got) == 2
    assert ("title" in got, "servings" in got) == (True, False)
    assert (got.get("title"), got.get("servings", 4)) == ("Leek soup", 4)
    assert as_dict["title"] == "Leek soup"
    with pytest.raises(KeyError):
        got["servings"]
    assert str(got).splitlines() == [
        "title: Leek soup  (“Leek soup”, json-ld[0].name)",
        "language: en  (unseen, json-ld[0].inLanguage)",
        "servings: not given  (disagrees: json-ld[0].recipeYield says 6)",
        "cuisine: not given  (missing)",
    ]
    table = got._repr_html_()
    assert "<th>proof</th>" in table
    assert "“Leek soup”, json-ld[0].name" in table
    salted = read(Dish, SOUP.replace("Leek soup", "Leek &amp; soup")).unwrap()
    assert "Leek &amp; soup" in salted._repr_html_()
    assert isinstance(got, Mapping)
