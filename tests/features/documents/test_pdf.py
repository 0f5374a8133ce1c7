"""PDF to text with page numbers."""

import pytest

from tests.features.documents.build import pdf, raw_pdf
from tests.features.documents.read import error, page, read
from webseam.ports.errors import EmptyContent, ParseFailed, UnsupportedContent
from webseam.ports.pages import ReadPage

URL = "https://e.org/paper.pdf"


def test_each_page_stands_under_its_number() -> None:
    body = pdf(
        ["Hello", "", "World"],
        info="/Title (On bread) /Author (Ann) /Subject (Crust) /CreationDate (D:20240305120000Z)",
    )

    assert page(body, "application/pdf", URL) == ReadPage(
        title="On bread",
        content="## Page 1\n\nHello\n\n## Page 3\n\nWorld",
        author="Ann",
        description="Crust",
        published_at="2024-03-05",
        kind="pdf",
    )


def test_a_pdf_without_a_title_is_named_after_its_file() -> None:
    assert page(pdf(["x"]), "application/pdf", URL).title == "paper.pdf"


def test_a_title_of_half_a_letter_is_none() -> None:
    assert page(pdf(["x"], info="/Title <FEFFD800>"), "application/pdf", URL).title == "paper.pdf"


def test_a_pdf_of_pictures_is_empty() -> None:
    assert error(pdf(["", ""]), "application/pdf") == EmptyContent(reason="no_text")


def test_text_of_a_pdf_shows_no_picture() -> None:
    document = page(pdf(["![x]\\(https://e.org/\\)"]), "application/pdf")

    assert document.content == "## Page 1\n\n!\\[x](https://e.org/)"


@pytest.mark.parametrize("cut", [0.3, 0.6])
def test_half_a_pdf_is_corrupt_or_what_is_left_of_it(cut: float) -> None:
    whole = pdf(["Hello " * 50] * 3)

    document = read(whole[: int(len(whole) * cut)], "application/pdf")

    assert document.map(lambda page: page.kind).value_or("pdf") == "pdf"
    assert "corrupt" in str(document) or "Hello" in str(document)


def test_a_pdf_with_nothing_whole_in_it_is_corrupt() -> None:
    failure = error(b"%PDF-1.7\n1 0 obj\n<<", "application/pdf")

    assert failure == ParseFailed(reason="corrupt", detail="it is not a whole PDF")


def locked() -> bytes:
    zeros = "00" * 32
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{zeros}> /U <{zeros}> /P -4 >> /ID [<00> <00>]"
    return pdf(["Hello"], more=lock)


def test_a_pdf_that_wants_a_password_says_so() -> None:
    assert error(locked(), "application/pdf") == ParseFailed(reason="encrypted")


def test_a_pdf_without_pages_is_not_said_to_want_a_password_after_one_that_does() -> None:
    empty = raw_pdf(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"])
    error(locked(), "application/pdf")

    assert error(empty, "application/pdf") == ParseFailed(
        reason="corrupt", detail="it is not a whole PDF"
    )


def test_a_broken_page_is_noted_and_the_others_are_read() -> None:
    body = pdf(["Hello", "World"]).replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 3 0 R]")

    document = page(body, "application/pdf")

    assert document.content == "## Page 1\n\nHello"
    assert document.notes == ("pages that could not be read: 1",)


def test_a_page_tree_that_goes_in_circles_ends() -> None:
    kids = " ".join(["2 0 R"] * 1000)
    body = raw_pdf(
        ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count 100000 >>"]
    )

    failure = error(body, "application/pdf")

    assert isinstance(failure, ParseFailed | EmptyContent | UnsupportedContent)


def test_a_very_long_pdf_is_cut_and_says_so() -> None:
    document = page(pdf(["x"] * 2100), "application/pdf")

    assert len(document.notes) == 1
    assert document.notes[0].startswith("only the first ")
    assert document.notes[0].endswith(" of 2,100 pages")


def test_a_dense_pdf_is_cut_at_the_same_page_each_time() -> None:
    body = pdf(["word and more " * 1000] * 140)

    documents = [page(body, "application/pdf") for _ in range(2)]

    assert documents[0] == documents[1]
    assert documents[0].notes == ("only the first 105 of 140 pages",)


def filled(flags: int, sort: str = "Widget /FT /Tx /T (name) /V (Rosemary)") -> bytes:
    """A form with a field in which a word is shown, and a link over the page's own word."""
    shown = "BT /F1 12 Tf 2 5 Td (Rosemary) Tj ET"
    font = "/Resources << /Font << /F1 4 0 R >> >>"
    content = "BT /F1 12 Tf 72 720 Td (Name) Tj ET"
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents 5 0 R /Annots [8 0 R 6 0 R] >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            f"<< /Type /Annot /Subtype /{sort} /F {flags} /Rect [72 600 272 620] /AP << /N 7 0 R >> >>",
            f"<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] {font} /Length {len(shown)} >>\nstream\n{shown}\nendstream",
            "<< /Type /Annot /Subtype /Link /Rect [70 715 110 735] /A << /S /URI /URI (https://e.org/) >> >>",
        ]
    )


@pytest.mark.parametrize(("flags", "value"), [(4, " Rosemary"), (2, "")])
def test_form_values_are_read_unless_hidden(flags: int, value: str) -> None:
    content = page(filled(flags), "application/pdf").content

    assert content == f"## Page 1\n\n[Name](https://e.org/){value}"


@pytest.mark.parametrize("sort", ["FreeText /Contents (Rosemary)", "Stamp"])
def test_free_text_and_stamps_are_read(sort: str) -> None:
    content = page(filled(4, sort), "application/pdf").content

    assert content == "## Page 1\n\n[Name](https://e.org/) Rosemary"


@pytest.mark.parametrize("sort", ["Highlight", "Popup", "Text"])
def test_markup_annotations_are_not_read(sort: str) -> None:
    content = page(filled(4, sort), "application/pdf").content

    assert content == "## Page 1\n\n[Name](https://e.org/)"
