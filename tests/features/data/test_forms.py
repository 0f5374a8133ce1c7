"""Normal forms: when a value and the words on a page are the same."""

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.features.data.pages import make_page
from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.checker import Checker
from webseam.kernel.features.data.fields import make_field
from webseam.kernel.features.data.money_forms import currencies
from webseam.kernel.features.data.number_forms import (
    number_readings,
    number_values,
    parse_duration,
    parse_number,
)
from webseam.kernel.features.data.page_index import PageIndex
from webseam.kernel.features.data.plain_values import is_same_value
from webseam.kernel.features.data.text_forms import FoldedText, is_same_text, plain_text, squeeze


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("1299", {"1299"}),
        ("1.299", {"1299", "1.299"}),
        ("1.299,50", {"1299.50"}),
        ("1,299,000", {"1299000"}),
        ("1 299", {"1299"}),
        ("12.34.56", set()),
        ("1.2,3.4,5", set()),
        ("1,234.567,8", set()),
        ("1" * 10 + "." + "1" * 10, set()),
        ("0.125", {"0.125"}),
    ],
)
def test_a_number_may_be_written_in_any_usual_way(written: str, values: set[str]) -> None:
    assert number_values(written) == set(map(Decimal, values))


def test_a_number_of_data_has_one_meaning() -> None:
    texts = {
        "19.90": "19.90",
        "12 servings": "12",
        "a number of servings, 12": "12",
        "4 to 6": None,
        "NaN": None,
        "1e400": None,
        "many": None,
        "about 1.299 in": None,
    }

    assert {text: parse_number(text) for text in texts} == {
        text: None if it is None else Decimal(it) for text, it in texts.items()
    }
    assert [(it.start, it.end) for it in number_readings("a 12 and 3,5")] == [(2, 4), (9, 12)]


@pytest.mark.parametrize(
    ("written", "minutes"),
    [
        ("PT1H20M", 80),
        ("P1DT2H", 1560),
        ("1 h 20", 80),
        ("1 hour hr 20 minutes mins", 80),
        ("1½ Stunden", 90),
        ("1 1/2 hours", 90),
        ("45'", 45),
        ("2 days and 3 hours", 3060),
        ("PT0M", None),
        ("PT1.2.3H", None),
        ("P1Y", None),
        ("soon", None),
        ("1 h or 2 h", None),
    ],
)
def test_a_duration_may_be_written_in_any_usual_way(written: str, minutes: int | None) -> None:
    assert parse_duration(written) == (None if minutes is None else timedelta(minutes=minutes))


def test_marks_blanks_and_kinds_of_letters_do_not_count() -> None:
    assert is_same_text("“Crème” fraîche (30 %)", "CRÈME fraîche, 30 %")
    assert is_same_text("½ cup", "0.5 cup")
    assert not is_same_text("1.5 g", "15 g")
    assert squeeze("a\u200bb \uff21") == "aba"
    assert plain_text("a < b &lt;i&gt;c&lt;/i&gt;") == "a < b c"


def test_a_search_cuts_no_word_and_no_figure() -> None:
    text = FoldedText("cannot 3.5 not 3 料理の本 (x)")

    assert list(text.find("not", is_loose=False)) == [(11, 14)]
    assert list(text.find("3", is_loose=False)) == [(15, 16)]
    assert list(text.find("5", is_loose=False)) == []
    assert list(text.find("料理", is_loose=True)) == [(17, 19)]
    assert list(text.find("not", 12, is_loose=True)) == []
    assert list(text.find("", is_loose=True)) == []
    assert len(list(FoldedText("a " * 200).find("a", is_loose=True))) == 50


def test_a_currency_is_a_sign_or_a_code() -> None:
    assert currencies("SEK") == {"SEK"}
    assert currencies("kr") == {"SEK", "NOK", "DKK", "ISK"}
    assert not currencies("krona lev")


def test_values_are_compared_in_their_kind() -> None:
    number, text, many = (
        make_field("calories", "number"),
        make_field("sku", "text"),
        make_field("authors", "text", many=True),
    )

    assert is_same_value(number, "4.50", "4.5")
    assert is_same_value(text, "A-1", "a-1")
    assert is_same_value(many, ("Ann", "Bob"), ("ANN", "Bob"))
    assert not is_same_value(many, ("Ann",), ("Ann", "Bob"))
    assert not is_same_value(many, ("Ann",), "Ann")
    assert is_same_value(make_field("price", "money"), "5 EUR", "5 EUR")


def index_of(body: str) -> PageIndex:
    return PageIndex(read_data_page(make_page(body)).unwrap())


def test_the_lines_beside_are_those_with_words() -> None:
    index = index_of("<p>Prep</p><p>-</p><p>20 min</p><p>-</p><p>Cook</p>" + "<p>-</p>" * 20)

    assert index.line_before(index.text.index("20")).text == "Prep"
    assert index.line_after(index.text.index("20")).text == "Cook"
    assert index.line_after(index.text.index("Cook")).text == ""
    assert index.line_before(0).text == ""
    far = index_of("<p>Prep</p>" + "<p>-</p>" * 20 + "<p>20 min</p>")
    assert far.line_before(far.text.index("20")).text == ""


def test_a_loose_quote_has_the_marks_at_its_ends() -> None:
    index = index_of("<p>(sifted).</p>")

    assert [it.text for it in index.find("sifted", is_loose=True)] == ["(sifted)."]


def test_a_date_inside_a_name_is_passed_over() -> None:
    index = index_of("<p>by May 5 2026</p>")
    field = make_field("author", "text")

    assert Checker(index).check(field, "May 5") == "not_labelled"


def test_a_page_without_a_body_proves_nothing() -> None:
    index = PageIndex(read_data_page("<frameset></frameset>").unwrap())

    assert index.box_at(0, 5) == -1
    assert Checker(index).check(make_field("title", "text"), "a") == "not_visible"
