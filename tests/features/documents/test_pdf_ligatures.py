"""Signs of PDFs that stand for several letters, which only the names in their fonts tell."""

import zlib

import pytest

from tests.features.documents.pdf_files import TABLE, paper
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent


def packed(content: str) -> str:
    stream = zlib.compress(content.encode()).decode("latin-1")
    about = f"<< /Type /ObjStm /N 1 /First 4 /Length {len(stream)} /Filter /FlateDecode >>"
    return f"{about}\nstream\n{stream}\nendstream"


@pytest.mark.parametrize(
    "whole",
    [
        paper(f"<< /Type /Encoding {TABLE} >>"),
        paper(encoding=f"/Encoding << {TABLE} >>"),
        # As it is packed with others, for us alone: with #66 in it the other name is the same to PDFium.
        paper(
            f"<< /Type /Encoding {TABLE.replace('Diff', 'Di#66f')} >>",
            packed(f"7 0 6 4 <<>> << {TABLE} >>"),
        ),
    ],
)
def test_signs_for_several_letters_are_read_as_these(whole: bytes) -> None:
    assert page(whole).content == "## Page 1\n\nThe effort was official"


@pytest.mark.parametrize(
    "more",
    [
        ("<< /Type /Encoding /Differences [ 128 /odd ] >>",),
        (f"<< /Type /Encoding {TABLE.replace('Diff', 'Di#66f')} >>", packed("")),
        (
            f"<< /Type /Encoding {TABLE.replace('Diff', 'Di#66f')} >>",
            packed(f"6 0 << {TABLE} >>").replace("stream\n", "stream\nx"),
        ),
        (
            f"<< /Type /Encoding {TABLE.replace('Diff', 'Di#66f')} >>",
            "<< /Type /ObjStm /N 1 >> and no more",
            packed(f"<< {TABLE} >>"),
        ),
        (
            f"<< /Type /Encoding {TABLE} >>",
            "<< /Type /Font /BaseFont /Tide /Encoding 8 0 R >>",
            "<< /Differences [ 128 /f_i /f_l 134 /Q_u ] >>",
        ),
    ],
)
def test_a_sign_that_nothing_tells_of_for_sure_is_left_out(more: tuple[str, ...]) -> None:
    read = page(paper(*more))

    assert read.content == "## Page 1\n\ne eort was ocial"
    assert read.notes == ("letters that their font does not tell: 3",)


def test_a_text_of_which_nothing_is_told_is_none() -> None:
    assert error(paper(text=r"(\206a \200\201 o) Tj")) == EmptyContent(reason="no_text")


def test_a_sign_keeps_the_words_beside_it_in_their_cells() -> None:
    rows = "".join(
        rf"1 0 0 1 72 {700 - 20 * place} Tm (e\200ort) Tj 1 0 0 1 300 {700 - 20 * place} Tm ({place}\200) Tj "
        for place in range(4)
    )

    read = page(paper(f"<< /Type /Encoding {TABLE} >>", text=rows)).content

    assert read.count("| effort | ") == 4
    assert "| 3ff |" in read
