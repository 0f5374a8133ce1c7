"""What a page proves, and why it does not prove more."""

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
import pytest
from returns.result import Failure

import webseam
from tests.features.data.pages import SOUP, make_page
from webseam.ports.data import Basis, Money, OfferedValue, Quote, RefusedField
from webseam.ports.errors import DataRefused, EmptyContent, ParseFailed

URL = "https://example.com/leek-soup"


class Recipe(msgspec.Struct):
    title: str
    ingredients: list[str]
    total_time: timedelta | None = None
    servings: int | None = None


class Product(msgspec.Struct):
    price: Decimal | None = None
    sku: str | None = None
    brand: str | None = None
    rating: float | None = None
    availability: Literal["In stock", "OutOfStock"] | None = None


class Article(msgspec.Struct):
    headline: str | None = None
    authors: list[str] | None = None
    published: date | None = None


def read(html: str, wanted: Any = Recipe) -> Any:  # noqa: ANN401  the tests' own types
    return webseam.data_from_html(html, wanted, url=URL).unwrap()


def reason(html: str, name: str, wanted: object) -> str | None:
    refused = read(html, wanted).refused.get(name)
    return None if refused is None else refused.reason


def test_each_value_has_the_words_that_show_it() -> None:
    got = read(SOUP)

    assert got.value == Recipe("Leek soup", ["3 leeks", "1 l stock"], timedelta(minutes=80))
    assert got.basis["total_time"] == Basis(
        source="linked data",
        path="json-ld[0].totalTime",
        quotes=(Quote("1 h 20", 35, 41),),
        agreed=("label Total time",),
    )
    assert got.text[35:41] == "1 h 20"


def test_a_page_that_says_otherwise_refuses() -> None:
    offered = OfferedValue(value="6", path="json-ld[0].recipeYield")

    assert read(SOUP).refused == {"servings": RefusedField(reason="disagrees", seen=(offered,))}


def test_a_required_field_without_proof_is_a_failure_that_keeps_the_others() -> None:
    class Needs(msgspec.Struct):
        title: str
        servings: int

    error = webseam.data_from_html(SOUP, Needs, url=URL).failure()

    assert isinstance(error, DataRefused)
    assert error.required == ("servings",)
    assert error.proved["title"].value == "Leek soup"
    assert msgspec.json.decode(msgspec.json.encode(error), type=DataRefused) == error


def test_a_page_without_text_is_a_failure() -> None:
    assert webseam.data_from_html(" ", Recipe) == Failure(EmptyContent(reason="no_body"))
    too_complex = webseam.data_from_html("<a><b>" * 2_000, Recipe)
    assert too_complex == Failure(ParseFailed(reason="too_complex"))


def test_a_page_without_linked_data_is_read_by_its_labels() -> None:
    html = make_page(
        "<h1>Kettle</h1><nav>SKU: X9</nav><dl><dt>SKU</dt><dd>KT-40</dd><dt>Brand</dt><dd>Acme</dd></dl>"
        "<table><tr><th>Price</th><td>€ 19.90</td></tr></table>",
        title="Kettle",
    )

    got = read(html, Product)

    assert (got.value.sku, got.value.brand, got.value.price) == ("KT-40", "Acme", Decimal("19.90"))
    assert got.basis["sku"].source == "labels"


def test_labels_that_differ_are_a_disagreement() -> None:
    html = make_page("<p>SKU: KT-40</p><p>SKU: KT-41</p>")

    assert reason(html, "sku", Product) == "disagrees"


def test_labels_of_other_things_are_none() -> None:
    html = make_page(
        "<p>Artist: U2</p><p>Brand: Brand</p><p>SKU of the box and of the lid too: A1</p><p>SKU:</p>"
    )

    assert not read(html, Product).basis


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>€ 19.90</p>", None),
        ("<p>19.90</p>", "not_labelled"),
        ("<p><del>€ 19.90</del></p>", "not_labelled"),
        ("<p>€ 19.90 now € 14.90</p>", "not_labelled"),
        ("<p>€ 19.90 to 29.90</p>", "not_visible"),
        ("<p>€ 14.90</p>", "disagrees"),
        ("<footer>€ 19.90</footer>", "not_labelled"),
        ("<p>none</p>", "not_visible"),
    ],
)
def test_a_price_is_the_amount_that_a_visitor_pays(body: str, expected: str | None) -> None:
    html = make_page(body, {"@type": "Product", "offers": {"price": "19.90"}})

    assert reason(html, "price", Product) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>€ 19,90</p>", None),
        ("<p>$ 19.90</p>", "disagrees"),
        ("<p>19.90</p>", "not_labelled"),
        ("<p>free</p>", "not_visible"),
    ],
)
def test_money_has_the_currency_that_the_page_shows(body: str, expected: str | None) -> None:
    class Offer(msgspec.Struct):
        price: Money | None = None

    html = make_page(body, {"@type": "Product", "offers": {"price": 19.9, "priceCurrency": "EUR"}})
    got = read(html, Offer)

    assert reason(html, "price", Offer) == expected
    assert got.value.price == (Money(Decimal("19.9"), "EUR") if expected is None else None)


@pytest.mark.parametrize(
    "offers",
    [
        {"price": "5"},
        {"price": "5", "priceCurrency": "Euros"},
        {"price": "soon", "priceCurrency": "EUR"},
        [{"price": "5", "priceCurrency": "EUR"}, {"price": "6", "priceCurrency": "EUR"}],
        "none",
    ],
)
def test_money_without_one_amount_and_currency_is_not_given(offers: object) -> None:
    class Offer(msgspec.Struct):
        price: Money | None = None

    assert not read(make_page("<p>€ 5</p>", {"@type": "Offer2", "offers": offers}), Offer).basis


def test_a_rating_above_its_best_is_ambiguous() -> None:
    rating = {"ratingValue": "9.5", "bestRating": "5"}
    html = make_page("<p>Rated 9.5</p>", {"@type": "Product", "aggregateRating": rating})

    assert reason(html, "rating", Product) == "ambiguous"
    fine = html.replace('"bestRating": "5"', '"bestRating": "10"')
    assert read(fine, Product).value.rating == 9.5


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>In stock</p>", None),
        ("<p>Add to basket</p>", "not_visible"),
        ("<p>Now in stock here</p>", "not_labelled"),
    ],
)
def test_availability_is_what_schema_org_says_and_the_page_shows(
    body: str, expected: str | None
) -> None:
    html = make_page(
        body, {"@type": "Product", "offers": {"availability": "https://schema.org/InStock"}}
    )

    assert reason(html, "availability", Product) == expected


def test_an_unseen_value_is_marked_and_has_no_quotes() -> None:
    class Offer(msgspec.Struct):
        currency: Annotated[str, webseam.asks("offers.priceCurrency", unseen=True)]

    got = read(make_page("<p>x", {"@type": "Product", "offers": {"priceCurrency": "EUR"}}), Offer)

    assert got.value.currency == "EUR"
    assert got.basis["currency"] == Basis(
        source="linked data", path="json-ld[0].offers.priceCurrency", unseen=True
    )


def test_a_label_of_the_user_s_finds_the_value() -> None:
    class Part(msgspec.Struct):
        number: Annotated[str, webseam.asks("partNo", labels=("Item no", "Part"))]

    got = read(make_page("<p>Item no: The red one</p>"), Part)

    assert got.value.number == "The red one"


@pytest.mark.parametrize(
    ("body", "author", "expected"),
    [
        ("<p>By Ann Mason</p>", "Ann Mason", None),
        ("<p>Ann Mason | 3 May 2026, 10:30</p>", "Ann Mason", None),
        ("<p>3 May 2026 · Ann Mason</p>", "Ann Mason", None),
        ("<p>By Ann Mason, Editor at large</p>", "Ann Mason", None),
        ("<p>By Ann Mason - Example Press</p>", "Ann Mason", None),
        ("<p>Ann Mason | Published 4 months ago</p>", "Ann Mason", None),
        ("<p>By Ann Mason and Bob Hill</p>", "Ann Mason", "not_labelled"),
        ("<p>By Ann Mason, Bob Hill</p>", "Ann Mason", "not_labelled"),
        ("<p>By Ann Mason-Hill</p>", "Ann Mason", "not_labelled"),
        ("<p>We thank Ann Mason for all</p>", "Ann Mason", "not_labelled"),
        ("<p>By Ann Mason</p>", "Ann Mason and Bob Hill", "ambiguous"),
        ("<p>The Desk</p>", "The Desk", "ambiguous"),
        ("<p>Soups</p>", "Soups", "ambiguous"),
        ("<p>Example Kitchen</p>", "Example Kitchen", "ambiguous"),
        ("<p>By Example Kitchen</p>", "Example Kitchen", None),
        ("<p>Nobody</p>", "Ann Mason", "not_visible"),
    ],
)
def test_a_name_stands_alone_or_after_by(body: str, author: str, expected: str | None) -> None:
    html = make_page(body, {"@type": "NewsArticle", "author": author})

    assert reason(html, "authors", Article) == expected


def test_several_names_may_share_a_line() -> None:
    linked = {"@type": "Article", "author": [{"name": "Ann Mason"}, {"name": "Bob Hill"}]}

    got = read(make_page("<p>By Ann Mason and Bob Hill</p>", linked), Article)

    assert got.value.authors == ["Ann Mason", "Bob Hill"]
    assert (
        reason(make_page("<p>We met Ann Mason and Bob Hill</p>", linked), "authors", Article)
        == "not_labelled"
    )


def test_a_brand_may_begin_the_heading() -> None:
    linked = {"@type": "Product", "brand": {"name": "Jack & Jones"}}

    assert (
        read(make_page("<h1>Jack & Jones Shirt</h1>", linked), Product).value.brand
        == "Jack & Jones"
    )
    assert (
        reason(make_page("<h1>Shirt of Jack & Jones</h1>", linked), "brand", Product)
        == "not_labelled"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h1>Leek soup</h1>", None),
        ("<h1><span>Leek soup</span></h1>", None),
        ("<h1>Leek soup</h1><h1>Leek Soup</h1>", None),
        ("<h1>Leek soup</h1><h1>Pea soup</h1>", "ambiguous"),
        ("<h1><span>Today</span> <span>Leek soup</span></h1>", "disagrees"),
        ("<h1><div>Today</div><div>Leek soup</div></h1>", "ambiguous"),
        ("<h1>Best leek soup</h1><h2>Leek soup</h2>", None),
        ("<h1>Pea soup</h1><h2>Leek soup</h2>", "disagrees"),
        ("<h1>Pea soup</h1>", "disagrees"),
        ("<h1><b>Leek</b> <i>soup</i></h1>", None),
        ("<h1><span>Leek</span> <span>soup</span></h1>", "ambiguous"),
        ("<h2>Leek soup</h2>", None),
        ("<p>Leek soup</p>", "not_labelled"),
        ("<p>Soup</p>", "not_visible"),
    ],
)
def test_a_title_is_a_whole_heading(body: str, expected: str | None) -> None:
    class Dish(msgspec.Struct):
        title: str | None = None

    assert (
        reason(make_page(body, {"@type": "Dish", "name": "Leek soup"}), "title", Dish) == expected
    )


def test_a_headline_with_another_version_in_its_preview_is_a_disagreement() -> None:
    linked = {"@type": "NewsArticle", "headline": "Rain"}
    preview = "<meta property='og:title' content='Storm'>"

    assert (
        reason(make_page("<h1>Rain</h1>", linked, head=preview), "headline", Article) == "disagrees"
    )
    assert read(make_page("<h1>Rain</h1>", linked), Article).value.headline == "Rain"
    alike = preview.replace("Storm", "Rain today")
    assert read(make_page("<h1>Rain</h1>", linked, head=alike), Article).value.headline == "Rain"


def test_the_heading_that_the_title_names_is_the_title() -> None:
    class Dish(msgspec.Struct):
        title: str | None = None

    got = read(make_page("<h1>Leek soup</h1>"), Dish)

    assert (got.value.title, got.basis["title"].path) == ("Leek soup", "h1")
    assert reason(make_page("<h1>Pea soup</h1>"), "title", Dish) == "missing"


def steps(body: str, *items: str) -> str | None:
    class Steps(msgspec.Struct):
        ingredients: list[str] | None = None

    return reason(
        make_page(body, {"@type": "Recipe", "recipeIngredient": items}), "ingredients", Steps
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<ul><li>3 leeks<li>1 l stock</ul>", None),
        ("<p>1. 3 leeks</p><p>1 l stock</p>", "ambiguous"),
        ("<ul><li>3 leeks<li>1 l stock<li>Salt</ul>", "ambiguous"),
        ("<ul><li>Salt<li>3 leeks<li>1 l stock</ul>", "ambiguous"),
        ("<ul><li>3 leeks<li>Salt<li>1 l stock</ul>", "ambiguous"),
        ("<ul><li>3 leeks</ul><h3>Broth</h3><ul><li>1 l stock</ul>", None),
        ("<ul><li>3 leeks</ul><p>Step 2</p><ul><li>1 l stock</ul>", None),
        ("<ul><li><em>3 leeks</em><p>large ones</p><li>1 l stock</ul>", "ambiguous"),
        ("<ul><li>3 leeks</ul><p>For the broth:</p><ul><li>1 l stock</ul>", None),
        ("<ul><li>3 leeks</ul><p>Broth</p><ul><li>1 l stock</ul>", None),
        (
            "<ul><li>3 leeks</ul><p>Cut them all into rings first</p><ul><li>1 l stock</ul>",
            "ambiguous",
        ),
        (f"<ul><li>3 leeks</ul><p>{'word ' * 500}</p><ul><li>1 l stock</ul>", "ambiguous"),
        ("<nav><p>3 leeks<p>1 l stock</nav>", "ambiguous"),
        ("<h3>3 leeks</h3><h3>1 l stock</h3>", "ambiguous"),
        ("<p>3 leeks:</p><p>1 l stock</p>", "ambiguous"),
        ("<p>3 leeks</p>", "not_visible"),
        ("<p>1 l stock</p>", "not_visible"),
        ("<p>Take 3 leeks and more</p><ul><li>3 leeks<li>1 l stock</ul>", None),
        ("3 leeks<br>1 l stock", None),
        ("<ul><li>3 leeks<li>1 l stock<li>-</ul>", None),
        ("<div><h4>Ingredients</h4><p>3 leeks</p><p>1 l stock</p><h4>Method</h4></div>", None),
    ],
)
def test_a_list_is_whole(body: str, expected: str | None) -> None:
    assert steps(body, "3 leeks", "1 l stock") == expected


def test_one_item_is_no_list() -> None:
    assert steps("<ul><li>3 leeks</ul>", "3 leeks") == "ambiguous"


def test_a_bare_word_among_amounts_may_be_a_heading() -> None:
    assert steps("3 leeks<br>Sauce<br>1 l stock", "3 leeks", "Sauce", "1 l stock") == "ambiguous"
    boxed = "<ul><li>3 leeks<li>Salt<li>1 l stock</ul>"
    assert steps(boxed, "3 leeks", "Salt", "1 l stock") is None
    named = boxed.replace("Salt", "▢ Seasoning")
    assert steps(named, "3 leeks", "Seasoning", "1 l stock") == "ambiguous"


def test_an_item_that_is_made_like_a_heading_is_none() -> None:
    body = "<p>3 leeks</p><p>2 eggs</p><p><b>Broth</b></p><p>1 l stock</p>"

    assert steps(body, "3 leeks", "2 eggs", "Broth", "1 l stock") == "ambiguous"
    item = "Oil, salt and pepper, as needed"
    assert steps(body.replace("Broth", item), "3 leeks", "2 eggs", item, "1 l stock") is None
    assert (
        steps(
            body.replace("<b>Broth</b>", "Oil, salt and pepper, as needed"),
            "3 leeks",
            "2 eggs",
            "Oil, salt and pepper, as needed",
            "1 l stock",
        )
        is None
    )


def test_a_long_first_item_in_two_places_must_begin_both_lists() -> None:
    first = "Cut the leeks into rings and wash them well in a bowl of cold water"
    body = f"<p>{first}</p><p>Then more</p><ol><li>{first}<li>Boil 1 l stock</ol>"

    assert steps(body, first, "Boil 1 l stock") == "ambiguous"


def test_a_unit_may_be_written_out() -> None:
    got = read(
        make_page(
            "<ul><li>1 teaspoon salt<li>½ Tablespoon oil<li>2 pounds leeks<li>4 ounces ham</ul>",
            {
                "@type": "Recipe",
                "name": "Leek soup",
                "recipeIngredient": ["1 tsp salt", "1/2 tbsp oil", "2 lb leeks", "4 oz ham"],
            },
        ),
        {
            "title": "Recipe",
            "properties": {"ingredients": {"type": "array", "items": {"type": "string"}}},
        },
    )

    assert got.value["ingredients"] == ["1 tsp salt", "1/2 tbsp oil", "2 lb leeks", "4 oz ham"]


@pytest.mark.parametrize(
    ("rating", "body", "expected"),
    [
        ("4.8", "Rating 4.8/5", 4.8),
        ("4.88", "Rating 4.9 of 5", 4.9),
        ("4.85", "Rating 4.8 of 5", 4.8),
        ("4.88", "Rating 4.7 of 5", None),
        ("4.88", "Room 4.9", None),
        ("4.8", "Rating 4.8/50", None),
    ],
)
def test_an_average_is_what_the_page_shows_of_it(
    rating: str, body: str, expected: float | None
) -> None:
    linked = {"@type": "Product", "aggregateRating": {"ratingValue": rating}}

    assert read(make_page(f"<p>{body}</p>", linked), Product).value.rating == expected


def test_a_list_has_the_amounts_of_the_page() -> None:
    class Dish(msgspec.Struct):
        ingredients: list[str]

    html = make_page(
        "<ul><li>½ cup oil<li>1,5 l stock</ul>",
        {"@type": "Dish", "recipeIngredient": ["0.5 cup oil", "1.5 l stock"]},
    )

    assert read(html, Dish).value.ingredients == ["½ cup oil", "1,5 l stock"]


@pytest.mark.parametrize(
    ("body", "value", "expected"),
    [
        ("<p>3 May 2026</p>", "2026-05-03", None),
        ("<p>03/05/2026</p>", "2026-05-03T23:00:00Z", None),
        ("<p>4 May 2026</p>", "2026-05-03", "not_visible"),
        ("<p>3 May 2026</p>", "soon", "missing"),
        ("<p>Published: 3 May 2026</p>", None, None),
        ("<p>Published: 3 May 2026, updated 4 May 2026</p>", None, "missing"),
    ],
)
def test_a_day_may_be_written_in_any_way(
    body: str, value: str | None, expected: str | None
) -> None:
    linked = {"@type": "Article", "datePublished": value}

    assert reason(make_page(body, linked), "published", Article) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>3 May 2026, 8 pm</p>", None),
        ("<p>3 May 2026, 20:00 to 22:00</p>", None),
        ("<p>3 May 2026, 12:30</p>", "not_visible"),
        ("<p>3 May 2026</p><p>20:00</p>", "not_visible"),
        ("<p>4 May 2026, 20:00</p>", "not_visible"),
    ],
)
def test_a_moment_shows_its_day_and_its_hour(body: str, expected: str | None) -> None:
    class Event(msgspec.Struct):
        start_date: datetime | None = None

    linked = {"@type": "MusicEvent", "startDate": "2026-05-03T20:00"}

    assert reason(make_page(body, linked), "start_date", Event) == expected
    assert (
        reason(
            make_page(body, {"@type": "MusicEvent", "startDate": "2026-05-03"}), "start_date", Event
        )
        == "missing"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>Prep</p><p>20 min</p>", None),
        ("<p>20 min</p><p>Prep</p>", None),
        ("<p>Stir 20 min</p>", "not_labelled"),
        ("<p>Wait</p><p>20 min</p>", "not_labelled"),
        ("<p>20 min</p>", "not_labelled"),
        ("<p><b>Prep</b><b>20 min</b></p>", None),
        ("<p>Prep: 30 min</p>", "disagrees"),
        ("<p>Prep: 20 to 30 min</p>", "disagrees"),
    ],
)
def test_a_common_value_needs_its_label(body: str, expected: str | None) -> None:
    class Dish(msgspec.Struct):
        prep_time: timedelta | None = None

    assert (
        reason(make_page(body, {"@type": "Dish", "prepTime": "PT20M"}), "prep_time", Dish)
        == expected
    )


def test_a_rare_number_proves_itself() -> None:
    class Table(msgspec.Struct):
        population: Annotated[int | None, webseam.asks("population")] = None

    html = make_page("<p>There were 48 231 people.</p>", {"@type": "Table", "population": 48231})

    assert read(html, Table).value.population == 48231


def test_two_products_are_two_subjects() -> None:
    linked = [
        {"@type": "Product", "name": "Pan", "sku": "P1"},
        {"@type": "Product", "name": "Leek soup", "sku": "S1"},
    ]
    html = make_page("<p>S1</p><p>P1</p>", linked)

    assert read(html, Product).value.sku == "S1"
    assert reason(html.replace("Leek soup |", "Shop |"), "sku", Product) == "disagrees"


def test_related_products_and_reviews_are_other_subjects() -> None:
    related = [{"@type": "Product", "sku": "R1", "review": [{"@type": "Product", "sku": "R2"}]}]
    linked = {"@type": "Product", "sku": "S1", "isRelatedTo": related}

    assert read(make_page("<p>S1 <p>R1 <p>R2", linked), Product).value.sku == "S1"


def test_a_reference_by_id_is_followed() -> None:
    linked = {
        "@graph": [
            {"@type": "Article", "headline": "Rain", "author": {"@id": "#ann"}},
            {"@type": "Person", "@id": "#ann", "name": "Ann Mason"},
            {"@type": "Person", "@id": 5, "name": "Bob"},
            {"@type": "WebSite", "name": "Weather", "publisher": {"name": "Press"}},
        ]
    }

    assert read(make_page("<p>Ann Mason</p>", linked), Article).value.authors == ["Ann Mason"]


def test_a_struct_with_a_name_of_the_user_s_own_takes_the_thing_of_the_page() -> None:
    class Dinner(msgspec.Struct):
        title: str | None = None

    linked = [
        {"@type": "WebSite", "name": "Soups"},
        {"name": "Untyped"},
        {"@type": "Recipe", "name": "Leek soup"},
    ]

    assert (
        read(make_page("<h1>Leek soup</h1>", linked), Dinner).basis["title"].path
        == "json-ld[0][2].name"
    )


def test_one_thing_may_be_told_twice() -> None:
    short, long = (
        {"@type": "Product", "name": "Pan", "sku": "P1", "brand": brand}
        for brand in ("Acme", "Acme Inc")
    )
    html = make_page("<p>P1</p><p>Acme</p>", [short, long])

    got = read(html, Product)

    assert got.basis["sku"].agreed == ("json-ld[0][1].sku",)
    assert got.value.brand == "Acme"


def test_a_choice_is_one_of_the_given_words() -> None:
    html = make_page("<p>Sold out</p>", {"@type": "Product", "offers": {"availability": "SoldOut"}})

    assert reason(html, "availability", Product) == "missing"


def test_two_names_of_a_thing_are_a_disagreement() -> None:
    class Dish(msgspec.Struct):
        title: str | None = None

    linked = [{"@type": "Dish", "name": "Leek soup"}, {"@type": "Dish", "name": "Soups"}]

    assert reason(make_page("<h1>Leek soup</h1>", linked), "title", Dish) == "disagrees"


def test_several_values_for_one_are_ambiguous() -> None:
    html = make_page("<p>A1 <p>B2", {"@type": "Product", "sku": ["A1", "B2"]})

    assert reason(html, "sku", Product) == "ambiguous"


def test_an_identifier_is_one_token_with_a_figure() -> None:
    assert (
        reason(make_page("<p>Red one", {"@type": "Product", "sku": "Red one"}), "sku", Product)
        == "ambiguous"
    )
    assert (
        reason(make_page("<p>Red", {"@type": "Product", "sku": "A1"}), "sku", Product)
        == "not_visible"
    )


def test_hidden_value_does_not_hide_the_labelled_one() -> None:
    linked = {"@type": "Product", "brand": "Acme Corporation"}

    assert read(make_page("<p>Brand: Acme</p>", linked), Product).value.brand == "Acme"
    assert reason(make_page("<p>Brand: Bolt</p>", linked), "brand", Product) == "not_visible"
    assert (
        reason(
            make_page("<p>We like Acme Corporation</p><p>Brand: Acme</p>", linked), "brand", Product
        )
        == "not_labelled"
    )


def test_witnesses_that_prove_different_values_are_a_disagreement() -> None:
    html = make_page("<p>A1</p><p>SKU: B2</p>", {"@type": "Product", "sku": "A1"})

    assert read(html, Product).refused["sku"].reason == "disagrees"


def test_a_text_of_the_page_stands_in_a_line_of_its_own() -> None:
    class Event(msgspec.Struct):
        venue: str | None = None

    def venue(body: str) -> str | None:
        return reason(
            make_page(body, {"@type": "Event", "location": {"name": "Blue Hall"}}), "venue", Event
        )

    assert venue("<p>Blue Hall</p>") is None
    assert venue("<p>Where: Blue Hall</p>") is None
    assert venue("<p>Meet at Blue Hall</p>") == "not_labelled"
    assert venue("<p>Blue Hall is closed</p>") == "not_labelled"
    assert venue("<nav>Blue Hall</nav>") == "not_labelled"


def test_microdata_and_previews_are_witnesses() -> None:
    body = "<div itemscope itemtype='https://schema.org/Product'><span itemprop='sku'>A1</span></div><p>€ 5.25</p>"
    head = "<meta property='product:price:amount' content='5.25'><meta property='product:brand' content='Acme'>"

    got = read(make_page(body + "<p>Acme</p>", head=head), Product)

    assert got.basis["sku"].path == "microdata[0].sku"
    assert got.basis["price"].path == "meta product:price:amount"
    assert got.value.brand == "Acme"


def test_steps_in_sections_are_one_list() -> None:
    class Method(msgspec.Struct):
        steps: list[str] | None = None

    sections = [
        {
            "@type": "HowToSection",
            "name": "Broth",
            "itemListElement": [
                {"@type": "HowToStep", "name": "A", "text": "Cut leeks."},
                {"text": "Boil."},
                {},
            ],
        }
    ]
    html = make_page(
        "<ol><li>Cut leeks.<li>Boil.</ol>", {"@type": "Recipe", "recipeInstructions": sections}
    )

    assert read(html, Method).value.steps == ["Cut leeks.", "Boil."]


def test_too_many_values_are_ambiguous() -> None:
    items = [f"{number} eggs" for number in range(501)]

    assert steps("<p>1 egg</p>", *items) == "ambiguous"


def test_a_text_is_cut_where_it_is_shown_as_offered() -> None:
    linked = {"@type": "Product", "brand": "word " * 100}

    offered = read(make_page("<p>x</p>", linked), Product).refused["brand"].seen[0].value

    assert len(offered) == 200
    assert offered.endswith("…")


def test_a_heading_may_say_more_than_the_card_of_the_recipe() -> None:
    body = "<h1>{}</h1><h2>Leek soup</h2>"
    linked = {"@type": "Recipe", "name": "Leek soup"}
    longer, other = "Leek soup for cold days", "My favourite"
    more = make_page(body.format(longer), linked, title=f"{longer} | Soups")
    less = make_page(body.format(other), linked, title=f"{other} | Soups")

    schema = {"title": "Recipe", "properties": {"title": {"type": "string"}}}
    assert read(more, schema).value == {"title": "Leek soup"}
    assert reason(less, "title", schema) == "disagrees"


def test_a_person_who_publishes_a_site_may_be_an_author() -> None:
    kinds = ["Person", "Organization"]
    publisher = {"@type": kinds, "name": "Ginny Dyer"}
    linked = [
        {"@type": "Article", "author": {"name": "Ginny Dyer"}, "publisher": publisher},
        publisher,
    ]
    firm = json.loads(json.dumps(linked).replace('"Person", ', ""))

    body = "<h1>Rolls</h1><p>Ginny Dyer</p>"

    assert read(make_page(body, linked, title="Rolls"), Article).value.authors == ["Ginny Dyer"]
    assert reason(make_page(body, firm, title="Rolls"), "authors", Article) == "ambiguous"


def test_a_unit_that_is_written_twice_is_one() -> None:
    html = make_page(
        "<p>Total Time: 1 hour hour 5 minutes minutes</p>",
        {"@type": "Recipe", "totalTime": "PT65M"},
    )
    wrong = html.replace("PT65M", "PT60M")
    schema = {
        "title": "Recipe",
        "properties": {"total_time": {"type": "string", "format": "duration"}},
    }

    assert read(html, schema).value == {"total_time": "PT3900S"}
    assert reason(wrong, "total_time", schema) == "disagrees"
