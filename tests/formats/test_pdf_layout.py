"""What the layout of a PDF says: headings, paragraphs, lists, tables, code, links."""

import ctypes
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from tests.formats.build import raw_pdf
from tests.formats.read import page
from webseam.adapters.features.documents.formats.pdf.pdf_document import lay_out_pages
from webseam.adapters.features.documents.formats.pdf.pdf_lines import PageText, PdfLine

_FONTS = "<< /F1 4 0 R /F2 5 0 R /F3 6 0 R >>"


def laid_out(pages: Sequence[str], annotations: str = "") -> str:
    """Return the content of a PDF of these pages; F1 is plain, F2 bold, F3 of one width."""
    first = 7
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for name in ("Helvetica", "Helvetica-Bold", "Courier")
        ),
    ]
    for number, stream in enumerate(pages):
        objects += [
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
                f"/Resources << /Font {_FONTS} >> /Contents {first + 1 + 2 * number} 0 R {annotations} >>"
            ),
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return page(raw_pdf(objects), "application/pdf").content


def at(left: float, base: float, text: str, font: str = "F1", size: float = 10) -> str:
    """Return a piece of text at a place."""
    return f"BT /{font} {size} Tf {left} {base} Td ({text}) Tj ET\n"


FULL = "This line is so long that it fills the width of the column on this page nearly up"


def body(base: float) -> str:
    return at(72, base, FULL) + at(72, base - 12, "and here it ends.")


def test_larger_lines_are_headings_by_their_size_and_bold_ones_below_them() -> None:
    content = laid_out(
        [
            at(72, 740, "On tides", size=20)
            + body(700)
            + at(72, 660, "High water", size=14)
            + body(640)
            + at(72, 600, "In spring", font="F2")
            + body(580)
        ]
    )

    assert [line for line in content.split("\n") if line.startswith("#")] == [
        "## Page 1",
        "### On tides",
        "#### High water",
        "##### In spring",
    ]


def test_a_heading_of_two_lines_is_one() -> None:
    content = laid_out(
        [at(72, 740, "On tides", size=20) + at(72, 716, "and harbours", size=20) + body(680)]
    )

    assert "### On tides and harbours\n\n" in content


def test_a_bold_sentence_in_the_text_is_no_heading() -> None:
    content = laid_out([body(740) + at(72, 700, "Mind the gap.", font="F2") + body(680)])

    assert "### Mind" not in content
    assert "Mind the gap." in content


def test_lines_become_paragraphs() -> None:
    content = laid_out([body(740) + body(700)])

    assert content == f"## Page 1\n\n{FULL} and here it ends.\n\n{FULL} and here it ends."


def test_a_paragraph_ends_where_a_line_had_room_for_the_next_word() -> None:
    content = laid_out([body(740) + body(716)])

    assert content.count("and here it ends.\n\n") == 1


def test_dots_and_numbers_are_lists_with_what_hangs_below_them() -> None:
    dot = "\\225"
    content = laid_out(
        [
            body(740)
            + at(80, 710, f"{dot} {FULL[:60]}")
            + at(92, 698, "and goes on below.")
            + at(100, 686, f"{dot} An inner one")
            + at(80, 674, f"{dot} The last")
            + body(650)
            + at(80, 620, "1. First")
            + at(80, 608, "2. Second")
        ]
    )

    assert f"- {FULL[:60].strip()} and goes on below.\n   - An inner one\n- The last\n" in content
    assert content.endswith("1. First\n2. Second")


def test_dots_that_are_drawn_are_dots_too() -> None:
    def drawn(left: float, base: float, size: float = 4) -> str:
        return f"{left} {base + 2} {size} {size} re f\n"

    content = laid_out(
        [
            body(700)
            + drawn(74, 660) + at(84, 660, "Apples")
            + drawn(74, 648) + at(84, 648, "Pears, which")
            + drawn(94, 636) + at(104, 636, "are green")
            + at(72, 600, "No item: nothing beside it.")
            + drawn(20, 580) + at(72, 580, "Too far away.")
            + drawn(60, 560, 9) + at(72, 560, "Too large.")
            + "72 530 100 1 re f\n"
        ]
    )  # fmt: skip

    assert content.split("\n\n")[2:] == [
        "- Apples\n- Pears, which\n   - are green",
        "No item: nothing beside it.",
        "Too far away.",
        "Too large.",
    ]


def test_parts_under_each_other_are_a_table() -> None:
    content = laid_out(
        [
            body(740)
            + at(72, 700, "Harbour") + at(200, 700, "Depth") + at(300, 700, "Boats")
            + at(72, 685, "North") + at(200, 685, "3 m") + at(300, 685, "12")
            + at(72, 670, "South") + at(300, 670, "7")
            + body(640)
        ]
    )  # fmt: skip

    assert (
        "| Harbour | Depth | Boats |\n| --- | --- | --- |\n| North | 3 m | 12 |\n| South |  | 7 |\n"
        in content
    )


def test_cells_that_nearly_touch_are_told_apart_by_the_rows_around_them() -> None:
    content = laid_out(
        [
            at(72, 700, "Harbour") + at(140, 700, "Depth") + at(300, 700, "Boats")
            + at(72, 685, "Northern quay") + at(140, 685, "3 m") + at(300, 685, "12")
            + at(72, 670, "South") + at(140, 670, "9 m") + at(300, 670, "7")
        ]
    )  # fmt: skip

    assert "| Northern quay | 3 m | 12 |" in content


def test_a_cell_of_several_lines_stays_in_its_row() -> None:
    content = laid_out(
        [
            at(72, 700, "Harbour") + at(160, 700, "Remarks") + at(400, 700, "Depth")
            + at(72, 680, "Northern") + at(72, 668, "quay") + at(160, 680, "Only for small boats, and")
            + at(160, 668, "closed in winter") + at(400, 674, "3 m")
            + at(72, 650, "Mole") + at(160, 650, "Open") + at(400, 650, "2 m")
            + body(620)
        ]
    )  # fmt: skip

    assert "| Northern quay | Only for small boats, and closed in winter | 3 m |" in content
    assert "| Mole | Open | 2 m |" in content


def test_two_columns_of_text_are_no_table() -> None:
    left = "".join(at(72, 740 - 12 * line, f"Left {line} of the long first") for line in range(12))
    right = "".join(at(320, 740 - 12 * line, f"right {line} of the second") for line in range(12))

    content = laid_out([left + right])

    assert "|" not in content
    assert content.index("Left 11") < content.index("right 0")


def test_letters_of_one_width_are_code_with_their_indentation() -> None:
    content = laid_out(
        [
            body(740)
            + at(72, 700, "def tide\\(\\):", font="F3")
            + at(96, 688, "return 3", font="F3")
            + body(660)
        ]
    )

    assert "```\ndef tide():\n    return 3\n```" in content


def test_a_line_that_only_begins_with_code_is_text() -> None:
    line = at(72, 700, "tide", font="F3") + at(98, 700, "prints the height of the water.")

    assert "```" not in laid_out([body(740) + line + body(680)])


def test_an_item_goes_on_whatever_the_size_of_its_dot() -> None:
    item = at(80, 710, "\\225", size=6) + at(90, 710, FULL[:70]) + at(90, 698, "goes on below.")

    assert f"- {FULL[:70].strip()} goes on below." in laid_out([body(740) + item + body(670)])


def test_a_document_all_in_letters_of_one_width_is_text() -> None:
    assert "```" not in laid_out([at(72, 740, FULL, font="F3") + at(72, 728, "ends.", font="F3")])


def test_links_lead_where_they_did_but_to_nothing_else() -> None:
    link = (
        "/Annots [<< /Type /Annot /Subtype /Link /Rect [{} 738 {} 750] "
        "/A << /S /URI /URI ({}) >> >>]"
    )
    text = at(72, 740, "See the") + at(112, 740, "tables") + at(150, 740, "of it")

    led = laid_out([text], link.format(110, 145, "https://example.org/t"))
    hidden = laid_out([text], link.format(110, 145, "javascript:alert"))

    assert led.endswith("See the [tables](https://example.org/t) of it")
    assert hidden.endswith("See the tables of it")


def test_a_line_at_the_foot_of_every_page_is_told_once() -> None:
    pages = [
        body(740) + body(700) + at(72, 40, f"Report of the harbours, page {number}", size=8)
        for number in range(1, 5)
    ]

    assert laid_out(pages).count("Report of the harbours") == 1


def test_a_number_at_the_foot_of_every_page_that_is_not_the_page_s_is_kept() -> None:
    pages = [
        body(700) + body(600) + at(72, 40, f"Carried over: {total}") + at(300, 20, f"{number} / 3")
        for number, total in enumerate((512, 90, 4711), 1)
    ]

    content = laid_out(pages)

    assert [total for total in ("512", "90", "4711") if f"Carried over: {total}" in content] == [
        "512",
        "90",
        "4711",
    ]
    assert content.count(" / 3") == 1


def test_a_line_at_the_foot_with_other_figures_on_every_page_is_kept() -> None:
    figures = ((1, 4), (2, 9), (3, 2))
    feet = [f"Scale {scale}.0, tides of 0, 1, 2 and 3, page {page}" for page, scale in figures]

    content = laid_out([body(700) + body(600) + at(72, 40, foot) for foot in feet])

    assert [foot for foot in feet if foot in content] == feet


def test_rows_of_a_table_at_the_edges_of_every_page_are_kept() -> None:
    def row(base: float, *cells: str) -> str:
        return "".join(at(72 + 100 * place, base, cell) for place, cell in enumerate(cells))

    def table() -> str:
        rows = [row(700 - 14 * place, "Dover", f"{place}", "0") for place in range(1, 9)]
        return at(72, 760, "Tides") + row(700, "Port", "High", "Low") + "".join(rows)

    content = laid_out([table()] * 4)

    assert content.count("| Port | High | Low |") == 4
    assert content.count("| Dover | 8 | 0 |") == 4
    assert content.count("Tides") == 1


def test_a_running_head_of_two_lines_in_parts_is_told_once() -> None:
    head = "".join(
        at(72 + 200 * (n % 2), 760 - 12 * (n // 2), f"part {'abcd'[n]}") for n in range(4)
    )

    content = laid_out([head + body(700) + body(600) + body(500)] * 3)

    assert content.count("part a") == content.count("part d") == 1


def test_letters_that_are_set_one_by_one_are_a_word() -> None:
    line = PdfLine(text="c", left=72.4, right=77.4, base=700, size=11)
    pieces = [("c", 72.4, 77.4), ("olu", 77.9, 91.4), ("mn", 92.9, 106.7), ("two", 240, 250)]
    lines = [
        msgspec.structs.replace(line, text=text, left=left, right=right, base=base)
        for base in (700.0, 688.0, 676.0)
        for text, left, right in pieces
    ]

    assert lay_out_pages([lines]) == [
        "| column | two |\n| --- | --- |\n| column | two |\n| column | two |"
    ]


@pytest.mark.parametrize(("gap", "text"), [(2.0, "Dovern harbour"), (4.0, "Dover n harbour")])
def test_a_letter_that_is_spaced_out_stays_in_its_word(gap: float, text: str) -> None:
    def spaced(left: float, word: str) -> str:
        return f"BT /F1 12 Tf 2 Tc {left} 740 Td ({word}) Tj ET\n"

    line = spaced(72, "Dover") + spaced(72 + 40 + gap, "n") + spaced(140, "harbour")

    assert laid_out([line]) == f"## Page 1\n\n{text}"


def test_a_word_broken_at_the_end_of_a_line_is_made_whole() -> None:
    content = laid_out([at(72, 740, f"{FULL} har-") + at(72, 728, "bours of the north.")])

    assert "harbours" in content


def test_lines_of_contents_stay_lines() -> None:
    content = laid_out(
        [at(72, 740, "Tides ............ 3") + at(72, 728, "Harbours ........... 7") + body(700)]
    )

    assert "Tides ............ 3\n\nHarbours" in content


def rising(*pieces: tuple[str, float]) -> str:
    """Return a line whose pieces stand so high above it, those small."""
    said = (f"/F1 {7 if rise else 12} Tf {rise} Ts ({text}) Tj" for text, rise in pieces)
    return f"BT 72 700 Td {' '.join(said)} ET\n"


def test_numbers_above_the_line_are_raised_and_what_follows_them_is_not_set_apart() -> None:
    line = rising(
        ("The glass held 10", 0), ("-3", 5), (", says the manual of 1901 in m", 0), ("2", 5)
    )

    assert "The glass held 10⁻³, says the manual of 1901 in m²" in laid_out([line])


def test_a_number_that_only_is_smaller_or_stands_by_itself_is_not_raised() -> None:
    line = rising(("On page 1", 0), ("2", 0.5), (" of 19", 0), ("01", -3), (" in ", 0), ("45", 5))

    assert "On page 12 of 1901 in 45" in laid_out([line])


def test_a_number_that_is_as_large_as_the_rest_or_on_a_line_that_is_turned_is_not_raised() -> None:
    large = "BT 72 700 Td /F1 12 Tf (On page 1) Tj 5 Ts (2) Tj ET\n"
    turned = "BT 0 1 -1 0 300 300 Tm /F1 12 Tf (n) Tj /F1 7 Tf (1) Tj ET\n"

    content = laid_out([large + turned])

    assert "On page 12" in content
    assert "n1" in content


class Nowhere:
    """PDFium's functions, for a page whose letters a broken font puts nowhere."""

    FS_MATRIX = ctypes.c_double * 6

    def __init__(self) -> None:
        self.raw = self

    def get_text_range(self) -> str:
        return "Tides"

    def _place(self, *ends: Any) -> int:  # noqa: ANN401  what ctypes passes by reference
        for end in ends:
            if hasattr(end, "_obj"):
                end._obj.value = float("nan")  # noqa: SLF001  the only way in
        return 1

    def _number(self, *_: object) -> float:
        return float("nan")

    def _nothing(self, *_: object) -> int:
        return 0

    FPDFText_GetRect = FPDFText_GetCharOrigin = FPDFText_GetCharBox = _place
    FPDFText_CountRects = _place
    FPDFText_GetFontSize = _number
    FPDFText_GetMatrix = FPDFText_GetFontInfo = FPDFText_GetFontWeight = _nothing
    FPDFText_GetCharIndexFromTextIndex = _nothing


def test_letters_that_are_nowhere_are_read() -> None:
    lines = list(PageText(Nowhere(), Nowhere()).read_text_lines([]))

    assert lay_out_pages([lines]) == ["Tides"]
