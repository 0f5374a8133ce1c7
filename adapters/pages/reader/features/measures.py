"""Parse a page and measure everything the model looks at."""

import msgspec
from turbohtml import Document

from ..cutting import cut
from ..data.microdata import read_microdata, read_rdfa
from ..hidden.pruning import Pruned, prune
from ..metadata import Head, Marks, read_head, read_marks
from ..verdicts import holds_challenge
from .pagewide import Counts, Whole, count_elements, telling_address
from .repeats import best_parent_share, find_repeats, tally
from .signs import read_signs


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed page: what it says about itself, and the part of it that can be read."""

    document: Document
    head: Head
    counts: Counts
    marks: Marks
    items: tuple[dict[str, object], ...]
    scripts: int
    passwords: int
    challenge: bool
    pruned: Pruned | None


def open_document(document: Document) -> Opened:
    """Take what the page says and shows of itself, then prune ``document`` in place."""
    head = read_head(document)
    return Opened(
        document=document,
        head=head,
        counts=count_elements(document),
        marks=read_marks(document, head),
        # Hardly any page that has linked data has this, too.
        items=read_microdata(document) or (() if head.things else read_rdfa(document)),
        scripts=len(document.find_all("script", limit=100)),
        passwords=len(document.select("input[type=password i]")),
        challenge=holds_challenge(document),
        # Last: it takes out what the others look at.
        pruned=prune(document),
    )


def measure_opened(page: Opened, url: str) -> Whole | None:
    """Measure the runs and boxes of a page; nothing when it has no text.

    Raises ``TooManyBlocksError`` for a page that is too large to look at block by block.
    """
    if page.pruned is None:
        return None
    blocks = cut(page.pruned.body)
    if not blocks.runs:
        return None
    tallies = tally(blocks.runs)
    return Whole(
        cut=blocks,
        head=page.head,
        counts=page.counts,
        tallies=tallies,
        repeats=find_repeats(blocks.boxes, tallies),
        signs=read_signs(blocks.runs, blocks.boxes),
        best_share=best_parent_share(blocks.runs, blocks.boxes, tallies),
        url=telling_address(page.head.address, url),
    )
