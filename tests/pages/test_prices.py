"""Prices and labels are written once and apart."""

import pytest

from .read import article, page

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
)
def test_a_price_is_said_once_and_apart(html: str, line: str) -> None:
    assert f"\n{line}\n" in page(article(f"<div class=price>{html}</div>")).content


def test_screen_reader_text_beside_an_icon_is_read() -> None:
    stars = "<span aria-hidden=true class=stars></span> <span class=sr-only>4.5 of 5 stars</span>"

    assert "4.5 of 5 stars" in page(article(f"<p>It has {stars} by now.</p>")).content


def test_labels_do_not_run_together() -> None:
    sizes = "".join(f"<label><input type=radio><span>{n}-Pack</span></label>" for n in (4, 8, 12))

    assert "4-Pack 8-Pack 12-Pack" in page(article(f"<div>{sizes}</div>")).content
