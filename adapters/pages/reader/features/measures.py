"""Parse a page and measure everything the model looks at."""

import msgspec
from turbohtml import Document

from ..metadata import BodyMarks, PageHead, read_head, read_marks
from ..segmentation import segment_page
from ..structured_data.microdata import read_microdata, read_rdfa
from ..verdicts import holds_challenge
from ..visibility.pruning import PrunedPage, prune_hidden
from .page_features import MeasuredPage, TagCounts, count_elements, page_address
from .repeats import best_parent_share, find_repeats, tally_runs
from .signs import read_signs


class OpenedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed page: what it says about itself, and the part of it that can be read."""

    document: Document
    head: PageHead
    counts: TagCounts
    marks: BodyMarks
    items: tuple[dict[str, object], ...]
    scripts: int
    passwords: int
    challenge: bool
    pruned: PrunedPage | None


def open_document(document: Document) -> OpenedPage:
    """Take what the page says and shows of itself, then prune ``document`` in place."""
    head = read_head(document)
    return OpenedPage(
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
        pruned=prune_hidden(document),
    )


def measure_opened(page: OpenedPage, url: str) -> MeasuredPage | None:
    """Measure the runs and boxes of a page; nothing when it has no text.

    Raises ``TooManyBlocksError`` for a page that is too large to look at block by block.
    """
    if page.pruned is None:
        return None
    blocks = segment_page(page.pruned.body)
    if not blocks.runs:
        return None
    tallies = tally_runs(blocks.runs)
    return MeasuredPage(
        cut=blocks,
        head=page.head,
        counts=page.counts,
        tallies=tallies,
        repeats=find_repeats(blocks.boxes, tallies),
        signs=read_signs(blocks.runs, blocks.boxes),
        best_share=best_parent_share(blocks.runs, blocks.boxes, tallies),
        url=page_address(page.head.address, url),
    )
