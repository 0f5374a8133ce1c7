"""One row of numbers per run, in the order the model was trained on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from math import log1p
from typing import Final, TypeAlias

import msgspec

from ..page_segments import CONTEXTS, BlockBox, TextRun
from .context_features import BOX_NAMES, PAGE_NAMES, RUN_NAMES, PageContext, measure_context
from .page_features import KINDS, MeasuredPage, shape_features
from .repeats import Tallies, window_sums
from .vocabulary import GROUPS
from .wording_features import NAMES as PHRASE_NAMES, Wording, page_wording, phrase_features

_TAG_SETS: Final = (
    "p", "li", "h1", "h2 h3", "h4 h5 h6", "td th tr", "pre", "blockquote", "div", "dd dt",
    "figcaption caption", "section", "article", "button label option summary legend", "body",
)  # fmt: skip
_TAG_BIT: Final = {tag: 1 << place for place, tags in enumerate(_TAG_SETS) for tag in tags.split()}

_PLACE_NAMES: Final = ("log_words", "link_share", "place", "words_before", "from_h1")
_WINDOW_NAMES: Final = (
    "window8_longs", "window8_links", "window8_words", "window20_longs", "window20_links",
)  # fmt: skip
_NESTING_NAMES: Final = (
    "depth", "siblings", "siblings1", "siblings2", "twins", "twins1", "twins2", "near_steps",
)  # fmt: skip
_GROUP_NAMES: Final = ("count", "words", "share", "links", "longs")
_SPANS: Final = ("box", "up1", "up2", "up3", "up5")
_SPAN_NAMES: Final = ("words", "share", "links", "longs", "mean")
_SHARED_NAMES: Final = (
    "page_words", "page_runs", "page_longs", "page_links", "page_best",
    *PAGE_NAMES, *[f"kind_{kind}" for kind in KINDS],
)  # fmt: skip
# What the numbers of a row are, group by group: to put them into one list takes as long as to
# measure some of them.
NUMBERS: Final = (
    _PLACE_NAMES,
    PHRASE_NAMES,
    _WINDOW_NAMES,
    RUN_NAMES,
    _NESTING_NAMES,
    *(tuple(f"{group}_{name}" for name in _GROUP_NAMES) for group in ("near", "large", "wide")),
    *(tuple(f"{span}_{name}" for name in _SPAN_NAMES) for span in _SPANS),
    BOX_NAMES,
    _SHARED_NAMES,
)
MASKS: Final = (
    ("tag", tuple(name.replace(" ", "_") for name in _TAG_SETS)),
    ("above", tuple(name for name, _ in GROUPS)),
    ("own", tuple(name for name, _ in GROUPS)),
    ("near", tuple(name for name, _ in GROUPS)),
    ("inside", tuple(CONTEXTS)),
)

Masks: TypeAlias = tuple[int, int, int, int, int]
_Span: TypeAlias = tuple[float, float, float, float, float]
FeatureRow: TypeAlias = tuple[tuple[Sequence[float], ...], Masks]


class PageMeasures(msgspec.Struct, frozen=True, gc=False):
    """What was measured on a page as a whole; what is asked of one run waits."""

    page: MeasuredPage
    words: Wording
    around: PageContext
    parents: Sequence[int]
    shared: tuple[float, ...]

    def rows(self, places: Sequence[int]) -> Iterator[FeatureRow]:
        """Yield the rows of these runs: their ``NUMBERS``, and a bit mask for each of ``MASKS``.

        All numbers are floats: comparing mixed ones takes the trees twice as long.
        """
        cut, tallies = self.page.cut, self.page.tallies
        runs = [cut.runs[place] for place in places]
        numbers = [run.box for run in runs]
        groups = zip(
            _places(cut.runs, tallies, places),
            [phrase_features(run, self.words) for run in runs],
            _windows(tallies, places),
            self.around.rows(places),
            *_nesting(self, numbers),
            self.around.box_rows(numbers),
            repeat(self.shared, len(runs)),
            strict=True,
        )
        return zip(groups, [_masks(run, cut.boxes) for run in runs], strict=True)


def measure_page(page: MeasuredPage, kinds: list[float]) -> PageMeasures:
    """Measure what stands around every run of a page."""
    runs, boxes = page.cut.runs, page.cut.boxes
    around = measure_context(page)
    return PageMeasures(
        page=page,
        words=page_wording(page.head, runs),
        around=around,
        parents=[0, *(box.parent for box in boxes[1:])],
        shared=(*shape_features(page), *around.page, *kinds),
    )


def run_rows(page: MeasuredPage, kinds: list[float]) -> Iterator[FeatureRow]:
    """Yield the row of every run."""
    return measure_page(page, kinds).rows(range(len(page.cut.runs)))


def _masks(run: TextRun, boxes: list[BlockBox]) -> Masks:
    box = boxes[run.box]
    parent = boxes[max(box.parent, 0)]
    grand = boxes[max(parent.parent, 0)]
    great = boxes[max(grand.parent, 0)]
    near = box.own | parent.own | grand.own | great.own
    return _TAG_BIT.get(run.tag, 0), box.above, box.own, near, box.context


def _places(
    runs: list[TextRun], tallies: Tallies, places: Sequence[int]
) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, its size and where it stands on the page."""
    count = len(runs)
    first_h1 = next((place for place, run in enumerate(runs) if run.tag == "h1"), None)
    logs, shares, words, total = tallies.logs, tallies.shares, tallies.words, tallies.total_words
    return zip(
        [logs[place] for place in places],
        [shares[place] for place in places],
        [place / count for place in places],
        [words[place] / total for place in places],
        [-1.0 if first_h1 is None else (place - first_h1) / count for place in places],
        strict=True,
    )


def _windows(tallies: Tallies, places: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, what the 8 and 20 runs on either side of it are like."""
    counts = list(range(len(tallies.words)))
    near, far = window_sums(counts, 8, places), window_sums(counts, 20, places)
    return zip(
        _shares(window_sums(tallies.longs, 8, places), near),
        _linked(tallies, 8, places),
        [log1p(mean) for mean in _shares(window_sums(tallies.words, 8, places), near)],
        _shares(window_sums(tallies.longs, 20, places), far),
        _linked(tallies, 20, places),
        strict=True,
    )


def _linked(tallies: Tallies, reach: int, places: Sequence[int]) -> list[float]:
    """Return the share of linked text around each run."""
    linked = window_sums(tallies.linked, reach, places)
    return _shares(linked, window_sums(tallies.chars, reach, places))


def _shares(some: list[int], all_of_it: list[int]) -> list[float]:
    return [part / whole for part, whole in zip(some, all_of_it, strict=True)]


def _spans(page: MeasuredPage, numbers: Iterable[int]) -> dict[int, _Span]:
    """Return words (log), share of words, link share, share of longs, words per run of each box."""
    boxes, tallies = page.cut.boxes, page.tallies
    words, chars, linked, longs = tallies.words, tallies.chars, tallies.linked, tallies.longs
    total_words, total_longs = tallies.total_words, tallies.total_longs
    spans: dict[int, _Span] = {}
    for number in numbers:
        first, last = boxes[number].first, boxes[number].last
        inside = words[last] - words[first]
        spans[number] = (
            log1p(inside),
            inside / total_words,
            (linked[last] - linked[first]) / ((chars[last] - chars[first]) or 1),
            (longs[last] - longs[first]) / total_longs,
            inside / (last - first),
        )
    return spans


def _nesting(measures: PageMeasures, up0: list[int]) -> Iterator[list[tuple[float, ...]]]:
    """Yield, for each run, how its box is nested, what is repeated around, and what is inside."""
    boxes, parents, repeats = measures.page.cut.boxes, measures.parents, measures.page.repeats
    siblings, twins, steps = repeats.siblings, repeats.twins, repeats.steps
    up1 = [parents[number] for number in up0]
    up2 = [parents[number] for number in up1]
    up3 = [parents[number] for number in up2]
    up5 = [parents[parents[number]] for number in up3]
    yield [
        (
            float(boxes[own].depth),
            siblings[own], siblings[above], siblings[over],
            twins[own], twins[above], twins[over],
            steps[own],
        )
        for own, above, over in zip(up0, up1, up2, strict=True)
    ]  # fmt: skip
    yield [repeats.groups[repeats.nearest[number]] for number in up0]
    yield [repeats.largest[number] for number in up0]
    yield [repeats.widest[number] for number in up0]
    # Each holds a run.
    spans = _spans(measures.page, {*up0, *up1, *up2, *up3, *up5})
    for numbers in (up0, up1, up2, up3, up5):
        yield [spans[number] for number in numbers]
