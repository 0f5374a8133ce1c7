"""Typed values in the classes of attrs and pydantic, with the real packages."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest

import webseam
from tests.features.data.pages import SOUP, make_page
from webseam.ports.errors import DataRefused, InvalidQuery

EVENT = make_page(
    "<h1>Jazz night</h1><p>Date: 3 May 2026</p><p>Blue Hall</p><p>€ 12.50</p>",
    {
        "@type": "Event",
        "name": "Jazz night",
        "startDate": "2026-05-03",
        "location": {"@type": "Place", "name": "Blue Hall"},
        "eventStatus": "https://schema.org/EventScheduled",
    },
    title="Jazz night",
)


def test_an_attrs_class_is_filled() -> None:
    attrs = pytest.importorskip("attrs", reason="attrs is not installed: make integrations")

    @attrs.define
    class Recipe:
        title: str
        ingredients: list[str]
        total_time: timedelta | None = None
        servings: int | None = None

    made: Any = Recipe
    got: Any = webseam.data_from_html(SOUP, Recipe).unwrap()

    assert got.value == made("Leek soup", ["3 leeks", "1 l stock"], timedelta(minutes=80))
    assert got.refused["servings"].reason == "disagrees"


def test_a_pydantic_model_is_filled_by_its_own_constructor() -> None:
    pydantic = pytest.importorskip(
        "pydantic", reason="pydantic is not installed: make integrations"
    )

    class Venue(pydantic.BaseModel):  # type: ignore[name-defined,misc]  # it may not be installed
        name: str

    class Event(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        title: str
        start_date: date
        location: Venue
        price: Decimal | None = None
        status: Literal["open", "closed"] | None = None

        @pydantic.field_validator("title")  # type: ignore[untyped-decorator]
        @classmethod
        def _shout(cls, title: str) -> str:
            return title.upper()

    got: Any = webseam.data_from_html(EVENT, Event).unwrap()

    assert got.value == Event(
        title="Jazz night", start_date=date(2026, 5, 3), location=Venue(name="Blue Hall")
    )
    assert got["location.name"] == "Blue Hall"
    assert got.basis["start_date"].quotes[0].text == "3 May 2026"


def test_a_pydantic_model_that_takes_no_value_is_refused() -> None:
    pydantic = pytest.importorskip(
        "pydantic", reason="pydantic is not installed: make integrations"
    )

    class Recipe(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        title: str

        @pydantic.field_validator("title")  # type: ignore[untyped-decorator]
        @classmethod
        def _refuse(cls, title: str) -> str:
            raise ValueError(title)

    class Limited(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        servings: int = pydantic.Field(gt=100)

    refused = webseam.data_from_html(SOUP, Recipe).failure()
    limited = webseam.data_from_html(SOUP, Limited).failure()

    assert isinstance(refused, DataRefused)
    assert refused.required == ("title",)
    assert isinstance(limited, InvalidQuery)
    assert "exclusiveMinimum" in limited.reason
