"""PDF: the content of each page under its number, and what the file says about itself.

PDFium reads it: fifteen times as fast as the best reader in Python, and it opens files that are
encrypted only to forbid printing. It is C++, so it belongs into a worker; see ``workers``.
"""

from contextlib import closing
from threading import Lock
from typing import Any, Final, NamedTuple

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...dates import iso_date
from ..detection.magic import has_late_pdf_mark
from ..draft import Draft, Source, StepAllowance, corrupt_error, encrypted_error, finish_page
from .forms import flatten_annotations, is_written_over
from .layout import lay_out
from .ligatures import Ligatures
from .pdf_bullets import find_bullets, mark_bullets, max_bullet_height
from .pdf_comments import PdfComments
from .pdf_lines import LinkTarget, PdfLine, link_targets, page_lines

MAX_PAGES: Final = 2000
# About a second: a character is a step, and so are half an object on a page and a part of the page
# itself (measured 2026-11-15: 0.4 to 0.9 µs a character, 1.1 µs an object, 190 µs a page).
MAX_PDF_STEPS: Final = 1_500_000
_STEPS_A_PAGE: Final = 300
_STEPS_AN_OBJECT: Final = 2
_STEPS_A_LINE: Final = 20
_PASSWORD: Final = 4
_PROPERTIES: Final = ("Title", "Author", "Subject", "CreationDate")

# PDFium must not be entered from two threads at once.
_lock: Final = Lock()


def read_pdf(source: Source) -> Result[ReadPage, WebError]:
    """Return the text with a heading ``## Page n`` before each page that has any.

    A file that is broken or wants a password is ``ParseFailed``; one of pictures alone is
    ``EmptyContent``.
    """
    import pypdfium2  # noqa: PLC0415  a tenth of a second, only where there is a PDF

    with _lock:
        try:
            document = pypdfium2.PdfDocument(_marked(source.body))
        except pypdfium2.PdfiumError as error:
            # The code may be that of a former file: of one without pages there is none.
            wants_password = error.err_code == _PASSWORD and b"/Encrypt" in source.body
            return encrypted_error() if wants_password else corrupt_error("it is not a whole PDF")
        with closing(document):
            return finish_page(_draft(document, source))


def _marked(body: bytes) -> bytes:
    """Return a body with the mark that PDFium looks for."""
    return body if has_late_pdf_mark(body) else b"%PDF-1.4\n" + body


def _draft(document: Any, source: Source) -> Draft:  # noqa: ANN401  PDFium's names have no types
    properties = {name: _property(document, name) for name in _PROPERTIES}
    pages, notes = _pages(document, source.body)
    return Draft(
        content="\n\n".join(pages),
        title=properties["Title"] or source.file_name,
        author=properties["Author"],
        description=properties["Subject"],
        published_at=iso_date(properties["CreationDate"].removeprefix("D:")[:8]),
        notes=notes,
    )


def _property(document: Any, name: str) -> str:  # noqa: ANN401
    """Return what a file says of itself; half a letter is no text."""
    try:
        return str(document.get_metadata_value(name))
    except UnicodeDecodeError:
        return ""


class _Means(NamedTuple):
    """What every page of a document is read with."""

    allowance: StepAllowance
    remarks: PdfComments
    ligatures: Ligatures


def _pages(document: Any, body: bytes) -> tuple[list[str], tuple[str, ...]]:  # noqa: ANN401
    """Return the pages that have text, with comments, and notes on those that were not read."""
    import pypdfium2  # noqa: PLC0415

    total, allowance = len(document), StepAllowance(MAX_PDF_STEPS)
    ligatures = Ligatures(body, pypdfium2.raw)
    means = _Means(allowance, PdfComments(pypdfium2.raw), ligatures)
    pages: list[list[PdfLine]] = []
    said: list[str] = []
    broken = 0
    for number in range(min(total, MAX_PAGES)):
        if allowance.is_spent:
            break
        lines, comments = _lines(document, number, means) or (None, "")
        broken += lines is None
        pages.append(lines or [])
        said.append(comments)
    cut = (f"only the first {len(pages):,} of {total:,} pages",) if len(pages) < total else ()
    texts = [ligatures.spelled(text) for text in lay_out(pages)]
    shown = [
        "\n\n".join(filter(None, (f"## Page {number}", content, comments)))
        for number, (content, comments) in enumerate(zip(texts, said, strict=True), start=1)
        if content or comments
    ]
    # Comments alone are no text of a scan.
    return shown if any(texts) else [], (*cut, *_unread(broken), *_untold(ligatures.untold))


def _page(document: Any, number: int, remarks: PdfComments) -> tuple[Any, list[LinkTarget], str]:  # noqa: ANN401
    """Return a page with what is written over it, its links, and the comments on it."""
    import pypdfium2  # noqa: PLC0415

    page = document[number]
    links, comments = link_targets(page, pypdfium2.raw), remarks.of(page)
    if is_written_over(page, pypdfium2.raw):
        with closing(page):
            flatten_annotations(page, pypdfium2.raw)
        page = document[number]
    return page, links, comments


def _unread(broken: int) -> tuple[str, ...]:
    return (f"pages that could not be read: {broken:,}",) if broken else ()


def _untold(letters: int) -> tuple[str, ...]:
    return (f"letters that their font does not tell: {letters:,}",) if letters else ()


def _lines(
    document: Any,  # noqa: ANN401
    number: int,
    means: _Means,
) -> tuple[list[PdfLine], str] | None:
    """Return the lines of one page and the comments on it, None when the page is broken."""
    import pypdfium2  # noqa: PLC0415

    means.allowance.spend(_STEPS_A_PAGE)
    try:
        page, links, comments = _page(document, number, means.remarks)
        with closing(page):
            objects = pypdfium2.raw.FPDFPage_CountObjects(page.raw)
            plain, characters = page_lines(page, pypdfium2.raw, links, means.ligatures)
            lines = mark_bullets(plain, find_bullets(page, pypdfium2.raw, max_bullet_height(plain)))
    except pypdfium2.PdfiumError:
        return None
    means.allowance.spend(objects * _STEPS_AN_OBJECT + characters + len(lines) * _STEPS_A_LINE)
    return lines, comments
