"""The column ``data`` of a dataset."""

import json

from webseam.kernel.features.data.data_column import data_column, failed_column
from webseam.kernel.features.data.fields import make_field
from webseam.ports.data import Basis, DataSchema, PageValues, ProvedField, RefusedField
from webseam.ports.errors import UnsupportedContent

BASIS = Basis(source="linked data", path="a")
FIELDS = (
    make_field("title", "text"),
    make_field("servings", "number", whole=True, required=False),
    make_field("rating", "number", required=False),
    make_field("sizes", "number", many=True, whole=True, required=False),
)
SCHEMA = DataSchema(thing="recipe", fields=FIELDS)


def column(**values: str | tuple[str, ...]) -> dict[str, object]:
    proved = {name: ProvedField(value=value, basis=BASIS) for name, value in values.items()}
    names = [field.name for field in FIELDS if field.name not in values]
    refused = {name: RefusedField(reason="missing") for name in names}
    return data_column(PageValues(text="", proved=proved, refused=refused), SCHEMA)


def test_numbers_are_numbers_and_proofs_are_texts() -> None:
    got = column(title="Stew", servings="4", rating="4.5", sizes=("1", "2"))

    assert got["values"] == {"title": "Stew", "servings": 4, "rating": 4.5, "sizes": [1, 2]}
    assert json.loads(str(got["basis"]))["rating"]["path"] == "a"
    assert (got["refused"], got["error"]) == ("{}", None)


def test_a_required_field_that_is_not_proved_is_an_error_of_the_column() -> None:
    got = column(servings="4")

    assert (got["values"], got["error"]) == ({"servings": 4}, "data_refused")


def test_a_number_that_the_column_has_no_room_for_is_refused() -> None:
    got = column(title="Stew", servings=str(2**63), sizes=("1", str(-(2**63))))

    assert got["values"] == {"title": "Stew"}
    assert json.loads(str(got["refused"]))["servings"]["reason"] == "disagrees"
    assert got["error"] is None


def test_a_page_whose_values_could_not_be_looked_for_says_why() -> None:
    got = failed_column(UnsupportedContent(content_type="application/pdf"))

    assert got == {"values": {}, "basis": "{}", "refused": "{}", "error": "unsupported_content"}
