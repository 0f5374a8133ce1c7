"""A model as a witness: what it is asked, how its answer is read, and what it can add."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from returns.result import Failure

from tests.features.data.pages import SOUP, make_page
from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.model_witness import (
    answer_schema,
    describe_object,
    explain_refused,
    open_fields,
    read_said,
)
from webseam.kernel.features.data.proving import prove
from webseam.kernel.features.data.typed_values import make_data, read_wanted
from webseam.ports.data import Money, PageValues, RefusedField, Said

URL = "https://example.com/leek-soup"
SCHEMA: dict[str, Any] = {
    "title": "Recipe",
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "servings": {"type": "integer"},
        "chef": {"type": "string"},
        "pans": {"type": "array", "items": {"type": "string"}},
        "level": {"enum": ["easy", "hard"]},
        "cook": {"type": "object", "properties": {"height": {"type": "number"}}},
        "colour": {"type": ["string", "null"]},
        "tint": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["title", "chef", "colour", "tint"],
}
HTML = make_page(
    "<h1>Leek soup</h1><p>Serves 4</p><p>Ann Mason</p><p>A height of 1834</p><p>easy</p>"
    "<ul><li>Big pan</li><li>Small pan</li></ul>",
    {"@type": "Recipe", "name": "Leek soup", "recipeYield": "6"},
)
READ = read_wanted(SCHEMA).unwrap()
SAID = {
    "chef": "ann mason",
    "pans": ["Big pan", "Small pan"],
    "level": "easy",
    "cook": {"height": 1834},
}


def prove_with(said: Said) -> PageValues:
    return prove(read_data_page(HTML, URL).unwrap(), READ, said=said)


def test_only_what_nobody_proves_or_contradicts_is_asked() -> None:
    fields = open_fields(prove_with({}), READ)

    # The title is proved, and the page contradicts the servings.
    assert [it.name for it in fields] == ["chef", "pans", "level", "cook.height", "colour", "tint"]
    assert answer_schema(fields)["properties"] == {
        "chef": {"type": "string"},
        "pans": {"type": "array", "items": {"type": "string"}},
        "level": {"type": "string", "enum": ["easy", "hard"]},
        "cook": {"type": "object", "properties": {"height": {"type": "number"}}},
        "colour": {"type": "string"},
        "tint": {"type": "string"},
    }


def test_what_the_page_shows_is_added_in_its_own_words() -> None:
    said = read_said(SAID, READ.fields).unwrap()

    values = prove_with(said)

    got = make_data(values, READ, SCHEMA, URL).unwrap()
    assert got.value == {
        "title": "Leek soup",
        **SAID,
        "chef": "Ann Mason",
        "colour": None,
        "tint": None,
    }
    assert got.basis["chef"].source == "model"
    assert got.basis["chef"].quotes[0].text == "Ann Mason"


def test_a_model_agrees_and_changes_and_withdraws_nothing() -> None:
    before = prove_with({})

    agreed = prove_with({"title": "leek soup"})
    denied = prove_with({"title": "Ann Mason", "servings": "4"})

    assert agreed.proved["title"].basis.agreed == ("h1", "answer.title")
    assert denied.proved["title"] == before.proved["title"]
    assert denied.refused["servings"] == before.refused["servings"]


def test_a_value_that_linked_data_had_otherwise_does_not_follow() -> None:
    html = make_page("<h1>x</h1><p>Ann Mason</p>", {"@type": "Recipe", "author": "Bo Field"})
    schema = read_wanted({"title": "Recipe", "properties": {"author": {"type": "string"}}}).unwrap()

    values = prove(read_data_page(html, URL).unwrap(), schema, said={"author": "Ann Mason"})

    assert isinstance(values.refused["author"], RefusedField)


def test_a_figure_of_another_meaning_is_not_taken_for_the_field() -> None:
    html = make_page("<h1>Oven</h1><p>It takes 1834 watts.</p><p>2 May 2026</p><p>Size: 60</p>")
    wanted = {
        "properties": {
            "sku": {"type": "string"},
            "published": {"type": "string", "format": "date"},
            "rating_count": {"type": "integer"},
            "watts": {"type": "integer"},
        }
    }
    schema = read_wanted(wanted).unwrap()
    said = {"sku": "1834", "published": "2026-05-02", "rating_count": "1834", "watts": "1834"}

    values = prove(read_data_page(html, URL).unwrap(), schema, said=said)

    assert [*values.proved] == ["watts"]
    assert {it.reason for it in values.refused.values()} == {"not_labelled"}


def test_what_no_visitor_sees_is_not_heard() -> None:
    wanted = {"properties": {"currency": {"type": "string", "x-webseam": {"unseen": True}}}}
    schema = read_wanted(wanted).unwrap()

    values = prove(read_data_page(SOUP, URL).unwrap(), schema, said={"currency": "EUR"})

    assert values.refused["currency"] == RefusedField(reason="missing")
    assert open_fields(values, schema) == ()


def test_the_reasons_name_what_is_refused_and_what_is_missing() -> None:
    said: Said = {"chef": "Bo Field", "cook.height": "1900"}
    values = prove_with(said)

    assert explain_refused(READ.fields, said, values.refused) == (
        "chef does not stand in the text of the page; cook.height differs from what the page says"
    )
    left_out = explain_refused(READ.fields, {}, prove_with({}).refused)
    assert left_out == "chef is missing, or has another form than the schema says"
    assert explain_refused((), {}, {}) is None


class Shop(msgspec.Struct):
    price: Money | None = None


def test_money_is_an_amount_and_its_currency() -> None:
    schema = read_wanted(Shop).unwrap()
    page = read_data_page(make_page("<h1>Kettle</h1><p>19,90 €</p>"), URL).unwrap()

    said = read_said({"price": {"amount": "19.90", "currency": "EUR"}}, schema.fields).unwrap()

    money = answer_schema(schema.fields)["properties"]
    parts = {"amount": {"type": "string"}, "currency": {"type": "string"}}
    assert money == {"price": {"type": "object", "properties": parts}}
    values = prove(page, schema, said=said)
    assert make_data(values, schema, Shop, URL).unwrap().value == Shop(
        Money(Decimal("19.90"), "EUR")
    )
    assert isinstance(read_said({"price": True}, schema.fields), Failure)
    assert not prove(page, schema, said={"price": "19.90"}).proved


@pytest.mark.parametrize(
    "answer",
    [
        {"chef": True},
        {"chef": {"name": "Ann"}},
        {"pans": "Big pan"},
        {"pans": ["Big pan", None]},
        {"pans": ["x"] * 501},
    ],
)
def test_an_answer_of_another_form_is_refused_by_its_field(answer: dict[str, Any]) -> None:
    refused = read_said(answer, READ.fields)

    assert isinstance(refused, Failure)
    assert "another form" in refused.failure()


@pytest.mark.parametrize(
    "said",
    [
        {"level": "soft"},
        {"cook.height": "tall"},
        {"pans": "Big pan"},
        {"pans": ("Big pan", "")},
        {"chef": ("Ann Mason",)},
    ],
)
def test_a_text_that_states_no_value_of_the_field_is_not_heard(said: Said) -> None:
    assert prove_with(said) == prove_with({})


def test_what_an_answer_leaves_out_is_not_said() -> None:
    answer: dict[str, Any] = {"chef": None, "pans": [], "cook": "big", "other": 1}

    assert read_said(answer, READ.fields).unwrap() == {}


def test_an_answer_without_a_schema_is_described() -> None:
    answer = {"a": "x", "b": 1.5, "c": ["x", "y"], "d": {"e": 1, "f": None}, "g": None, "h": []}

    assert describe_object(answer).unwrap() == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "number"},
            "c": {"type": "array", "items": {"type": "string"}},
            "d": {"type": "object", "properties": {"e": {"type": "number"}}},
        },
    }
    assert describe_object({"a": None, "b": {"c": [None]}}).unwrap() == {"type": "object"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"a": {"b": True}}, "a.b is true or false"),
        ({"a": [{"b": 1}]}, "a is a list of objects"),
        ({"a": [[1]]}, "a is a list of objects"),
        ({"a": {"a": {"a": {"a": {"a": {"b": 1}}}}}}, "too deep"),
        ({str(number): 1 for number in range(200)}, "too many fields"),
    ],
)
def test_what_cannot_be_proved_is_named(answer: dict[str, Any], reason: str) -> None:
    assert reason in describe_object(answer).failure()
