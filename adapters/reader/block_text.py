"""The text of nodes as a reader sees it: a line for each block."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from turbohtml import Element, Node, Text

_BLOCK_TAG_LIST: Final = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html label legend "
    "li main menu nav ol optgroup option p pre section summary table tbody td tfoot th thead tr "
    "ul"
)
BLOCKS: Final = frozenset(_BLOCK_TAG_LIST.split())
_CELLS: Final = frozenset({"td", "th"})
# The cells of a row make one line.
_LINE_TAGS: Final = BLOCKS - _CELLS
_SET_APART_TAGS: Final = _CELLS | {"a"}
_CURRENCY_SIGNS: Final = "$£€"
# The block around a text, and the link or cell around it within the block.
_Place: TypeAlias = tuple[Node | None, Element | None]


def text_lines(nodes: Iterable[Text]) -> list[str]:
    """Return the text of nodes in the page's order, a line for each block and after each break.

    Two links or cells without a blank between them are set apart.
    """
    lines: list[str] = []
    pieces: list[str] = []
    places: dict[Node | None, _Place] = {}
    block: Node | None = None
    inner: Element | None = None
    last: Node | None = None
    for node in nodes:
        text = node.data
        # A third of all texts: they matter between two texts of one block only.
        if not text or text.isspace():
            pieces.append(" ")
            continue
        parent = node.parent
        place = places.get(parent) or _find_place(parent, places)
        if place[0] is not block or not pieces or _follows_break(node, block):
            lines.append("".join(pieces))
            pieces = [text]
        elif (
            place[1] is not inner
            or is_word_gap(pieces[-1], text)
            or _are_set_apart(last, parent, pieces[-1], block)
        ):
            pieces += (" ", text)
        else:
            pieces.append(text)
        block, inner = place
        last = parent
    lines.append("".join(pieces))
    squeezed = [" ".join(line.split()) for line in lines]
    return [line for line in squeezed if line]


def _find_place(parent: Node | None, places: dict[Node | None, _Place]) -> _Place:
    """Return the place of the texts in an element; store it for all elements on the way up."""
    path: list[Element] = []
    above = parent
    while isinstance(above, Element) and above not in places and above.tag not in _LINE_TAGS:
        path.append(above)
        above = above.parent
    place = places.setdefault(above, (above, None))
    for element in reversed(path):
        place = (place[0], element if element.tag in _SET_APART_TAGS else place[1])
        places[element] = place
    return place


def _follows_break(node: Node, block: Node | None) -> bool:
    """Tell whether a line break stands right before a text, also outside its inline elements."""
    before = node.previous_sibling
    while before is None:
        above = node.parent
        if above is None or above is block:
            return False
        node, before = above, above.previous_sibling
    return isinstance(before, Element) and before.tag == "br"


def _are_set_apart(before: Node | None, after: Node | None, text: str, block: Node | None) -> bool:
    """Tell whether two texts stand in two inline elements, which style sets apart.

    Loose text goes on in an element: ``2<span>nd``. A single letter may be a drop cap.
    """
    if before is after or before is block or after is block or len(text) == 1 or before is None:
        return False
    return after is not None and after.parent is not before and before.parent is not after


def is_word_gap(before: str, after: str) -> bool:
    """Tell whether two texts with a tag between them are separate words.

    >>> is_word_gap("The North", "Star"), is_word_gap("T", "HE")
    (True, False)
    >>> is_word_gap("Price", "$9"), is_word_gap("US", "$9")
    (True, False)
    """
    last, first = before[-1:], after[0]
    if first in _CURRENCY_SIGNS:
        return last.islower() or (last.isdigit() and len(after) > 1)
    is_separate = last.isalnum() if first.isupper() else first.isdigit() and last.islower()
    # A single letter may be a drop cap of the same word.
    return is_separate and len(before) > 1
