"""What readers wrote into the margins of a PDF: notes, and words on what they marked or struck.

ISO 32000-1, 12.5 (read 2026-11-17). What is written over a page is read with it; see ``forms``.
"""

import ctypes
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from ..draft import StepAllowance
from ..office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list

_MAX_ANNOTATIONS: Final = 1000
_MAX_MARKED_SPANS: Final = 20
_MAX_COMMENT_CHARS: Final = 8_000
# About half a second: a character that is looked at is a step, one that is read is twenty.
_MAX_COMMENT_STEPS: Final = 20_000_000
_STEPS_TO_READ: Final = 20
_HIDDEN: Final = 2


class PdfComments:
    """The comments of a document, as many as there is room for."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401  PDFium's names have no types
        """Have told none; ``raw`` are PDFium's functions."""
        self._raw = raw
        self._left = MAX_COMMENTS
        self._allowance = StepAllowance(_MAX_COMMENT_STEPS)
        # Those that mark words say on which they are.
        self._marking = (
            raw.FPDF_ANNOT_HIGHLIGHT,
            raw.FPDF_ANNOT_UNDERLINE,
            raw.FPDF_ANNOT_SQUIGGLY,
            raw.FPDF_ANNOT_STRIKEOUT,
        )
        self._drawn = (
            raw.FPDF_ANNOT_TEXT,
            raw.FPDF_ANNOT_CARET,
            raw.FPDF_ANNOT_INK,
            raw.FPDF_ANNOT_LINE,
            raw.FPDF_ANNOT_SQUARE,
            raw.FPDF_ANNOT_CIRCLE,
            raw.FPDF_ANNOT_POLYGON,
            raw.FPDF_ANNOT_POLYLINE,
        )

    def of(self, page: Any) -> str:  # noqa: ANN401
        """Return the comments on a page, empty for none."""
        lines: list[str] = []
        marks = _Marks(page, self._raw, self._allowance)
        with closing(marks):
            for number in range(min(self._raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)):
                annotation = self._raw.FPDFPage_GetAnnot(page.raw, number)
                if annotation:
                    lines += self._line(marks, annotation) if self._left > len(lines) else ()
                    self._raw.FPDFPage_CloseAnnot(annotation)
        self._left -= len(lines)
        return comments_list(lines)

    def _line(self, marks: "_Marks", annotation: Any) -> Iterator[str]:  # noqa: ANN401
        raw = self._raw
        sort = raw.FPDFAnnot_GetSubtype(annotation)
        # One with a model of states only says that another was accepted or done.
        if sort not in (*self._marking, *self._drawn) or raw.FPDFAnnot_HasKey(
            annotation, b"StateModel"
        ):
            return
        text = self._said(annotation, b"Contents").strip()
        if text and not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
            about = marks.words(annotation) if sort in self._marking else ""
            yield comment_line(self._said(annotation, b"T"), about, text)

    def _said(self, annotation: Any, key: bytes) -> str:  # noqa: ANN401
        """Return a text of a comment; what is longer is left out by PDFium."""
        size = self._raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 2 * 65_536) + 2)
        self._raw.FPDFAnnot_GetStringValue(
            annotation, key, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer)
        )
        return buffer.raw.decode("utf-16-le", "replace").partition("\0")[0][:_MAX_COMMENT_CHARS]


class _Marks:
    """The words of a page that are marked; its text is only read where some are."""

    def __init__(self, page: Any, raw: Any, allowance: StepAllowance) -> None:  # noqa: ANN401
        self._page, self._raw, self._allowance = page, raw, allowance
        self._text: Any = None

    def words(self, annotation: Any) -> str:  # noqa: ANN401
        """Return what is marked, stretch by stretch; nothing where that was too much work."""
        raw, points = self._raw, self._raw.FS_QUADPOINTSF()
        texts: list[str] = []
        for number in range(
            min(raw.FPDFAnnot_CountAttachmentPoints(annotation), _MAX_MARKED_SPANS)
        ):
            is_there = raw.FPDFAnnot_GetAttachmentPoints(annotation, number, ctypes.byref(points))
            if is_there and not self._allowance.is_spent:
                texts.append(self._between(points))
        return " ".join(filter(None, texts))

    def _between(self, points: Any) -> str:  # noqa: ANN401
        if self._text is None:
            self._text = self._page.get_textpage()
            self._allowance.spend(_STEPS_TO_READ * self._text.count_chars())
        self._allowance.spend(self._text.count_chars())
        across = (points.x1, points.x2, points.x3, points.x4)
        up = (points.y1, points.y2, points.y3, points.y4)
        words = self._text.get_text_bounded(min(across), min(up), max(across), max(up))
        return str(words).strip()

    def close(self) -> None:
        """Let the text of the page go."""
        if self._text is not None:
            self._text.close()
