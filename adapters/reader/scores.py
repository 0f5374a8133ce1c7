"""Score a page with the models: its kind, and each run's chance to be content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat
from math import exp, log1p
from string import ascii_uppercase
from typing import Final, TypeAlias

import msgspec

from . import page_kind_model as kind_model, run_model, thresholds as fitted
from .measures.context_features import PageContext, measure_context
from .measures.cues import BOILERPLATE, BOILERPLATE_STARTS, COMMAS, END_CHARS
from .measures.page_features import KINDS, MeasuredPage, page_features, page_shape_features
from .measures.repeats import Tallies, run_windows
from .measures.signs import page_words
from .metadata import PageHead
from .page_segments import BlockBox, TextRun

_START_CHARS: Final = 160
_MAX_DESCRIBED_WORDS: Final = 9
_MIN_DESCRIBED_WORDS: Final = 4
_CAPITALS_CHARS: Final = 40
_MAX_DESCRIPTION_CHARS: Final = 2_000
_MAX_SHORT_RUN_WORDS: Final = 40
_UPPER_LETTERS: Final = ascii_uppercase.encode()
# The order of the trained model, as everywhere in a row; ``training/columns.py`` has the names.
TAG_SETS: Final = (
    "p", "li", "h1", "h2 h3", "h4 h5 h6", "td th tr", "pre", "blockquote", "div", "dd dt",
    "figcaption caption", "section", "article", "button label option summary legend", "body",
)  # fmt: skip


class Wording(msgspec.Struct, frozen=True, gc=False):
    """The texts that runs are compared with: title words, descriptions, the page's runs."""

    title: frozenset[str]
    description: str
    copies: Counter[str]


def page_wording(head: PageHead, runs: list[TextRun]) -> Wording:
    """Return the title words, descriptions and run counts of a page."""
    return Wording(
        title=frozenset(page_words(head.titles)),
        description=" ".join(page_words(head.descriptions[:_MAX_DESCRIPTION_CHARS])),
        copies=Counter([run.text for run in runs]),
    )


def phrase_features(run: TextRun, page: Wording) -> tuple[float, ...]:
    """Return measures of a run's own text; a long run is only compared with other texts."""
    text, count = run.text, run.words
    is_short = count < _MAX_SHORT_RUN_WORDS
    words = page_words(text[:_START_CHARS]) if is_short or page.description else []
    is_told = len(words) > _MIN_DESCRIBED_WORDS and (
        " ".join(words[:_MAX_DESCRIBED_WORDS]) in page.description
    )
    return (
        len(text) / count,
        1.0 if text[-1] in END_CHARS else 0.0,
        (text.count(",") if text.isascii() else sum(map(text.count, COMMAS))) / count,
        _capitals_share(text[:_CAPITALS_CHARS]) if is_short else 0.0,
        1.0 if is_short and _is_boilerplate_run(text, words) else 0.0,
        page.copies[text] - 1.0,
        len(page.title.intersection(words)) / len(words) if is_short else 0.0,
        1.0 if is_told else 0.0,
    )


def _is_boilerplate_run(text: str, words: list[str]) -> bool:
    if not BOILERPLATE.isdisjoint(words):
        return True
    return not text.isascii() and text.startswith(BOILERPLATE_STARTS)


def _capitals_share(start: str) -> float:
    if start.isascii():
        # Much faster than testing letter by letter.
        return 1 - len(start.encode().translate(None, _UPPER_LETTERS)) / len(start)
    return sum(map(str.isupper, start)) / len(start)


_TAG_BITS: Final = {tag: 1 << bit for bit, tags in enumerate(TAG_SETS) for tag in tags.split()}
Masks: TypeAlias = tuple[int, int, int, int, int]
_Span: TypeAlias = tuple[float, float, float, float, float]
FeatureRow: TypeAlias = tuple[tuple[Sequence[float], ...], Masks]


class PageMeasures(msgspec.Struct, frozen=True, gc=False):
    """The measures of a whole page; rows of single runs are computed on demand."""

    page: MeasuredPage
    words: Wording
    context: PageContext
    parents: Sequence[int]
    shared: tuple[float, ...]

    def rows(self, run_indexes: Sequence[int]) -> Iterator[FeatureRow]:
        """Yield the rows of runs: groups of numbers, and bit masks.

        All numbers are floats: mixed types double the time of the trees. Flat rows would cost as
        much as some measures.
        """
        segments, tallies = self.page.segments, self.page.tallies
        runs = [segments.runs[index] for index in run_indexes]
        numbers = [run.box for run in runs]
        groups = zip(
            _run_positions(segments.runs, tallies, run_indexes),
            [phrase_features(run, self.words) for run in runs],
            _run_window_features(tallies, run_indexes),
            self.context.rows(run_indexes),
            *_box_nestings(self, numbers),
            self.context.box_rows(numbers),
            repeat(self.shared, len(runs)),
            strict=True,
        )
        masks = [_box_masks(segments.boxes, self.parents, number) for number in numbers]
        return zip(groups, masks, strict=True)


def measure_page(page: MeasuredPage, kinds: list[float]) -> PageMeasures:
    """Measure the page and the context of its runs."""
    runs, boxes = page.segments.runs, page.segments.boxes
    context = measure_context(page)
    return PageMeasures(
        page=page,
        words=page_wording(page.head, runs),
        context=context,
        parents=[0, *(box.parent for box in boxes[1:])],
        shared=(*page_shape_features(page), *context.page, *kinds),
    )


def _box_masks(boxes: list[BlockBox], parents: Sequence[int], number: int) -> Masks:
    box = boxes[number]
    parent = parents[number]
    grand = parents[parent]
    near = box.own | boxes[parent].own | boxes[grand].own | boxes[parents[grand]].own
    return _TAG_BITS.get(box.tag, 0), box.above, box.own, near, box.context


def _run_positions(
    runs: list[TextRun], tallies: Tallies, indexes: Sequence[int]
) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, its size and its position on the page."""
    count = len(runs)
    first_h1 = next((index for index, run in enumerate(runs) if run.tag == "h1"), None)
    logs, shares, words, total = tallies.logs, tallies.shares, tallies.words, tallies.total_words
    return zip(
        [logs[index] for index in indexes],
        [shares[index] for index in indexes],
        [index / count for index in indexes],
        [words[index] / total for index in indexes],
        [-1.0 if first_h1 is None else (index - first_h1) / count for index in indexes],
        strict=True,
    )


def _run_window_features(tallies: Tallies, indexes: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, measures of the 8 and 20 runs on either side of it."""
    longs, linked, chars, words = tallies.longs, tallies.linked, tallies.chars, tallies.words
    near, far = (run_windows(reach, indexes, len(tallies.logs)) for reach in (8, 20))
    for (start, end), (low, high) in zip(near, far, strict=True):
        yield (
            (longs[end] - longs[start]) / (end - start),
            (linked[end] - linked[start]) / (chars[end] - chars[start]),
            log1p((words[end] - words[start]) / (end - start)),
            (longs[high] - longs[low]) / (high - low),
            (linked[high] - linked[low]) / (chars[high] - chars[low]),
        )


def _box_spans(page: MeasuredPage, numbers: Iterable[int]) -> dict[int, _Span]:
    """Return words (log), share of words, link share, share of longs, words per run of each box."""
    boxes, tallies = page.segments.boxes, page.tallies
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


def _box_nestings(measures: PageMeasures, up0: list[int]) -> Iterator[list[tuple[float, ...]]]:
    """Yield, for each run, the nesting, the repeats and the contents of its boxes."""
    boxes, parents, repeats = measures.page.segments.boxes, measures.parents, measures.page.repeats
    siblings, twins, steps = repeats.siblings, repeats.twins, repeats.steps
    up1 = [parents[number] for number in up0]
    up2 = [parents[number] for number in up1]
    up3 = [parents[number] for number in up2]
    up5 = [parents[parents[number]] for number in up3]
    yield [
        (
            float(boxes[box].depth),
            siblings[box],
            siblings[parent],
            siblings[grandparent],
            twins[box],
            twins[parent],
            twins[grandparent],
            steps[box],
        )
        for box, parent, grandparent in zip(up0, up1, up2, strict=True)
    ]
    yield [repeats.groups[repeats.nearest[number]] for number in up0]
    yield [repeats.largest[number] for number in up0]
    yield [repeats.widest[number] for number in up0]
    # Each of these boxes holds a run, so no division by zero.
    spans = _box_spans(measures.page, {*up0, *up1, *up2, *up3, *up5})
    for numbers in (up0, up1, up2, up3, up5):
        yield [spans[number] for number in numbers]


class PageScores(msgspec.Struct, frozen=True):
    """The chance of each kind of page, and of each run to be content."""

    kinds: list[float]
    likely: list[float]

    @property
    def kind(self) -> str:
        """Return the likeliest kind."""
        return KINDS[self.kinds.index(max(self.kinds))]


def score_page(page: MeasuredPage) -> PageScores:
    """Score every run of a page."""
    chances = _softmax(kind_model.scores(page_features(page)))
    return PageScores(kinds=chances, likely=_run_chances(measure_page(page, chances)))


def _run_chances(measures: PageMeasures) -> list[float]:
    segments = measures.page.segments
    chances = [0.0] * len(segments.runs)
    stretches = (
        list(_split_run_makes(segments.makes)) if len(chances) >= fitted.MIN_SAMPLED_RUNS else []
    )
    _score_runs(measures, _runs_outside_stretches(chances, stretches), chances)
    unsettled = [indexes for indexes in stretches if not _settle_run_stretch(indexes, chances)]
    if unsettled:
        _score_runs(
            measures, [not was for was in _runs_outside_stretches(chances, unsettled)], chances
        )
    return chances


def _runs_outside_stretches(chances: list[float], stretches: list[list[int]]) -> list[bool]:
    """Tell for each run whether it is outside all stretches, or at the edge of one."""
    is_scored = [True] * len(chances)
    for indexes in stretches:
        for index in indexes[1:-1]:
            is_scored[index] = False
    return is_scored


def _settle_run_stretch(indexes: list[int], chances: list[float]) -> bool:
    first, last = chances[indexes[0]], chances[indexes[-1]]
    if abs(first - last) > fitted.MAX_CHANCE_DIFFERENCE:
        return False
    for index in indexes[1:-1]:
        chances[index] = (first + last) / 2
    return True


def _split_run_makes(makes: list[list[int]]) -> Iterator[list[int]]:
    """Yield parts of the larger makes; each starts with the last run of the one before."""
    for indexes in makes:
        if len(indexes) >= fitted.MIN_STRETCH_RUNS:
            last = len(indexes) - 1
            step = max(fitted.MIN_SAMPLE_STEP, last // fitted.MAX_MAKE_SAMPLES)
            for start in range(0, last - 1, step):
                yield indexes[start : min(start + step, last) + 1]


def _score_runs(measures: PageMeasures, is_scored: Sequence[bool], chances: list[float]) -> None:
    indexes = list(compress(range(len(is_scored)), is_scored))
    scores = run_model.scores(list(measures.rows(indexes)))
    for index, score in zip(indexes, scores, strict=True):
        chances[index] = 1 / (1 + exp(-score))


def _softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
