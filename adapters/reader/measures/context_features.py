"""Measure the context of runs: sections and their signs, the likely body, cards, articles."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, pairwise
from math import log1p
from typing import Final, TypeAlias

import msgspec

from ..page_segments import HEADINGS, BlockBox, TextRun
from .cues import BUYING, BYLINES
from .page_features import MeasuredPage, own_text_features
from .repeats import Tallies, run_windows
from .signs import Anchor, SectionSigns, likeliest_body

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


def find_cards(runs: list[TextRun], signs: SectionSigns, title: int) -> Cards:
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


_MAX_RUNS_SINCE_HEADING: Final = 30.0
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
            min(float(index - self.indexes[count - 1]), _MAX_RUNS_SINCE_HEADING)
            if count
            else _MAX_RUNS_SINCE_HEADING
            for index, count in zip(run_indexes, counts, strict=True)
        ]
        for part in (1, 2, 3):
            yield [heading[part] for heading in facts]


def find_headings(runs: list[TextRun], tallies: Tallies) -> Headings:
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
_MAX_GAP_RUNS: Final = 30.0
_MAX_ARTICLE_RANK: Final = 20.0
_MIN_RELATED_SHARE: Final = 0.3
_BODY_ITEMPROPS: Final = frozenset({"articlebody", "text", "mainentity"})
# Values that a box inherits: article size and rank, distances to body and title, body item.
# The last: whether a heading without or with a link begins the part, and whether it is dated.
_InheritedValues: TypeAlias = tuple[tuple[float, float], float, float, float, tuple[float, float]]
_LINKED_PART: Final = 2.0
_NO_PART: Final = (0.0, 0.0)
_NOT_NESTED: Final[_InheritedValues] = ((-1.0, -1.0), 0.0, 0.0, 0.0, _NO_PART)


class PageContext(msgspec.Struct, frozen=True, gc=False):
    """The context of a page's runs; rows of runs and boxes are computed on demand."""

    measured: MeasuredPage
    page: list[float]
    body: Anchor
    headings: Headings
    gaps: list[float]
    cards: Cards
    nests: list[_InheritedValues]

    def rows(self, run_indexes: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield the values of each of these runs."""
        tallies = self.measured.tallies
        longs, gaps = tallies.longs, self.gaps
        windows = run_windows(_IMAGE_WINDOW_RUNS, run_indexes, len(tallies.logs))
        images = self.measured.images
        return zip(
            *_section_features(self.measured.signs, tallies, run_indexes),
            self.body.run_distances(run_indexes),
            self.measured.title.run_distances(run_indexes),
            *_own_text_positions(self.measured, run_indexes),
            *self.headings.columns(run_indexes),
            [float(min(images[end] - images[start], _MAX_NEAR_IMAGES)) for start, end in windows],
            [gaps[longs[index + 1]] for index in run_indexes],
            *self.cards.columns(run_indexes),
            strict=True,
        )

    def box_rows(self, numbers: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield the values of each of these boxes."""
        boxes, nearest = self.measured.segments.boxes, self.measured.repeats.nearest
        kin, body_depth = self.measured.kin, boxes[self.body.box].depth
        for number in numbers:
            article, from_body, from_title, item, part = self.nests[number]
            depth_below = float(boxes[number].depth - body_depth)
            yield (*kin[nearest[number]], *article, depth_below, from_body, from_title, item, *part)


def measure_context(page: MeasuredPage) -> PageContext:
    """Measure the context of a page's runs."""
    segments, tallies = page.segments, page.tallies
    body = likeliest_body(segments.runs, segments.boxes, tallies)
    words, linked, chars = (
        sums[body.last] - sums[body.first]
        for sums in (tallies.words, tallies.linked, tallies.chars)
    )
    sizes = _article_sizes(segments.boxes, tallies)
    return PageContext(
        measured=page,
        page=[
            words / tallies.total_words,
            linked / (chars or 1),
            log1p(len(sizes)),
            *own_text_features(page),
        ],
        body=body,
        headings=find_headings(segments.runs, tallies),
        gaps=_widest_run_gaps(tallies.is_long),
        cards=find_cards(segments.runs, page.signs, page.title.first),
        nests=_inherited_box_values(page, body, sizes),
    )


_PART_HEAD_RUNS: Final = 3
_PART_DATE_RUNS: Final = 5


def _inherited_box_values(
    page: MeasuredPage, body: Anchor, sizes: dict[int, tuple[float, float]]
) -> list[_InheritedValues]:
    """Return the values that each box inherits from its ancestors."""
    boxes, title = page.segments.boxes, page.title
    # The elements that microdata marks as the body of an article.
    items = boxes[0].node.select("[itemprop]")
    body_items = {
        item for item in items if (item.attr("itemprop") or "").lower() in _BODY_ITEMPROPS
    }
    changed = body.path.keys() | title.path.keys() | sizes.keys()
    headings = _next_headings(page.segments.runs)
    dates, longs, shares = page.dates, page.tallies.longs, page.tallies.shares
    nests: list[_InheritedValues] = []
    # Most boxes share the tuple of their parent.
    for number, box in enumerate(boxes):
        nest = nests[box.parent] if number else _NOT_NESTED
        first, last = box.first, box.last
        part, heading = nest[4], headings[first]
        if heading < last:
            if number in title.path:
                part = _NO_PART
            elif (
                part[0] < _LINKED_PART
                and heading < first + _PART_HEAD_RUNS
                and longs[last] > longs[first]
            ):
                kind = _LINKED_PART if shares[heading] > _MIN_LINKED_SHARE else 1.0
                part = (kind, float(dates[min(first + _PART_DATE_RUNS, last)] > dates[first]))
        if number in changed or part is not nest[4] or (body_items and box.node in body_items):
            article, from_body, from_title, item, _ = nest
            nest = (
                sizes.get(number, article),
                body.path.get(number, from_body),
                title.path.get(number, from_title),
                1.0 if item or box.node in body_items else 0.0,
                part,
            )
        nests.append(nest)
    return nests


def _next_headings(runs: list[TextRun]) -> list[int]:
    """Return, for each run, the index of the heading that it is or that follows it."""
    following = len(runs)
    indexes = [following] * (following + 1)
    for index in range(len(runs) - 1, -1, -1):
        if runs[index].tag in HEADINGS:
            following = index
        indexes[index] = following
    return indexes


def _own_text_positions(page: MeasuredPage, run_indexes: Sequence[int]) -> Iterator[list[float]]:
    """Yield the side of the own text on which each run stands, and the long words up to it."""
    own, sums = page.own, page.tallies.long_words
    # 0 before the own text, 1 in it, 2 in what belongs to it, 3 after that.
    edges = (own.first, own.last, own.end)
    yield [float(bisect_right(edges, index)) for index in run_indexes]
    before = sums[own.first]
    yield [log1p(sums[index] - before) if index >= own.first else -1.0 for index in run_indexes]


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
        key: (sizes[key] / largest, float(min(rank, _MAX_ARTICLE_RANK)))
        for rank, key in enumerate(ranked)
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
    gaps = [min(float(after - index - 1), _MAX_GAP_RUNS) for index, after in pairwise(indexes)]
    return [0.0, *accumulate([0.0, *gaps], max)]
