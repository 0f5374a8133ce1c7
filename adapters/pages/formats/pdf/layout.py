"""From lines with places to markdown, page by page. Pure.

A PDF says where letters stand and no more. How its running text looks is what most of its letters
look like.
"""

from collections import Counter
from itertools import pairwise
from typing import Final

from .blocks import Look, blocks, is_near
from .grid import level
from .lines import Line
from .repeats import without_repeats

_LARGER: Final = 1.15
_USUAL_STEP: Final = 1.2
_LEAST_STEP: Final = 1.0
_MOST_OF_IT: Final = 0.5


def lay_out(pages: list[list[Line]]) -> list[str]:
    """Return each page as markdown; headings begin at the third level, under the page's own."""
    shown = without_repeats([level(lines) for lines in pages])
    look = _look([line for lines in shown for line in lines])
    return ["\n\n".join(blocks(lines, look)) for lines in shown]


def _look(lines: list[Line]) -> Look:
    letters: Counter[tuple[float, bool]] = Counter()
    steps: Counter[float] = Counter()
    mono = 0
    for line in lines:
        letters[_half(line.size), line.bold] += len(line.text)
        mono += len(line.text) if line.mono else 0
    for above, below in pairwise(lines):
        if is_near(above.size, below.size) and above.base > below.base:
            # Long lines are running text; short ones may be a dense list.
            steps[round((above.base - below.base) / above.size, 1)] += min(
                len(above.text), len(below.text)
            )
    size, bold = max(letters, key=letters.__getitem__, default=(1.0, False))
    large = {own for own, _ in letters if own >= _LARGER * size}
    return Look(
        size=size,
        bold=bold,
        mono=mono > _MOST_OF_IT * letters.total(),
        step=max(_LEAST_STEP, max(steps, key=steps.__getitem__, default=_USUAL_STEP)),
        headings=tuple(sorted(large, reverse=True)),
    )


def _half(size: float) -> float:
    return round(size * 2) / 2 or 1.0
