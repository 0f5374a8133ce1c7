"""Cells keep what is emphasised in them, alike in every kind of text document; heads need no marks."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from tests.features.documents.build import docx
from tests.features.documents.containers import compound, open_document
from tests.features.documents.read import page
from tests.features.documents.word_files import IN_CELL, ROW_END, word_streams

# The words of each cell, in rows; those between stars are bold.
Rows: TypeAlias = Sequence[Sequence[str]]


def pieces(cell: str) -> list[tuple[str, bool]]:
    return [(text, place % 2 == 1) for place, text in enumerate(cell.split("*")) if text]


def as_docx(rows: Rows) -> bytes:
    lines = "".join(
        f"<w:tr>{''.join(f'<w:tc><w:p>{_docx_runs(cell)}</w:p></w:tc>' for cell in cells)}</w:tr>"
        for cells in rows
    )
    return docx(f"<w:tbl>{lines}</w:tbl>")


def _docx_runs(cell: str) -> str:
    return "".join(
        f"<w:r><w:rPr>{'<w:b/>' * bold}</w:rPr><w:t>{text}</w:t></w:r>"
        for text, bold in pieces(cell)
    )


def as_odt(rows: Rows) -> bytes:
    styles = '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    lines = "".join(
        f"<table:table-row>{''.join(map(_odt_cell, cells))}</table:table-row>" for cells in rows
    )
    return open_document("text", f"<table:table>{lines}</table:table>", styles)


def _odt_cell(cell: str) -> str:
    said = "".join(
        f'<text:span text:style-name="B">{text}</text:span>' if bold else text
        for text, bold in pieces(cell)
    )
    return f"<table:table-cell><text:p>{said}</text:p></table:table-cell>"


def as_rtf(rows: Rows) -> bytes:
    lines = "".join(rf"\trowd\pard\intbl {''.join(map(_rtf_cell, cells))}\row" for cells in rows)
    return rf"{{\rtf1 {lines}}}".encode()


def _rtf_cell(cell: str) -> str:
    said = "".join(rf"{{\b {text}}}" if bold else text for text, bold in pieces(cell))
    return rf"{said}\cell "


def as_doc(rows: Rows) -> bytes:
    words: list[tuple[str, tuple[int, bytes]]] = []
    for cells in rows:
        words += [(f"{cell.replace('*', '')}\x07", IN_CELL) for cell in cells]
        words.append(("\x07", ROW_END))
    every = [piece for cells in rows for cell in cells for piece in pieces(cell)]
    return compound(
        word_streams(words, letters={text: b"\x35\x08\x01" for text, bold in every if bold})
    )


KINDS = [pytest.param(make, id=make.__name__[3:]) for make in (as_docx, as_odt, as_rtf, as_doc)]
Make: TypeAlias = Callable[[Rows], bytes]


@pytest.mark.parametrize("make", KINDS)
def test_words_in_a_cell_keep_their_emphasis_and_the_head_has_none(make: Make) -> None:
    body = make([["*Stage*", "*Cost*"], ["First", "9 of *16*"], ["*Sum*", "25"]])

    assert page(body).content == (
        "| Stage | Cost |\n| --- | --- |\n| First | 9 of **16** |\n| **Sum** | 25 |"
    )


@pytest.mark.parametrize("make", KINDS)
def test_a_table_that_is_bold_all_over_is_plain(make: Make) -> None:
    body = make([["Stage", "Cost"], ["*First*", "*9*"], ["*Second*", ""]])

    assert page(body).content == "| Stage | Cost |\n| --- | --- |\n| First | 9 |\n| Second |  |"


@pytest.mark.parametrize("make", KINDS)
def test_rows_in_which_nothing_is_said_are_left_out(make: Make) -> None:
    body = make([["", ""], ["Stage", "Cost"], ["", ""], ["First", "9"], ["", ""]])

    assert page(body).content == "| Stage | Cost |\n| --- | --- |\n| First | 9 |"
