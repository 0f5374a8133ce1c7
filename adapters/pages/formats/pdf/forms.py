"""What was filled into a form or written over a page.

It is not part of the page: PDFium shows it on top, and its text of a page has none of it. Flattened
it stands where it is seen. What is hidden is left out by PDFium.
"""

from typing import Any, Final

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
