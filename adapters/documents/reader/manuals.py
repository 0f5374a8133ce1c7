"""What belongs to a page of a manual: its title, signatures, terms and examples.

Few of them look like text, and a page may say less than the list of all pages beside it.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import compress, islice, pairwise
from math import inf
from operator import or_
from typing import Final

from turbohtml import Element

from .page_segments import BlockBox, PageSegments, TextRun
from .rendering.footnotes import MARKS

# So few runs between kept ones belong to the manual, unless they are most unlikely; more are a
# list of contents or a menu.
_GAP: Final = 6
_MIN_GAP_CHANCE: Final = 0.15
# Under a title may stand all that a class is derived from.
_MAX_TITLE_DISTANCE_RUNS: Final = 12
# How DocBook sets the title of a section that has a page of its own.
_TITLES: Final = frozenset({"h2", "h3"})
_MIN_TITLED_CHANCE: Final = 0.1
# What stands in such without a paragraph is a control, or where to find the source.
_STRAY: Final = frozenset({"button", "label", "section", "summary"})
# Where these are links, they are a list of contents.
_LISTED: Final = frozenset({"dt", "li", "p"})
_MOSTLY: Final = 0.5
_OF_THE_BEST: Final = 0.65
_MENU: Final = re.compile(r"(?i:[\s_-]nav(?:bar|box|menu|igation|header|footer|panel)(?=[\s_-]|$))")
_LED: Final = 0.6
_MAX_NOTE_RUNS: Final = 12
_MAX_FOOTNOTE_MARKS: Final = 2_000
_MAX_ANCESTORS: Final = 20
_NUMBER: Final = 6
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def limit_to_main(segments: PageSegments, chances: Sequence[float]) -> Sequence[float]:
    """Let nothing be likely outside of the part that a page says is its main one.

    Unless all that is likely stands outside of it.
    """
    main = next((box for box in segments.boxes if _is_main(box)), None)
    if main is None or max(chances[main.first : main.last]) < _OF_THE_BEST * max(chances):
        return chances
    inside = range(main.first, main.last)
    return [chance if place in inside else 0.0 for place, chance in enumerate(chances)]


def exclude_menus(segments: PageSegments, chances: Sequence[float]) -> Sequence[float]:
    """Let nothing be likely in a box of links that is named after finding one's way.

    Rows of a table in the main part look like text. Unless all that is likely stands in such.
    """
    boxes = (box for box in segments.boxes if _MENU.search(box.names))
    menus = [box for box in boxes if _leads(segments.runs[box.first : box.last])]
    if not menus:
        return chances
    inside = {place for box in menus for place in range(box.first, box.last)}
    left = [0.0 if place in inside else chance for place, chance in enumerate(chances)]
    return left if max(left) >= _OF_THE_BEST * max(chances) else chances


def _leads(runs: list[TextRun]) -> bool:
    linked = sum([run.linked for run in runs])
    return linked > 0 and linked >= _LED * sum([len(run.text) for run in runs])


def _is_main(box: BlockBox) -> bool:
    return box.first < box.last and (box.tag == "main" or box.node.attr("role") == "main")


def bridge_gaps(runs: list[TextRun], chances: Sequence[float], kept: list[bool]) -> None:
    """Keep what stands between kept parts of a manual, from its title on; code also at an end."""
    places = [place for place, keep in enumerate(kept) if keep]
    if places:
        _add_title(runs, chances, kept, places[0])
    for first, last in pairwise(places):
        if last - first <= _GAP + 1:
            _add_told(runs, chances, kept, range(first + 1, last))
    for after in (place + 1 for place in places if place + 1 < len(runs)):
        if runs[after].tag == "pre" and chances[after] >= _MIN_TITLED_CHANCE:
            kept[after] = True


def keep_related(chances: Sequence[float], kept: list[bool], related: Sequence[bool]) -> None:
    """Keep what stands under "See also": of a manual it is a part."""
    for place, (chance, said) in enumerate(zip(chances, related, strict=True)):
        kept[place] = kept[place] or (said and chance >= _MIN_TITLED_CHANCE)


def keep_notes(segments: PageSegments, kept: list[bool], *, max_share: float = inf) -> None:
    """Keep what the marks of footnotes point at, where the text around them is kept.

    Unless all notes together are more than this share of the words that are kept.
    """
    marks = segments.boxes[0].node.select(MARKS)[:_MAX_FOOTNOTE_MARKS]
    boxes = {box.node: box for box in segments.boxes} if marks else {}
    names = {(mark.attr("href") or "")[1:] for mark in marks if _is_kept(mark, boxes, kept)}
    noted = [False] * len(kept)
    for box in segments.boxes if names else ():
        if _name(box) in names and box.last - box.first <= _MAX_NOTE_RUNS:
            last = _end(segments.runs, box) if box.tag in _HEADINGS else box.last
            noted[box.first : last] = [True] * (last - box.first)
    words = [run.words for run in segments.runs]
    if sum(compress(words, noted)) <= max_share * sum(compress(words, kept)):
        kept[:] = map(or_, kept, noted)


def _is_kept(mark: Element, boxes: dict[Element, BlockBox], kept: list[bool]) -> bool:
    around = islice(mark.ancestors, _MAX_ANCESTORS)
    box = next((boxes[one] for one in around if isinstance(one, Element) and one in boxes), None)
    return box is not None and True in kept[box.first : box.last]


def _name(box: BlockBox) -> str | None:
    """Return the name of a box; that of a number which is a heading, as over Texinfo's notes."""
    if box.tag not in _HEADINGS:
        return box.node.attr("id")
    anchor = box.node.find("a") if len(box.node.text) <= _NUMBER else None
    return None if anchor is None else anchor.attr("id")


def _end(runs: list[TextRun], heading: BlockBox) -> int:
    """Return where the note under a heading ends."""
    after = range(heading.last, min(heading.last + _MAX_NOTE_RUNS, len(runs)))
    return next((place for place in after if runs[place].tag in _HEADINGS), after.stop)


def _add_title(runs: list[TextRun], likely: Sequence[float], kept: list[bool], first: int) -> None:
    """Keep the title not far over the first part that is kept, and what stands under it."""
    above = range(first - 1, max(first - _MAX_TITLE_DISTANCE_RUNS, 0) - 1, -1)
    title = next((place for place in above if runs[place].tag == "h1"), None)
    if title is None and first and runs[first - 1].tag in _TITLES:
        title = first - 1
    if title is not None:
        kept[title] = True
        _add_told(runs, likely, kept, range(title + 1, first), _MIN_TITLED_CHANCE)


def _add_told(
    runs: list[TextRun],
    likely: Sequence[float],
    kept: list[bool],
    places: Iterable[int],
    least: float = _MIN_GAP_CHANCE,
) -> None:
    for place in places:
        run = runs[place]
        listed = run.tag in _LISTED and run.linked > _MOSTLY * len(run.text)
        told = likely[place] >= least and run.tag not in _STRAY and not listed
        kept[place] = kept[place] or told
