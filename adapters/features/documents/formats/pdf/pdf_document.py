# ruff: noqa: ANN401  PDFium's names have no types
"""PDF: the content of each page under its number, and the metadata of the file.

PDFium reads it: it is fifteen times as fast as the best reader in Python, and opens files that
are encrypted only to forbid printing. It is C++, so run it in a worker.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache, partial
from itertools import chain, count, pairwise
from threading import Lock
from typing import Any, Final, NamedTuple

import msgspec

from webseam.adapters.pages.detection import has_late_pdf_mark
from webseam.adapters.values.dates import iso_date

from .. import draft
from . import pdf_blocks, pdf_comments, pdf_tables, pdf_visibility
from .ligatures import Ligatures, may_have_shadings
from .pdf_lines import LinkTarget, PdfLine, link_targets, read_lines

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


_NUMBER_PATTERN: Final = re.compile(r"\d+")
_MAX_PAGE_NUMBER_DIGITS: Final = 6
_MIN_REPEATS: Final = 3
_EDGE_LINES: Final = 2
# A running header is further from a table than the table's rows from each other.
_MAX_ROW_STEP: Final = 2.5


def drop_running_headers(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Leave out lines that repeat at the edge of many pages, except the first time."""
    edges_by_page = [_page_edge_lines(lines) for lines in pages]
    marks_by_page = ({*map(_line_pattern, edges)} for edges in edges_by_page)
    counts = Counter(chain.from_iterable(marks_by_page))
    min_count = max(_MIN_REPEATS - 1, len(pages) / _MIN_REPEATS)
    often = {mark for mark, count in counts.items() if count > min_count}
    repeated = _RepeatedLines()
    shown: list[list[PdfLine]] = []
    for number, (lines, edges) in enumerate(zip(pages, edges_by_page, strict=True)):
        marked = [line for line in edges if _line_pattern(line) in often]
        repeats = {id(line) for line in marked if repeated.is_repeated_line(line, number)}
        for line in marked:
            repeated.add_line(line, number)
        shown.append([line for line in lines if id(line) not in repeats])
    return shown


class _RepeatedLines:
    """The lines of earlier pages, and the numbers in the last line of each pattern."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._numbers: dict[str, tuple[int, list[str]]] = {}

    def add_line(self, line: PdfLine, page: int) -> None:
        self._texts.add(line.text)
        self._numbers[_line_pattern(line)] = page, _NUMBER_PATTERN.findall(line.text)

    def is_repeated_line(self, line: PdfLine, page: int) -> bool:
        """Tell whether a line repeats an earlier one, except for its page number."""
        if line.text in self._texts or (mark := _line_pattern(line)) not in self._numbers:
            return line.text in self._texts
        before, numbers = self._numbers[mark]
        pairs = zip(numbers, _NUMBER_PATTERN.findall(line.text), strict=True)
        return all(_is_next_page_number(old, new, page - before) for old, new in pairs)


def _is_next_page_number(old: str, new: str, pages: int) -> bool:
    """Tell whether a number is the same, or has grown by the number of pages."""
    short = max(len(old), len(new)) <= _MAX_PAGE_NUMBER_DIGITS
    return old == new or (short and int(new) - int(old) == pages)


def _line_pattern(line: PdfLine) -> str:
    return _NUMBER_PATTERN.sub("0", line.text)


def _page_edge_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the two highest and the two lowest lines of a page with more than four."""
    if len(lines) <= 2 * _EDGE_LINES:
        return []
    by_height = sorted(lines, key=lambda line: line.base)
    lowest, highest = by_height[: _EDGE_LINES + 1], by_height[: -_EDGE_LINES - 2 : -1]
    return _edge_lines_outside_table(lowest) + _edge_lines_outside_table(highest)


def _edge_lines_outside_table(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines at an edge, outermost first, without rows of an adjacent table."""
    outside = lines[:-1]
    inner = lines[-1]
    while outside and _is_table_row(outside[-1], inner):
        inner = outside.pop()
    return outside


def _is_table_row(line: PdfLine, inner: PdfLine) -> bool:
    is_near = abs(line.base - inner.base) <= _MAX_ROW_STEP * line.size
    return is_near and bool(line.cells) and bool(inner.cells)


_MIN_HEADING_SIZE_RATIO: Final = 1.15
_DEFAULT_LINE_STEP: Final = 1.2
_MIN_LINE_STEP: Final = 1.0
_MONOSPACE_SHARE: Final = 0.5


def lay_out_pages(pages: list[list[PdfLine]]) -> list[str]:
    """Return each page as markdown; headings begin at level 3, below that of the page."""
    shown = drop_running_headers([pdf_tables.join_level_lines(lines) for lines in pages])
    typography = _typography([line for lines in shown for line in lines])
    return ["\n\n".join(pdf_blocks.find_blocks(lines, typography)) for lines in shown]


def _typography(lines: list[PdfLine]) -> pdf_blocks.PageTypography:
    letters: Counter[tuple[float, bool]] = Counter()
    steps: Counter[float] = Counter()
    mono = 0
    for line in lines:
        letters[round(line.size * 2) / 2 or 1.0, line.bold] += len(line.text)
        mono += len(line.text) if line.mono else 0
    for above, below in pairwise(lines):
        if pdf_blocks.is_same_font_size(above.size, below.size) and above.base > below.base:
            # Long lines are running text; short ones may be a dense list.
            step = round((above.base - below.base) / above.size, 1)
            steps[step] += min(len(above.text), len(below.text))
    size, bold = max(letters, key=letters.__getitem__, default=(1.0, False))
    large = {
        letter_size for letter_size, _ in letters if letter_size >= _MIN_HEADING_SIZE_RATIO * size
    }
    return pdf_blocks.PageTypography(
        size=size,
        bold=bold,
        mono=mono > _MONOSPACE_SHARE * letters.total(),
        step=max(_MIN_LINE_STEP, max(steps, key=steps.__getitem__, default=_DEFAULT_LINE_STEP)),
        headings=tuple(sorted(large, reverse=True)),
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
    import pypdfium2  # noqa: PLC0415  a tenth of a second, only where there is a PDF

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
    """Return the pages with text or comments, with notes on pages that were not read."""
    import pypdfium2  # noqa: PLC0415

    total, allowance, raw = len(document), draft.StepAllowance(MAX_PDF_STEPS), pypdfium2.raw
    ligatures, has_shadings = Ligatures(body, raw), cache(partial(may_have_shadings, body))
    deps = _PageDeps(allowance, pdf_comments.PdfComments(raw), ligatures, raw, has_shadings)
    pages: list[list[PdfLine]] = []
    page_comments: list[str] = []
    broken = hidden_words = 0
    for number in range(min(total, MAX_PAGES)):
        if allowance.is_spent:
            break
        lines, comments, hidden = _read_page(document, number, deps) or (None, "", 0)
        broken += lines is None
        hidden_words += hidden
        pages.append(lines or [])
        page_comments.append(comments)
    texts = [ligatures.spell_ligatures(text) for text in lay_out_pages(pages)]
    shown = [
        "\n\n".join(filter(None, (f"## Page {number}", content, comments)))
        for number, content, comments in zip(count(1), texts, page_comments, strict=False)
        if content or comments
    ]
    unknown = ligatures.unknown_letters
    notes = (
        (len(pages) < total, f"only the first {len(pages):,} of {total:,} pages"),
        (broken, f"pages that could not be read: {broken:,}"),
        (unknown, f"letters that their font does not tell: {unknown:,}"),
    )
    # A scan with comments but without text counts as empty.
    return draft.Draft(
        content="\n\n".join(shown) if any(texts) else "",
        notes=tuple(note for applies, note in notes if applies),
        hidden_words=hidden_words,
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


def _read_page(pdf: Any, number: int, deps: _PageDeps) -> tuple[list[PdfLine], str, int] | None:
    """Return the lines, comments and hidden words of a page, None when the page is broken."""
    import pypdfium2  # noqa: PLC0415

    deps.allowance.spend(_PAGE_STEPS)
    try:
        page, links, comments = _open_page(pdf, number, deps)
        with closing(page):
            visibility = pdf_visibility.PageVisibility(page, deps.raw, deps.has_shadings)
            outcome = read_lines(page, deps.raw, links, deps.ligatures, visibility)
            plain, characters, hidden = outcome
            max_height = _MAX_BULLET_SIZE * max((line.size for line in plain), default=0.0)
            lines = mark_drawn_bullets(plain, find_drawn_bullets(visibility.path_boxes, max_height))
    except pypdfium2.PdfiumError:
        return None
    steps = visibility.objects * _OBJECT_STEPS + characters + len(lines) * _LINE_STEPS
    deps.allowance.spend(steps)
    return lines, comments, hidden


READERS: Final = {"pdf": read_pdf}
