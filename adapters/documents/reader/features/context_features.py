"""Measure the context of runs: sections and their signs, the likely body, cards, articles."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, compress, pairwise
from math import log1p
from operator import add
from typing import Final, TypeAlias

import msgspec

from ..page_segments import HEADINGS, BlockBox, TextRun
from .cues import BUYING, BYLINES
from .page_features import MeasuredPage
from .repeats import Tallies, run_sums
from .signs import Anchor, SectionSigns, likeliest_body_feature, page_words, title_heading

_MAX_CARD_COUNT: Final = 20.0
_MAX_BUTTON_WORDS: Final = 6
_BYLINE_START_CHARS: Final = 12
# Two letters rule out most runs before the slower comparison.
_BUYING_STARTS: Final = frozenset(phrase[:2] for phrase in BUYING)
_BYLINE_STARTS: Final = frozenset(phrase[:2] for phrase in BYLINES)


class Cards(msgspec.Struct, frozen=True, gc=False):
    """The counts of prices, bylines and dates before each run, and the first buy button."""

    prices: list[int]
    bylines: list[int]
    dates: list[int]
    buying: int | None

    def columns(self, run_indexes: Sequence[int]) -> tuple[list[float], ...]:
        """Return a column of values for each of these fields."""
        buying = self.buying
        return (
            [log1p(self.prices[index]) for index in run_indexes],
            [min(float(self.bylines[index]), _MAX_CARD_COUNT) for index in run_indexes],
            [min(float(self.dates[index]), _MAX_CARD_COUNT) for index in run_indexes],
            [-1.0 if buying is None else log1p(max(index - buying, 0)) for index in run_indexes],
        )


def find_card_features(runs: list[TextRun], signs: SectionSigns, title: int) -> Cards:
    """Find prices, bylines, dates and the buy button; ``title`` is the title's run."""
    line_starts = [run.text[:_BYLINE_START_CHARS].lower() for run in runs]
    bylines = [text[:2] in _BYLINE_STARTS and text.startswith(BYLINES) for text in line_starts]
    buttons = (
        index
        for index, start in enumerate(signs.starts)
        if start[:2] in _BUYING_STARTS
        and start.startswith(BUYING)
        and runs[index].words <= _MAX_BUTTON_WORDS
    )
    # Bylines and dates count from the title on.
    before_title = [0] * (title + 1)
    return Cards(
        prices=[0, *accumulate(signs.prices)],
        bylines=before_title + list(accumulate(bylines[title:])),
        dates=before_title + list(accumulate(signs.dates[title:])),
        buying=next(buttons, None),
    )


# The share of a group's members with a picture, and with a date; the spread of sizes.
KinFacts: TypeAlias = tuple[float, float, float]
_NO_KIN_FACTS: Final[KinFacts] = (-1.0, -1.0, -1.0)


def _count_marks_before_runs(run_indexes: list[int], count: int) -> list[int]:
    """Count the marks before each run.

    >>> _count_marks_before_runs([0, 2, 2], 3)
    [0, 1, 1, 3]
    """
    counts = [0] * (count + 2)
    for index in run_indexes:
        counts[index + 1] += 1
    return list(accumulate(counts[:-1]))


def _sibling_box_facts(
    members: list[BlockBox], words_before: list[int], images: list[int], times: list[int]
) -> KinFacts:
    pictured = dated = words = squares = 0
    for box in members:
        first, last = box.first, box.last
        pictured += images[last] > images[first]
        dated += times[last] > times[first]
        size = words_before[last] - words_before[first]
        words += size
        squares += size * size
    count = len(members)
    mean = words / count
    spread = max(squares / count - mean * mean, 0.0) ** 0.5 / (mean + 1)
    return pictured / count, dated / count, spread


_MAX_HEADING_RUNS: Final = 30.0
_MAX_HEADING_COUNT: Final = 20.0
_MIN_LINKED_SHARE: Final = 0.5
# A heading's words and level; how many headings up to it are h1, how many are linked.
_HeadingFacts: TypeAlias = tuple[float, float, float, float]
_NO_HEADING: Final[_HeadingFacts] = (-1.0, 0.0, 0.0, 0.0)


class Headings(msgspec.Struct, frozen=True, gc=False):
    """The indexes of a page's headings; ``facts[0]`` holds for runs before the first one."""

    indexes: list[int]
    facts: list[_HeadingFacts]

    def columns(self, run_indexes: Sequence[int]) -> Iterator[list[float]]:
        """Yield the columns: words, runs since, level, h1 and linked headings so far."""
        counts = [bisect_left(self.indexes, index) for index in run_indexes]
        facts = [self.facts[count] for count in counts]
        yield [words for words, _, _, _ in facts]
        yield [
            min(float(index - self.indexes[count - 1]), _MAX_HEADING_RUNS)
            if count
            else _MAX_HEADING_RUNS
            for index, count in zip(run_indexes, counts, strict=True)
        ]
        for part in (1, 2, 3):
            yield [heading[part] for heading in facts]


def find_page_headings(runs: list[TextRun], tallies: Tallies) -> Headings:
    """Find the headings of a page."""
    indexes = [index for index, run in enumerate(runs) if run.tag in HEADINGS]
    facts = [_NO_HEADING]
    high = linked = 0.0
    for index in indexes:
        run = runs[index]
        high = min(high + (run.tag == "h1"), _MAX_HEADING_COUNT)
        linked = min(linked + (tallies.shares[index] > _MIN_LINKED_SHARE), _MAX_HEADING_COUNT)
        facts.append((float(run.words), float(run.tag[1]), high, linked))
    return Headings(indexes, facts)


_IMAGE_WINDOW_RUNS: Final = 4
_MAX_NEAR_IMAGES: Final = 10
_MAX_DISTANCE_RUNS: Final = 30.0
_MAX_COUNT: Final = 20.0
_MIN_RELATED_SHARE: Final = 0.3
_BODY_ITEMS: Final = frozenset({"articlebody", "text", "mainentity"})
# Values that a box inherits: article size and rank, distances to body and title, body item.
_InheritedValues: TypeAlias = tuple[tuple[float, float], float, float, float]
_NOT_NESTED: Final[_InheritedValues] = ((-1.0, -1.0), 0.0, 0.0, 0.0)


class PageContext(msgspec.Struct, frozen=True, gc=False):
    """The context of a page's runs; rows of runs and boxes are computed on demand."""

    measured: MeasuredPage
    page: list[float]
    body: Anchor
    title: Anchor
    images: list[int]
    headings: Headings
    gaps: list[float]
    cards: Cards
    kin: list[KinFacts]
    nests: list[_InheritedValues]

    def rows(self, run_indexes: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield the values of each of these runs."""
        tallies = self.measured.tallies
        longs, gaps = tallies.longs, self.gaps
        images = run_sums(self.images, _IMAGE_WINDOW_RUNS, run_indexes)
        return zip(
            *_section_features(self.measured.signs, tallies, run_indexes),
            self.body.run_distances(run_indexes),
            self.title.run_distances(run_indexes),
            *self.headings.columns(run_indexes),
            [float(min(count, _MAX_NEAR_IMAGES)) for count in images],
            [gaps[longs[index + 1]] for index in run_indexes],
            *self.cards.columns(run_indexes),
            strict=True,
        )

    def box_context_rows(self, numbers: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield the values of each of these boxes."""
        boxes, nearest = self.measured.segments.boxes, self.measured.repeats.nearest
        body_depth = boxes[self.body.box].depth
        for number in numbers:
            article, from_body, from_title, item = self.nests[number]
            depth_below = float(boxes[number].depth - body_depth)
            yield (*self.kin[nearest[number]], *article, depth_below, from_body, from_title, item)


def measure_context_features(page: MeasuredPage) -> PageContext:
    """Measure the context of a page's runs."""
    segments, tallies = page.segments, page.tallies
    body = likeliest_body_feature(segments.runs, segments.boxes, tallies)
    title = title_heading(segments.runs, segments.boxes, frozenset(page_words(page.head.titles)))
    count = len(segments.runs)
    images = _count_marks_before_runs(segments.images, count)
    # A date is a ``<time>`` or a text that looks like one.
    times = _count_marks_before_runs(segments.times, count)
    dates = map(add, times, accumulate(page.signs.dates, initial=0))
    facts = partial(_sibling_box_facts, words_before=tallies.words, images=images, times=[*dates])
    words, linked, chars = (
        sums[body.last] - sums[body.first]
        for sums in (tallies.words, tallies.linked, tallies.chars)
    )
    sizes = _article_sizes(segments.boxes, tallies)
    return PageContext(
        measured=page,
        page=[words / tallies.total_words, linked / (chars or 1), log1p(len(sizes))],
        body=body,
        title=title,
        images=images,
        headings=find_page_headings(segments.runs, tallies),
        gaps=_widest_run_gaps(tallies.is_long),
        cards=find_card_features(segments.runs, page.signs, title.first),
        kin=[_NO_KIN_FACTS, *map(facts, page.repeats.members[1:])],
        nests=_inherited_box_values(segments.boxes, body, title, sizes),
    )


def _inherited_box_values(
    boxes: list[BlockBox], body: Anchor, title: Anchor, sizes: dict[int, tuple[float, float]]
) -> list[_InheritedValues]:
    """Return the values that each box inherits from its ancestors."""
    # The elements that microdata marks as the body of an article.
    items = boxes[0].node.select("[itemprop]")
    body_items = {item for item in items if (item.attr("itemprop") or "").lower() in _BODY_ITEMS}
    changed = body.path.keys() | title.path.keys() | sizes.keys()
    nests: list[_InheritedValues] = []
    # Most boxes share the tuple of their parent.
    for number, box in enumerate(boxes):
        nest = nests[box.parent] if number else _NOT_NESTED
        if number in changed or (body_items and box.node in body_items):
            article, from_body, from_title, item = nest
            nest = (
                sizes.get(number, article),
                body.path.get(number, from_body),
                title.path.get(number, from_title),
                1.0 if item or box.node in body_items else 0.0,
            )
        nests.append(nest)
    return nests


def _article_sizes(boxes: list[BlockBox], tallies: Tallies) -> dict[int, tuple[float, float]]:
    """Return, for each ``article``, its size relative to the largest, and its rank."""
    words = tallies.words
    sizes = {
        key: words[box.last] - words[box.first]
        for key, box in enumerate(boxes)
        if box.tag == "article"
    }
    largest = max(sizes.values(), default=0) or 1
    ranked = sorted(sizes, key=lambda key: (-sizes[key], key))
    return {
        key: (sizes[key] / largest, float(min(rank, _MAX_COUNT))) for rank, key in enumerate(ranked)
    }


def _section_features(
    signs: SectionSigns, tallies: Tallies, indexes: Sequence[int]
) -> Iterator[list[float]]:
    """Yield the page share of each run's section, and the run's distance after a sign."""
    words, total = tallies.words, tallies.total_words
    above = signs.scopes_over_runs()
    scopes = [above[index] for index in indexes]
    yield [(words[scope.stop] - words[scope.start]) / total if scope else 0.0 for scope in scopes]
    starts = (scope.start for scope in signs.scopes)
    first = next((index for index in starts if words[index] > _MIN_RELATED_SHARE * total), None)
    if first is None:
        yield [-1.0] * len(indexes)
    else:
        before = words[first]
        yield [(words[p] - before) / total if p >= first else -1.0 for p in indexes]


def _widest_run_gaps(is_long: list[bool]) -> list[float]:
    """Return the widest gap between long runs, up to each long run; 0 before the first.

    >>> _widest_run_gaps([True, False, False, True, False, True])
    [0.0, 0.0, 2.0, 2.0]
    """
    indexes = list(compress(range(len(is_long)), is_long))
    gaps = [min(float(after - index - 1), _MAX_DISTANCE_RUNS) for index, after in pairwise(indexes)]
    return [0.0, *accumulate([0.0, *gaps], max)]
