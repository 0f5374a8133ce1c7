"""What the model is told of what stands among cards: prices, bylines, a button to buy."""

from turbohtml import parse

from training.columns import CARD_NAMES
from webseam.adapters.reader.measures.context_features import find_cards
from webseam.adapters.reader.measures.page_features import measure_opened, open_document

SHOP = """<html><head><title>Lamps</title></head><body><h1>Lamps</h1><p>By Ada Quay</p>
<p>5 March 2024</p><ul>
<li class=card><a href=/1>Brass lamp</a><p>$ 20</p></li>
<li class=card><a href=/2>Glass lamp</a><p>30 €</p></li>
<li class=card><a href=/3>Clay lamp</a><p>sold</p></li></ul>
<button>Add to cart</button><div>Ships soon</div></body></html>"""


def column(name: str, html: str = SHOP) -> dict[str, float]:
    page = measure_opened(open_document(parse(html, positions=False)), "https://example.com/")
    assert page is not None
    cards = find_cards(page.segments.runs, page.signs, 0)
    values = cards.columns(range(len(page.segments.runs)))[CARD_NAMES.index(name)]
    return {run.text: value for run, value in zip(page.segments.runs, values, strict=True)}


def test_text_after_a_buy_button_has_its_feature() -> None:
    assert [text for text, value in column("from_buying").items() if value > 0] == ["Ships soon"]


def test_bylines_dates_and_prices_are_counted_on_the_way() -> None:
    assert column("bylines_before")["Brass lamp"] == 1.0
    assert column("dates_before")["Brass lamp"] == 1.0
    assert column("prices_before")["Brass lamp"] == 0.0
    assert column("prices_before")["Glass lamp"] < column("prices_before")["Clay lamp"]


def test_a_page_without_prices_and_buttons_has_none() -> None:
    plain = "<body><h1>Lamps</h1><p>They burn.</p></body>"

    assert set(column("from_buying", plain).values()) == {-1.0}
    assert set(column("prices_before", plain).values()) == {0.0}
