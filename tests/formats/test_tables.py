"""CSV and TSV as tables."""

import pytest

from tests.formats.read import page
from webseam.ports.pages import ReadPage

TABLE = "| a | b |\n| --- | --- |\n| 1 | x, y |\n| 2 | z |"


@pytest.mark.parametrize(
    ("text", "content_type", "url"),
    [
        ('a,b\n1,"x, y"\n2,z\n', "text/csv", ""),
        ('a, b\r\n1, "x, y"\r\n2, z\r\n', "text/csv; charset=utf-8", ""),
        ("a;b\n1;x, y\n2;z\n", "text/csv", ""),
        ("a\tb\n1\tx, y\n2\tz\n", "text/tab-separated-values", ""),
        ("a\tb\n1\tx, y\n2\tz\n", "text/plain", "https://e.org/a.tsv"),
        ("a|b\n1|x, y\n\n2|z\n", "text/csv", ""),
    ],
)
def test_rows_become_a_table_whatever_parts_the_columns(
    text: str, content_type: str, url: str
) -> None:
    assert page(text, content_type, url).content == TABLE


def test_a_cell_cannot_leave_its_row() -> None:
    document = page('a,b\n"x|y\nz","![p](https://e.org/p)"\n', "text/csv")

    assert document.content == "| a | b |\n| --- | --- |\n| x\\|y z | !\\[p](https://e.org/p) |"


def test_short_rows_are_filled_up() -> None:
    assert page("a,b\n1\n", "text/csv").content == "| a | b |\n| --- | --- |\n| 1 |  |"


def test_one_column_is_a_table_too() -> None:
    assert page("name\nAnn\n", "text/csv").content == "| name |\n| --- |\n| Ann |"


def test_a_long_table_is_cut_and_says_so() -> None:
    document = page("n\n" + "\n".join(map(str, range(9000))), "text/csv")

    assert document.content.count("\n") == 5000
    assert document.notes == ("only the first 5,000 of about 9,000 rows",)


def test_a_wide_table_is_cut_sooner_and_says_so() -> None:
    document = page("\n".join([",".join("1" * 200)] * 700), "text/csv")

    assert document.content.count("\n") == 600
    assert document.notes == ("only the first 600 of about 699 rows",)


def test_a_million_columns_are_cut_and_say_so() -> None:
    document = page(",".join("1" * 1_000_000) + "\n", "text/csv")

    assert document.content.splitlines()[0].count("1") == 250
    assert document.notes == ("only the first 250 columns",)


def test_a_long_cell_is_whole_as_far_as_excel_goes() -> None:
    document = page(f"a,b\n1,{'x' * 3000}\n", "text/csv")

    assert (document.content.count("x"), document.notes) == (3000, ())


def test_a_longer_cell_is_cut_and_says_so() -> None:
    document = page(f"a,b\n1,{'x' * 33_000}\n", "text/csv")

    assert document.content.endswith(f"| {'x' * 32_766}… |")
    assert document.notes == ("cells of which only the first part is shown: 1",)


def test_of_very_many_long_cells_the_last_are_cut_sooner() -> None:
    document = page("a,b\n" + f"1,{'x' * 30_000}\n" * 50, "text/csv")

    assert document.content.count("x") == 33 * 30_000 + 17 * 1999
    assert document.notes == ("cells of which only the first part is shown: 17",)


def test_a_field_that_never_ends_makes_it_text() -> None:
    text = 'a,b\n1,"' + "x" * 200_000

    assert page(text, "text/csv", "https://e.org/a.csv") == ReadPage(
        title="a.csv", content=text, kind="csv"
    )
