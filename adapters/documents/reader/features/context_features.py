"""What stands around a run: sections and their signs, the likeliest body, cards, articles."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, pairwise
from math import log1p
from typing import Final, TypeAlias

import msgspec
from turbohtml import Element

from ..metadata import PageHead
from ..page_segments import BlockBox, PageSegments, TextRun
from .cues import BUYING, BYLINES
from .page_features import MeasuredPage
from .repeats import Repeats, Tallies, window_sums
from .signs import (
    COMMENTS,
    HEADINGS,
    RELATED,
    Anchor,
    SectionSigns,
    likeliest_body,
    split_words,
    title_heading,
)

NAMES: Final = ("prices_before", "bylines_before", "dates_before", "from_buying")
_CARDS_MAX_COUNT: Final = 20.0
_BUYING_WORDS: Final = 6
_BYLINE: Final = 12
# What these begin with: most runs begin otherwise.
_BUYING_STARTS: Final = frozenset(phrase[:2] for phrase in BUYING)
_BYLINE_STARTS: Final = frozenset(phrase[:2] for phrase in BYLINES)


class Cards(msgspec.Struct, frozen=True, gc=False):
    """How many prices, bylines and dates stand before each run; the first button to buy."""

    prices: list[int]
    bylines: list[int]
    dates: list[int]
    buying: int | None

    def columns(self, places: Sequence[int]) -> tuple[list[float], ...]:
        """Return a column of these runs for each of ``NAMES``."""
        buying = self.buying
        return (
            [log1p(self.prices[place]) for place in places],
            [min(float(self.bylines[place]), _CARDS_MAX_COUNT) for place in places],
            [min(float(self.dates[place]), _CARDS_MAX_COUNT) for place in places],
            [-1.0] * len(places)
            if buying is None
            else [log1p(max(place - buying, 0)) for place in places],
        )


def find_cards(runs: list[TextRun], signs: SectionSigns, title: int) -> Cards:
    """Look for what cards have; ``title`` is the run of the title."""
    bylines = [_is_byline(run.text[:_BYLINE].lower()) for run in runs]
    return Cards(
        prices=[0, *accumulate(signs.prices)],
        bylines=_since(bylines, title),
        dates=_since(signs.dates, title),
        buying=_first_button(runs, signs.starts),
    )


def _is_byline(start: str) -> bool:
    return start[:2] in _BYLINE_STARTS and start.startswith(BYLINES)


def _since(marks: list[int] | list[bool], start: int) -> list[int]:
    """Count the marks after ``start`` and before each run."""
    return [0] * (start + 1) + list(accumulate(marks[start:]))


def _first_button(runs: list[TextRun], starts: list[str]) -> int | None:
    for place, start in enumerate(starts):
        if (
            start[:2] in _BUYING_STARTS
            and start.startswith(BUYING)
            and runs[place].words <= _BUYING_WORDS
        ):
            return place
    return None


# What the members of a repeated group have: pictures, dates, like sizes.

# Share of the members with a picture, and with a date; spread of sizes.
KinFacts: TypeAlias = tuple[float, float, float]
_GROUP_FEATURES_NONE: Final[KinFacts] = (-1.0, -1.0, -1.0)


class RunSums(msgspec.Struct, frozen=True, gc=False):
    """How many of each there are before a run: ``dates[j] - dates[i]`` is what is in between."""

    images: list[int]
    times: list[int]
    dates: list[int]


def sum_runs(segments: PageSegments, signs: SectionSigns) -> RunSums:
    """Sum up what was seen on the runs of a page."""
    count = len(segments.runs)
    return RunSums(
        images=_places_before(segments.images, count),
        times=_places_before(segments.times, count),
        dates=[0, *accumulate(signs.dates)],
    )


def _places_before(places: list[int], count: int) -> list[int]:
    """Count the places before each run.

    >>> _places_before([0, 2, 2], 3)
    [0, 1, 1, 3]
    """
    marks = [0] * (count + 2)
    for place in places:
        marks[place + 1] += 1
    return list(accumulate(marks[:-1]))


def group_facts(repeats: Repeats, tallies: Tallies, sums: RunSums) -> list[KinFacts]:
    """Return the facts of every repeated group."""
    return [
        _GROUP_FEATURES_NONE,
        *[_facts(members, tallies, sums) for members in repeats.members[1:]],
    ]


def _facts(members: list[BlockBox], tallies: Tallies, sums: RunSums) -> KinFacts:
    images = times = words = squares = 0
    for box in members:
        first, last = box.first, box.last
        images += sums.images[last] > sums.images[first]
        times += sums.dates[last] > sums.dates[first] or sums.times[last] > sums.times[first]
        size = tallies.words[last] - tallies.words[first]
        words += size
        squares += size * size
    count = len(members)
    mean = words / count
    spread = max(squares / count - mean * mean, 0.0) ** 0.5 / (mean + 1)
    return images / count, times / count, spread


# The last heading before a run, and what headings there were up to it.

HEADINGS_NAMES: Final = (
    "last_words",
    "last_runs",
    "last_level",
    "high_headings",
    "linked_headings",
)
_HEADINGS_MAX_DISTANCE_RUNS: Final = 30.0
_HEADINGS_MAX_COUNT: Final = 20.0
_LINKED: Final = 0.5
# The words and the level of a heading; how many up to it were high, how many linked.
_Heading: TypeAlias = tuple[float, float, float, float]
_NONE: Final[_Heading] = (-1.0, 0.0, 0.0, 0.0)


class Headings(msgspec.Struct, frozen=True, gc=False):
    """Where the headings of a page stand; ``facts`` begins with what there is before the first."""

    places: list[int]
    facts: list[_Heading]

    def columns(self, places: Sequence[int]) -> Iterator[list[float]]:
        """Yield a column of these runs for each of ``NAMES``."""
        counts = [bisect_left(self.places, place) for place in places]
        facts = [self.facts[count] for count in counts]
        yield [words for words, _, _, _ in facts]
        yield [
            min(float(place - self.places[count - 1]), _HEADINGS_MAX_DISTANCE_RUNS)
            if count
            else _HEADINGS_MAX_DISTANCE_RUNS
            for place, count in zip(places, counts, strict=True)
        ]
        for part in (1, 2, 3):
            yield [each[part] for each in facts]


def find_headings(runs: list[TextRun], tallies: Tallies) -> Headings:
    """Find the headings of a page."""
    places = [place for place, run in enumerate(runs) if run.tag in HEADINGS]
    facts = [_NONE]
    high = linked = 0.0
    for place in places:
        run = runs[place]
        high = min(high + (run.tag == "h1"), _HEADINGS_MAX_COUNT)
        linked = min(linked + (tallies.shares[place] > _LINKED), _HEADINGS_MAX_COUNT)
        facts.append((float(run.words), float(run.tag[1]), high, linked))
    return Headings(places, facts)


# What stands around a run: sections and their signs, the likeliest body, cards, articles.

PAGE_NAMES: Final = ("body_share", "body_links", "articles", "body_known")
BOX_NAMES: Final = (
    "kin_images", "kin_times", "kin_spread", "article_share", "article_rank", "body_depth",
    "body_parting", "title_parting", "item_body",
)  # fmt: skip
RUN_NAMES: Final = (
    "related_share", "comment_share", "after_related", "after_comments", "body_distance",
    "title_distance", *HEADINGS_NAMES, "images_near", "sentences", "body_said", "widest_gap",
    *NAMES,
)  # fmt: skip
_REACH: Final = 4
_PICTURES: Final = 10
_MAX_DISTANCE_RUNS: Final = 30.0
_MAX_COUNT: Final = 20.0
_MIN_RELATED_POSITION: Final = 0.3
_MIN_COMMENTS_POSITION: Final = 0.2
_BODY_ITEMS: Final = frozenset({"articlebody", "text", "mainentity"})
_WORD: Final = re.compile(r"\w+")
_MAX_BODY_CHARS: Final = 60_000
_MIN_BODY_CHARS: Final = 200
_TOLD: Final = 8
_MIN_SPOKEN_WORDS: Final = 3
_START: Final = 200
# What a box has from those above it: article, partings from body and title, whether a body item.
_Nest: TypeAlias = tuple[tuple[float, float], float, float, float]
_NOT_NESTED: Final[_Nest] = ((-1.0, -1.0), 0.0, 0.0, 0.0)


class PageContext(msgspec.Struct, frozen=True, gc=False):
    """What was seen on the page as a whole; the rows of its runs and boxes are made when asked.

    ``page`` is as in ``PAGE_NAMES``.
    """

    whole: MeasuredPage
    page: list[float]
    body: Anchor
    title: Anchor
    images: list[int]
    spoken: str
    headings: Headings
    gaps: list[float]
    cards: Cards
    kin: list[KinFacts]
    nests: list[_Nest]

    def rows(self, places: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield, for each of these runs, what ``RUN_NAMES`` says."""
        runs, tallies = self.whole.cut.runs, self.whole.tallies
        some = [runs[place] for place in places]
        longs, gaps, spoken = tallies.longs, self.gaps, self.spoken
        images = window_sums(self.images, _REACH, places)
        return zip(
            *_sections(self.whole.signs, tallies, places),
            self.body.distances(places),
            self.title.distances(places),
            *self.headings.columns(places),
            [float(min(some, _PICTURES)) for some in images],
            [_sentences(run.text) for run in some],
            [_said(run, spoken) for run in some] if spoken else [-1.0] * len(some),
            [gaps[longs[place + 1]] for place in places],
            *self.cards.columns(places),
            strict=True,
        )

    def box_rows(self, numbers: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Yield, for each of these boxes, what ``BOX_NAMES`` says."""
        boxes, nearest = self.whole.cut.boxes, self.whole.repeats.nearest
        depth = boxes[self.body.box].depth
        for number in numbers:
            article, parting, from_title, item = self.nests[number]
            own_depth = float(boxes[number].depth - depth)
            yield (*self.kin[nearest[number]], *article, own_depth, parting, from_title, item)


def measure_context(page: MeasuredPage) -> PageContext:
    """Measure what stands around the runs of a page."""
    cut, tallies = page.cut, page.tallies
    body = likeliest_body(cut.runs, cut.boxes, tallies)
    title = title_heading(cut.runs, cut.boxes, frozenset(split_words(page.head.titles)))
    sums = sum_runs(cut, page.signs)
    spoken = _spoken_body(page.head)
    words, links, _ = tallies.span(body.first, body.last)
    sizes = _article_sizes(cut.boxes, tallies)
    return PageContext(
        whole=page,
        page=[words / tallies.total_words, links, log1p(len(sizes)), float(bool(spoken))],
        body=body,
        title=title,
        images=sums.images,
        spoken=spoken,
        headings=find_headings(cut.runs, tallies),
        gaps=_widest_gaps(tallies.is_long),
        cards=find_cards(cut.runs, page.signs, title.first),
        kin=group_facts(page.repeats, tallies, sums),
        nests=_nests(cut.boxes, body, title, sizes),
    )


def _nests(
    boxes: list[BlockBox], body: Anchor, title: Anchor, sizes: dict[int, tuple[float, float]]
) -> list[_Nest]:
    """Return what each box has from those above it."""
    bodies = _body_items(boxes[0].node)
    own = body.path.keys() | title.path.keys() | sizes.keys()
    nests: list[_Nest] = []
    # Most boxes have nothing that those above them have not.
    for number, box in enumerate(boxes):
        nest = nests[box.parent] if number else _NOT_NESTED
        if number in own or (bodies and box.node in bodies):
            article, parting, from_title, item = nest
            nest = (
                sizes.get(number, article),
                body.path.get(number, parting),
                title.path.get(number, from_title),
                1.0 if item or box.node in bodies else 0.0,
            )
        nests.append(nest)
    return nests


def _article_sizes(boxes: list[BlockBox], tallies: Tallies) -> dict[int, tuple[float, float]]:
    """Return, for each ``article``, its size beside the largest, and its rank."""
    words = tallies.words
    sizes = {
        number: words[box.last] - words[box.first]
        for number, box in enumerate(boxes)
        if box.tag == "article"
    }
    largest = max(sizes.values(), default=0) or 1
    ranked = sorted(sizes, key=lambda number: (-sizes[number], number))
    return {
        number: (sizes[number] / largest, float(min(rank, _MAX_COUNT)))
        for rank, number in enumerate(ranked)
    }


def _body_items(page: Element) -> frozenset[Element]:
    """Return what microdata calls the body of an article."""
    named = page.select("[itemprop]")
    return frozenset(each for each in named if (each.attr("itemprop") or "").lower() in _BODY_ITEMS)


def _sections(
    signs: SectionSigns, tallies: Tallies, places: Sequence[int]
) -> Iterator[list[float]]:
    """Yield the share of the page that a run's section holds, and how far after a sign it is."""
    words, total = tallies.words, tallies.total_words
    for what in (RELATED, COMMENTS):
        above = signs.under(what)
        scopes = [above[place] for place in places]
        yield [(words[each.last] - words[each.first]) / total if each else 0.0 for each in scopes]
    for what, late in ((RELATED, _MIN_RELATED_POSITION), (COMMENTS, _MIN_COMMENTS_POSITION)):
        some = (scope.first for scope in signs.scopes if scope.what == what)
        first = next((place for place in some if words[place] > late * total), None)
        if first is None:
            yield [-1.0] * len(places)
        else:
            before = words[first]
            yield [(words[p] - before) / total if p >= first else -1.0 for p in places]


def _widest_gaps(is_long: list[bool]) -> list[float]:
    """Return the most runs between two long ones, up to each long one; 0 before the first.

    >>> _widest_gaps([True, False, False, True, False, True])
    [0.0, 0.0, 2.0, 2.0]
    """
    places = list(compress(range(len(is_long)), is_long))
    gaps = [min(float(after - place - 1), _MAX_DISTANCE_RUNS) for place, after in pairwise(places)]
    return [0.0, *accumulate([0.0, *gaps], max)]


def _sentences(text: str) -> float:
    count = text.count(". ") + (0 if text.isascii() else text.count("。"))
    return float(min(count, _MAX_COUNT))


def _spoken_body(head: PageHead) -> str:
    """Return the words of the article as linked data tells it; blank where it does not."""
    told = [text for thing in head.things if isinstance(text := thing.get("articleBody"), str)]
    longest = max(told, key=len, default="")
    if len(longest) <= _MIN_BODY_CHARS:
        return ""
    return f" {' '.join(_WORD.findall(longest[:_MAX_BODY_CHARS].lower()))} "


def _said(run: TextRun, spoken: str) -> float:
    """Return whether the told body has the run's first words; between both for a few words."""
    words = _WORD.findall(run.text[:_START].lower())[:_TOLD]
    return float(" ".join(words) in spoken) if len(words) >= _MIN_SPOKEN_WORDS else 0.5
