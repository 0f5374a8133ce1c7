"""What pages say in data about the things on them."""

import json

import pytest

from webseam.ports.pages import PageFact

from .read import article, page


def linked(*things: object) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(thing)}</script>' for thing in things
    )


def facts(html: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for fact in page(html).facts:
        table.setdefault(fact.name, []).append(fact.value)
    return table


LAMP = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Harbour lamp",
    "brand": {"@type": "Brand", "name": "Quay & Sons"},
    "sku": "HL-7",
    "image": "https://example.com/lamp.jpg",
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.5, "reviewCount": 12},
    "offers": {
        "@type": "Offer",
        "price": 49.9,
        "priceCurrency": "EUR",
        "availability": "https://schema.org/InStock",
    },
}


def test_a_product_is_a_table_of_facts() -> None:
    assert facts(article("", linked(LAMP))) == {
        "name": ["Harbour lamp"],
        "brand": ["Quay & Sons"],
        "sku": ["HL-7"],
        "aggregateRating": ["ratingValue 4.5, reviewCount 12"],
        "price": ["49.9 EUR"],
        "availability": ["InStock"],
    }


def test_variants_have_a_row_each_with_what_marks_them_and_their_price() -> None:
    group = {
        "@type": "ProductGroup",
        "name": "Oilskin",
        "hasVariant": [
            {
                "@type": "Product",
                "color": color,
                "size": "L",
                "offers": {"price": price, "priceCurrency": "GBP"},
            }
            for color, price in (("red", "30.00"), ("blue", "32.00"))
        ],
    }

    assert facts(article("", linked(group))) == {
        "name": ["Oilskin"],
        "variant": ["red, L, 30.00 GBP", "blue, L, 32.00 GBP"],
    }


def test_several_offers_have_a_row_each_and_a_range_is_one_price() -> None:
    offers = [{"@type": "Offer", "price": price, "priceCurrency": "EUR"} for price in (3, 4)]
    several = LAMP | {"offers": offers}
    ranged = LAMP | {"offers": {"lowPrice": "3", "highPrice": "4", "priceCurrency": "EUR"}}
    specified = LAMP | {"offers": {"priceSpecification": {"price": 5}}}

    assert facts(article("", linked(several)))["offer"] == ["3 EUR", "4 EUR"]
    assert facts(article("", linked(ranged)))["price"] == ["3 to 4 EUR"]
    assert facts(article("", linked(specified)))["price"] == ["5"]


def test_microdata_tells_the_same_facts() -> None:
    html = (
        '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Harbour lamp</h1>'
        "<span itemprop=color>red</span><span itemprop=color>blue</span><div itemprop=offers itemscope "
        'itemtype="https://schema.org/Offer"><meta itemprop=priceCurrency content=EUR>'
        "<b itemprop=price content=49.90>49,90 €</b><link itemprop=availability "
        'href="https://schema.org/InStock"></div></div>'
    )

    assert facts(article(html)) == {
        "name": ["Harbour lamp"],
        "color": ["red", "blue"],
        "price": ["49.90 EUR"],
        "availability": ["InStock"],
    }


def test_the_open_graph_tells_a_price_where_nothing_else_does() -> None:
    metas = (
        "<meta property=product:price:amount content=9.50>"
        "<meta property=product:price:currency content=USD>"
    )

    assert page(article("", metas)).facts == (
        PageFact(of="Product", name="price", value="9.50 USD"),
    )
    assert "9.50" not in str(facts(article("", metas + linked(LAMP))))


OFFER = {"@type": "Offer", "price": "9.50", "priceCurrency": "EUR", "availability": "InStock"}


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ([[OFFER]], "9.50 EUR"),
        ({"lowPrice": 9, "highPrice": 9.0, "offers": [OFFER]}, "9 to 9.0 EUR"),
        ({"price": 0, "priceCurrency": "USD"}, "0 USD"),
        ({"priceSpecification": [{"price": 5, "priceCurrency": "GBP"}]}, "5 GBP"),
        (
            {
                "priceSpecification": [
                    {"price": 20, "priceType": "https://schema.org/ListPrice"},
                    {"price": 15, "priceCurrency": "GBP"},
                ]
            },
            "15 GBP",
        ),
    ],
)
def test_a_price_is_found_wherever_an_offer_keeps_it(offers: object, price: str) -> None:
    assert facts(article("", linked(LAMP | {"offers": offers})))["price"] == [price]


def test_things_that_are_named_by_their_ids_are_put_in_place() -> None:
    graph = {
        "@graph": [
            {"@type": ["Thing", "Product"], "@id": "#p", "name": "Lamp", "offers": {"@id": "#o"}},
            {"@id": "#o", "itemOffered": {"@id": "#p"}, **OFFER},
            {"@type": "ProductGroup", "name": "Lamps", "hasVariant": [{"@id": "#v"}, {"@id": "?"}]},
            {"@type": "Product", "@id": "#v", "color": "red", "offers": [OFFER]},
        ]
    }

    assert page(article("", linked(graph))).facts == (
        PageFact(of="Product", name="name", value="Lamp"),
        PageFact(of="Product", name="price", value="9.50 EUR"),
        PageFact(of="Product", name="availability", value="InStock"),
        PageFact(of="ProductGroup", name="name", value="Lamps"),
        PageFact(of="ProductGroup", name="variant", value="red, 9.50 EUR, InStock"),
    )


def test_each_thing_of_a_list_has_a_line_of_its_own() -> None:
    lamps = [{"@type": "ListItem", "item": LAMP | {"name": name, "offers": OFFER}} for name in "AB"]

    assert facts(article("", linked({"@type": "ItemList", "itemListElement": lamps}))) == {
        "item": [f"{name}, Quay & Sons, 9.50 EUR, InStock" for name in "AB"]
    }


def test_related_products_are_no_facts() -> None:
    alone = facts(article("", linked(LAMP)))

    assert facts(article("", linked(LAMP | {"isRelatedTo": [LAMP | {"name": "Wick"}]}))) == alone


def test_measures_and_properties_have_their_units_and_names() -> None:
    more = {
        "weight": {"@type": "QuantitativeValue", "value": 2, "unitCode": "KGM"},
        "aggregateRating": {"ratingValue": "4.6", "bestRating": 5, "ratingCount": 120},
        "additionalProperty": [{"@type": "PropertyValue", "name": "Height", "value": "30 cm"}],
    }

    told = facts(article("", linked(LAMP | more)))

    assert told["weight"] == ["2, KGM"]
    assert told["aggregateRating"] == ["ratingValue 4.6, bestRating 5, ratingCount 120"]
    assert told["Height"] == ["30 cm"]


@pytest.mark.parametrize(
    "json_text",
    [
        '/* <![CDATA[ */ {"@type":"Product","name":"Lamp"} /* ]]> */',
        '// <![CDATA[\n{"@type":"Product","name":"Lamp"}\n// ]]>',
        '<!-- {"@type":"Product","name":"Lamp"} -->',
        '{"@type":"Product","name":"Lamp"};',
        '\ufeff{"@type":"Product","name":"\nLamp"}',
        '{"@type":"Product","name":"Lamp"} and what is no JSON',
    ],
)
def test_data_is_read_with_anything_around_it(json_text: str) -> None:
    script = f'<script type="application/ld+json">{json_text}</script>'

    assert facts(article("", script)) == {"name": ["Lamp"]}


@pytest.mark.parametrize("json_text", ['"', "{", '{"a', '{"a":"\\', "/*", "[" * 5000, "/" * 5000])
def test_data_that_is_none_tells_nothing(json_text: str) -> None:
    script = f'<script type="application/ld+json">{json_text}</script>'

    assert facts(article("", script)) == {}


@pytest.mark.parametrize(
    "thing",
    [
        {"@type": "Article", "headline": "x"},
        {"@type": ["Product"], "name": {"deep": [[["x"]]]}, "offers": [1, None, "x"]},
        {"@type": [], "name": "x"},
        {
            "@type": "Product",
            "hasVariant": ["x"],
            "isFamilyFriendly": True,
            "offers": {"price": []},
        },
    ],
)
def test_other_and_odd_data_make_no_facts(thing: object) -> None:
    assert facts(article("", linked(thing))) == {}


def test_facts_are_bounded_and_hide_nothing() -> None:
    many = {"@type": "Product", **{f"p{n}": "x\u200by" * 200 for n in range(300)}}

    rows = page(article("", linked(many))).facts

    assert 20 <= len(rows) <= 120
    assert all(len(row.value) <= 200 and "\u200b" not in row.value for row in rows)


JOB = {
    "@type": "JobPosting",
    "title": "Pilot",
    "identifier": {"@type": "PropertyValue", "name": "Port", "value": "J-7"},
    "hiringOrganization": {"@type": "Store", "name": "Quay & Sons", "address": "1 Quay"},
    "jobLocation": {
        "@type": "Place",
        "address": {"streetAddress": "1 Quay", "postalCode": "20457", "addressLocality": "Town"},
    },
    "baseSalary": {
        "@type": "MonetaryAmount",
        "currency": "USD",
        "value": {"@type": "QuantitativeValue", "minValue": 40, "maxValue": 50, "unitText": "HOUR"},
    },
}
SOUP = {
    "@type": "Recipe",
    "name": "Soup",
    "recipeInstructions": [
        {"@type": "HowToStep", "text": "Chop."},
        {"@type": "HowToSection", "name": "Cook", "itemListElement": [{"@type": "HowToStep", "text": "Boil."}]},
    ],
    "nutrition": {"@type": "NutritionInformation", "calories": "270", "fatContent": "3 g"},
}  # fmt: skip
FAIR = {
    "@type": "ExhibitionEvent",
    "startDate": "2025-07-21",
    "location": {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Town"}},
}
MOLE = {
    "@type": "CafeOrCoffeeShop",
    "geo": {"@type": "GeoCoordinates", "latitude": 1.50, "longitude": 2},
    "openingHoursSpecification": {"dayOfWeek": ["Monday", "Friday"], "opens": "09:00", "closes": "17:00"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (JOB, {"identifier": ["Port, J-7"], "jobLocation": ["1 Quay, 20457, Town"]}),
        (JOB, {"title": ["Pilot"], "baseSalary": ["HOUR, minValue 40, maxValue 50, currency USD"]}),
        (JOB, {"hiringOrganization": ["Quay & Sons, 1 Quay"]}),
        (
            SOUP,
            {
                "recipeInstructions": ["Chop.", "Cook", "Boil."],
                "nutrition": ["calories 270, fatContent 3 g"],
            },
        ),
        (FAIR, {"startDate": ["2025-07-21"], "location": ["Hall, Town"]}),
        (MOLE, {"geo": ["latitude 1.5, longitude 2"]}),
        (
            MOLE,
            {"openingHoursSpecification": ["dayOfWeek Monday, Friday, opens 09:00, closes 17:00"]},
        ),
    ],
)
def test_places_wages_hours_and_steps_are_told(thing: object, told: dict[str, list[str]]) -> None:
    assert facts(article("", linked(thing))).items() >= told.items()


def test_organisation_of_a_job_is_no_fact_of_its_own() -> None:
    assert {fact.of for fact in page(article("", linked(JOB))).facts} == {"JobPosting"}


def test_a_price_stays_as_it_was_written_and_offers_of_a_range_have_its_currency() -> None:
    offers = '{"priceCurrency": "USD", "lowPrice": 9.50, "offers": [{"name": "S", "price": 9.50}]}'
    html = f'<script type="application/ld+json">{{"@type": "Product", "offers": {offers}}}</script>'

    assert facts(article("", html)) == {"price": ["9.50 USD"], "offer": ["S, 9.50 USD"]}


def test_the_open_graph_tells_what_is_paid_and_what_was() -> None:
    names = {"og:type": "product", "og:title": "Lamp", "product:price:amount": "15"}
    names |= {"product:sale_price:amount": "12", "product:sale_price:currency": "EUR"}
    metas = "".join(f'<meta property="{name}" content="{value}">' for name, value in names.items())

    assert facts(article("", metas)) == {
        "name": ["Lamp"],
        "price": ["15"],
        "sale_price": ["12 EUR"],
    }


@pytest.mark.parametrize(
    ("around", "kind"),
    [
        ('vocab="https://schema.org/"', "Product"),
        ("", "schema:Product"),
        ("", "http://schema.org/Product"),
    ],
)
def test_rdfa_tells_the_same_facts(around: str, kind: str) -> None:
    html = (
        f"<div {around} typeof='{kind}'><b property=name>Lamp</b><div property=offers typeof=schema:Offer>"
        "<meta property=priceCurrency content=EUR><b property=schema:price content=9.50>9,50</b></div></div>"
    )

    assert facts(article(html)) == {"name": ["Lamp"], "price": ["9.50 EUR"]}
    assert facts(article("<div typeof=foaf:Product><b property=name>Lamp</b></div>")) == {}


@pytest.mark.parametrize(
    "thing",
    [
        {"@type": "Quay\ud800Event", "name": "Regatta"},
        {"@type": "Product", "name": "Lamp", "la\ud800mp\u200b": "oil"},
    ],
)
def test_names_that_a_page_gives_hide_nothing(thing: object) -> None:
    told = page(linked(thing) + article("")).facts

    assert told
    for fact in told:
        assert not {"\ud800", "\u200b"} & {*fact.of, *fact.name}
