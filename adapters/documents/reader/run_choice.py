"""Choose the runs that are content, from how likely each is and how they stand together."""

from collections.abc import Sequence
from itertools import accumulate, compress
from operator import mul
from typing import Final

import msgspec

from .articles import drop_controls, drop_foreign_text, keep_quoted
from .duplicate_text import HEADINGS, drop_card_doubles, drop_copies, drop_quotes
from .features.page_features import KINDS
from .manuals import bridge_gaps, exclude_menus, keep_notes, keep_related, limit_to_main
from .page_segments import BlockBox, PageSegments, TextRun
from .prices import settle_prices

# A page of a few words has little that could be in the way.
_TINY_PAGE: Final = 60
_MAX_SMALL_PAGE_WORDS: Final = 150
_MAX_SMALL_PAGE_THRESHOLD: Final = 0.15
_WHOLE: Final = frozenset({"dl", "ol", "table", "ul"})
_ITEM_WORDS: Final = 30
_MIN_GOOD_SHARE: Final = 0.6
# Cross-validated: of the rows that belong to the content a tenth more are kept than with 1.
_TABLE_REACH_RUNS: Final = 3
_MIN_HEADING_CHANCE: Final = 0.12


_ARTICLE: Final = KINDS.index("article")
_DOCUMENTATION: Final = KINDS.index("documentation")
_FORUM: Final = KINDS.index("forum")
_PRODUCT: Final = KINDS.index("product")
_SHOPS: Final = tuple(KINDS.index(kind) for kind in ("collection", "listing", "product"))
_SURE_SHOP: Final = 0.5
# Cross-validated: a floor pays only where the page is surely an article.
_SURE_ARTICLE: Final = 0.7
# Cross-validated: what is none of an article is left out from here on; below, lists lose.
_LIKELY_ARTICLE: Final = 0.6
_MIN_ARTICLE_CHANCE: Final = 0.3
_OF_THE_BEST: Final = 0.65
# Cross-validated: what may be an article ends as one. The kind of a page without address is guessed
# wrong more often, and teasers around an article make it look like a listing.
_MAYBE_ARTICLE: Final = 0.1
# Cross-validated: there, what stands under "Related" and the like is half as likely, but for a
# table. The trees know of the heading, but have seen too many that belong to the content.
_UNDER_RELATED: Final = 0.5
_NO_TEASERS: Final = frozenset({"pre", "td", "th", "tr"})
# A box that holds most of an article ends it, but for long text outside that is nearly certain.
# Cross-validated: what stands before it needs less than what comes after: a first paragraph.
_BOX_SHARE: Final = 0.9
_CERTAIN: Final = 0.8
_CERTAIN_BEFORE: Final = 0.7
_CERTAIN_PIECE: Final = 0.5
_CERTAIN_WORDS: Final = 15
# Cross-validated: what is missed weighs more than what is too much where a page is a list of many
# things; F1 to be expected is reckoned as if runs were wanted or not each on its own.
_RECALL: Final = {
    "collection": 1.25, "documentation": 1.2, "forum": 1.1, "listing": 1.25, "service": 1.35,
}  # fmt: skip
_RECALLS: Final = tuple(_RECALL.get(kind, 1.0) for kind in KINDS)
# So many runs of one make are half as likely as they are together: all cards are kept, or none,
# but for one that is surely something else.
_GROUP: Final = 3
_TOGETHER: Final = 0.5
_IMPOSSIBLE: Final = 0.05
# A run between kept ones that look like it is kept as well, if it is nearly as likely.
_NEARLY: Final = 0.4
_NEIGHBOURS: Final = 2
# Cross-validated: between the paragraphs of what is rather an article, a list or a table needs
# less; the nearer to certain they are, the more would be nearly as likely.
_RATHER_ARTICLE: Final = 0.5
# Of an encyclopedia the notes are references, longer than the text.
_NOTED: Final = 0.2
_IN_ARTICLE: Final = 0.15


class RunChoice(msgspec.Struct, frozen=True, gc=False):
    """Whether each run is kept, and how many words were left out that are nearly as likely.

    ``copies`` are the words that were said before.
    """

    kept: list[bool]
    doubtful: int
    copies: int = 0


def choose_runs(
    segments: PageSegments,
    chances: Sequence[float],
    kinds: Sequence[float],
    related: Sequence[bool],
) -> RunChoice:
    """Choose the runs that are content.

    ``kinds`` is how likely each kind of page is, ``related`` whether a run stands under a heading
    that speaks of other pages.
    """
    is_manual = max(kinds) == kinds[_DOCUMENTATION]
    chances = exclude_menus(segments, limit_to_main(segments, chances)) if is_manual else chances
    ends = kinds[_ARTICLE] >= _MAYBE_ARTICLE
    under = (
        _under_related(segments.runs, chances, related) if ends else [False] * len(segments.runs)
    )
    likely = _evened(segments.runs, _unrelated(segments.runs, chances, under), segments.makes)
    least = _least(segments.runs, likely, kinds)
    kept = [chance >= least for chance in likely]
    _fill(segments.makes, likely, kept, _NEARLY * least)
    if ends:
        _narrow(segments, likely, kept)
    rather = kinds[_ARTICLE] >= _RATHER_ARTICLE
    _complete(segments, likely, kept, min(_NEARLY * least, _IN_ARTICLE if rather else 1.0))
    if is_manual:
        keep_related(likely, kept, related)
        bridge_gaps(segments.runs, likely, kept)
        keep_notes(segments, kept)
    else:
        drop_controls(segments.runs, kept)
        keep_notes(segments, kept, max_share=_NOTED)
    if ends and not is_manual:
        keep_quoted(segments, likely, kept)
    _add_headings(segments.runs, likely, kept, under)
    _add_terms(segments, kept)
    _add_summaries(segments, kept)
    drop_foreign_text(segments, kept, is_sure=kinds[_ARTICLE] >= _LIKELY_ARTICLE)
    is_shop = sum([kinds[kind] for kind in _SHOPS]) >= _SURE_SHOP
    if is_shop:
        settle_prices(segments, likely, kept, is_product=kinds[_PRODUCT] >= _SURE_SHOP)
    doubtful = sum(
        run.words
        for run, chance, keep in zip(segments.runs, likely, kept, strict=True)
        if not keep and chance >= _NEARLY * least
    )
    words = [run.words for run in segments.runs]
    before = sum(compress(words, kept))
    drop_copies(segments, kept, is_manual=is_manual)
    if is_shop:
        drop_card_doubles(segments, kept)
    drop_quotes(segments, kept, is_forum=max(kinds) == kinds[_FORUM])
    return RunChoice(kept, doubtful, before - sum(compress(words, kept)))


def _under_related(
    runs: list[TextRun], chances: Sequence[float], related: Sequence[bool]
) -> list[bool]:
    """Return which runs are in fact about other pages, of those under a heading that says so.

    A box of them amid an article ends where the article certainly goes on.
    """
    under: list[bool] = []
    goes_on = False
    for run, chance, said in zip(runs, chances, related, strict=True):
        goes_on = said and (goes_on or (chance >= _CERTAIN and run.words >= _CERTAIN_WORDS))
        under.append(said and not goes_on)
    return under


def _unrelated(runs: list[TextRun], chances: Sequence[float], under: Sequence[bool]) -> list[float]:
    return [
        _UNDER_RELATED * chance if related and run.tag not in _NO_TEASERS else chance
        for run, chance, related in zip(runs, chances, under, strict=True)
    ]


def _evened(runs: list[TextRun], chances: Sequence[float], makes: list[list[int]]) -> list[float]:
    """Return how likely each run is, drawn halfway to the mean of those of its make."""
    likely = list(chances)
    for places in makes:
        if len(places) >= _GROUP:
            words = sum([runs[place].words for place in places])
            mean = sum([runs[place].words * chances[place] for place in places]) / (words or 1)
            for place in places:
                if chances[place] >= _IMPOSSIBLE:
                    likely[place] += _TOGETHER * (mean - chances[place])
    return likely


def _least(runs: list[TextRun], likely: Sequence[float], kinds: Sequence[float]) -> float:
    words = [run.words for run in runs]
    total = sum(words)
    if total <= _TINY_PAGE:
        return 0.0
    least = best_threshold(words, likely, sum(map(mul, kinds, _RECALLS)))
    if is_article(kinds):
        least = max(least, min(_MIN_ARTICLE_CHANCE, _OF_THE_BEST * max(likely)))
    return min(least, _MAX_SMALL_PAGE_THRESHOLD) if total <= _MAX_SMALL_PAGE_WORDS else least


def is_article(kinds: Sequence[float]) -> bool:
    """Tell whether a page is surely an article, from how likely each kind is."""
    return kinds[_ARTICLE] >= _SURE_ARTICLE


def _narrow(cut: PageSegments, likely: Sequence[float], kept: list[bool]) -> None:
    """Drop what stands outside of the smallest box that holds most of an article."""
    runs = cut.runs
    expected = [
        run.words * chance if keep else 0.0
        for run, chance, keep in zip(runs, likely, kept, strict=True)
    ]
    before = [0.0, *accumulate(expected)]
    most = _BOX_SHARE * before[-1]
    holders = [box for box in cut.boxes if before[box.last] - before[box.first] >= most]
    # The last of the smallest is the innermost.
    best = min(reversed(holders), key=lambda box: box.last - box.first, default=cut.boxes[0])
    pieces = _pieces_before(cut.boxes, best)
    for place in range(best.first):
        least = _least_before(runs[place], is_piece=place in pieces)
        kept[place] = kept[place] and _is_certain(runs[place], likely[place], least)
    for place in range(best.last, len(runs)):
        kept[place] = kept[place] and _is_certain(runs[place], likely[place], _CERTAIN)


def _is_certain(run: TextRun, chance: float, least: float) -> bool:
    return chance >= least and run.words >= _CERTAIN_WORDS


def _pieces_before(boxes: list[BlockBox], best: BlockBox) -> set[int]:
    """Return the runs of boxes before another that are called as it is: its first pieces."""
    if not best.names.partition(" ")[2]:
        return set()
    pieces = (box for box in boxes if box.names == best.names and box.last <= best.first)
    return {place for box in pieces for place in range(box.first, box.last)}


def _least_before(run: TextRun, *, is_piece: bool) -> float:
    if run.tag in HEADINGS:
        return _CERTAIN
    return _CERTAIN_PIECE if is_piece and run.tag == "p" else _CERTAIN_BEFORE


def _fill(makes: list[list[int]], likely: Sequence[float], kept: list[bool], least: float) -> None:
    """Keep a run whose neighbours of the same make are kept on both sides: posts, paragraphs."""
    for places in makes:
        before = [kept[place] for place in places]
        if True not in before:
            continue
        for number, place in enumerate(places):
            if not kept[place] and likely[place] >= least:
                left = before[max(number - _NEIGHBOURS, 0) : number]
                right = before[number + 1 : number + 1 + _NEIGHBOURS]
                kept[place] = any(left) and any(right)


def best_threshold(words: Sequence[int], chances: Sequence[float], recall: float = 1.0) -> float:
    """Return the least likelihood to keep, the one with the best F score to be expected.

    Taking runs from the likeliest down, F1 is expected to be twice the content taken over all that
    is taken plus all content there is; ``recall`` is how much more the latter counts.

    >>> best_threshold([10, 10, 10], [0.9, 0.8, 0.1])
    0.8
    """
    ranked = sorted(zip(chances, words, strict=True), reverse=True)
    content = recall * recall * sum(chance * count for chance, count in ranked)
    best, least, total, good = -1.0, 1.0, 0.0, 0.0
    for chance, count in ranked:
        total += count
        good += chance * count
        if (score := good / (total + content)) > best:
            best, least = score, chance
    return least


def _complete(cut: PageSegments, likely: Sequence[float], kept: list[bool], least: float) -> None:
    """Keep the rest of a list or a table when most of it is kept: half of one misleads.

    So is a whole one between kept runs that is nearly as likely as they are. Only where its items
    are short and it holds no table; a forum's posts are a list too, and old pages are laid out in
    tables.
    """
    holders = _table_holders(cut.boxes)
    for number, box in enumerate(cut.boxes):
        if box.tag in _WHOLE and box.last - box.first > 1 and number not in holders:
            span = range(box.first, box.last)
            words = [cut.runs[place].words for place in span]
            total = sum(words)
            good = sum(compress(words, kept[box.first : box.last]))
            most = good >= _MIN_GOOD_SHARE * total or (
                _is_between(box, kept)
                and sum(map(mul, words, likely[box.first : box.last])) >= least * total
            )
            if most and total <= _ITEM_WORDS * len(span):
                kept[box.first : box.last] = [True] * len(span)


def _is_between(box: BlockBox, kept: list[bool]) -> bool:
    """Tell whether kept runs stand on both sides of a box; near a table may stand its caption."""
    reach = _TABLE_REACH_RUNS if box.tag == "table" else 1
    before, after = kept[max(box.first - reach, 0) : box.first], kept[box.last : box.last + reach]
    return any(before) and any(after)


def _table_holders(boxes: list[BlockBox]) -> set[int]:
    """Return the boxes with a table somewhere inside."""
    holders: set[int] = set()
    for box in boxes:
        above = box.parent if box.tag == "table" else -1
        while above >= 0 and above not in holders:
            holders.add(above)
            above = boxes[above].parent
    return holders


def _add_headings(
    runs: list[TextRun], likely: Sequence[float], chosen: list[bool], under: Sequence[bool]
) -> None:
    """Keep a heading that stands right over something kept, unless it is most unlikely.

    The last link of a box of other pages may be a heading, but not that of what follows the box.
    """
    for place in range(len(runs) - 2, -1, -1):
        if (
            not chosen[place]
            and chosen[place + 1]
            and runs[place].tag in HEADINGS
            and likely[place] >= _MIN_HEADING_CHANCE
        ):
            chosen[place] = under[place + 1] or not under[place]


def _add_summaries(cut: PageSegments, chosen: list[bool]) -> None:
    """Keep what opens a part that is kept."""
    for box in cut.boxes:
        if box.tag == "details" and True in chosen[box.first + 1 : box.last]:
            opener = cut.runs[box.first]
            chosen[box.first] = chosen[box.first] or opener.tag == "summary"


def _add_terms(cut: PageSegments, chosen: list[bool]) -> None:
    """Keep a term right before what is said of it."""
    for place in range(len(cut.runs) - 2, -1, -1):
        run = cut.runs[place]
        if run.tag == "dt" and chosen[place + 1] and not chosen[place]:
            terms = cut.boxes[cut.boxes[run.box].parent]
            chosen[place] = place + 1 < terms.last
