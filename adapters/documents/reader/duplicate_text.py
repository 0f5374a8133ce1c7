"""What a page says twice, and what only looks like it."""

from collections import Counter
from itertools import pairwise
from typing import Final

from .page_segments import CONTEXTS, PageSegments, TextRun

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROWS: Final = frozenset({"td", "th", "tr"})
_MIN_COPY_WORDS: Final = 8
# Of so many words in a row, how many a quote shares with what it is taken from.
_QUOTE: Final = 1 << CONTEXTS.index("blockquote")
_STRETCH: Final = 5
_MIN_QUOTED_SHARE: Final = 0.8
# How many runs a card may have, how many cards make it a habit, how often a card says its name, and
# how far apart.
MAX_CARD_RUNS: Final = 15
_CARDS: Final = 3
_IN_A_CARD: Final = 3
_REACH: Final = 6
_UNDER_HEADING: Final = 40


def drop_copies(segments: PageSegments, chosen: list[bool], *, is_manual: bool) -> None:
    """Drop what is said a second time: a long run, or the heading over the whole text.

    A line that comes again after others of the same box is no copy: a refrain, a row of a table.
    Nor is code, a row of another table, and in a manual what is said of another thing, unless what
    stands beside it comes again as well. A heading that a list of contents has said stays.
    """
    kept = -1
    headline = ""
    seen: dict[str, int] = {}
    told = [place for place, keep in enumerate(chosen) if keep]
    for place in told:
        run = segments.runs[place]
        if run.words >= _MIN_COPY_WORDS and run.text in seen:
            first = seen[run.text]
            chosen[place] = first != kept and _may_repeat(
                segments, first, place, is_manual=is_manual
            )
            if not chosen[place] and _is_listed(segments.runs[first], run):
                chosen[first], chosen[place] = False, True
        elif run.tag in HEADINGS and headline:
            chosen[place] = run.text.casefold() != headline
        if chosen[place]:
            kept = place
            seen[run.text] = place
            headline = headline or (run.text.casefold() if run.tag == "h1" else "")
    _drop_their_headings(segments.runs, chosen, told)


def _may_repeat(cut: PageSegments, first: int, second: int, *, is_manual: bool) -> bool:
    tag = cut.runs[second].tag
    if tag == "pre" or _stand_together(cut, first, second):
        return True
    if is_manual and _heading(cut.runs, first) != _heading(cut.runs, second):
        return True
    return (is_manual or tag in _ROWS) and not _go_together(cut.runs, first, second)


def _heading(runs: list[TextRun], place: int) -> tuple[str, ...]:
    """Return the heading that a run stands under, and what follows it: methods share names."""
    above = range(place - 1, max(place - _UNDER_HEADING, 0) - 1, -1)
    found = next((one for one in above if runs[one].tag in HEADINGS), None)
    return () if found is None else (runs[found].text, runs[found + 1].text)


def _is_listed(first: TextRun, second: TextRun) -> bool:
    return second.tag in HEADINGS and first.tag not in HEADINGS


def _drop_their_headings(runs: list[TextRun], chosen: list[bool], told: list[int]) -> None:
    """Drop headings that come again over nothing but copies."""
    first = {runs[place].text: place for place in reversed(told) if runs[place].tag in HEADINGS}
    # What stands under a heading, as far as it is kept: its tag, or that of the next heading.
    below = "h1"
    for place, after in reversed(list(pairwise(told))):
        below = runs[after].tag if chosen[after] else below
        run = runs[place]
        if run.tag in HEADINGS and not chosen[after] and below in HEADINGS and below <= run.tag:
            chosen[place] = chosen[place] and first[run.text] == place


def drop_quotes(segments: PageSegments, kept: list[bool], *, is_forum: bool) -> None:
    """Drop what a post quotes of another that stands above it, on the page of a forum."""
    inside = is_forum and [bool(segments.boxes[run.box].context & _QUOTE) for run in segments.runs]
    if not inside or True not in inside:
        return
    seen: set[tuple[str, ...]] = set()
    for place, run in enumerate(segments.runs):
        if not kept[place]:
            continue
        words = run.text.split()
        stretches = list(zip(*[words[start:] for start in range(_STRETCH)], strict=False))
        known = sum([stretch in seen for stretch in stretches]) if inside[place] else 0
        if known and known >= _MIN_QUOTED_SHARE * len(stretches):
            kept[place] = False
        else:
            seen.update(stretches)


def _go_together(runs: list[TextRun], first: int, second: int) -> bool:
    """Tell whether something long beside two runs is said twice as well: all of it is."""
    around = runs[first - 1 : first + 2 : 2], runs[second - 1 : second + 2 : 2]
    return any(
        one.text == other.text and one.words >= _MIN_COPY_WORDS
        for one, other in zip(*around, strict=False)
    )


def _stand_together(cut: PageSegments, first: int, second: int) -> bool:
    one, other = cut.boxes[cut.runs[first].box], cut.boxes[cut.runs[second].box]
    return one.parent == other.parent and one.names == other.names


def drop_card_doubles(segments: PageSegments, kept: list[bool]) -> None:
    """Drop what cards that repeat say twice: their name on the picture and under it.

    Where only one or two do, it may be meant; and what several cards say is no name. A heading
    stays, and else what comes first.
    """
    places = [place for place, keep in enumerate(kept) if keep]
    texts = [segments.runs[place].text.casefold() for place in places]
    counts = Counter(texts)
    pairs = [
        (first, second)
        for number, second in enumerate(places)
        if 1 < counts[texts[number]] <= _IN_A_CARD
        and (first := _said_before(segments, places[max(number - _REACH, 0) : number], second)) >= 0
    ]
    names = {segments.runs[second].text for _, second in pairs}
    for first, second in pairs if len(names) >= _CARDS else ():
        one, other = segments.runs[first], segments.runs[second]
        is_better = other.tag in HEADINGS and one.tag not in HEADINGS
        kept[first if is_better and other.linked >= one.linked else second] = False


def _said_before(cut: PageSegments, places: list[int], second: int) -> int:
    """Return which of the runs before says the same in the same card; -1 where none does."""
    run = cut.runs[second]
    if run.tag in _ROWS or not any(map(str.isalpha, run.text)):
        return -1
    text = run.text.casefold()
    same = (first for first in reversed(places) if cut.runs[first].text.casefold() == text)
    return next(
        (first for first in same if common_box_runs(cut, first, second) <= MAX_CARD_RUNS), -1
    )


def common_box_runs(segments: PageSegments, first: int, second: int) -> int:
    """Return how many runs the smallest box has that holds both."""
    box = segments.boxes[segments.runs[second].box]
    while box.first > first:
        box = segments.boxes[box.parent]
    return box.last - box.first
