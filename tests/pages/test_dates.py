"""Dates in the languages of pages, as ISO dates; what may be two dates is none."""

import pytest

from webseam.adapters.values.dates import MONTHS, SHORT_MONTHS, iso_date

DAY = "2024-03-05"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-05", DAY),
        ("2024-03-05T08:30:00+0100", "2024-03-05T08:30:00+01:00"),
        ("2024-03-05T8:30 odd", DAY),
        ("20240305", DAY),
        ("20240305T083000Z", DAY),
        ("2024/03/05", DAY),
        ("2024/3/5", DAY),
        ("2024-3-5", DAY),
        ("2024. 3. 5.", DAY),
        ("发布时间：2024-03-05 12:11", DAY),
        ("05.03.2024", DAY),
        ("5. 3. 2024", DAY),
        ("Datum: 05.03.2024, 10:30 Uhr", DAY),
        ("25/3/2024", "2024-03-25"),
        ("3/25/2024", "2024-03-25"),
        ("25-03-2024", "2024-03-25"),
        ("5/5/2024", "2024-05-05"),
        ("5/3/2024", None),
        ("05-03-2024", None),
        ("10.5.3.2024", None),
        ("5.3.2024.1", None),
        ("13/13/2024", None),
        ("25/03/2567", None),
        ("2024-13-45", None),
        ("0001-01-01T00:00:00", None),
        ("9999-12-31", None),
        ("yesterday", None),
        ("vor 2 Tagen", None),
    ],
)
def test_dates_in_numbers_are_iso_or_nothing(text: str, day: str | None) -> None:
    assert iso_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "March 5th, 2024",
        "5th of March 2024",
        "Tue, 05 Mar 2024 10:30:00 GMT",
        "05-Mar-2024",
        "Tue Mar  5 10:30:00 2024",
        "Tue Mar 05 10:30:00 +0000 2024",
        "Posted on March 5, 2024 by Ann",
        "Dienstag, 5. März 2024, 10:30 Uhr",
        "5. MAERZ 2024",
        "5. Mrz. 2024",
        "mardi 5 mars 2024 à 10h30",
        "5 de marzo de 2024",
        "5 de marzo del 2024",
        "marzo 5, 2024",
        "mar 5 marzo 2024",
        "5 de março de 2024",
        "5/mar/2024",
        "5 maart 2024",
        "5 mrt. 2024",
        "den 5 mars 2024",
        "d. 5. marts 2024",
        "5. maaliskuuta 2024",
        "5 marca 2024 r.",
        "5. března 2024",
        "5 марта 2024 г.",
        "5-го марта 2024",
        "5 мар. 2024",
        "5 березня 2024 року",
        "5 Mart 2024 Salı",
        "2024. március 5. 10:30",
        "2024. márc. 5., kedd",
        "5 martie 2024",
        "5 Μαρτίου 2024",
        "5 Maret 2024",
        "2024年3月5日",
        "２０２４年３月５日",
        "2024年3月5号",
        "2024년 3월 5일",
    ],
)
def test_a_day_is_read_in_the_language_of_its_page(text: str) -> None:
    assert iso_date(text) == DAY


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("le 1er mars 2024", "2024-03-01"),
        ("1º de março de 2024", "2024-03-01"),
        ("5 AOÛT 2024", "2024-08-05"),
        ("5 KASIM 2024", "2024-11-05"),
        ("5 mei 2024", "2024-05-05"),
        ("5 мая 2024", "2024-05-05"),
        ("Mar 2024", "2024-03"),
        ("Mai 2024", "2024-05"),
        ("marzo de 2024", "2024-03"),
        ("2024年3月", "2024-03"),
        ("5 ago 2024", "2024-08-05"),
        ("Ago 5, 2024", "2024-08-05"),
        ("5 de ago. de 2024", "2024-08-05"),
        ("2 days ago", None),
        ("2 days ago 5, 2024", None),
        ("ago 2024", None),
        ("3 out of 2024", None),
        ("5 listopada 2024", "2024-11-05"),
        ("5. listopadu 2024", "2024-11-05"),
        # Croatian for October.
        ("5. listopada 2024.", None),
        ("31 February 2024", None),
        ("31 de febrero de 2024", None),
        ("January 1, 1066", None),
        ("12 comments 5 March 2024", DAY),
        ("room 2024 of 5 March", None),
    ],
)
def test_words_that_are_months_somewhere_are_dates_only_where_they_must_be(
    text: str, day: str | None
) -> None:
    assert iso_date(text) == day


def test_no_name_is_a_month_here_and_another_there() -> None:
    both = MONTHS.keys() & SHORT_MONTHS.keys()

    assert [name for name in both if MONTHS[name] != SHORT_MONTHS[name]] == []
    assert set(MONTHS.values()) == set(range(1, 13)) == set(SHORT_MONTHS.values())
