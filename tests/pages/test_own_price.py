"""A page that sells says for how much; the prices of other products stay with them."""

import pytest
from turbohtml import parse

from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.page_segments import segment_page
from webseam.adapters.reader.run_choice import choose_runs

from .read import page

PRODUCT = [float(kind == "product") for kind in KINDS]
ARTICLE = [float(kind == "article") for kind in KINDS]
TEXT = "<p>" + "This lamp burns for nine hours and is seen from two miles. " * 8 + "</p>"
TILES = "".join(
    f"<div class=tile><span>Lamp {n}</span><div class=tile-price>€ {n}2.50</div></div>"
    for n in range(1, 6)
)


def kept_runs(
    html: str, kinds: list[float] = PRODUCT, related: str = "nothing", price: float = 0.1
) -> list[str]:
    body = parse(f"<body>{html}</body>", positions=False).find("body")
    assert body is not None
    segments = segment_page(body)
    likely = [0.9 if run.words > 20 or run.tag == "h1" else price for run in segments.runs]
    is_related = [related in run.text for run in segments.runs]
    choice = choose_runs(segments, likely, kinds, is_related)
    return [run.text for run, keep in zip(segments.runs, choice.kept, strict=True) if keep]


@pytest.mark.parametrize(
    "price",
    [
        "€ 49.95",
        "49,95 €",
        "£49.95 £59.95",
        "US$11.99 / Set",
        "Rs 23,450",
        "131 990 тг.",
        "129 kr",
        "249 ₽",
    ],
)
def test_amount_of_money_after_the_title_is_kept(price: str) -> None:
    html = f"<h1>Harbour lamp</h1><div>4.6 (213)</div><div class=price>{price}</div>{TEXT}"

    assert price in kept_runs(html)
    assert "4.6 (213)" not in kept_runs(html)
    assert price not in kept_runs(html, ARTICLE)


def test_price_that_a_bar_repeats_is_kept_once() -> None:
    html = f"<h1>Harbour lamp</h1><p>€ 9</p>{TEXT}<footer><div>€ 9</div></footer>"

    assert kept_runs(html).count("€ 9") == 1


def test_three_prices_are_kept_at_most() -> None:
    prices = "".join(f"<div class=p{n}>€ {n}.00</div>" for n in range(1, 6))

    assert kept_runs(f"<h1>Harbour lamp</h1>{prices}{TEXT}")[1:4] == ["€ 1.00", "€ 2.00", "€ 3.00"]
    assert "€ 4.00" not in kept_runs(f"<h1>Harbour lamp</h1>{prices}{TEXT}")


@pytest.mark.parametrize(
    "other",
    [
        TILES,
        "<p>€ 7 at others</p>",
        "<p><a href=/x>Lamp, € 7</a></p>",
        "<p>Delivery is free of charge from a sum of € 50 on, in all of the country</p>",
    ],
)
def test_prices_of_other_things_are_not_kept(other: str) -> None:
    kept = kept_runs(f"<h1>Harbour lamp</h1>{other}{TEXT}", related="at others")

    assert [run for run in kept if "€" in run] == []


def test_page_without_a_title_keeps_what_is_likely() -> None:
    assert kept_runs(f"<p>€ 9</p>{TEXT}") == kept_runs(f"{TEXT}")


def test_page_of_a_shop_has_its_price_and_not_those_beside_it() -> None:
    content = page(
        "<html lang=en><head><title>Harbour lamp | Lamps</title></head><body><nav><a href=/>Home</a></nav>"
        "<main><div class=product><div class=info><h1>Harbour lamp</h1><div class=stars>4.6 (213)</div>"
        "<div class=price>€ 49.95</div><button>Add to cart</button></div></div>"
        f"<div class=description>{TEXT}</div><section class=recommend><h2>Customers also bought</h2>"
        f"{TILES}</section></main><footer>All rights reserved</footer></body></html>"
    ).content

    assert "€ 49.95" in content
    assert "2.50" not in content
