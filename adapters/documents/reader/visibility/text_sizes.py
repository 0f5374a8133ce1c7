"""Find the text that a font size of zero hides. Pure.

A row of columns often has the size zero, against the gaps between them, and each column sets its
own size. Sizes relative to zero are zero.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from turbohtml import Document, Element, Text

from .css_blocks import strip_css_blanks
from .css_rules import SIZE_PATTERN
from .sheets import Sheets

_LENGTH_PATTERN: Final = re.compile(
    r"(?<![\w.-])(\d{0,5}\.?\d{1,5})(px|pt|rem|vw)\b", re.IGNORECASE
)
_UNIT_PIXELS: Final = {"px": 1.0, "pt": 4 / 3, "rem": 16.0, "vw": 12.8}
_MIN_SHOWN_PIXELS: Final = 2.0
_SIZE_NAME_PATTERN: Final = re.compile(
    r"\b(?:x{0,3}-?(?:small|large)|medium|initial|revert)\b", re.IGNORECASE
)
_COMPUTED_SIZE_PATTERN: Final = re.compile(r"\b(?:var|calc|clamp|min|max)\(", re.IGNORECASE)
# Where a size may be set unseen, text of this share of a page is no plant.
_MIN_UNKNOWN_SHARE: Final = 0.3
_MEASURE_PASSES: Final = 4


def unsized_parts(
    document: Document, tiny: list[Element], sheets: Sheets, length: int
) -> list[Element]:
    """Return the parts of tiny elements that are hidden; remove the texts directly in these.

    ``length`` is the length of the page's text. Other sheets and computed values may give a part
    a size; then it is hidden unless it is much of the page.
    """
    is_tiny = set(tiny)
    sizes = {
        element: size
        for element in document.select("*")
        if (size := _declared_size(element, sheets)) != 0.0
    }
    sized = {element for element, size in sizes.items() if size and element not in is_tiny}
    holders = _holders(sized)
    is_unknown = not sheets.is_all or len(sized) < len(sizes)
    hidden: list[Element] = []
    # Tiny parts may be nested: measure each text only a few times.
    budget = _MEASURE_PASSES * length if is_unknown else 0
    for element in tiny:
        is_holder = element in holders
        parts = list(_parts_without_size(element, sized, holders)) if is_holder else [element]
        chars = sum(len(part.text) for part in parts) if budget > 0 else 0
        budget -= chars
        is_doubtful = chars >= max(_MIN_UNKNOWN_SHARE * length, 1)
        hidden += () if is_doubtful else parts
        if is_holder or is_doubtful:
            _remove_own_texts(element)
    return hidden


def _holders(elements: set[Element]) -> set[Element]:
    """Return all elements around these."""
    holders: set[Element] = set()
    for element in elements:
        above = element.parent
        while isinstance(above, Element) and above not in holders:
            holders.add(above)
            above = above.parent
    return holders


def _declared_size(element: Element, sheets: Sheets) -> float | None:
    """Return the pixels that an element declares; zero for none, None where they are unknown."""
    declared = [*sheets.size_declarations(element), strip_css_blanks(element.attr("style") or "")]
    value = next(filter(None, map(_last_size, reversed(declared))), "")
    if _COMPUTED_SIZE_PATTERN.search(value):
        return None
    length = _LENGTH_PATTERN.search(value)
    if length is None:
        return 16.0 if _SIZE_NAME_PATTERN.search(value) else 0.0
    pixels = float(length[1]) * _UNIT_PIXELS[length[2].lower()]
    return pixels if pixels >= _MIN_SHOWN_PIXELS else 0.0


# A page repeats a few declarations.
@lru_cache(maxsize=1_000)
def _last_size(declared: str) -> str:
    values: list[str] = SIZE_PATTERN.findall(declared)
    return values[-1] if values else ""


def _parts_without_size(
    element: Element, sized: set[Element], holders: set[Element]
) -> Iterator[Element]:
    """Yield the largest parts inside an element that neither have nor hold a size."""
    queue = [element]
    while queue:
        for child in queue.pop().children:
            if isinstance(child, Element) and child not in sized:
                if child in holders:
                    queue.append(child)
                else:
                    yield child


def _remove_own_texts(element: Element) -> None:
    for node in list(element.children):
        if isinstance(node, Text) and not node.data.isspace():
            node.extract()
