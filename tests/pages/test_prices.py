"""What things cost stands with their names, once and as it is in force."""

import pytest
from returns.result import Success
from turbohtml import parse

from webseam.adapters.documents.reader import read_html
from webseam.adapters.documents.reader.prices import settle_prices
from webseam.adapters.documents.reader.segmentation import segment_html_page

from .read import article, page

NAMES = ("Harbour lamp", "Quay rope", "Oilskin coat", "Brass bell", "Sea chest", "Storm glass")
DAWN = """<li class=grid__item><div class=card-wrapper><div class=card__inner><h3 class=card__heading><a
href=/products/{n}>{name}</a></h3></div><div class=card__content><h3 class=card__heading><a href=/products/{n}>
{name}</a></h3><div class=card-information><div class="price {sale}"><div class=price__container><div
class=price__regular><span class=visually-hidden>Regular price</span> <span class=price-item>{was}</span></div>
<div class=price__sale><span class=visually-hidden>Regular price</span> <s class=price-item>{was}</s> <span
class=visually-hidden>Sale price</span> <span class=price-item>{now}</span></div></div></div></div></div></div>
</li>"""


def shop(cards: str) -> str:
    nav = "<nav><a href=/>Home</a><a href=/collections/all>All</a></nav>"
    html = (
        f"<html lang=en><title>Ship shop</title><body>{nav}<main><h1>All of the shop</h1><ul class='grid "
        f"product-grid'>{cards}</ul></main><footer>Terms</footer></body></html>"
    )
    result = read_html(html, "https://shop.example.com/collections/all")
    assert isinstance(result, Success), result
    content: str = result.unwrap().content
    return content


def test_a_card_says_its_name_once_and_the_price_in_force() -> None:
    plain = [
        DAWN.format(n=n, name=name, sale="", was=f"${n}1.50", now=f"${n}1.50")
        for n, name in enumerate(NAMES[:5], 1)
    ]
    reduced = DAWN.format(n=6, name=NAMES[5], sale="price--on-sale", was="$99.00", now="$68.00")

    content = shop("".join(plain) + reduced)

    assert [content.count(f"[{name}]") for name in NAMES] == [1] * 6
    assert [content.count(f"${n}1.50") for n in range(1, 6)] == [1] * 5
    assert (content.count("$99.00"), content.count("$68.00")) == (1, 1)
    assert content.index(NAMES[4]) < content.index("$51.50") < content.index(NAMES[5])


def test_what_only_one_or_two_cards_say_twice_may_be_meant() -> None:
    card = "<li class=card><h3><a href=/p/{n}>{name}</a></h3>{more}<span class=price>${n}1.50</span></li>"
    more = "<p><a href=/p/{n}>{name}</a></p>"
    cards = [
        card.format(n=n, name=name, more=more.format(n=n, name=name) if n < 3 else "")
        for n, name in enumerate(NAMES, 1)
    ]

    content = shop("".join(cards))

    assert [content.count(f"[{name}]") for name in NAMES] == [2, 2, 1, 1, 1, 1]


def test_what_every_card_says_is_no_name() -> None:
    card = "<li><h3><a href=/{n}>{name}</a></h3><p>Sold out</p><p>{n} left</p><p>Sold out</p></li>"
    cards = "".join(card.format(n=n, name=name) for n, name in enumerate(NAMES))

    assert shop(cards).count("Sold out") == 12


def settled(html: str, kept: list[int]) -> list[str]:
    """Return what is kept in the end where ``kept`` were chosen before."""
    body = parse(html, positions=False).find("body")
    assert body is not None
    page = segment_html_page(body)
    chosen = [place in kept for place in range(len(page.runs))]
    settle_prices(page, chosen)
    return [run.text for run, keep in zip(page.runs, chosen, strict=True) if keep]


@pytest.mark.parametrize("price", ["$48.99", "48,99 €", "EUR 48.99", "499 kr", "Now only £5"])
def test_the_price_of_a_product_stands_under_its_name(price: str) -> None:
    html = f"<h1>Harbour lamp</h1><p>{price}</p><p>SKU 7</p><h2>About</h2><p>It burns oil.</p>"

    assert settled(html, [0, 4]) == ["Harbour lamp", price, "It burns oil."]
    assert settled(html, [4]) == ["It burns oil."]


def test_a_price_is_that_of_the_name_right_before_it() -> None:
    card = "<div><a href=/1>Quay rope</a><p>Red</p><p>$5</p><p>was $6</p></div>"
    other = "<div><a href=/2>Sea chest</a><p>$7</p></div>"
    nameless = "<div><p>Made by hand.</p><p>$8</p></div>"

    assert settled(card + other + nameless, [0, 6]) == ["Quay rope", "$5", "Made by hand."]


def test_a_price_far_from_its_name_or_in_a_large_part_is_not_sure_to_be_of_it() -> None:
    far = "<h2>Quay rope</h2>" + "<p>red</p>" * 7 + "<p>$5</p>"
    large = "<h2>Quay rope</h2><p>$5</p>" + "<p>red</p>" * 20

    assert settled(far, [0]) == ["Quay rope"]
    assert settled(large, [0]) == ["Quay rope"]
    assert settled(large.replace("h2", "h1"), [0]) == ["Quay rope", "$5"]


AMAZON = """<span class=a-price><span class=a-offscreen>$49.90</span><span aria-hidden=true><span>$</span><span>49<span>.
</span></span><span>90</span></span></span> <span class=a-price><span class=a-offscreen>$60.00</span><span
aria-hidden=true>$60.00</span></span>""".replace(".\n", ".")
WOOCOMMERCE = """<del aria-hidden=true><bdi><span>$</span>60.00</bdi></del> <span class=screen-reader-text>Original price was:
$60.00.</span><ins aria-hidden=true><bdi><span>$</span>49.90</bdi></ins><span class=screen-reader-text>Current price is:
$49.90.</span>"""
MAGENTO = """<span class=special-price><span class=price-label>Special Price</span><span class=price>$49.90</span></span><span
class=old-price><span class=price-label>Regular Price</span><span class=price>$60.00</span></span>"""


@pytest.mark.parametrize(
    ("html", "line"),
    [
        (AMAZON, "$49.90 $60.00"),
        (WOOCOMMERCE, "~~$60.00~~ $49.90"),
        (MAGENTO, "Special Price $49.90 Regular Price $60.00"),
    ],
)  # fmt: skip
def test_a_price_is_said_once_and_apart(html: str, line: str) -> None:
    assert f"\n{line}\n" in page(article(f"<div class=price>{html}</div>")).content


def test_more_than_the_price_is_said_to_those_who_listen_alone() -> None:
    stars = "<span aria-hidden=true>4.5</span> <span class=sr-only>4.5 of 5 stars</span>"

    assert "4.5 of 5 stars" in page(article(f"<p>It has {stars} by now.</p>")).content


def test_labels_do_not_run_together() -> None:
    sizes = "".join(f"<label><input type=radio><span>{n}-Pack</span></label>" for n in (4, 8, 12))

    assert "4-Pack 8-Pack 12-Pack" in page(article(f"<div>{sizes}</div>")).content
