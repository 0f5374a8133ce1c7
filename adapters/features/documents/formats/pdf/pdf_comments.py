"""Comments in a PDF: notes, and remarks on highlighted or struck text.

ISO 32000-1, 12.5 (read 2026-11-17). Text written over a page is read with the page.
"""

# ruff: noqa: ANN401
# pypdfium2 has no types.

import ctypes
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from ..draft import StepAllowance
from ..office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list

_MAX_ANNOTATIONS: Final = 1000
_MAX_MARKED_SPANS: Final = 20
_MAX_COMMENT_CHARS: Final = 8_000
# About half a second: comparing a character is a step, reading one is twenty.
_MAX_COMMENT_STEPS: Final = 20_000_000
_READ_STEPS: Final = 20
_HIDDEN_FLAG: Final = 2
# Annotations that mark words, and others that may have a comment; in PDFium's names.
_MARKUP_SUBTYPES: Final = ("HIGHLIGHT", "UNDERLINE", "SQUIGGLY", "STRIKEOUT")
_DRAWN_SUBTYPES: Final = (
    "TEXT", "CARET", "INK", "LINE", "SQUARE", "CIRCLE", "POLYGON", "POLYLINE",
)  # fmt: skip


class PdfComments:
    """Writes the comments of a document, up to a limit."""

    def __init__(self, raw: Any) -> None:  # PDFium's names have no types
        self._raw = raw
        self._comments_left = MAX_COMMENTS
        self._allowance = StepAllowance(_MAX_COMMENT_STEPS)
        self._marking, self._drawn = (
            {getattr(raw, f"FPDF_ANNOT_{name}") for name in names}
            for names in (_MARKUP_SUBTYPES, _DRAWN_SUBTYPES)
        )

    def page_comments(self, page: Any) -> str:
        """Return the comments on a page, empty for none."""
        lines: list[str] = []
        marks = _MarkedText(page, self._raw, self._allowance)
        with closing(marks):
            for number in range(min(self._raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)):
                annotation = self._raw.FPDFPage_GetAnnot(page.raw, number)
                if annotation:
                    if self._comments_left > len(lines):
                        lines += self._annotation_lines(marks, annotation)
                    self._raw.FPDFPage_CloseAnnot(annotation)
        self._comments_left -= len(lines)
        return comments_list(lines)

    def _annotation_lines(self, marks: "_MarkedText", annotation: Any) -> Iterator[str]:
        raw = self._raw
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        # An annotation with a state model only says that another was accepted or done.
        has_state = raw.FPDFAnnot_HasKey(annotation, b"StateModel")
        if has_state or subtype not in self._marking | self._drawn:
            return
        text = self._annotation_text(annotation, b"Contents").strip()
        if text and not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN_FLAG:
            about = marks.marked_words(annotation) if subtype in self._marking else ""
            yield comment_line(self._annotation_text(annotation, b"T"), about, text)

    def _annotation_text(self, annotation: Any, key: bytes) -> str:
        size = self._raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 2 * 65_536) + 2)
        self._raw.FPDFAnnot_GetStringValue(
            annotation, key, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer)
        )
        return buffer.raw.decode("utf-16-le", "replace").partition("\0")[0][:_MAX_COMMENT_CHARS]


class _MarkedText:
    """The marked words of a page; its text is read when the first are requested."""

    def __init__(self, page: Any, raw: Any, allowance: StepAllowance) -> None:
        self._page, self._raw, self._allowance = page, raw, allowance
        self._text: Any = None

    def marked_words(self, annotation: Any) -> str:
        """Return the marked words; empty once the allowance is spent."""
        raw, points = self._raw, self._raw.FS_QUADPOINTSF()
        texts: list[str] = []
        count = min(raw.FPDFAnnot_CountAttachmentPoints(annotation), _MAX_MARKED_SPANS)
        for number in range(count):
            has_points = raw.FPDFAnnot_GetAttachmentPoints(annotation, number, ctypes.byref(points))
            if has_points and not self._allowance.is_spent:
                texts.append(self._text_in_box(points))
        return " ".join(filter(None, texts))

    def _text_in_box(self, points: Any) -> str:
        if self._text is None:
            self._text = self._page.get_textpage()
            self._allowance.spend(_READ_STEPS * self._text.count_chars())
        self._allowance.spend(self._text.count_chars())
        across = (points.x1, points.x2, points.x3, points.x4)
        up = (points.y1, points.y2, points.y3, points.y4)
        words = self._text.get_text_bounded(min(across), min(up), max(across), max(up))
        return str(words).strip()

    def close(self) -> None:
        """Close the text page."""
        if self._text is not None:
            self._text.close()
