"""What the layout of a PDF says: headings, paragraphs, lists, tables, code, links."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from tests.features.documents.build import raw_pdf
from tests.features.documents.read import page
from webseam.adapters.features.documents.formats.pdf.pdf_document import lay_out_pages
from webseam.adapters.features.documents.formats.pdf.pdf_lines import PageText, PdfLine
from webseam.ports.pages import LeftOut, ReadPage

_FONTS = "<< /F1 3 0 R /F2 4 0 R /F3 5 0 R /F4 6 0 R >>"
_FONT_NAMES = ("Helvetica", "Helvetica-Bold", "Courier", "Helvetica-Oblique")


def laid_out(pages: Sequence[str], annotations: str = "", outline: Sequence[str] = ()) -> str:
    """Return the content of a PDF of these pages.

    F1 is plain, F2 bold, F3 of one width, F4 sloped. The outline's entries are objects from 8 on.
    """
    return pdf_page(pages, annotations, outline).content


def pdf_page(pages: Sequence[str], annotations: str = "", outline: Sequence[str] = ()) -> ReadPage:
    first = 8 + len(outline)
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 7 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for name in _FONT_NAMES
        ),
        "<< /Type /Outlines /First 8 0 R /Last 8 0 R >>" if outline else "<< >>",
        *(f"<< {entry} >>" for entry in outline),
    ]
    for number, stream in enumerate(pages):
        objects += [
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
                f"/Resources << /Font {_FONTS} >> /Contents {first + 1 + 2 * number} 0 R {annotations} >>"
            ),
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return page(raw_pdf(objects), "application/pdf")


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


TITLE = at(72, 740, "On tides", size=20)


def headings(*pieces: str, more: str = "") -> list[str]:
    """Return the headings of a page with a title, these pieces, and text below them."""
    content = laid_out([TITLE + "".join(pieces) + body(500) + body(460) + more])
    return [line for line in content.split("\n") if line.startswith("###")]


@pytest.mark.parametrize(
    ("piece", "heading"),
    [
        (at(150, 524, "I. INTRODUCTION"), "I. INTRODUCTION"),
        (at(150, 524, "REFERENCES"), "REFERENCES"),
        (at(72, 524, "A. Sensors", font="F4"), "A. Sensors"),
        (at(72, 524, "2.1 High water", font="F4"), "2.1 High water"),
        (at(72, 524, "3 High water", size=11), "3 High water"),
        (at(72, 524, "High water", font="F4"), "High water"),
        (at(72, 524, "High water", font="F2", size=9), "High water"),
        (at(72, 524, "2") + at(100, 524, "High water", font="F2"), "2 High water"),
    ],
)
def test_short_line_in_heading_type_apart_from_the_text_is_a_heading(
    piece: str, heading: str
) -> None:
    assert headings(piece)[1:] == [f"#### {heading}"]


@pytest.mark.parametrize(
    "piece",
    [
        "BT /F1 20 Tf 0 1 -1 0 30 300 Tm (arXiv:1234.5678v9 [cs.IT]) Tj ET\n",
        at(72, 524, "1. Item of a list"),
        at(72, 524, "2012ARA&A..50..455"),
        at(72, 524, "TABLE II", size=8),
        at(72, 524, "Table 1.", font="F2"),
        at(72, 524, "Harbour", font="F2") + at(200, 524, "Depth", font="F2"),
        at(72, 524, "High water ........ 3", size=14),
        at(72, 524, "High water", size=14) + at(500, 524, "3", size=14),
        at(72, 524, "\\225 High water", font="F2"),
        at(72, 524, "GET", font="F3"),
        at(72, 524, "in italics", font="F4"),
        at(72, 712, "Ann Harbour", size=12) + at(72, 690, "June 2020", size=12),
    ],
)
def test_line_that_only_looks_like_a_heading_is_none(piece: str) -> None:
    assert headings(piece) == ["### On tides"]


def test_thick_letters_are_bold_only_where_most_are_not() -> None:
    line = PdfLine(text=FULL, left=72, right=500, base=700, size=10, bold=True, heavy=True)
    lines = [msgspec.structs.replace(line, base=700 - 12 * place) for place in range(9)]
    short = msgspec.structs.replace(line, text="Low water", right=120, base=580)

    heavy = lay_out_pages([[*lines, short]]).pages
    light = msgspec.structs.replace(line, bold=False, heavy=False)
    named = lay_out_pages(
        [[*(msgspec.structs.replace(light, base=it.base) for it in lines), short]]
    ).pages

    assert "#" not in heavy[0]
    assert named[0].endswith("### Low water")


def test_first_word_of_the_first_paragraph_in_a_font_of_its_own_is_its_heading() -> None:
    start = at(72, 700, "Summary.", font="F2", size=9) + at(116, 700, FULL[:70], size=9)
    text = start + at(72, 689, FULL, size=9) + at(72, 678, FULL, size=9) + body(640) + body(600)

    content = laid_out([TITLE + text])

    assert f"\n\n#### Summary\n\n{FULL[:70]}" in content


def test_number_and_words_in_a_font_of_their_own_before_text_are_a_heading() -> None:
    start = at(72, 700, "2.1 High water.", font="F2") + at(160, 700, FULL[:60])

    content = laid_out([TITLE + body(740) + start + at(72, 688, "and low.") + body(640)])

    assert f"\n\n#### 2.1 High water\n\n{FULL[:60].strip()} and low." in content


def outlined(pages: Sequence[str], *entries: str) -> str:
    """Return the content of a PDF with an outline; each entry is more of its object."""
    return laid_out(pages, outline=entries)


ENTRY = "/Title ({}) /Dest [{} 0 R /Fit] /Parent 7 0 R"


def test_outline_names_headings_and_their_levels() -> None:
    page_text = at(72, 740, "Tides", size=20) + at(72, 700, "High water") + body(680) + body(600)

    content = outlined(
        [page_text],
        f"{ENTRY.format('Tides', 10)} /First 9 0 R /Last 9 0 R",
        f"{ENTRY.format('1 High water', 10)}",
    )

    assert content.startswith("## Page 1\n\n### Tides\n\n#### High water\n\n")


def test_outline_of_sections_is_below_the_title_and_prefers_heading_type() -> None:
    text = TITLE + body(700) + at(72, 670, "Example:") + at(72, 640, "Example", font="F2")

    content = outlined([text + body(620)], f"{ENTRY.format('Example', 9)}")

    assert "### On tides" in content
    assert "Example:\n\n#### Example\n\n" in content


def test_outline_that_leads_in_circles_or_nowhere_is_read() -> None:
    circle = outlined([body(700)], f"{ENTRY.format('Tides', 9)} /Next 8 0 R")
    nowhere = outlined([body(700)], "/Title (Tides) /Parent 7 0 R")

    assert circle == nowhere == laid_out([body(700)])


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
            + drawn(74, 660)
            + at(84, 660, "Apples")
            + drawn(74, 648)
            + at(84, 648, "Pears, which")
            + drawn(94, 636)
            + at(104, 636, "are green")
            + at(72, 600, "No item: nothing beside it.")
            + drawn(20, 580)
            + at(72, 580, "Too far away.")
            + drawn(60, 560, 9)
            + at(72, 560, "Too large.")
            + "72 530 100 1 re f\n"
        ]
    )

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
            + at(72, 700, "Harbour")
            + at(200, 700, "Depth")
            + at(300, 700, "Boats")
            + at(72, 685, "North")
            + at(200, 685, "3 m")
            + at(300, 685, "12")
            + at(72, 670, "South")
            + at(300, 670, "7")
            + body(640)
        ]
    )

    assert (
        "| Harbour | Depth | Boats |\n| --- | --- | --- |\n| North | 3 m | 12 |\n| South |  | 7 |\n"
        in content
    )


def test_cells_that_nearly_touch_are_told_apart_by_the_rows_around_them() -> None:
    content = laid_out(
        [
            at(72, 700, "Harbour")
            + at(140, 700, "Depth")
            + at(300, 700, "Boats")
            + at(72, 685, "Northern quay")
            + at(140, 685, "3 m")
            + at(300, 685, "12")
            + at(72, 670, "South")
            + at(140, 670, "9 m")
            + at(300, 670, "7")
        ]
    )

    assert "| Northern quay | 3 m | 12 |" in content


def test_a_cell_of_several_lines_stays_in_its_row() -> None:
    content = laid_out(
        [
            at(72, 700, "Harbour")
            + at(160, 700, "Remarks")
            + at(400, 700, "Depth")
            + at(72, 680, "Northern")
            + at(72, 668, "quay")
            + at(160, 680, "Only for small boats, and")
            + at(160, 668, "closed in winter")
            + at(400, 674, "3 m")
            + at(72, 650, "Mole")
            + at(160, 650, "Open")
            + at(400, 650, "2 m")
            + body(620)
        ]
    )

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


def listing(*rows: tuple[str, str], font: str = "F1", base: float = 700) -> str:
    """Return lines of code with a number before each, in a font; an empty number has none."""
    lines = ((base - 12 * place, number, code) for place, (number, code) in enumerate(rows))
    return "".join(
        (at(60, height, number, font) if number else "")
        + (at(84, height, code, font="F3") if code else "")
        for height, number, code in lines
    )


@pytest.mark.parametrize("font", ["F1", "F3"])
def test_numbered_listing_is_one_fence_without_its_numbers(font: str) -> None:
    rows = (
        ("9", "def tide\\(\\):"),
        ("10", "  return"),
        ("", "  3"),
        ("11", ""),
        ("12", "tide\\(\\)"),
    )

    document = pdf_page([body(740) + listing(*rows, font=font) + body(600)])
    content = document.content

    assert document.left_out == (LeftOut(kind="margins", words=4),)
    assert "|" not in content
    assert "\n```\ndef tide():\n  return\n  3\n\ntide()\n```\n" in content


def test_listing_of_one_line_has_no_number() -> None:
    content = laid_out([body(740) + listing(("1", "gem tide")) + body(660)])

    assert "\n```\ngem tide\n```\n" in content


def test_numbers_that_do_not_count_are_no_line_numbers() -> None:
    rows = tuple((number, f"0x{number}F") for number in ("12", "7", "30"))

    content = laid_out([body(740) + listing(*rows) + body(600)])

    assert [number for number in ("12", "7", "30") if f"{number} | 0x" in content] == [
        "12",
        "7",
        "30",
    ]


def test_lines_of_code_that_are_far_apart_have_a_blank_line_between_them() -> None:
    code = at(72, 700, "north", "F3") + at(72, 688, "south", "F3") + at(72, 660, "west", "F3")

    assert "```\nnorth\nsouth\n\nwest\n```" in laid_out([body(740) + code + body(620)])


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


def test_repeated_page_margins_are_left_out_and_counted() -> None:
    pages = [
        at(72, 760, "Report of the harbours", size=8)
        + body(700)
        + body(600)
        + at(300, 40, f"- {number} -")
        for number in (1, 2)
    ]

    document = pdf_page(pages)

    assert document.content.count("Report of the harbours") == 1
    assert "- 1 -" not in document.content
    assert "- 2 -" not in document.content
    # Four words of the header, and twice a number.
    assert document.left_out == (LeftOut(kind="margins", words=6),)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (at(72, 760, "Report of 3 ports"), at(72, 760, "Report of 9 ports")),
        (at(72, 760, "Report"), at(72, 730, "Report")),
        (at(72, 760, "Report", size=20), at(72, 760, "Report", size=20)),
    ],
)
def test_edges_of_two_pages_that_differ_are_kept(first: str, second: str) -> None:
    document = pdf_page([edge + body(700) + body(676) for edge in (first, second)])

    assert document.content.count("Report") == 2
    assert document.left_out == ()


@pytest.mark.parametrize(("base", "is_shown"), [(30, False), (400, True)])
def test_number_at_the_foot_of_a_single_page_is_that_of_the_page(
    base: float, *, is_shown: bool
) -> None:
    document = pdf_page([body(700) + body(600) + at(300, base, "417")])

    assert ("417" in document.content) is is_shown


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

    assert lay_out_pages([lines]).pages == [
        "| column | two |\n| --- | --- |\n| column | two |\n| column | two |"
    ]


@pytest.mark.parametrize(("gap", "text"), [(2.0, "Dovern harbour"), (4.0, "Dover n harbour")])
def test_a_letter_that_is_spaced_out_stays_in_its_word(gap: float, text: str) -> None:
    def spaced(left: float, word: str) -> str:
        return f"BT /F1 12 Tf 2 Tc {left} 740 Td ({word}) Tj ET\n"

    line = spaced(72, "Dover") + spaced(72 + 40 + gap, "n") + spaced(140, "harbour")

    assert laid_out([line]) == f"## Page 1\n\n{text}"


def test_text_that_begins_like_a_page_of_ours_does_not_look_like_one() -> None:
    content = laid_out([body(740) + at(72, 700, "## Page 99") + body(660) + at(72, 600, "```")])

    assert "\n\n\\## Page 99" in content
    assert "\n\n\\```" in content


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

    assert lay_out_pages([lines]).pages == ["Tides"]


def upwards(across: float, up: float, text: str, size: float = 10) -> str:
    """Return a piece of text that runs up the page."""
    return f"BT /F1 {size} Tf 0 1 -1 0 {across} {up} Tm ({text}) Tj ET\n"


def downwards(across: float, up: float, text: str, size: float = 10) -> str:
    """Return a piece of text that runs down the page."""
    return f"BT /F1 {size} Tf 0 -1 1 0 {612 - across} {792 - up} Tm ({text}) Tj ET\n"


def turned_page(turned: Callable[..., str]) -> str:
    rows = [("Harbour", "Depth", "Boats"), ("North", "3 m", "12"), ("South", "4 m", "7")]
    cells = "".join(
        turned(200 + 15 * row, 60 + 100 * column, text)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )
    text = turned(60, 60, "On tides", 20) + turned(100, 60, FULL) + turned(112, 60, "and ends.")
    return laid_out([text + turned(160, 60, FULL) + cells])


def test_page_on_which_all_text_runs_up_reads_as_if_it_did_not() -> None:
    assert turned_page(upwards) == (
        f"## Page 1\n\n### On tides\n\n{FULL} and ends.\n\n{FULL}\n\n"
        "| Harbour | Depth | Boats |\n| --- | --- | --- |\n| North | 3 m | 12 |\n| South | 4 m | 7 |"
    )


def test_page_on_which_all_text_runs_down_has_headings_paragraphs_and_tables() -> None:
    content = turned_page(downwards)

    # PDFium gives such lines in another order.
    assert "### On tides\n" in content
    assert f"\n\n{FULL} and ends.\n\n" in content
    assert "| North | 3 m | 12 |\n| South | 4 m | 7 |" in content


def test_links_of_a_turned_page_lead_where_they_did() -> None:
    link = (
        "/Annots [<< /Type /Annot /Subtype /Link /Rect [50 50 70 90] "
        "/A << /S /URI /URI (https://example.org/t) >> >>]"
    )

    content = laid_out([upwards(60, 60, "tables") + upwards(60, 100, "of it")], link)

    assert content == "## Page 1\n\n[tables](https://example.org/t) of it"
