"""Drop text that a page repeats; keep repetitions that have a purpose."""

from itertools import pairwise
from typing import Final

from .page_segments import CONTEXTS, PageSegments, TextRun

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROW_TAGS: Final = frozenset({"td", "th", "tr"})
_MIN_COPY_WORDS: Final = 8
_QUOTE_CONTEXT: Final = 1 << CONTEXTS.index("blockquote")
# A quote shares this share of its five-word sequences with its source.
_STRETCH_WORDS: Final = 5
_MIN_QUOTED_SHARE: Final = 0.8
_MAX_HEADING_DISTANCE_RUNS: Final = 40


def drop_repeated_html_text(segments: PageSegments, chosen: list[bool], *, is_manual: bool) -> None:
    """Drop repeated text: a long run, or a second copy of the page's main heading.

    Text that returns within similar boxes of one parent is not a copy: a refrain, a table row.
    Nor is code, a row of another table, or in a manual the text of another entry, unless a
    neighbour is repeated too. A heading stays when its first copy is in a table of contents.
    """
    last_kept = -1
    headline = ""
    first_indexes: dict[str, int] = {}
    chosen_indexes = [index for index, keep in enumerate(chosen) if keep]
    for index in chosen_indexes:
        run = segments.runs[index]
        if run.words >= _MIN_COPY_WORDS and run.text in first_indexes:
            first = first_indexes[run.text]
            chosen[index] = first != last_kept and _may_repeat_run(
                segments, first, index, is_manual=is_manual
            )
            is_heading_copy = run.tag in HEADINGS and segments.runs[first].tag not in HEADINGS
            if not chosen[index] and is_heading_copy:
                chosen[first], chosen[index] = False, True
        elif run.tag in HEADINGS and headline:
            chosen[index] = run.text.casefold() != headline
        if chosen[index]:
            last_kept = index
            first_indexes[run.text] = index
            headline = headline or (run.text.casefold() if run.tag == "h1" else "")
    _drop_copied_html_headings(segments.runs, chosen, chosen_indexes)


def _may_repeat_run(segments: PageSegments, first: int, second: int, *, is_manual: bool) -> bool:
    tag = segments.runs[second].tag
    if tag == "pre" or _have_similar_boxes(segments, first, second):
        return True
    if is_manual and _heading_above(segments.runs, first) != _heading_above(segments.runs, second):
        return True
    return (is_manual or tag in _ROW_TAGS) and not _share_next_runs(segments.runs, first, second)


def _heading_above(runs: list[TextRun], index: int) -> tuple[str, ...]:
    """Return the heading above a run and the text after that heading: methods share names."""
    above = range(index - 1, max(index - _MAX_HEADING_DISTANCE_RUNS, 0) - 1, -1)
    heading = next((candidate for candidate in above if runs[candidate].tag in HEADINGS), None)
    return () if heading is None else (runs[heading].text, runs[heading + 1].text)


def _drop_copied_html_headings(runs: list[TextRun], chosen: list[bool], indexes: list[int]) -> None:
    """Drop repeated headings that only have copies under them."""
    first_indexes = {
        runs[index].text: index for index in reversed(indexes) if runs[index].tag in HEADINGS
    }
    # The tag of the next kept run after the current heading.
    below = "h1"
    for index, after in reversed(list(pairwise(indexes))):
        below = runs[after].tag if chosen[after] else below
        run = runs[index]
        if run.tag in HEADINGS and not chosen[after] and below in HEADINGS and below <= run.tag:
            chosen[index] = chosen[index] and first_indexes[run.text] == index


def drop_html_forum_quotes(segments: PageSegments, kept: list[bool], *, is_forum: bool) -> None:
    """Drop quotations of an earlier post on a forum page."""
    is_quoted = is_forum and [
        bool(segments.boxes[run.box].context & _QUOTE_CONTEXT) for run in segments.runs
    ]
    if not is_quoted or True not in is_quoted:
        return
    visited: set[tuple[str, ...]] = set()
    for index, run in enumerate(segments.runs):
        if not kept[index]:
            continue
        words = run.text.split()
        stretches = list(zip(*[words[start:] for start in range(_STRETCH_WORDS)], strict=False))
        repeated = sum([stretch in visited for stretch in stretches]) if is_quoted[index] else 0
        if repeated and repeated >= _MIN_QUOTED_SHARE * len(stretches):
            kept[index] = False
        else:
            visited.update(stretches)


def _share_next_runs(runs: list[TextRun], first: int, second: int) -> bool:
    """Tell whether a long neighbour of two runs is repeated too: then the passage is a copy."""
    neighbours = runs[first - 1 : first + 2 : 2], runs[second - 1 : second + 2 : 2]
    return any(
        left.text == right.text and left.words >= _MIN_COPY_WORDS
        for left, right in zip(*neighbours, strict=False)
    )


def _have_similar_boxes(segments: PageSegments, first: int, second: int) -> bool:
    left, right = (segments.boxes[segments.runs[index].box] for index in (first, second))
    return left.parent == right.parent and left.names == right.names
