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
        "aggregateRating": ["4.5"],
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
        PageFact(of="Product", name="price", value="9.50"),
        PageFact(of="Product", name="currency", value="USD"),
    )
    assert "9.50" not in str(facts(article("", metas + linked(LAMP))))


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
