"""Ask the model: which kind of page is this, and how likely is each run content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat
from math import exp, log1p
from string import ascii_uppercase
from typing import Final, TypeAlias

import msgspec

from .features.context_features import (
    BOX_NAMES,
    PAGE_NAMES,
    RUN_NAMES,
    PageContext,
    measure_context,
)
from .features.cues import BOILERPLATE, BOILERPLATE_STARTS, COMMAS, ENDINGS
from .features.page_features import KINDS, MeasuredPage, page_features, shape_features
from .features.repeats import Tallies, window_sums
from .features.signs import split_words
from .features.vocabulary import GROUPS
from .metadata import PageHead
from .model import kinds as kind_model, runs as run_model
from .page_segments import CONTEXTS, BlockBox, TextRun

NAMES: Final = ("letters", "ends", "commas", "capitals", "boilerplate", "copies", "titled", "told")
_HEAD: Final = 160
_TOLD_WORDS: Final = 9
_MIN_DESCRIBED_WORDS: Final = 4
_CAPITALS_CHARS: Final = 40
_MAX_DESCRIPTION_CHARS: Final = 2_000
_MAX_SHORT_RUN_WORDS: Final = 40
_UPPER: Final = ascii_uppercase.encode()
_BOILERPLATE: Final = frozenset(word for some in BOILERPLATE.values() for word in some.split())


class Wording(msgspec.Struct, frozen=True, gc=False):
    """What runs are compared with: the page's title words, its description, its own runs."""

    title: frozenset[str]
    description: str
    copies: Counter[str]


def page_wording(head: PageHead, runs: list[TextRun]) -> Wording:
    """Gather what the runs of a page are compared with."""
    return Wording(
        title=frozenset(split_words(head.titles)),
        description=" ".join(split_words(head.descriptions[:_MAX_DESCRIPTION_CHARS])),
        copies=Counter([run.text for run in runs]),
    )


def phrase_features(run: TextRun, page: Wording) -> tuple[float, ...]:
    """Return the features in ``NAMES``."""
    text = run.text
    words = run.words
    sizes = (
        len(text) / words,
        1.0 if text[-1] in ENDINGS else 0.0,
        (text.count(",") if text.isascii() else sum(map(text.count, COMMAS))) / words,
    )
    return (*sizes, *(_of_short if words < _MAX_SHORT_RUN_WORDS else _of_long)(text, page))


def _of_short(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    words = text[:_HEAD].lower().split() if text.isascii() else split_words(text[:_HEAD])
    count = len(words)
    return (
        _capitals(text[:_CAPITALS_CHARS]),
        float(_is_boilerplate(text, words)),
        page.copies[text] - 1.0,
        len(page.title.intersection(words)) / count,
        1.0
        if count > _MIN_DESCRIBED_WORDS and " ".join(words[:_TOLD_WORDS]) in page.description
        else 0.0,
    )


def _is_boilerplate(text: str, words: list[str]) -> bool:
    if not _BOILERPLATE.isdisjoint(words):
        return True
    return not text.isascii() and text.startswith(BOILERPLATE_STARTS)


def _capitals(start: str) -> float:
    if start.isascii():
        # Many times as fast as to look at one letter after the other.
        return 1 - len(start.encode().translate(None, _UPPER)) / len(start)
    return sum(map(str.isupper, start)) / len(start)


def _of_long(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    described = 0.0
    if page.description:
        described = float(" ".join(split_words(text[:_HEAD])[:_TOLD_WORDS]) in page.description)
    return 0.0, 0.0, page.copies[text] - 1.0, 0.0, described


# One row of numbers per run, in the order the model was trained on.

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
    NAMES,
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


# Ask the model: which kind of page is this, and how likely is each run content.

# On a large page every fourth of many runs of one make, such as the names on all cards, is asked
# for, or 16 of very many; and those between two only where these are not as likely as each other.
# Cross-validated: as good as to ask for all.
_MIN_SAMPLED_RUNS: Final = 300
_MIN_STRETCH_RUNS: Final = 8
_MIN_SAMPLE_STEP: Final = 4
_ASKED: Final = 16
_ALIKE: Final = 0.05


class PageScores(msgspec.Struct, frozen=True):
    """How likely each kind of page is, and how likely each run is content."""

    kinds: list[float]
    likely: list[float]

    @property
    def kind(self) -> str:
        """Return the likeliest kind."""
        return KINDS[self.kinds.index(max(self.kinds))]


def score_page(page: MeasuredPage) -> PageScores:
    """Score every run of a page."""
    chances = _softmax(kind_model.scores(page_features(page)))
    return PageScores(kinds=chances, likely=_likely(measure_page(page, chances)))


def _likely(measures: PageMeasures) -> list[float]:
    cut = measures.page.cut
    likely = [0.0] * len(cut.runs)
    stretches = list(_stretches(cut.makes)) if len(likely) >= _MIN_SAMPLED_RUNS else []
    _ask(measures, _all_but(likely, stretches), likely)
    unlike = [places for places in stretches if not _settled(places, likely)]
    if unlike:
        _ask(measures, [not asked for asked in _all_but(likely, unlike)], likely)
    return likely


def _all_but(likely: list[float], stretches: list[list[int]]) -> list[bool]:
    """Return for each run whether it stands in no stretch, but for the two that bound it."""
    asked = [True] * len(likely)
    for places in stretches:
        for place in places[1:-1]:
            asked[place] = False
    return asked


def _settled(places: list[int], likely: list[float]) -> bool:
    first, last = likely[places[0]], likely[places[-1]]
    if abs(first - last) > _ALIKE:
        return False
    for place in places[1:-1]:
        likely[place] = (first + last) / 2
    return True


def _stretches(makes: list[list[int]]) -> Iterator[list[int]]:
    """Yield parts of the larger makes; each ends with the run that the next one begins with."""
    for places in makes:
        if len(places) >= _MIN_STRETCH_RUNS:
            last = len(places) - 1
            step = max(_MIN_SAMPLE_STEP, last // _ASKED)
            for start in range(0, last - 1, step):
                yield places[start : min(start + step, last) + 1]


def _ask(measures: PageMeasures, asked: Sequence[bool], likely: list[float]) -> None:
    places = list(compress(range(len(asked)), asked))
    for place, (numbers, masks) in zip(places, measures.rows(places), strict=True):
        likely[place] = 1 / (1 + exp(-run_model.score(numbers, masks)))


def _softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
