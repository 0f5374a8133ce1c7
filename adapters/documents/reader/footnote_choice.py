"""Keep the footnotes of kept text."""

from itertools import compress, islice
from math import inf
from operator import or_
from typing import Final

from turbohtml import Element

from .duplicate_text import HEADINGS
from .page_segments import BlockBox, PageSegments, TextRun
from .rendering.footnotes import NOTE_MARK_SELECTOR

_MAX_NOTE_RUNS: Final = 12
_MAX_FOOTNOTE_MARKS: Final = 2_000
_MAX_ANCESTORS: Final = 20
_MAX_NOTE_NUMBER_CHARS: Final = 6


def keep_notes(segments: PageSegments, kept: list[bool], *, max_share: float = inf) -> None:
    """Keep the footnotes whose marks stand in kept text.

    Keep none where all notes together exceed ``max_share`` of the kept words.
    """
    marks = segments.boxes[0].node.select(NOTE_MARK_SELECTOR)[:_MAX_FOOTNOTE_MARKS]
    boxes = {box.node: box for box in segments.boxes} if marks else {}
    note_ids = {(mark.attr("href") or "")[1:] for mark in marks if _is_kept_mark(mark, boxes, kept)}
    is_note = [False] * len(kept)
    for box in segments.boxes if note_ids else ():
        if _note_box_id(box) in note_ids and box.last - box.first <= _MAX_NOTE_RUNS:
            last = _note_end_run(segments.runs, box) if box.tag in HEADINGS else box.last
            is_note[box.first : last] = [True] * (last - box.first)
    words = [run.words for run in segments.runs]
    if sum(compress(words, is_note)) <= max_share * sum(compress(words, kept)):
        kept[:] = map(or_, kept, is_note)


def _is_kept_mark(mark: Element, boxes: dict[Element, BlockBox], kept: list[bool]) -> bool:
    ancestors = islice(mark.ancestors, _MAX_ANCESTORS)
    box = next(
        (boxes[node] for node in ancestors if isinstance(node, Element) and node in boxes), None
    )
    return box is not None and True in kept[box.first : box.last]


def _note_box_id(box: BlockBox) -> str | None:
    """Return the id of a box; in Texinfo, a note's id is on a link in a number heading."""
    if box.tag not in HEADINGS:
        return box.node.attr("id")
    anchor = box.node.find("a") if len(box.node.text) <= _MAX_NOTE_NUMBER_CHARS else None
    return None if anchor is None else anchor.attr("id")


def _note_end_run(runs: list[TextRun], heading: BlockBox) -> int:
    """Return the index of the run at which the note under a heading ends."""
    after = range(heading.last, min(heading.last + _MAX_NOTE_RUNS, len(runs)))
    return next((index for index in after if runs[index].tag in HEADINGS), after.stop)
