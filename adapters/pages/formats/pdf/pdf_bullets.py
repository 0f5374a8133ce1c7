"""The dots before the items of a list, where they are drawn and not written.

Browsers print them so: a disc, a circle or a square, a third to two thirds of a letter high, as a
path left of the line that it belongs to.
"""

import ctypes
from bisect import bisect_left
from typing import Any, Final

import msgspec

from .pdf_lines import PdfLine

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
