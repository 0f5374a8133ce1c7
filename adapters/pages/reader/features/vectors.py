"""One row of numbers per run, in the order the model was trained on."""

from collections.abc import Iterator
from math import log1p
from typing import Final, TypeAlias

from ..blocks import CONTEXTS, Box, Run
from .pagewide import KINDS, Whole, shape_features
from .phrases import NAMES as PHRASE_NAMES, phrase_features, wording
from .repeats import Repeats, Tallies
from .surroundings import BOX_NAMES, PAGE_NAMES, RUN_NAMES, surroundings
from .vocabulary import GROUPS

_TAG_SETS: Final = (
    "p", "li", "h1", "h2 h3", "h4 h5 h6", "td th tr", "pre", "blockquote", "div", "dd dt",
    "figcaption caption", "section", "article", "button label option summary legend", "body",
)  # fmt: skip
_TAG_BIT: Final = {tag: 1 << place for place, tags in enumerate(_TAG_SETS) for tag in tags.split()}
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FAR: Final = 20

NUMBERS: Final = (
    "log_words", "link_share", *PHRASE_NAMES,
    "place", "words_before", "from_h1", "after_h1", "after_long", "before_long",
    "previous_heading", "next_words", "next_links", "second_words", "second_links",
    "window3_longs", "window3_links", "window3_words", "window8_longs", "window8_links",
    "window8_words", "window20_longs", "window20_links",
    "depth", "siblings", "siblings1", "siblings2", "twins", "twins1", "twins2",
    "near_count", "near_words", "near_share", "near_links", "near_longs", "near_steps",
    "large_count", "large_words", "large_share", "large_links", "large_longs",
    "wide_count", "wide_words", "wide_share", "wide_links", "wide_longs",
    "box_words", "box_share", "box_links",
    "up1_words", "up1_share", "up1_links", "up1_longs", "up1_mean",
    "up2_share", "up2_links", "up2_longs", "up2_mean",
    "up3_words", "up3_share", "up3_links", "up3_longs", "up3_mean",
    "up5_share", "up5_links", "up5_longs", *BOX_NAMES,
    "page_words", "page_runs", "page_longs", "page_links", "page_best",
    *PAGE_NAMES, *[f"kind_{kind}" for kind in KINDS], *RUN_NAMES,
)  # fmt: skip
MASKS: Final = (
    ("tag", tuple(name.replace(" ", "_") for name in _TAG_SETS)),
    ("above", tuple(name for name, _ in GROUPS)),
    ("own", tuple(name for name, _ in GROUPS)),
    ("near", tuple(name for name, _ in GROUPS)),
    ("inside", tuple(CONTEXTS)),
)

FeatureRow: TypeAlias = tuple[list[float], tuple[int, int, int, int, int]]


def run_rows(page: Whole, kinds: list[float]) -> list[FeatureRow]:
    """Return the row of every run: its ``NUMBERS``, and one bit mask for each of ``MASKS``.

    All numbers are floats: comparing mixed ones takes the trees twice as long.
    """
    cut, tallies = page.cut, page.tallies
    boxes, runs = cut.boxes, cut.runs
    around = surroundings(page)
    shared = [*shape_features(page), *around.page, *kinds]
    spans = _spans(boxes, tallies)
    words = wording(page.head, runs)
    known: dict[int, list[float]] = {}
    rows: list[FeatureRow] = []
    for run, place, window, outside in zip(
        runs, _places(runs, tallies), _windows(tallies), around.runs, strict=True
    ):
        number = run.box
        about = known.get(number)
        if about is None:
            own = _box_features(boxes, number, spans, page.repeats)
            about = known[number] = [*own, *around.boxes[number], *shared]
        rows.append(
            (
                [*place[:2], *phrase_features(run, words), *place[2:], *window, *about, *outside],
                _masks(run, boxes[number]),
            )
        )
    return rows


def _masks(run: Run, box: Box) -> tuple[int, int, int, int, int]:
    return _TAG_BIT.get(run.tag, 0), box.above, box.own, box.near, box.context


def _places(runs: list[Run], tallies: Tallies) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, its size, where it stands on the page and what comes right after it."""
    count = len(runs)
    places = range(count)
    heads = [run.tag in _HEADINGS for run in runs]
    first_h1 = next((place for place, run in enumerate(runs) if run.tag == "h1"), -1)
    first_long = tallies.is_long.index(True) if True in tallies.is_long else count
    last_long = count - 1 - tallies.is_long[::-1].index(True) if first_long < count else -1
    logs = [*tallies.logs, -1.0, -1.0]
    shares = [*tallies.shares, -1.0, -1.0]
    has_h1 = first_h1 >= 0
    return zip(
        tallies.logs,
        tallies.shares,
        [place / count for place in places],
        [words / tallies.total_words for words in tallies.words[:-1]],
        [(place - first_h1) / count if has_h1 else -1.0 for place in places],
        [1.0 if has_h1 and place >= first_h1 else 0.0 for place in places],
        [float(min(max(place - last_long, 0), _FAR)) for place in places],
        [float(min(max(first_long - place, 0), _FAR)) for place in places],
        [0.0, *map(float, heads[:-1])],
        logs[1:-1],
        shares[1:-1],
        logs[2:],
        shares[2:],
        strict=True,
    )


def _windows(tallies: Tallies) -> Iterator[tuple[float, ...]]:
    """Yield, for each run, what the 3, 8 and 20 runs on either side of it are like."""
    near, middle, wide = (_window(tallies, reach) for reach in (3, 8, 20))
    return zip(*near, *middle, *wide[:2], strict=True)


def _window(tallies: Tallies, reach: int) -> tuple[list[float], list[float], list[float]]:
    """Return, for each run, the share of longs, of linked text, and the mean words (log)."""
    sizes = _differences(list(range(len(tallies.words))), reach)
    longs = _differences(tallies.longs, reach)
    linked = _differences(tallies.linked, reach)
    chars = _differences(tallies.chars, reach)
    words = _differences(tallies.words, reach)
    return (
        [some / size for some, size in zip(longs, sizes, strict=True)],
        [some / size for some, size in zip(linked, chars, strict=True)],
        [log1p(some / size) for some, size in zip(words, sizes, strict=True)],
    )


def _differences(sums: list[int], reach: int) -> list[int]:
    """Return how much a running sum grows over the runs within reach of each run.

    >>> _differences([0, 1, 3, 6], 1)
    [3, 6, 5]
    """
    count = len(sums) - 1
    starts = [*[0] * min(reach, count), *sums[: max(count - reach, 0)]]
    ends = [*sums[reach + 1 :], *[sums[-1]] * min(reach, count)]
    return [end - start for start, end in zip(starts, ends[:count], strict=True)]


_Span: TypeAlias = tuple[float, float, float, float, float]
_EMPTY: Final[_Span] = (0.0, 0.0, 0.0, 0.0, 0.0)


def _spans(boxes: list[Box], tallies: Tallies) -> list[_Span]:
    """Return words (log), share of words, link share, share of longs, words per run of each box."""
    words, chars, linked, longs = tallies.words, tallies.chars, tallies.linked, tallies.longs
    total_words, total_longs = tallies.total_words, tallies.total_longs
    spans: list[_Span] = []
    for box in boxes:
        first, last = box.first, box.last
        if first == last:
            spans.append(_EMPTY)
            continue
        inside = words[last] - words[first]
        spans.append(
            (
                log1p(inside),
                inside / total_words,
                (linked[last] - linked[first]) / ((chars[last] - chars[first]) or 1),
                (longs[last] - longs[first]) / total_longs,
                inside / (last - first),
            )
        )
    return spans


def _box_features(
    boxes: list[Box], number: int, spans: list[_Span], repeats: Repeats
) -> list[float]:
    up1 = max(boxes[number].parent, 0)
    up2 = max(boxes[up1].parent, 0)
    up3 = max(boxes[up2].parent, 0)
    up5 = max(boxes[max(boxes[up3].parent, 0)].parent, 0)
    siblings, twins = repeats.siblings, repeats.twins
    return [
        float(boxes[number].depth),
        siblings[number], siblings[up1], siblings[up2], twins[number], twins[up1], twins[up2],
        *repeats.nearest[number], repeats.steps[number],
        *repeats.largest[number], *repeats.widest[number],
        *spans[number][:3], *spans[up1], *spans[up2][1:], *spans[up3], *spans[up5][1:4],
    ]  # fmt: skip
