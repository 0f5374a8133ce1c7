"""What the model is told of cards: those of a shop, of a list, of search results."""

import pytest
from turbohtml import parse

from webseam.adapters.pages.reader.features.cards import NAMES, card_columns
from webseam.adapters.pages.reader.features.measures import measure_opened, open_document

SHOP = """<html><head><title>Lamps</title><script type="application/ld+json">
{"@type": "Product", "name": "Brass Lamp"}</script></head><body><h1>Lamps</h1><p>By Ada Quay</p>
<p>5 March 2024</p><ul>
<li class=card><a href=/1>Brass lamp</a><p>$ 20</p></li>
<li class=card><a href=/2>Glass lamp</a><p>30 €</p></li>
<li class=card><a href=/3>Clay lamp</a><p>sold</p></li></ul>
<button>Add to cart</button><div>Ships soon</div></body></html>"""


def column(name: str, html: str = SHOP) -> dict[str, float]:
    page = measure_opened(open_document(parse(html, positions=False)), "https://example.com/")
    assert page is not None
    columns = card_columns(page.cut, page.head, page.signs, page.repeats, 0)
    values = columns[NAMES.index(name)]
    return {run.text: value for run, value in zip(page.cut.runs, values, strict=True)}


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("price", ["$ 20", "30 €"]),
        ("named", ["Brass lamp"]),
        ("slot", ["$ 20", "30 €", "sold"]),
        ("group_prices", ["Brass lamp", "$ 20", "Glass lamp", "30 €", "Clay lamp", "sold"]),
        ("member_place", ["Glass lamp", "30 €", "Clay lamp", "sold"]),
        ("from_buying", ["Ships soon"]),
    ],
)
def test_runs_are_marked_by_what_they_are_on_a_card(name: str, texts: list[str]) -> None:
    assert [text for text, value in column(name).items() if value > 0] == texts


def test_bylines_dates_and_prices_are_counted_on_the_way() -> None:
    assert column("bylines_before")["Brass lamp"] == 1.0
    assert column("dates_before")["Brass lamp"] == 1.0
    assert column("prices_before")["Brass lamp"] == 0.0
    assert column("prices_before")["Glass lamp"] < column("prices_before")["Clay lamp"]


def test_a_page_without_cards_and_prices_has_none() -> None:
    plain = "<body><h1>Lamps</h1><p>They burn.</p></body>"

    assert set(column("slot", plain).values()) == {-1.0}
    assert set(column("group_rank", plain).values()) == {-1.0}
    assert set(column("from_buying", plain).values()) == {-1.0}
    assert set(column("prices_near", plain).values()) == {0.0}
