"""What stands around a run: sections and their signs, the likeliest body, cards, articles."""

import re
from collections.abc import Iterator
from math import log1p
from typing import Final, TypeAlias

import msgspec
from turbohtml import Element

from ..blocks import Box, Run
from ..metadata import Head
from .anchors import Anchor, likeliest_body, title_heading
from .cards import NAMES as CARD_NAMES, card_columns
from .kin import NO_KIN, KinFacts, kin_facts, sum_up
from .pagewide import Whole
from .repeats import ENOUGH, Tallies, differences
from .signs import COMMENTS, HEADINGS, RELATED, Signs
from .words import words_of

PAGE_NAMES: Final = ("body_share", "body_links", "articles", "body_known")
BOX_NAMES: Final = (
    "kin_images", "kin_times", "kin_spread", "article_share", "article_rank", "body_depth",
    "body_parting", "title_parting", "item_body",
)  # fmt: skip
RUN_NAMES: Final = (
    "related_share", "comment_share", "after_related", "after_comments", "body_distance",
    "title_distance", "last_words", "last_runs", "last_level", "high_headings", "linked_headings",
    "images_near", "sentences", "body_said", "widest_gap", *CARD_NAMES,
)  # fmt: skip
_REACH: Final = 4
_PICTURES: Final = 10
_FAR: Final = 30.0
_MOST: Final = 20.0
_LATE_RELATED: Final = 0.3
_LATE_COMMENTS: Final = 0.2
_BODY_ITEMS: Final = frozenset({"articlebody", "text", "mainentity"})
_WORD: Final = re.compile(r"\w+")
_LONGEST_BODY: Final = 60_000
_SHORTEST_BODY: Final = 200
_TOLD: Final = 8
_FEW: Final = 3
_START: Final = 200
_LINKED: Final = 0.5


class Surroundings(msgspec.Struct, frozen=True, gc=False):
    """The measures of the page, of each box with a run in it, and of each run, as named above."""

    page: list[float]
    boxes: dict[int, tuple[float, ...]]
    runs: list[tuple[float, ...]]


def surroundings(page: Whole) -> Surroundings:
    """Measure what stands around the runs of a page."""
    cut, tallies = page.cut, page.tallies
    body = likeliest_body(cut.runs, cut.boxes, tallies)
    title = title_heading(cut.runs, cut.boxes, frozenset(words_of(page.head.titles)))
    sums = sum_up(cut, page.signs)
    spoken = _spoken_body(page.head)
    words, links, _ = tallies.span(body.first, body.last)
    articles = sum(box.tag == "article" for box in cut.boxes)
    return Surroundings(
        page=[words / tallies.total_words, links, log1p(articles), float(bool(spoken))],
        boxes=_box_rows(page, body, title, kin_facts(page.repeats, tallies, sums)),
        runs=list(
            zip(
                *_sections(page.signs, tallies),
                body.distances(len(cut.runs)),
                title.distances(len(cut.runs)),
                *_last_headings(cut.runs, tallies),
                [float(min(some, _PICTURES)) for some in differences(sums.images, _REACH)],
                [_sentences(run.text) for run in cut.runs],
                [_said(run, spoken) for run in cut.runs] if spoken else [-1.0] * len(cut.runs),
                _widest_gaps(tallies.is_long),
                *card_columns(cut.runs, page.signs, title.first),
                strict=True,
            )
        ),
    )


# What a box has from the ones above it: kin, article, partings from body and title, body item.
_Above: TypeAlias = tuple[KinFacts, tuple[float, float], float, float, float]
_NOTHING_ABOVE: Final[_Above] = (NO_KIN, (-1.0, -1.0), 0.0, 0.0, 0.0)


def _box_rows(
    page: Whole, body: Anchor, title: Anchor, kin: dict[tuple[int, str], KinFacts]
) -> dict[int, tuple[float, ...]]:
    """Return the row of every box that has a run right inside it."""
    boxes, siblings = page.cut.boxes, page.repeats.siblings
    depth = boxes[body.box].depth
    sizes = _article_sizes(boxes, page.tallies)
    bodies = _body_items(boxes[0].node)
    own = body.path.keys() | title.path.keys() | sizes.keys()
    every: list[_Above] = []
    for number, box in enumerate(boxes):
        above = every[box.parent] if number else _NOTHING_ABOVE
        # Most boxes have nothing that those above them have not.
        if number in own or (bodies and box.node in bodies) or siblings[number] >= ENOUGH:
            group, article, parting, from_title, item = above
            above = (
                kin.get((box.parent, box.names), group),
                sizes.get(number, article),
                body.path.get(number, parting),
                title.path.get(number, from_title),
                1.0 if item or box.node in bodies else 0.0,
            )
        every.append(above)
    rows: dict[int, tuple[float, ...]] = {}
    for number in {run.box for run in page.cut.runs}:
        group, article, parting, from_title, item = every[number]
        own_depth = float(boxes[number].depth - depth)
        rows[number] = (*group, *article, own_depth, parting, from_title, item)
    return rows


def _article_sizes(boxes: list[Box], tallies: Tallies) -> dict[int, tuple[float, float]]:
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
        number: (sizes[number] / largest, float(min(rank, _MOST)))
        for rank, number in enumerate(ranked)
    }


def _body_items(page: Element) -> frozenset[Element]:
    """Return what microdata calls the body of an article."""
    named = page.select("[itemprop]")
    return frozenset(each for each in named if (each.attr("itemprop") or "").lower() in _BODY_ITEMS)


def _sections(signs: Signs, tallies: Tallies) -> Iterator[list[float]]:
    """Yield the share of the page that a run's section holds, and how far after a sign it is."""
    words, total = tallies.words, tallies.total_words
    scopes = signs.scopes
    for what in (RELATED, COMMENTS):
        above = signs.under(what)
        yield [(words[each.last] - words[each.first]) / total if each else 0.0 for each in above]
    for what, late in ((RELATED, _LATE_RELATED), (COMMENTS, _LATE_COMMENTS)):
        first = next(
            (s.first for s in scopes if s.what == what and words[s.first] > late * total), None
        )
        if first is None:
            yield [-1.0] * (len(words) - 1)
        else:
            after = [(count - words[first]) / total for count in words[first:-1]]
            yield [*[-1.0] * first, *after]


def _last_headings(runs: list[Run], tallies: Tallies) -> Iterator[list[float]]:
    """Yield the last heading's words, distance and level; how many were high, or linked."""
    rows: list[tuple[float, float, float, float, float]] = []
    words, level, since, high, linked = -1.0, 0.0, _FAR, 0.0, 0.0
    for run, links in zip(runs, tallies.shares, strict=True):
        if since < _FAR:
            since += 1
        rows.append((words, since, level, high, linked))
        if run.tag in HEADINGS:
            words, level, since = float(run.words), float(run.tag[1]), 0.0
            high = min(high + (run.tag == "h1"), _MOST)
            linked = min(linked + (links > _LINKED), _MOST)
    return map(list, zip(*rows, strict=True))


def _widest_gaps(is_long: list[bool]) -> list[float]:
    """Return the most runs between two long ones up to each run."""
    since, widest, begun = 0.0, 0.0, False
    most: list[float] = []
    for long in is_long:
        if begun and long:
            widest = max(widest, min(since, _FAR))
        most.append(widest)
        begun = begun or long
        since = 0.0 if long else since + 1
    return most


def _sentences(text: str) -> float:
    count = text.count(". ") + (0 if text.isascii() else text.count("。"))
    return float(min(count, _MOST))


def _spoken_body(head: Head) -> str:
    """Return the words of the article as linked data tells it; blank where it does not."""
    told = [text for thing in head.things if isinstance(text := thing.get("articleBody"), str)]
    longest = max(told, key=len, default="")
    if len(longest) <= _SHORTEST_BODY:
        return ""
    return f" {' '.join(_WORD.findall(longest[:_LONGEST_BODY].lower()))} "


def _said(run: Run, spoken: str) -> float:
    """Return whether the told body has the run's first words; between both for a few words."""
    words = _WORD.findall(run.text[:_START].lower())[:_TOLD]
    return float(" ".join(words) in spoken) if len(words) >= _FEW else 0.5
