"""The compressor without a model."""

import asyncio

import pytest

from webseam.adapters.compressors.extractive_compressor import (
    OMISSION_MARK,
    extract,
    split_page_units,
)
from webseam.adapters.transforms.passages import ExtractiveCompressor
from webseam.kernel import WebDeps, web_extract
from webseam.testing import FakeBackend

FILLER = "The weather was mild and nothing of note happened on that long afternoon. "
ANSWER = "The bridge at Rothwell was finished in 1912 by Ada Lund."
CODE = "```python\n# Heading?\ndef f():\n\n    return 1\n```"
TABLE = "| year | cost |\n| --- | --- |\n| 1912 | 40 |"


def _page(*middle: str) -> str:
    fill = "\n\n".join([FILLER * 5] * 12)
    return "\n\n".join(["# Rothwell", fill, *middle, fill, "The end."])


def test_the_sentence_that_answers_is_kept_and_its_neighbours_with_it() -> None:
    page = _page(f"Many tried before. {ANSWER} It still stands.")

    short = extract(page, "When was the bridge finished?")

    assert f"Many tried before. {ANSWER} It still stands." in short
    assert len(short) <= 5000
    assert OMISSION_MARK in short


def test_a_short_page_is_kept_as_it_is() -> None:
    assert extract("short", "anything") == "short"


@pytest.mark.parametrize("block", [CODE, TABLE, "![A bridge](https://a.example/b.png)"])
def test_code_tables_and_figures_are_kept_whole(block: str) -> None:
    short = extract(_page("About the bridge of 1912:", block), "bridge 1912 cost return", 800)

    assert block in short


def test_a_block_that_does_not_fit_is_left_out_whole() -> None:
    code = "```\n" + "bridge = 1912\n" * 200 + "```"

    short = extract(_page(code, ANSWER), "bridge 1912", 700)

    assert "bridge = 1912" not in short
    assert ANSWER in short


LEDGER = "\n".join(f"| {year} | {year % 97} | paid |" for year in range(1500, 1900))


def test_of_a_table_that_does_not_fit_the_rows_that_answer_are_kept_under_their_head() -> None:
    head = "| year | cost | state |\n| --- | --- | --- |"

    short = extract(f"{head}\n{LEDGER}", "What was the cost in 1777?", 300)

    assert short.startswith(head)
    assert "| 1777 | 31 | paid |" in short
    assert f"|\n{OMISSION_MARK}\n|" in short
    assert len(short) <= 300


def test_a_row_never_stands_without_the_head_of_its_table() -> None:
    head = "| year | cost | state |\n| --- | --- | --- |"

    short = extract(f"{head}\n{LEDGER}", "1777", 95)

    assert short.startswith(f"{head}\n{OMISSION_MARK}\n| 1777 | 31 | paid |")


def test_without_a_question_a_table_that_does_not_fit_is_kept_from_its_top() -> None:
    head = "# Ledger\n\n| year | cost | state |\n| --- | --- | --- |"

    short = extract(f"{head}\n{LEDGER}", "", 300)

    assert short.startswith(f"{head}\n| 1500 | 45 | paid |\n| 1501 | 46 | paid |\n")
    assert short.endswith(OMISSION_MARK)


def test_the_rows_of_a_table_without_a_head_are_kept_too() -> None:
    assert "| 1777 | 31 | paid |" in extract(LEDGER, "1777", 300)


def test_kept_passages_stay_in_order_with_marks_between() -> None:
    page = _page("First the bridge.", FILLER * 8, "Then the bridge again.")

    short = extract(page, "bridge", 400)

    assert short.index("First the bridge.") < short.index("Then the bridge again.")
    assert f"{OMISSION_MARK}\n\n" in short
    assert short.endswith(OMISSION_MARK)


def test_the_heading_of_what_is_kept_is_kept() -> None:
    page = _page("## Bridges", FILLER * 4, ANSWER)

    assert "## Bridges" in extract(page, "Ada Lund", 500)


def test_list_items_are_kept_each_for_itself() -> None:
    items = "\n".join(f"- item {number} is plain" for number in range(40))
    page = _page(f"{items}\n- the bridge of 1912\n  goes on here\n- last")

    short = extract(page, "bridge 1912", 120)

    assert "- the bridge of 1912\n  goes on here" in short
    assert "item 3 is plain" not in short


@pytest.mark.parametrize(
    "instruction",
    ["", "Keep every fact, figure, name, date and quotation.", "zebra quagga", "the of and"],
)
def test_without_a_question_the_beginnings_are_kept(instruction: str) -> None:
    sections = "\n\n".join(
        f"## Part {number}\n\nPart {number} begins so. " + FILLER * 9 for number in range(15)
    )

    short = extract(f"# Top\n\nThe lead.\n\n{sections}", instruction, 3000)

    assert short.startswith("# Top\n\nThe lead.")
    assert all(f"Part {number} begins so." in short for number in range(15))


@pytest.mark.parametrize(
    "page", ["x" * 20_000, "東" * 20_000, "\n" * 9000, "```\n" + "code\n" * 4000, "word " * 4000]
)
def test_a_page_without_sentences_is_shortened_too(page: str) -> None:
    short = extract(page, "anything")

    assert 0 < len(short) <= 5000


def test_sentences_end_where_they_do() -> None:
    text = "Dr. Lund, e.g. in Fig. 3, spoke. “Yes!” she said. It cost 3.5 million. J. Roe agreed."

    assert [unit.text for unit in split_page_units(text)] == [
        "Dr. Lund, e.g. in Fig. 3, spoke.",
        "“Yes!” she said.",
        "It cost 3.5 million.",
        "J. Roe agreed.",
    ]


@pytest.mark.parametrize(
    "sentences",
    [
        ["पुल 1912 में बना था।", "वह चौड़ा था।"],
        ["متى بني الجسر؟", "بني في عام 1912."],
        ["یہ پل ہے۔", "یہ چوڑا ہے۔"],
        ["橋は広い。", "町は古い！"],
    ],
)
def test_sentences_end_by_the_marks_of_their_script(sentences: list[str]) -> None:
    assert [unit.text for unit in split_page_units(" ".join(sentences))] == sentences


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    assert [unit.kind for unit in split_page_units("text\n```\n# a\n\n| b |")] == [
        "sentence",
        "whole",
    ]


def test_it_is_a_compressor_for_the_kernel() -> None:
    backend = FakeBackend(document=_page(ANSWER))
    deps = WebDeps(
        backend=backend, compressor=ExtractiveCompressor(600), instruction="Who built the bridge?"
    )

    page = asyncio.run(web_extract("https://a.example/", deps)).unwrap()

    assert ANSWER in page.content
    assert page.receipt.compressed


def test_a_page_is_read_by_the_rules_of_its_own_language() -> None:
    filler = "Die Stadt ist alt und liegt an einem Fluss, der im Winter nicht zu sehen ist. " * 60
    page = f"{filler}\n\nDort stehen viele Häuser aus Holz.\n\n{filler}"

    assert "Häuser aus Holz" in extract(page, "Was ist mit dem Haus?", 400)
    assert "Häuser aus Holz" in extract(page, "Keep what is about the haus", 400)
