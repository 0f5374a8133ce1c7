"""Choose the runs that are content, from their chances and their neighbours."""

from collections.abc import Sequence
from itertools import accumulate, compress, islice, pairwise
from math import inf
from operator import mul, or_
from typing import Final

import msgspec
from turbohtml import Element

from . import articles, thresholds as fitted
from .measures.page_features import KINDS
from .own_price import keep_own_price
from .page_segments import CONTEXTS, HEADINGS, BlockBox, PageSegments, TextRun
from .rendering.footnotes import NOTE_MARK_SELECTOR
from .whole_lists import complete_lists, keep_captions

_ROW_TAGS: Final = frozenset({"pre", "td", "th", "tr"})
_ARTICLE_KIND: Final = KINDS.index("article")
_MANUAL_KIND: Final = KINDS.index("documentation")
_FORUM_KIND: Final = KINDS.index("forum")
_SHOP_KINDS: Final = tuple(map(KINDS.index, ("collection", "listing", "product")))
_RECALL_WEIGHTS: Final = tuple(fitted.KIND_RECALL.get(kind, 1.0) for kind in KINDS)
_MAX_NOTE_RUNS: Final = 12
_MAX_FOOTNOTE_MARKS: Final = 2_000
_MAX_ANCESTOR_STEPS: Final = 20
_MIN_COPY_WORDS: Final = 8
_QUOTE_BIT: Final = 1 << CONTEXTS.index("blockquote")
# A quote shares this share of its five-word sequences with its source.
_STRETCH_WORDS: Final = 5
_MIN_QUOTED_SHARE: Final = 0.8


class RunChoice(msgspec.Struct, frozen=True, gc=False):
    """Whether each run is kept, and which dropped runs repeat a kept one."""

    kept: list[bool]
    copies: frozenset[int] = frozenset()


def choose_runs(
    segments: PageSegments,
    chances: Sequence[float],
    kinds: Sequence[float],
    related: Sequence[bool],
) -> RunChoice:
    """Choose the runs that are content.

    ``kinds`` holds the chance of each kind of page; ``related`` tells for each run whether it
    stands under a heading for other pages.
    """
    is_manual = max(kinds) == kinds[_MANUAL_KIND]
    ends = kinds[_ARTICLE_KIND] >= fitted.MAYBE_ARTICLE_CHANCE
    is_related = _related_runs(segments.runs, chances, related if ends else [False] * len(chances))
    lowered = [
        fitted.RELATED_WEIGHT * chance if is_below and run.tag not in _ROW_TAGS else chance
        for run, chance, is_below in zip(segments.runs, chances, is_related, strict=True)
    ]
    evened = _even_out_chances(segments.runs, lowered, segments.makes)
    words = [run.words for run in segments.runs]
    threshold = best_threshold(words, evened, sum(map(mul, kinds, _RECALL_WEIGHTS)))
    likely = [chance >= threshold for chance in evened]
    kept = likely.copy()
    if ends:
        _narrow_to_article(segments, evened, kept)
    is_forum = max(kinds) == kinds[_FORUM_KIND]
    text_chance = kinds[_ARTICLE_KIND] + kinds[_MANUAL_KIND]
    is_text = text_chance >= fitted.RATHER_TEXT_CHANCE and not is_forum
    max_threshold = fitted.MAX_LIST_THRESHOLD if is_text else 1.0
    near = fitted.NEAR_THRESHOLD_SHARE * threshold
    is_foreign = is_related if is_text else [True] * len(kept)
    complete_lists(segments, evened, is_foreign, kept, min(near, max_threshold))
    if not is_manual:
        articles.drop_controls(segments.runs, kept)
    keep_notes(segments, kept, max_share=inf if is_manual else fitted.MAX_NOTES_SHARE)
    if ends and not is_manual:
        articles.keep_lead(segments, likely, kept)
        articles.drop_next_articles(segments, kept)
    _keep_headings_above_runs(segments.runs, evened, kept, is_related)
    articles.drop_foreign_text(
        segments, kept, is_sure=kinds[_ARTICLE_KIND] >= fitted.LIKELY_ARTICLE_CHANCE
    )
    keep_captions(segments.boxes, kept)
    before = kept.copy()
    drop_text_copies(segments, kept, is_manual=is_manual)
    drop_forum_quotes(segments, kept, is_forum=is_forum)
    if sum(kinds[kind] for kind in _SHOP_KINDS) >= fitted.MIN_SHOP_CHANCE:
        keep_own_price(segments, related, kept)
    copies = [index for index, keep in enumerate(before) if keep and not kept[index]]
    return RunChoice(kept, frozenset(copies))


def choose_likely_runs(segments: PageSegments, chances: Sequence[float]) -> RunChoice:
    """Choose the runs by their chances alone."""
    threshold = best_threshold([run.words for run in segments.runs], chances)
    kept = [chance >= threshold for chance in chances]
    articles.drop_controls(segments.runs, kept)
    return RunChoice(kept)


def _related_runs(
    runs: list[TextRun], chances: Sequence[float], related: Sequence[bool]
) -> list[bool]:
    """Tell for each related run whether it is really about other pages.

    A box of related pages inside an article ends where certain text follows.
    """
    is_related: list[bool] = []
    is_text = False
    for run, chance, is_listed in zip(runs, chances, related, strict=True):
        is_text = is_listed and (
            is_text or (chance >= fitted.CERTAIN_CHANCE and run.words >= fitted.MIN_CERTAIN_WORDS)
        )
        is_related.append(is_listed and not is_text)
    return is_related


def _even_out_chances(
    runs: list[TextRun], chances: Sequence[float], makes: list[list[int]]
) -> list[float]:
    """Return the chances, each drawn halfway to the mean of its make."""
    evened = list(chances)
    for indexes in makes:
        if len(indexes) >= fitted.MIN_MAKE_RUNS:
            words = sum([runs[index].words for index in indexes])
            mean = sum([runs[index].words * chances[index] for index in indexes]) / (words or 1)
            for index in indexes:
                if chances[index] >= fitted.IMPOSSIBLE_CHANCE:
                    evened[index] += fitted.MAKE_WEIGHT * (mean - chances[index])
    return evened


def _narrow_to_article(segments: PageSegments, chances: Sequence[float], kept: list[bool]) -> None:
    """Drop uncertain runs outside the smallest box that holds most of an article."""
    runs = segments.runs
    expected = [
        run.words * chance if keep else 0.0
        for run, chance, keep in zip(runs, chances, kept, strict=True)
    ]
    sums = [0.0, *accumulate(expected)]
    min_words = fitted.MIN_ARTICLE_BOX_SHARE * sums[-1]
    holders = [box for box in segments.boxes if sums[box.last] - sums[box.first] >= min_words]
    # The last of the smallest is the innermost.
    best = min(reversed(holders), key=lambda box: box.last - box.first, default=segments.boxes[0])
    for index, run in enumerate(runs):
        if not best.first <= index < best.last:
            is_plain_before = index < best.first and run.tag not in HEADINGS
            least = fitted.CERTAIN_CHANCE_BEFORE if is_plain_before else fitted.CERTAIN_CHANCE
            is_certain = chances[index] >= least and run.words >= fitted.MIN_CERTAIN_WORDS
            kept[index] = kept[index] and is_certain


def best_threshold(words: Sequence[int], chances: Sequence[float], recall: float = 1.0) -> float:
    """Return the lowest chance to keep, the one with the best expected F score.

    Runs are taken from the likeliest down. The expected F1 is twice the content taken, divided by
    all words taken plus all content; ``recall`` weighs the latter.

    >>> best_threshold([10, 10, 10], [0.9, 0.8, 0.1])
    0.8
    """
    ranked = sorted(zip(chances, words, strict=True), reverse=True)
    content = recall * recall * sum(chance * count for chance, count in ranked)
    best, threshold, taken, content_words = -1.0, 1.0, 0.0, 0.0
    for chance, count in ranked:
        taken += count
        content_words += chance * count
        if (score := content_words / (taken + content)) > best:
            best, threshold = score, chance
    return threshold


def _keep_headings_above_runs(
    runs: list[TextRun], chances: Sequence[float], chosen: list[bool], is_related: Sequence[bool]
) -> None:
    """Keep a heading right above a kept run, unless its chance is very low.

    A heading at the end of a box of related pages does not head the text after the box.
    """
    for index in range(len(runs) - 2, -1, -1):
        if (
            not chosen[index]
            and chosen[index + 1]
            and runs[index].tag in HEADINGS
            and chances[index] >= fitted.MIN_HEADING_CHANCE
        ):
            chosen[index] = is_related[index + 1] or not is_related[index]


def keep_notes(segments: PageSegments, kept: list[bool], *, max_share: float = inf) -> None:
    """Keep the footnotes whose marks stand in kept text.

    Keep none where all notes together exceed ``max_share`` of the kept words.
    """
    marks = segments.boxes[0].node.select(NOTE_MARK_SELECTOR)[:_MAX_FOOTNOTE_MARKS]
    boxes = {box.node: box for box in segments.boxes} if marks else {}
    note_ids = {(mark.attr("href") or "")[1:] for mark in marks if _is_kept_mark(mark, boxes, kept)}
    is_note = [False] * len(kept)
    for box in segments.boxes if note_ids else ():
        if box.node.attr("id") in note_ids and box.last - box.first <= _MAX_NOTE_RUNS:
            is_note[box.first : box.last] = [True] * (box.last - box.first)
    words = [run.words for run in segments.runs]
    if sum(compress(words, is_note)) <= max_share * sum(compress(words, kept)):
        kept[:] = map(or_, kept, is_note)


def _is_kept_mark(mark: Element, boxes: dict[Element, BlockBox], kept: list[bool]) -> bool:
    ancestors = (node for node in islice(mark.ancestors, _MAX_ANCESTOR_STEPS) if node in boxes)
    box = next((boxes[node] for node in ancestors if isinstance(node, Element)), None)
    return box is not None and True in kept[box.first : box.last]


def drop_text_copies(segments: PageSegments, chosen: list[bool], *, is_manual: bool) -> None:
    """Drop repeated text: a long run, or a second copy of the page's main heading.

    Text that returns within similar boxes of one parent is not a copy: a refrain, a table row.
    Nor is code, a row of another table, or the text of a manual. A heading stays when its first
    copy is in a table of contents.
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
    _drop_copied_headings(segments.runs, chosen, chosen_indexes)


def _may_repeat_run(segments: PageSegments, first: int, second: int, *, is_manual: bool) -> bool:
    left, right = (segments.boxes[segments.runs[index].box] for index in (first, second))
    are_alike = left.parent == right.parent and left.names == right.names
    return is_manual or are_alike or segments.runs[second].tag in _ROW_TAGS


def _drop_copied_headings(runs: list[TextRun], chosen: list[bool], indexes: list[int]) -> None:
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


def drop_forum_quotes(segments: PageSegments, kept: list[bool], *, is_forum: bool) -> None:
    """Drop quotations of an earlier post on a forum page."""
    is_quoted = is_forum and [
        bool(segments.boxes[run.box].context & _QUOTE_BIT) for run in segments.runs
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
