"""Rules that are learned from the pages of a site, and read its other pages."""

import json
from datetime import date, timedelta
from decimal import Decimal

import msgspec
import pytest

import webseam
from tests.features.data.pages import make_page
from tests.features.data.site_pages import SITE, URL, soup_page
from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.examples import learn_rules
from webseam.kernel.features.data.places import describe_rule
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.ports.data import Data, OfferedValue, RefusedField
from webseam.ports.data_rules import FieldRule, LineBeside, ListPlace, Place, SiteRules


class Recipe(msgspec.Struct):
    title: str | None = None
    ingredients: list[str] | None = None
    total_time: timedelta | None = None
    servings: int | None = None
    author: str | None = None


def learn(wanted: type, *pages: str) -> SiteRules:
    schema = read_wanted(wanted).unwrap()
    return learn_rules(SITE, schema, [read_data_page(it, URL).unwrap() for it in pages])


def read(html: str, wanted: type, rules: SiteRules) -> Data[object]:
    return webseam.data_from_html(html, wanted, url=URL, rules=rules).unwrap()


LEEK = soup_page(linked=True)
PEA = soup_page(
    "Pea soup",
    total="20 min",
    serves=2,
    author="Bo Lee",
    items=("500 g peas", "1 onion"),
    linked=True,
)
FIG = soup_page(
    "Fig soup", total="1 h 20", serves=6, author="Cy Dee", items=("7 figs", "2 eggs", "1 l milk")
)
FIG_VALUE = Recipe("Fig soup", ["7 figs", "2 eggs", "1 l milk"], timedelta(minutes=80), 6, "Cy Dee")


def test_a_rule_reads_a_page_without_linked_data() -> None:
    got = read(FIG, Recipe, learn(Recipe, LEEK, PEA))

    assert got.value == FIG_VALUE
    assert {name: it.source for name, it in got.basis.items()} == {
        "title": "labels",
        "ingredients": "rule",
        "total_time": "rule",
        "servings": "rule",
        "author": "rule",
    }
    assert got.basis["servings"].path == (
        'rule main.card.wide > p.facts > span.yield after "serves"'
    )


def test_one_page_teaches_what_words_stand_beside() -> None:
    got = read(FIG, Recipe, learn(Recipe, LEEK))

    assert got.value == FIG_VALUE


@pytest.mark.parametrize(
    "changed",
    [
        FIG.replace("class='", "class='new-"),
        FIG.replace("<span", "<em><span").replace("</span>", "</span></em>"),
        FIG.replace("Serves", "Makes").replace("Total", "Cooking").replace(">By", ">Photos"),
    ],
    ids=["renamed", "wrapped", "relabelled"],
)
def test_a_changed_template_says_what_was_expected(changed: str) -> None:
    got = read(changed, Recipe, learn(Recipe, LEEK, PEA))

    expected = 'main.card.wide > p.facts > span.yield after "serves"'
    assert got.refused["servings"] == RefusedField(
        reason="template_changed", seen=(OfferedValue(value=expected, path="rule"),)
    )


def test_a_rule_does_not_replace_what_linked_data_says() -> None:
    html = soup_page("Fig soup", serves=6, linked=True).replace(
        "Serves <span", "Serves <i>5</i><span"
    )

    got = read(html, Recipe, learn(Recipe, LEEK, PEA))

    assert "servings" not in got.basis or got.value.servings == 6  # type: ignore[attr-defined]


def test_two_values_at_the_places_of_a_rule_are_none() -> None:
    twice = FIG.replace(
        "</main>", "<p class='facts'>Serves <span class='yield'>8</span></p></main>"
    )

    got = read(twice, Recipe, learn(Recipe, LEEK, PEA))

    assert got.refused["servings"].reason == "template_changed"


def test_one_value_that_stands_too_often_is_none() -> None:
    often = FIG.replace(
        "</main>", "<p class='facts'>Serves <span class='yield'>6</span></p>" * 20 + "</main>"
    )

    got = read(often, Recipe, learn(Recipe, LEEK, PEA))

    assert got.refused["servings"].reason == "template_changed"


def test_a_rule_that_a_page_of_its_own_does_not_reproduce_is_not_kept() -> None:
    twice = PEA.replace(
        "</main>", "<p class='facts'>Serves <span class='yield'>8</span></p></main>"
    )

    rules = learn(Recipe, LEEK, twice)

    assert "servings" not in rules.fields
    assert "total_time" in rules.fields


class Times(msgspec.Struct):
    prep_time: timedelta | None = None
    cook_time: timedelta | None = None


def times_page(prep: int, cook: int) -> str:
    body = f"<p class='a b'>Prep <b>{prep} min</b></p><p class='a c'>Cook <b>{cook} min</b></p>"
    linked = {"@type": "Recipe", "prepTime": f"PT{prep}M", "cookTime": f"PT{cook}M"}
    return make_page(body, {**linked, "@type": "Times"})


def test_what_one_page_cannot_tell_apart_is_not_learned() -> None:
    assert not learn(Times, times_page(20, 20)).fields
    assert learn(Times, times_page(20, 20), times_page(20, 30)).fields.keys() == {
        "prep_time",
        "cook_time",
    }


class Product(msgspec.Struct):
    price: Decimal | None = None
    total: webseam.Money | None = None
    brand: str | None = None
    sku: str | None = None
    released: date | None = None
    size: str | None = None
    seen_at: list[str] | None = None


def shop_page(number: int, brand: str = "Acme", *, linked: bool = True, size: str = "Large") -> str:
    day = f"2026-03-0{number}"
    body = (
        f"<h1>Kettle {number}</h1><p class='maker'><b class='brand'>{brand}</b></p>"
        f"<div class='offer'><b class='price'>€ {number}9.90</b></div>"
        f"<p class='code'>Our code <i class='sku'>KT-{number}</i></p>"
        f"<p class='released'>Released {day}</p><p class='spec'><i class='size'>{size}</i></p>"
    )
    thing = {
        "@type": "Product",
        "brand": brand,
        "sku": f"KT-{number}",
        "released": day,
        "size": size,
        "price": f"{number}9.90",
        "total": {"price": f"{number}9.90", "priceCurrency": "EUR"},
        "offers": {"price": f"{number}9.90", "priceCurrency": "EUR"},
    }
    return make_page(body, thing if linked else None, title=f"Kettle {number}")


def test_a_brand_of_every_page_may_be_that_of_the_shop() -> None:
    assert "brand" not in learn(Product, shop_page(1)).fields
    assert "brand" not in learn(Product, shop_page(1), shop_page(2)).fields

    rules = learn(Product, shop_page(1), shop_page(2, "Bolt"))

    assert read(shop_page(3, "Cog", linked=False), Product, rules).value.brand == "Cog"  # type: ignore[attr-defined]


def test_amounts_codes_and_days_are_read_at_their_places() -> None:
    class Offer(msgspec.Struct):
        sku: str | None = None
        released: date | None = None
        price: webseam.Money | None = None

    schema = read_wanted(Offer).unwrap()
    pages = [read_data_page(shop_page(n), URL).unwrap() for n in (1, 2)]
    rules = learn_rules(SITE, msgspec.structs.replace(schema, thing="product"), pages)

    got = read(shop_page(3, linked=False), Offer, rules)
    pounds = read(shop_page(3, linked=False).replace("€", "£"), Offer, rules)

    assert got.value == Offer("KT-3", date(2026, 3, 3), webseam.Money(Decimal("39.90"), "EUR"))
    assert pounds.refused["price"].reason == "template_changed"


def test_pages_with_two_currencies_teach_no_price() -> None:
    class Offer(msgspec.Struct):
        price: webseam.Money | None = None

    schema = msgspec.structs.replace(read_wanted(Offer).unwrap(), thing="product")
    pound = shop_page(2).replace("€", "£").replace("EUR", "GBP")
    pages = [read_data_page(it, URL).unwrap() for it in (shop_page(1), pound)]

    assert not learn_rules(SITE, schema, pages).fields


def test_a_rule_says_where_it_expects_its_value() -> None:
    place = Place(path=("b", "p.x"), after="people", above="", below="")
    items = ListPlace(paths=(("li", "ul.x"),), above=(LineBeside(),), below=(LineBeside(),))

    assert describe_rule(FieldRule(places=(place,))) == 'p.x > b before "people"'
    assert describe_rule(FieldRule(items=items)) == "ul.x > li"


def list_page(first: str, *, above: str = "<h2>Parts</h2>", below: str = "<h2>Use</h2>") -> str:
    items = f"{first}<li class='part'>1 lid</li><li class='part'><b>2 pots</b></li>"
    return make_page(f"<h1>Kettle</h1>{above}<ul class='parts'>{items}</ul>{below}", title="Kettle")


class Kettle(msgspec.Struct):
    parts: list[str] | None = None


def read_parts(html: str) -> RefusedField | list[str]:
    linked = {"@type": "Kettle", "parts": ["1 can", "1 lid", "2 pots"]}
    first = "<li class='part'>1 can</li>"
    own = list_page(first).replace(
        "<body>", f"<script type='application/ld+json'>{json.dumps(linked)}</script><body>"
    )
    got = read(html, Kettle, learn(Kettle, own))
    return got.refused.get("parts") or got.value.parts  # type: ignore[attr-defined]


def test_a_list_is_read_between_the_lines_that_were_learned() -> None:
    first = "<li class='part'>1 cup</li>"
    changed = RefusedField(
        reason="template_changed",
        seen=(OfferedValue(value="ul.parts > li.part", path="rule"),),
    )

    assert read_parts(list_page(first)) == ["1 cup", "1 lid", "2 pots"]
    assert read_parts(list_page("<li class='part'> </li>")) == ["1 lid", "2 pots"]
    several_lines = "<li class='part'><p>1 cup</p><p>with a note</p></li>"
    assert read_parts(list_page(several_lines)) == changed
    assert read_parts(list_page(first, above="<p class='x'>Parts</p>")) == changed
    other_words = list_page(first, above="<h2>Extras</h2>", below="<h2>More</h2>")
    assert read_parts(other_words) == changed
    assert read_parts(make_page("<h1>Kettle</h1>")) == changed


def test_the_word_of_a_label_in_the_box_is_no_part_of_the_value() -> None:
    def page(code: str, *, linked: bool) -> str:
        thing = {"@type": "Product", "sku": code} if linked else None
        return make_page(f"<h1>Kettle</h1><div class='a'><p class='b'>Code {code}</p></div>", thing)

    class Product(msgspec.Struct):
        sku: str | None = None

    rules = learn(Product, page("KT-1", linked=True))

    assert read(page("KT-2", linked=False), Product, rules).value == Product("KT-2")
    assert (
        read(page("KT-2", linked=False).replace("Code", "Kode"), Product, rules).value == Product()
    )
    assert (
        read(page("KT-2", linked=False).replace("Code KT-2", "Code"), Product, rules).value
        == Product()
    )


def test_a_line_beside_a_value_that_has_its_own_line_marks_the_place() -> None:
    def page(code: str, above: str, below: str, *, linked: bool) -> str:
        thing = {"@type": "Product", "sku": code} if linked else None
        lines = f"<p>{above}</p><p class='code'>{code}</p><p>{below}</p>"
        return make_page(f"<h1>Kettle</h1><div class='card'>{lines}</div>", thing)

    class Product(msgspec.Struct):
        sku: str | None = None

    above = learn(Product, page("KT-1", "Our code", "Buy", linked=True))
    below = learn(Product, page("KT-1", "Kettle 1", "Our code", linked=True))
    neither = learn(Product, page("KT-1", "Kettle 1", "Kettle 2", linked=True))

    assert read(page("KT-2", "Our code", "Sold", linked=False), Product, above).value == Product(
        "KT-2"
    )
    assert read(page("KT-2", "Article", "Buy", linked=False), Product, above).value == Product()
    assert read(page("KT-2", "Kettle", "Our code", linked=False), Product, below).value == Product(
        "KT-2"
    )
    assert read(page("KT-2", "Kettle", "Buy", linked=False), Product, below).value == Product()
    assert not neither.fields


def test_words_behind_a_value_mark_its_place_too() -> None:
    def page(servings: str, words: str, *, linked: bool) -> str:
        thing = {"@type": "Recipe", "recipeYield": servings} if linked else None
        return make_page(f"<p class='a'><b class='n'>{servings}</b> {words}</p>", thing)

    rules = learn(Recipe, page("4", "servings", linked=True))

    got = read(page("6", "servings", linked=False), Recipe, rules)
    other = read(page("6", "friends and servings", linked=False), Recipe, rules)

    assert got.value == Recipe(servings=6)
    assert other.refused["servings"].reason == "template_changed"


def test_a_day_with_two_meanings_is_none() -> None:
    rules = learn(Product, shop_page(1), shop_page(2))
    unclear = shop_page(3, linked=False).replace("2026-03-03", "04/03/2026")

    assert read(unclear, Product, rules).refused["released"].reason == "template_changed"
