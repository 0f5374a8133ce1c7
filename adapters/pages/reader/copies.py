"""What a page says twice, and what only looks like it."""

from typing import Final

from .blocks import Cut, Run

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROWS: Final = frozenset({"td", "th", "tr"})
_LONG_ENOUGH: Final = 8


def drop_copies(cut: Cut, chosen: list[bool], *, is_manual: bool) -> None:
    """Drop what is said a second time: a long run, or the heading over the whole text.

    A line that comes again after others of the same box is no copy: a refrain, a row of a table.
    Nor is a row of another table, and in a manual what is said of another thing, unless what
    stands beside it comes again as well.
    """
    kept = -1
    headline = ""
    seen: dict[str, int] = {}
    for place, run in enumerate(cut.runs):
        if not chosen[place]:
            continue
        if run.words >= _LONG_ENOUGH and run.text in seen:
            first = seen[run.text]
            may_repeat = is_manual or run.tag in _ROWS
            chosen[place] = first != kept and (
                _stand_together(cut, first, place)
                or (may_repeat and not _go_together(cut.runs, first, place))
            )
        elif run.tag in HEADINGS and headline:
            chosen[place] = run.text.casefold() != headline
        if chosen[place]:
            kept = place
            seen[run.text] = place
            headline = headline or (run.text.casefold() if run.tag == "h1" else "")


def _go_together(runs: list[Run], first: int, second: int) -> bool:
    """Tell whether something long beside two runs is said twice as well: all of it is."""
    around = runs[first - 1 : first + 2 : 2], runs[second - 1 : second + 2 : 2]
    return any(
        one.text == other.text and one.words >= _LONG_ENOUGH
        for one, other in zip(*around, strict=False)
    )


def _stand_together(cut: Cut, first: int, second: int) -> bool:
    one, other = cut.boxes[cut.runs[first].box], cut.boxes[cut.runs[second].box]
    return one.parent == other.parent and one.names == other.names
