"""A page cut into runs of text, and the boxes that hold the runs.

A run is the text between two block borders; a box is a block element. A table row of short cells
is one run, because its cells only make sense together.
"""

from typing import Final

import msgspec
from turbohtml import Element, Text

# What a page may cost: past these the page is taken whole, see ``whole`` in the package.
MAX_NODES: Final = 120_000
MAX_RUNS: Final = 8_000

_BLOCK_TAGS: Final = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html label legend "
    "li main menu nav ol optgroup option p pre section summary table tbody td tfoot th thead tr "
    "ul"
)
BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_CONTEXT_TAGS: Final = (
    "article main section header footer nav aside form ul ol table figure details blockquote dl "
    "button label a"
)
CONTEXTS: Final = tuple(_CONTEXT_TAGS.split())


class TextRun(msgspec.Struct, gc=False):
    """One run of text: what it says, how much of it is link, its box, its range of text nodes."""

    text: str
    words: int
    linked: int
    box: int
    tag: str
    first: int
    last: int


class BlockBox(msgspec.Struct, gc=False):
    """One block element and the half-open range of runs inside it."""

    parent: int
    first: int
    last: int
    node: Element
    tag: str
    names: str
    own: int
    above: int
    context: int
    depth: int


class PageSegments(msgspec.Struct, frozen=True):
    """A page as runs, boxes and text nodes, in document order; box 0 is the body.

    ``images`` and ``times`` are the runs that pictures and dates marked as such stand before;
    ``makes`` are the runs by their make: those whose boxes, and the boxes around, are named alike.
    """

    runs: list[TextRun]
    boxes: list[BlockBox]
    texts: list[Text]
    images: list[int]
    times: list[int]
    makes: list[list[int]]


class TooManyBlocksError(Exception):
    """Raised inside this package when a page is too large to look at block by block."""
