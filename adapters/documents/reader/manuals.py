"""Keep the parts of a manual page: its title, signatures, terms, examples and notes.

Few of them look like text, and the list of all pages may be longer than the page itself.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import compress, islice, pairwise
from math import inf
from operator import or_
from typing import Final

from turbohtml import Element

from .page_segments import BlockBox, PageSegments, TextRun
from .rendering.footnotes import NOTE_MARK_SELECTOR

# Up to so many runs between kept ones belong to the manual from this chance on; a longer gap is a
# table of contents or a menu.
_MAX_GAP_RUNS: Final = 6
_MIN_GAP_CHANCE: Final = 0.15
# Between a title and its text may stand all base classes.
_MAX_TITLE_DISTANCE_RUNS: Final = 12
# DocBook gives these tags to the title of a section with a page of its own.
_SECTION_TITLE_TAGS: Final = frozenset({"h2", "h3"})
_MIN_TITLED_CHANCE: Final = 0.1
# Bare text in these elements is a control or a link to the source code.
_STRAY_TAGS: Final = frozenset({"button", "label", "section", "summary"})
# Where these are mostly links, they are a table of contents.
_LISTED_TAGS: Final = frozenset({"dt", "li", "p"})
_MAX_LINK_SHARE: Final = 0.5
_MIN_SHARE_OF_BEST: Final = 0.65
_MENU_NAME_PATTERN: Final = re.compile(
    r"(?i:[\s_-]nav(?:bar|box|menu|igation|header|footer|panel)(?=[\s_-]|$))"
)
_MIN_MENU_LINK_SHARE: Final = 0.6
_MAX_NOTE_RUNS: Final = 12
_MAX_FOOTNOTE_MARKS: Final = 2_000
_MAX_ANCESTORS: Final = 20
_MAX_NOTE_NUMBER_CHARS: Final = 6
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def limit_to_main(segments: PageSegments, chances: Sequence[float]) -> Sequence[float]:
    """Return chances that are 0 outside the page's declared main part.

    Return them unchanged where the main part has no likely run.
    """
    filled = (box for box in segments.boxes if box.first < box.last)
    mains = (box for box in filled if box.tag == "main" or box.node.attr("role") == "main")
    main = next(mains, None)
    if main is None or max(chances[main.first : main.last]) < _MIN_SHARE_OF_BEST * max(chances):
        return chances
    inside = range(main.first, main.last)
    return [chance if index in inside else 0.0 for index, chance in enumerate(chances)]


def exclude_menus(segments: PageSegments, chances: Sequence[float]) -> Sequence[float]:
    """Return chances that are 0 in boxes of links with the name of a menu.

    Table rows in such boxes look like text. Return the chances unchanged where all likely runs
    are in menus.
    """
    boxes = (box for box in segments.boxes if _MENU_NAME_PATTERN.search(box.names))
    menus = [box for box in boxes if _are_menu_links(segments.runs[box.first : box.last])]
    if not menus:
        return chances
    inside = {index for box in menus for index in range(box.first, box.last)}
    reduced = [0.0 if index in inside else chance for index, chance in enumerate(chances)]
    return reduced if max(reduced) >= _MIN_SHARE_OF_BEST * max(chances) else chances


def _are_menu_links(runs: list[TextRun]) -> bool:
    linked = sum([run.linked for run in runs])
    return linked > 0 and linked >= _MIN_MENU_LINK_SHARE * sum([len(run.text) for run in runs])


def bridge_gaps(runs: list[TextRun], chances: Sequence[float], kept: list[bool]) -> None:
    """Keep runs between kept parts of a manual, its title, and code right after a kept part."""
    kept_indexes = [index for index, keep in enumerate(kept) if keep]
    if kept_indexes:
        _keep_manual_title(runs, chances, kept, kept_indexes[0])
    for first, last in pairwise(kept_indexes):
        if last - first <= _MAX_GAP_RUNS + 1:
            _keep_likely_runs(runs, chances, kept, range(first + 1, last))
    for after in (index + 1 for index in kept_indexes if index + 1 < len(runs)):
        if runs[after].tag == "pre" and chances[after] >= _MIN_TITLED_CHANCE:
            kept[after] = True


def keep_related(chances: Sequence[float], kept: list[bool], related: Sequence[bool]) -> None:
    """Keep the runs under "See also", which belong to a manual."""
    for index, (chance, is_related) in enumerate(zip(chances, related, strict=True)):
        kept[index] = kept[index] or (is_related and chance >= _MIN_TITLED_CHANCE)


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
            last = _note_end_run(segments.runs, box) if box.tag in _HEADINGS else box.last
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
    if box.tag not in _HEADINGS:
        return box.node.attr("id")
    anchor = box.node.find("a") if len(box.node.text) <= _MAX_NOTE_NUMBER_CHARS else None
    return None if anchor is None else anchor.attr("id")


def _note_end_run(runs: list[TextRun], heading: BlockBox) -> int:
    """Return the index of the run at which the note under a heading ends."""
    after = range(heading.last, min(heading.last + _MAX_NOTE_RUNS, len(runs)))
    return next((index for index in after if runs[index].tag in _HEADINGS), after.stop)


def _keep_manual_title(
    runs: list[TextRun], chances: Sequence[float], kept: list[bool], first: int
) -> None:
    """Keep the title shortly above the first kept run, and the runs between them."""
    above = range(first - 1, max(first - _MAX_TITLE_DISTANCE_RUNS, 0) - 1, -1)
    title = next((index for index in above if runs[index].tag == "h1"), None)
    if title is None and first and runs[first - 1].tag in _SECTION_TITLE_TAGS:
        title = first - 1
    if title is not None:
        kept[title] = True
        _keep_likely_runs(runs, chances, kept, range(title + 1, first), _MIN_TITLED_CHANCE)


def _keep_likely_runs(
    runs: list[TextRun],
    chances: Sequence[float],
    kept: list[bool],
    indexes: Iterable[int],
    min_chance: float = _MIN_GAP_CHANCE,
) -> None:
    for index in indexes:
        run = runs[index]
        is_contents = run.tag in _LISTED_TAGS and run.linked > _MAX_LINK_SHARE * len(run.text)
        is_likely = chances[index] >= min_chance and run.tag not in _STRAY_TAGS and not is_contents
        kept[index] = kept[index] or is_likely
