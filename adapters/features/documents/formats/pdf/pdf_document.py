# ruff: noqa: ANN401  PDFium's names have no types
"""PDF: the content of each page under its number, and the metadata of the file.

PDFium reads it: it is fifteen times as fast as the best reader in Python, and opens files that
are encrypted only to forbid printing. It is C++, so run it in a worker.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache, partial
from itertools import count, pairwise
from threading import Lock
from typing import Any, Final, NamedTuple

import msgspec

from webseam.adapters.pages.detection import has_late_pdf_mark
from webseam.adapters.values.dates import iso_date

from .. import draft
from . import (
    pdf_blocks,
    pdf_comments,
    pdf_headings,
    pdf_listings,
    pdf_margins,
    pdf_tables,
    pdf_visibility,
)
from .ligatures import Ligatures, may_have_shadings
from .pdf_lines import LinkTarget, PdfLine, link_targets, read_lines
from .pdf_outline import read_outline

_MAX_ANNOTATIONS: Final = 1000


def has_overlays(page: Any, raw: Any) -> bool:
    """Tell whether a page has form fields, text boxes or stamps."""
    sorts = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
    count = min(raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)
    return any(_annotation_subtype(page, number, raw) in sorts for number in range(count))


def _annotation_subtype(page: Any, number: int, raw: Any) -> int:
    annotation = raw.FPDFPage_GetAnnot(page.raw, number)
    sort = int(raw.FPDFAnnot_GetSubtype(annotation))
    raw.FPDFPage_CloseAnnot(annotation)
    return sort


# Bullets of list items that are drawn instead of written; sizes are shares of the letters' size.
_BULLET_MARK: Final = "• "
_MIN_BULLET_SIZE, _MAX_BULLET_SIZE = 0.15, 0.65
_MAX_ASPECT_DIFFERENCE: Final = 0.25
_MAX_BULLET_GAP: Final = 1.6
_BASELINE_MARGIN: Final = 0.2


class Bullet(msgspec.Struct, frozen=True, gc=False):
    """A small drawing as high as it is wide: its middle, right edge and height."""

    middle: float
    right: float
    size: float


def find_drawn_bullets(boxes: Iterable[pdf_visibility.Box], max_height: float) -> list[Bullet]:
    """Return the drawings of a page that may be bullets, from the bottom upwards."""
    bullets: list[Bullet] = []
    for left, bottom, right, top in boxes:
        wide, high = right - left, top - bottom
        if 0 < high <= max_height and abs(wide - high) <= _MAX_ASPECT_DIFFERENCE * high:
            bullets.append(Bullet((bottom + top) / 2, right, high))
    return sorted(bullets, key=lambda dot: dot.middle)


def mark_drawn_bullets(lines: list[PdfLine], bullets: list[Bullet]) -> list[PdfLine]:
    """Return the lines; a line to the right of a bullet gets one before its text."""
    return [
        msgspec.structs.replace(line, text=f"{_BULLET_MARK}{line.text}")
        if _has_drawn_bullet(line, bullets)
        else line
        for line in lines
    ]


def _has_drawn_bullet(line: PdfLine, bullets: list[Bullet]) -> bool:
    bottom = line.base - _BASELINE_MARGIN * line.size
    start = bisect_left(bullets, bottom, key=lambda dot: dot.middle)
    for dot in bullets[start:]:
        if dot.middle > line.base + line.size:
            return False
        has_size = _MIN_BULLET_SIZE * line.size <= dot.size <= _MAX_BULLET_SIZE * line.size
        if has_size and 0 < line.left - dot.right <= _MAX_BULLET_GAP * line.size:
            return True
    return False


_DEFAULT_LINE_STEP: Final = 1.2
_MIN_LINE_STEP: Final = 1.0
_MONOSPACE_SHARE: Final = 0.5
_HEAVY_SHARE: Final = 0.5


class Layout(NamedTuple):
    """The pages as markdown, and the texts of margins and line numbers, which are left out."""

    pages: list[str]
    margins: list[str]


def lay_out_pages(
    pages: list[list[PdfLine]], outline: list[pdf_headings.OutlineEntry] | None = None
) -> Layout:
    """Lay out each page as markdown; headings begin at level 3, below that of the page."""
    level = _settle_weights([pdf_tables.join_level_lines(lines) for lines in pages])
    typography = _typography([line for lines in level for line in lines])
    inside, margins = pdf_margins.drop_margins(level, typography.size)
    shown = [pdf_listings.drop_line_numbers(lines) for lines in inside]
    margins += map(draft.missing_words, map(_page_text, inside), map(_page_text, shown))
    headings = pdf_headings.find_headings(shown, typography, outline or [])
    texts = [
        "\n\n".join(pdf_blocks.find_blocks(lines, page_headings, typography))
        for lines, page_headings in zip(shown, headings, strict=True)
    ]
    return Layout(texts, margins)


def _page_text(lines: list[PdfLine]) -> str:
    return "\n".join(line.text for line in lines)


def _settle_weights(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the lines; where most are thick, thickness makes none bold.

    Some programs state a thickness for the fonts of running text that is that of bold ones.
    """
    lines = [line for page in pages for line in page]
    heavy = sum(len(line.text) for line in lines if line.heavy)
    if heavy <= _HEAVY_SHARE * sum(len(line.text) for line in lines):
        return pages
    return [
        [msgspec.structs.replace(line, bold=False) if line.heavy else line for line in page]
        for page in pages
    ]


def _typography(lines: list[PdfLine]) -> pdf_headings.Typography:
    letters: Counter[tuple[float, bool]] = Counter()
    fonts: Counter[str] = Counter()
    steps: Counter[float] = Counter()
    mono = 0
    for line in lines:
        letters[round(line.size * 2) / 2 or 1.0, line.bold] += len(line.text)
        fonts[line.end_font] += len(line.text)
        mono += len(line.text) if line.mono else 0
    for above, below in pairwise(lines):
        if pdf_headings.is_same_font_size(above.size, below.size) and above.base > below.base:
            # Long lines are running text; short ones may be a dense list.
            step = round((above.base - below.base) / above.size, 1)
            steps[step] += min(len(above.text), len(below.text))
    size, bold = max(letters, key=letters.__getitem__, default=(1.0, False))
    return pdf_headings.Typography(
        size=size,
        bold=bold,
        mono=mono > _MONOSPACE_SHARE * letters.total(),
        step=max(_MIN_LINE_STEP, max(steps, key=steps.__getitem__, default=_DEFAULT_LINE_STEP)),
        font=max(fonts, key=fonts.__getitem__, default=""),
    )


MAX_PAGES: Final = 2000
# About a second; a character is a step (measured 2026-11-18: 0.4 to 0.9 µs a character, 7 µs an
# object, 190 µs a page).
MAX_PDF_STEPS: Final = 1_500_000
_PAGE_STEPS: Final = 300
_OBJECT_STEPS: Final = 8
_LINE_STEPS: Final = 20
_PASSWORD_ERROR: Final = 4
_PROPERTY_NAMES: Final = ("Title", "Author", "Subject", "CreationDate")
# PDFium must not be entered from two threads at once.
_lock: Final = Lock()


def read_pdf(source: draft.Source) -> draft.PageResult:
    """Return the text with a heading ``## Page n`` before each page that has any.

    A file that is broken or needs a password is ``ParseFailed``; one with only pictures is
    ``EmptyContent``.
    """
    import pypdfium2  # a tenth of a second, only where there is a PDF

    # PDFium requires this mark at the start.
    body = source.body if has_late_pdf_mark(source.body) else b"%PDF-1.4\n" + source.body
    with _lock:
        try:
            document = pypdfium2.PdfDocument(body)
        except pypdfium2.PdfiumError as error:
            # PDFium sets no code for a file without pages, so it may be that of an earlier file.
            wants_password = error.err_code == _PASSWORD_ERROR and b"/Encrypt" in source.body
            return (
                draft.encrypted_failure()
                if wants_password
                else draft.corrupt_failure("it is not a whole PDF")
            )
        with closing(document):
            return draft.finish_draft(_make_draft(document, source))


def _make_draft(document: Any, source: draft.Source) -> draft.Draft:
    properties = {name: _property_text(document, name) for name in _PROPERTY_NAMES}
    return msgspec.structs.replace(
        _pages_draft(document, source.body),
        title=properties["Title"] or source.file_name,
        author=properties["Author"],
        description=properties["Subject"],
        published_at=iso_date(properties["CreationDate"].removeprefix("D:")[:8]),
    )


def _property_text(document: Any, name: str) -> str:
    """Return a property of the file; empty where it cannot be decoded."""
    try:
        return str(document.get_metadata_value(name))
    except UnicodeDecodeError:
        return ""


class _PageDeps(NamedTuple):
    """The objects that all pages of a document share."""

    allowance: draft.StepAllowance
    remarks: pdf_comments.PdfComments
    ligatures: Ligatures
    raw: Any
    has_shadings: Callable[[], bool]


def _pages_draft(document: Any, body: bytes) -> draft.Draft:
    """Return the pages with text or comments, with cuts for pages that were not read."""
    import pypdfium2

    total, allowance, raw = len(document), draft.StepAllowance(MAX_PDF_STEPS), pypdfium2.raw
    ligatures, has_shadings = Ligatures(body, raw), cache(partial(may_have_shadings, body))
    deps = _PageDeps(allowance, pdf_comments.PdfComments(raw), ligatures, raw, has_shadings)
    pages: list[list[PdfLine]] = []
    page_comments: list[str] = []
    hidden: list[str] = []
    broken = 0
    for number in range(min(total, MAX_PAGES)):
        if allowance.is_spent:
            break
        lines, comments, hidden_text = _read_page(document, number, deps) or (None, "", "")
        broken += lines is None
        hidden.append(hidden_text)
        pages.append(lines or [])
        page_comments.append(comments)
    layout = lay_out_pages(pages, read_outline(document, raw))
    texts = [ligatures.spell_ligatures(text) for text in layout.pages]
    shown = [
        "\n\n".join(filter(None, (f"## Page {number}", content, comments)))
        for number, content, comments in zip(count(1), texts, page_comments, strict=False)
        if content or comments
    ]
    unknown = ligatures.unknown_letters
    cuts: list[draft.Cut] = []
    if len(pages) < total:
        note = f"only the first {len(pages):,} of {total:,} pages"
        cuts.append(draft.Cut("work" if allowance.is_spent else "pages", note))
    if broken:
        cuts.append(draft.Cut("damaged", f"pages that could not be read: {broken:,}"))
    if unknown:
        cuts.append(draft.Cut("letters", f"letters that their font does not tell: {unknown:,}"))
    parts = [
        *draft.left_out_parts("hidden", *hidden),
        *draft.left_out_parts("margins", *map(ligatures.spell_ligatures, layout.margins)),
    ]
    # A scan with comments but without text counts as empty.
    return draft.Draft(
        content="\n\n".join(shown) if any(texts) else "",
        cuts=tuple(cuts),
        parts=tuple(parts),
    )


def _open_page(document: Any, number: int, deps: _PageDeps) -> tuple[Any, list[LinkTarget], str]:
    """Return a page with its annotations merged, its links, and its comments."""
    page, raw = document[number], deps.raw
    links, comments = link_targets(page, raw), deps.remarks.page_comments(page)
    if has_overlays(page, raw):
        # Reopen the page to read the merged annotations; its links are lost.
        with closing(page):
            raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY)
        page = document[number]
    return page, links, comments


def _read_page(pdf: Any, number: int, deps: _PageDeps) -> tuple[list[PdfLine], str, str] | None:
    """Return the lines, comments and hidden text of a page, None when the page is broken."""
    import pypdfium2

    deps.allowance.spend(_PAGE_STEPS)
    try:
        page, links, comments = _open_page(pdf, number, deps)
        with closing(page):
            visibility = pdf_visibility.PageVisibility(page, deps.raw, deps.has_shadings)
            read = read_lines(page, deps.raw, links, deps.ligatures, visibility)
            max_height = _MAX_BULLET_SIZE * max((line.size for line in read.lines), default=0.0)
            bullets = find_drawn_bullets(visibility.path_boxes, max_height)
            # Drawn bullets are looked for where most letters run across the page as usual.
            lines = mark_drawn_bullets(read.lines, [] if read.turn else bullets)
    except pypdfium2.PdfiumError:
        return None
    steps = visibility.objects * _OBJECT_STEPS + read.characters + len(lines) * _LINE_STEPS
    deps.allowance.spend(steps)
    return lines, comments, read.hidden


READERS: Final = {"pdf": read_pdf}
