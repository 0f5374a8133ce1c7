"""``find``: the law of matching, one page at a time."""

import pytest
from returns.result import Failure

from webseam.kernel.pages.find import find_words, unknown_found
from webseam.kernel.pages.page_record import PageRecord, PageSource, oversized_kinds
from webseam.ports.found import Found, FoundPassage
from webseam.ports.pages import PARTS_CAP, LeftOut, PagePart, PageReading

URL = "https://shop.example/kettle"
TABLE = "# Kettle One\n\n| Item | Price |\n| --- | --- |\n| Kettle | € 49.95 |\n\nBoils fast.\nAnd quietly."
PAGE = PageRecord(
    source=PageSource(url=URL, final_url=URL),
    title="Kettle One - Shop",
    content=TABLE,
    reading=PageReading(
        view="as sent",
        content_type="text/html; charset=utf-8",
        complete=True,
        left_out=(LeftOut(kind="menus", words=2), LeftOut(kind="comments", words=4)),
        parts=(
            PagePart(kind="menus", text="Home\nContact"),
            PagePart(kind="comments", text="Mine leaks a bit."),
        ),
    ),
)


def find(text: object, record: PageRecord = PAGE, passages: object = 10) -> Found:
    return find_words(record, text, passages).unwrap()


def with_content(content: str) -> PageRecord:
    reading = PageReading(complete=True, left_out=())
    return PageRecord(source=PAGE.source, content=content, reading=reading)


def test_a_block_with_every_word_is_found_with_its_place() -> None:
    found = find("BOILS quietly")

    assert (found.status, found.total) == ("found", 1)
    assert found.passages == (
        FoundPassage(part="content", offset=TABLE.index("Boils"), text="Boils fast.\nAnd quietly."),
    )
    assert str(found).startswith("Found in 1 passage of this page as sent.")


def test_a_part_that_was_left_out_is_looked_through() -> None:
    (passage,) = find("leaks").passages

    assert (passage.part, passage.text) == ("comments", "Mine leaks a bit.")
    assert find("shop").passages[0].part == "title"


def test_words_of_two_cells_rows_are_apart() -> None:
    found = find("price 49.95")

    assert (found.status, found.missing) == ("apart", ())
    assert [passage.text for passage in found.passages] == [
        "| Item | Price |",
        "| Kettle | € 49.95 |",
    ]


def test_absent_names_the_words_and_the_command_that_renders() -> None:
    found = find("kettle warranty")

    assert (found.status, found.missing) == ("absent", ("warranty",))
    assert found.render == f"webseam extract {URL} --render always --find 'kettle warranty'"
    assert "not their inflections" in found.sentence
    assert found.render in str(found)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("It costs 49⁹⁵ today.", "49.95"),
        ("It costs **49**95 today.", "4995"),
        ("un**believ**able", "unbelievable"),
        ("[un](https://a.example/)believable", "unbelievable"),
        ("Acme™ kettles", "acme"),
        ("CAFÉ Zürich", "cafe zurich"),
        ("Straße", "STRASSE"),
        ("AT&amp;T", "AT&T"),
        ("Sodium 69mg", "mg"),
        ("15 GB of space", "15GB"),
        ("東京都の天気は晴れです。", "天気"),
        ("2024年12月", "2024年12月"),
        ("営業時間は10時から", "10時"),
        ("Ｋｅｔｔｌｅ", "kettle"),
        ("only € here", "€"),
        ("it’s open", "it's"),
        ("snake\\_case", "snake_case"),
    ],
)
def test_a_word_is_found_in_each_way_of_writing_it(content: str, text: str) -> None:
    assert find(text, with_content(content)).status == "found"


@pytest.mark.parametrize(
    ("content", "text"), [("4995", "49.95"), ("kettles", "kettle"), ("天地", "天気")]
)
def test_another_word_is_absent(content: str, text: str) -> None:
    assert find(text, with_content(content)).status == "absent"


def test_a_long_block_is_shown_around_the_first_word() -> None:
    (passage,) = find("needle", with_content("hay " * 500 + "needle " + "hay " * 500)).passages

    assert "needle" in passage.text
    assert len(passage.text) < 700
    assert passage.text.startswith("… ")
    assert passage.text.endswith(" …")


def test_passages_are_counted_beyond_those_that_are_shown() -> None:
    found = find("tide", with_content("\n\n".join(["high tide"] * 30)), 3)

    assert (len(found.passages), found.total) == (3, 30)
    assert found.sentence == "Found in 30 passages of this page."


@pytest.mark.parametrize(
    ("text", "passages", "field"),
    [
        ("", 10, "find"),
        (" \n", 10, "find"),
        (3, 10, "find"),
        ("x" * 1001, 10, "find"),
        (" ".join(map(str, range(51))), 10, "find"),
        ("x", 0, "max_passages"),
        ("x", 51, "max_passages"),
        ("x", True, "max_passages"),
    ],
)
def test_invalid_search_words_are_refused(text: object, passages: object, field: str) -> None:
    refused = find_words(PAGE, text, passages)

    assert isinstance(refused, Failure)
    assert refused.failure().field == field


def test_a_cap_that_met_no_text_is_no_reason() -> None:
    whole = PageReading(complete=True, cuts=("facts",), left_out=())
    cut = PageReading(complete=False, cuts=("page_chars",), left_out=())

    whole_page = PageRecord(source=PAGE.source, content="Tides.", reading=whole)
    cut_page = PageRecord(source=PAGE.source, content="Tides.", reading=cut)

    assert find("kettle", whole_page).status == "absent"
    assert find("kettle", cut_page).reason == "cap"


def test_a_page_that_cannot_be_looked_through_is_unknown_with_its_reason() -> None:
    shell = unknown_found("tides", "shell", url=URL)

    assert shell.sentence == (
        "Unknown whether it stands in this page: the page is empty until its script has run."
    )
    assert shell.render == f"webseam extract {URL} --render always --find tides"
    assert unknown_found("tides", "expired").render is None


def test_text_that_was_too_long_to_keep_makes_the_answer_unknown() -> None:
    reading = PageReading(
        complete=True, cuts=(PARTS_CAP,), left_out=(LeftOut(kind="comments", words=4),)
    )
    record = PageRecord(source=PAGE.source, content=TABLE, reading=reading)

    found = find("lighthouse", record)

    assert (found.status, found.reason) == ("unknown", "not_kept")
    assert oversized_kinds(reading) == ("comments",)
