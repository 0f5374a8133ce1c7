"""From lines with places to markdown, page by page. Pure.

A PDF says where letters stand and no more. How its running text looks is what most of its letters
look like.
"""

from collections import Counter
from itertools import pairwise
from typing import Final

from .pdf_blocks import PageTypography, find_blocks, is_same_size
from .pdf_lines import PdfLine
from .pdf_tables import join_level_lines
from .running_heads import without_repeats

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
