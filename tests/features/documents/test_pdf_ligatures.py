"""Signs of PDFs that stand for several letters, which only the names in their fonts tell."""

import zlib

import pytest

from tests.features.documents.build import raw_pdf
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent

TABLE = "/Differences [ 1 /a 128 /f_f /f_f_i 134 /T_h /v.alt ]"
WRITTEN = r"(\206e e\200ort was o\201cial) Tj"


def paper(*more: str, encoding: str = "/Encoding 6 0 R", text: str = WRITTEN) -> bytes:
    """A page in a font that has such signs; ``more`` are the objects from the sixth on."""
    fonts = "/Resources << /Font << /F1 3 0 R >> >>"
    stream = f"BT /F1 12 Tf 72 720 Td {text} ET"
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Tide {encoding} >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {fonts} /Contents 5 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
            *more,
        ]
    )


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
