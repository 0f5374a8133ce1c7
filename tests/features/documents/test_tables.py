"""CSV and TSV as tables."""

import pytest

from tests.features.documents.read import page
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


def test_a_long_table_is_whole() -> None:
    document = page("n,m\n" + "1,2\n" * 60_000, "text/csv")

    assert document.content.count("| 1 | 2 |") == 60_000
    assert document.notes == ()


def test_a_longer_table_is_cut_and_says_so() -> None:
    document = page("n\n" + "1\n" * 100_500, "text/csv")

    assert document.content.count("\n") == 100_000
    assert document.notes == ("only the first 100,000 of about 100,501 rows",)


def test_a_wide_table_has_all_of_its_columns_and_fewer_rows() -> None:
    document = page("\n".join([",".join("1" * 2000)] * 400), "text/csv")

    assert document.content.count("1") == 600_000
    assert document.notes == ("only the first 300 of about 399 rows",)


def test_rows_longer_than_what_is_looked_at_first_have_all_of_their_columns() -> None:
    document = page("\n".join([",".join(["1234567.25"] * 10_000)] * 2), "text/csv")

    assert document.content.count("1234567.25") == 20_000
    assert document.notes == ()


def test_one_row_that_is_far_wider_than_the_others_is_cut() -> None:
    document = page("a,b\n1,2\n" + "x," * 2000 + "\n3,4\n", "text/csv")

    assert document.content.count("x") == 250
    assert document.notes == ("only the first 250 columns",)


def test_a_million_columns_are_cut_and_say_so() -> None:
    document = page(",".join("1" * 1_000_000) + "\n", "text/csv")

    assert document.content.splitlines()[0].count("1") == 16_384
    assert document.notes == ("only the first 16,384 columns",)


def test_of_a_text_longer_than_any_page_the_first_rows_are_shown() -> None:
    document = page("a,b\n" + f"1,{'x' * 996}y\n" * 4500, "text/csv")

    assert document.content.endswith(f"| 1 | {'x' * 996}y |")
    assert document.notes == ("only the first 4,000 of about 4,501 rows",)


def test_long_cells_are_whole() -> None:
    document = page("a,b\n" + f"1,{'x' * 100_000}\n" * 30, "text/csv")

    assert (document.content.count("x"), document.notes) == (3_000_000, ())


@pytest.mark.parametrize(
    ("text", "above"),
    [
        ("Tides of 2026\n\na,b,c\n1,2,3\n4,5,6\n", ["Tides of 2026"]),
        ("Tides of 2026,,\r\nBy hand,,\r\na,b,c\r\n1,2,3\r\n", ["Tides of 2026", "By hand"]),
        ("# made by hand, in 2026\na,b,c\n1,2,3\n4,5,6\n", ["made by hand, in 2026"]),
        ("# ![x](https://e.org/x), y\na,b,c\n1,2,3\n", ["!\\[x](https://e.org/x), y"]),
    ],
)
def test_lines_above_a_table_stand_above_it(text: str, above: list[str]) -> None:
    content = page(text, "text/csv").content

    assert content.split("\n\n")[:-1] == above
    assert content.split("\n\n")[-1].startswith("| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("#a,b\n1,2\n", "| #a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a,\n1,2\n", "| a |  |\n| --- | --- |\n| 1 | 2 |"),
        ("Tides\nof\nspring", "| Tides |\n| --- |\n| of |\n| spring |"),
        ('"a\nb",c,d\n1,2,3\n', "| a b | c | d |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
    ],
)
def test_a_head_is_no_line_above_the_table(text: str, content: str) -> None:
    assert page(text, "text/csv").content == content


@pytest.mark.parametrize("told", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_says_what_parts_the_columns_is_heeded_and_not_shown(told: str) -> None:
    content = page(f"{told}\r\na;b, c\r\n1, 0;2, 0\r\n", "text/csv").content

    assert content == "| a | b, c |\n| --- | --- |\n| 1, 0 | 2, 0 |"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (r'"He said \"hi, all\" and left"', 'He said "hi, all" and left'),
        (r'"He said ""hi, all"" and left"', 'He said "hi, all" and left'),
        (r'"C:\tides\"', "C:\\tides\\"),
        (r'"{""a"": ""\""b\"", c""}"', r'{"a": "\"b\", c"}'),
    ],
)
def test_quotation_marks_in_a_cell_do_not_end_it(cell: str, shown: str) -> None:
    content = page(f"n,text\n1,{cell}\n2,ebb\n", "text/csv").content

    assert content == f"| n | text |\n| --- | --- |\n| 1 | {shown} |\n| 2 | ebb |"


@pytest.mark.parametrize(
    "line",
    ['1,"ebb', '1,"ebb\r', '"1","ebb', '1,"e"bb'],
)
@pytest.mark.parametrize("last", ["3,neap", '3,"neap"', '3,"""neap"""', '3,"x\ny" ', '3,"a" b'])
def test_a_quotation_mark_that_nothing_closes_takes_no_other_row(line: str, last: str) -> None:
    content = page(f"n,tide\n{line}\n2,flood\n{last}\n4,spring\n", "text/csv").content
    rows = content.splitlines()[2:]

    assert [row.split(" | ")[0] for row in rows] == ["| 1", "| 2", "| 3", "| 4"]
    assert rows[0] == "| 1 | ebb |"
    assert rows[1] == "| 2 | flood |"


def test_a_mark_that_is_left_open_in_a_long_table_takes_no_other_row() -> None:
    rows = [f"{number},tide" for number in range(60_000)]
    rows[7] = '7,"tide'
    content = page("\n".join(["n,what", *rows]), "text/csv").content

    assert content.count(" | tide |") == 60_000


def test_rows_with_words_after_a_closed_cell_and_an_open_one_are_rows() -> None:
    content = page("n,what\n" + '"a" b,"c\n' * 300, "text/csv").content

    assert content.count("\n| a b | c |") == 300


def test_marks_that_are_open_in_every_row_are_read_within_limits() -> None:
    content = page("n,what\n" + '1,"ti"de\n2,"x\n' * 40_000, "text/csv").content

    assert content.startswith("| n | what |\n| --- | --- |\n| 1 | tide |\n| 2 | x |\n")


def test_commas_in_numbers_part_no_columns() -> None:
    content = page("0,5;1,5;2,5\n1,0;2,0;3,0\n", "text/csv").content

    assert content == "| 0,5 | 1,5 | 2,5 |\n| --- | --- | --- |\n| 1,0 | 2,0 | 3,0 |"


def test_a_field_that_never_ends_makes_it_text() -> None:
    text = 'a,b\n1,"' + "x" * 200_000

    assert page(text, "text/csv", "https://e.org/a.csv") == ReadPage(
        title="a.csv", content=text, kind="csv"
    )
