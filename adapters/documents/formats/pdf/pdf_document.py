"""PDF: the content of each page under its number, and what the file says about itself.

PDFium reads it: fifteen times as fast as the best reader in Python, and it opens files that are
encrypted only to forbid printing. It is C++, so it belongs into a worker; see ``workers``.
"""

import ctypes
import re
from bisect import bisect_left
from collections import Counter
from contextlib import closing
from itertools import pairwise
from threading import Lock
from typing import Any, Final, NamedTuple

import msgspec
from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ....pages.detection.magic import has_late_pdf_mark
from ...dates import iso_date
from ..draft import Draft, Source, StepAllowance, corrupt_error, encrypted_error, finish_page
from .ligatures import Ligatures
from .pdf_blocks import PageTypography, find_blocks, is_same_size
from .pdf_comments import PdfComments
from .pdf_lines import LinkTarget, PdfLine, link_targets, page_lines
from .pdf_tables import join_level_lines

_MAX_ANNOTATIONS: Final = 1000


def is_written_over(page: Any, raw: Any) -> bool:  # noqa: ANN401  PDFium's names have no types
    """Tell whether a page has fields, or texts that somebody put on it."""
    sorts = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
    count = min(raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)
    return any(_sort(page, number, raw) in sorts for number in range(count))


def _sort(page: Any, number: int, raw: Any) -> int:  # noqa: ANN401
    annotation = raw.FPDFPage_GetAnnot(page.raw, number)
    sort = int(raw.FPDFAnnot_GetSubtype(annotation))
    raw.FPDFPage_CloseAnnot(annotation)
    return sort


def flatten_annotations(page: Any, raw: Any) -> None:  # noqa: ANN401
    """Make what is written over a page part of it, for when it is opened again; links are lost."""
    raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY)


# The dots before the items of a list, where they are drawn and not written.

_MARK: Final = "• "
_MAX_PAGE_OBJECTS: Final = 4000
_SMALLEST, _LARGEST = 0.15, 0.65
_ROUND: Final = 0.25
_FARTHEST: Final = 1.6
_BASELINE_MARGIN: Final = 0.2


class Bullet(msgspec.Struct, frozen=True, gc=False):
    """A small drawing as high as it is wide: its middle, where it ends, and how high it is."""

    middle: float
    right: float
    size: float


def find_bullets(page: Any, raw: Any, max_height: float) -> list[Bullet]:  # noqa: ANN401  PDFium's names have no types
    """Return the drawings of a page that may be dots, from the foot of the page upwards."""
    sides = tuple(ctypes.c_float() for _ in range(4))
    left, bottom, right, top = sides
    found: list[Bullet] = []
    for number in range(min(raw.FPDFPage_CountObjects(page.raw), _MAX_PAGE_OBJECTS)):
        drawn = raw.FPDFPage_GetObject(page.raw, number)
        if raw.FPDFPageObj_GetType(drawn) != raw.FPDF_PAGEOBJ_PATH:
            continue
        if raw.FPDFPageObj_GetBounds(drawn, *map(ctypes.byref, sides)):
            wide, high = right.value - left.value, top.value - bottom.value
            if 0 < high <= max_height and abs(wide - high) <= _ROUND * high:
                found.append(Bullet((bottom.value + top.value) / 2, right.value, high))
    return sorted(found, key=lambda dot: dot.middle)


def mark_bullets(lines: list[PdfLine], bullets: list[Bullet]) -> list[PdfLine]:
    """Return the lines, those that stand right of a dot with one before their words."""
    return (
        [_with_dot(line) if _has_dot(line, bullets) else line for line in lines]
        if bullets
        else lines
    )


def _with_dot(line: PdfLine) -> PdfLine:
    return msgspec.structs.replace(line, text=f"{_MARK}{line.text}")


def _has_dot(line: PdfLine, found: list[Bullet]) -> bool:
    start = bisect_left(found, line.base - _BASELINE_MARGIN * line.size, key=lambda dot: dot.middle)
    for dot in found[start:]:
        if dot.middle > line.base + line.size:
            return False
        fits = _SMALLEST * line.size <= dot.size <= _LARGEST * line.size
        if fits and 0 < line.left - dot.right <= _FARTHEST * line.size:
            return True
    return False


def max_bullet_height(lines: list[PdfLine]) -> float:
    """Return how high a dot of these lines may be."""
    return _LARGEST * max((line.size for line in lines), default=0.0)


# What stands at the edge of page after page: it is told once. Pure.

_NUMBER: Final = re.compile(r"\d+")
_MAX_PAGE_NUMBER_DIGITS: Final = 6
_REPEATED: Final = 3
_EDGE: Final = 2
# The lines of a running head stand further from a table than its rows from each other.
_ROW_STEP: Final = 2.5


def without_repeats(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Leave out what stands at the edge of many pages, but for the first time."""
    every = [_edges(lines) for lines in pages]
    counts = Counter(mark for edges in every for mark in {_mark(line) for line in edges})
    often = {
        mark
        for mark, count in counts.items()
        if count >= _REPEATED and count > len(pages) / _REPEATED
    }
    told = _Told()
    shown: list[list[PdfLine]] = []
    for number, (lines, edges) in enumerate(zip(pages, every, strict=True)):
        marked = [line for line in edges if _mark(line) in often]
        repeats = {id(line) for line in marked if told.has(line, number)}
        for line in marked:
            told.add(line, number)
        shown.append([line for line in lines if id(line) not in repeats])
    return shown


class _Told:
    """The lines that were there before, and the numbers in the last one of each make."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._numbers: dict[str, tuple[int, list[str]]] = {}

    def add(self, line: PdfLine, page: int) -> None:
        self._texts.add(line.text)
        self._numbers[_mark(line)] = page, _NUMBER.findall(line.text)

    def has(self, line: PdfLine, page: int) -> bool:
        """Tell whether a line was there, but for the number of its page; a sum is another one."""
        if line.text in self._texts or (mark := _mark(line)) not in self._numbers:
            return line.text in self._texts
        before, numbers = self._numbers[mark]
        pairs = zip(numbers, _NUMBER.findall(line.text), strict=True)
        return all(_counts_pages(old, new, page - before) for old, new in pairs)


def _counts_pages(old: str, new: str, pages: int) -> bool:
    """Tell whether a number is the same, or has gone on with the pages."""
    short = max(len(old), len(new)) <= _MAX_PAGE_NUMBER_DIGITS
    return old == new or (short and int(new) - int(old) == pages)


def _mark(line: PdfLine) -> str:
    return _NUMBER.sub("0", line.text)


def _edges(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the two highest and the two lowest lines of a page that has more than these."""
    if len(lines) <= 2 * _EDGE:
        return []
    by_height = sorted(lines, key=lambda line: line.base)
    return _outside(by_height[: _EDGE + 1]) + _outside(by_height[: -_EDGE - 2 : -1])


def _outside(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines at an edge, the outermost first, that are no rows of the table inside."""
    outside = lines[:-1]
    inner = lines[-1]
    while outside and _is_row(outside[-1], inner):
        inner = outside.pop()
    return outside


def _is_row(line: PdfLine, inner: PdfLine) -> bool:
    near = abs(line.base - inner.base) <= _ROW_STEP * line.size
    return near and bool(line.cells) and bool(inner.cells)


# From lines with places to markdown, page by page. Pure.

_LARGER: Final = 1.15
_DEFAULT_LINE_STEP: Final = 1.2
_MIN_LINE_STEP: Final = 1.0
_MONOSPACE_SHARE: Final = 0.5


def lay_out(pages: list[list[PdfLine]]) -> list[str]:
    """Return each page as markdown; headings begin at the third level, under the page's own."""
    shown = without_repeats([join_level_lines(lines) for lines in pages])
    look = _look([line for lines in shown for line in lines])
    return ["\n\n".join(find_blocks(lines, look)) for lines in shown]


def _look(lines: list[PdfLine]) -> PageTypography:
    letters: Counter[tuple[float, bool]] = Counter()
    steps: Counter[float] = Counter()
    mono = 0
    for line in lines:
        letters[_half(line.size), line.bold] += len(line.text)
        mono += len(line.text) if line.mono else 0
    for above, below in pairwise(lines):
        if is_same_size(above.size, below.size) and above.base > below.base:
            # Long lines are running text; short ones may be a dense list.
            steps[round((above.base - below.base) / above.size, 1)] += min(
                len(above.text), len(below.text)
            )
    size, bold = max(letters, key=letters.__getitem__, default=(1.0, False))
    large = {own for own, _ in letters if own >= _LARGER * size}
    return PageTypography(
        size=size,
        bold=bold,
        mono=mono > _MONOSPACE_SHARE * letters.total(),
        step=max(_MIN_LINE_STEP, max(steps, key=steps.__getitem__, default=_DEFAULT_LINE_STEP)),
        headings=tuple(sorted(large, reverse=True)),
    )


def _half(size: float) -> float:
    return round(size * 2) / 2 or 1.0


# PDF: the content of each page under its number, and what the file says about itself.

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


READERS: Final = {"pdf": read_pdf}
