"""Keep a list whole or not at all, and all runs of an item with each other.

The model judges run by run, and by links and names more than by words: of a recipe it keeps the
amounts and drops the ingredients whose names are links, or keeps the heading without its list. So a
list that is likely enough is kept where it goes on from kept text: only headings, short labels and
other lists stand between the two. A list of which a part is kept is kept whole.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import mul
from typing import Final

import msgspec

from . import thresholds as fitted
from .page_segments import HEADINGS, BlockBox, PageSegments, TextRun

_LIST_TAGS: Final = frozenset({"dl", "ol", "table", "ul"})
_ITEM_TAGS: Final = frozenset({"dd", "dt", "li", "tr"})
# The words beside a box to tick are an item too, but inside a list they are a part of one.
_WHOLE_ITEM_TAGS: Final = _ITEM_TAGS | {"label"}
_WHOLE_LINK_SHARE: Final = 0.9
_FAR: Final = 1_000_000


class _RunSpan(msgspec.Struct, gc=False):
    """The runs of a list, from the first to before the last, and how many items are known."""

    names: str
    first: int
    last: int
    items: int = 1


class _RunSums(msgspec.Struct, frozen=True):
    """For each run, the sums over those before it: words, likely words, links, headings, items."""

    words: list[int]
    likely: list[float]
    linked: list[int]
    headings: list[int]
    items: list[int]


def complete_lists(
    segments: PageSegments,
    chances: Sequence[float],
    is_foreign: Sequence[bool],
    kept: list[bool],
    min_chance: float,
) -> None:
    """Keep the lists that go on from kept text from the chance on, and those partly kept.

    A list of links or of cards, or one of runs that may be about other pages, needs kept text on
    both sides.
    """
    runs, boxes = segments.runs, segments.boxes
    sums = _sum_runs(runs, boxes, chances)
    spans = [*_tagged_lists(boxes), *_series(boxes, sums)]
    lists = [span for span in spans if _has_short_items(span, sums)]
    kept_words = [0, *accumulate(map(mul, [run.words for run in runs], kept))]
    before, after = _distances_to_kept_runs(runs, lists, kept)
    for span in lists:
        first, last = span.first, span.last
        total = sums.words[last] - sums.words[first]
        taken = kept_words[last] - kept_words[first]
        is_likely = sums.likely[last] - sums.likely[first] >= min_chance * total
        is_own = not is_foreign[first] and not _is_list_of_pages(span, sums)
        is_next = _is_between_kept_runs(span, kept)
        if is_own:
            distance = min(before[first], after[last - 1])
            is_next = is_next or distance <= fitted.MAX_LIST_REACH_RUNS
        is_begun = is_own and taken >= fitted.MIN_KEPT_LIST_SHARE * total
        if is_begun or (is_likely and is_next):
            kept[first:last] = [True] * (last - first)
    _keep_whole_items(boxes, sums, kept)


def _sum_runs(runs: list[TextRun], boxes: list[BlockBox], chances: Sequence[float]) -> _RunSums:
    items = [0] * len(runs)
    for box in boxes:
        if box.tag in _ITEM_TAGS and box.first < box.last:
            items[box.first] += 1
    words = [run.words for run in runs]
    return _RunSums(
        words=[0, *accumulate(words)],
        likely=[0.0, *accumulate(map(mul, words, chances))],
        linked=[0, *accumulate(run.linked >= _WHOLE_LINK_SHARE * len(run.text) for run in runs)],
        headings=[0, *accumulate(run.tag in HEADINGS for run in runs)],
        items=[0, *accumulate(items)],
    )


def _tagged_lists(boxes: list[BlockBox]) -> Iterator[_RunSpan]:
    for box in boxes:
        if box.tag in _LIST_TAGS and box.last - box.first > 1:
            yield _RunSpan(box.names, box.first, box.last)


def _series(boxes: list[BlockBox], sums: _RunSums) -> list[_RunSpan]:
    """Return the lists that no tag tells: small boxes of one make beside each other."""
    series: dict[int, _RunSpan] = {}
    ended: list[_RunSpan] = []
    for box in boxes:
        size = box.last - box.first
        if size == 0 or box.parent < 0 or boxes[box.parent].tag in _LIST_TAGS:
            continue
        span = series.get(box.parent)
        words = sums.words[box.last] - sums.words[box.first]
        is_small = size <= fitted.MAX_ITEM_RUNS and words <= fitted.MAX_SERIES_ITEM_WORDS
        if span is not None and is_small and (span.names, span.last) == (box.names, box.first):
            span.last = box.last
            span.items += 1
        elif is_small:
            if span is not None:
                ended.append(span)
            series[box.parent] = _RunSpan(box.names, box.first, box.last)
    return [span for span in (*ended, *series.values()) if span.items >= fitted.MIN_SERIES_ITEMS]


def _has_short_items(span: _RunSpan, sums: _RunSums) -> bool:
    """Tell whether the items of a list are short, as the posts of a forum are not."""
    items = max(span.items, sums.items[span.last] - sums.items[span.first])
    return sums.words[span.last] - sums.words[span.first] <= fitted.MAX_ITEM_WORDS * items


def _is_list_of_pages(span: _RunSpan, sums: _RunSums) -> bool:
    """Tell whether the items lead elsewhere: they are links, or cards with headings."""
    count = span.last - span.first
    linked = sums.linked[span.last] - sums.linked[span.first]
    headings = sums.headings[span.last] - sums.headings[span.first]
    return (
        linked > fitted.MAX_LINKED_ITEMS_SHARE * count
        or headings > fitted.MAX_HEADED_ITEMS_SHARE * count
    )


def _is_between_kept_runs(span: _RunSpan, kept: list[bool]) -> bool:
    """Tell whether kept runs stand on both sides of a list; a caption may separate a table."""
    reach = fitted.TABLE_REACH_RUNS if span.names.startswith("table ") else 1
    before = kept[max(span.first - reach, 0) : span.first]
    return any(before) and any(kept[span.last : span.last + reach])


def _distances_to_kept_runs(
    runs: list[TextRun], lists: list[_RunSpan], kept: list[bool]
) -> tuple[list[int], list[int]]:
    """Return for each run the labels between it and kept text, before it and after it."""
    is_passed = [run.tag in HEADINGS or run.words <= fitted.MAX_LABEL_WORDS for run in runs]
    for span in lists:
        is_passed[span.first : span.last] = [True] * (span.last - span.first)
    return _distances(is_passed, kept), _distances(is_passed[::-1], kept[::-1])[::-1]


def _distances(is_passed: list[bool], kept: list[bool]) -> list[int]:
    """Return the runs since the last kept one; very many after a run that is not passed."""
    distance = _FAR
    distances: list[int] = []
    for passes, keeps in zip(is_passed, kept, strict=True):
        distances.append(distance)
        distance = distance + 1 if passes else _FAR
        if keeps:
            distance = 0
    return distances


def _keep_whole_items(boxes: list[BlockBox], sums: _RunSums, kept: list[bool]) -> None:
    """Keep all runs of an item of which one is kept."""
    for box in boxes:
        size = box.last - box.first
        if box.tag in _WHOLE_ITEM_TAGS and 1 < size <= fitted.MAX_ITEM_RUNS:
            is_short = sums.words[box.last] - sums.words[box.first] <= fitted.MAX_ITEM_WORDS
            if is_short and any(kept[box.first : box.last]):
                kept[box.first : box.last] = [True] * size


def keep_captions(boxes: list[BlockBox], kept: list[bool]) -> None:
    """Keep the caption of each table that is kept in part: it says what the figures are of."""
    for box in boxes:
        table = boxes[box.parent]
        if box.tag == "caption" and any(kept[table.first : table.last]):
            kept[box.first : box.last] = [True] * (box.last - box.first)
