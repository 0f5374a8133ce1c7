"""Harder articles: one that ends early, among teasers, comments and boxes of other pages.

The articles of the corpus are long and clean; what a reader fails on is a short one among much
that is like it. What is put in comes from pages of the same fold, so that no site is in two folds.
"""

import random
import zlib

from turbohtml import parse

from webseam.adapters.documents.reader.features.page_features import MeasuredPage
from webseam.adapters.documents.reader.page_segments import BlockBox, PageSegments

_HOLDERS = frozenset({"article", "aside", "div", "ol", "section", "ul"})
_REPEATING = frozenset({"collection", "forum", "listing"})
_BOX_WORDS = (30, 450)
_BOX_RUNS = 3
_BOXES = 4
_CARD_WORDS = (8, 90)
_FEWEST_CARDS = 4
_CARDS = 8
_UNWANTED = 0.2
_WANTED = 0.5
_KEPT_SHARES = (0.15, 0.3, 0.5, 1.0)
_LEAST_WORDS = 60


def leftovers(page: MeasuredPage, labels: list[float], kind: str) -> list[str]:
    """Return parts of a page that may stand around an article elsewhere, as HTML."""
    if kind == "article":
        return _unwanted_boxes(page.segments, page.tallies.words, labels)
    return _cards(page) if kind in _REPEATING else []


def _unwanted_boxes(cut: PageSegments, words: list[int], labels: list[float]) -> list[str]:
    spans: list[BlockBox] = []
    for box in cut.boxes[1:]:
        inside = any(other.first <= box.first and box.last <= other.last for other in spans)
        fits = _BOX_WORDS[0] <= words[box.last] - words[box.first] <= _BOX_WORDS[1]
        if inside or not fits or box.tag not in _HOLDERS or box.last - box.first < _BOX_RUNS:
            continue
        if max(labels[box.first : box.last]) <= _UNWANTED:
            spans.append(box)
    return [box.node.html for box in spans[:_BOXES]]


def _cards(page: MeasuredPage) -> list[str]:
    words = page.tallies.words
    groups = [
        (sum(words[box.last] - words[box.first] for box in members), members)
        for members in page.repeats.members
        if len(members) >= _FEWEST_CARDS
    ]
    cards = [
        (size, members)
        for size, members in groups
        if _CARD_WORDS[0] <= size / len(members) <= _CARD_WORDS[1]
    ]
    if not cards:
        return []
    largest = max(cards, key=lambda group: group[0])[1]
    return [f"<div>{''.join(box.node.html for box in largest[:_CARDS])}</div>"]


def harden(
    page: MeasuredPage, labels: list[float], pool: list[str], original: tuple[str, str]
) -> tuple[str, str] | None:
    """Return the HTML and the wanted text of a harder copy; nothing where nothing is wanted.

    ``original`` is the page's name, which seeds the dice, and its HTML, whose head is kept. The
    tree of ``page`` is changed.
    """
    good = [place for place, label in enumerate(labels) if label > _WANTED]
    if not good or not pool:
        return None
    name, html = original
    dice = random.Random(zlib.crc32(name.encode()))  # noqa: S311  no secret is made from it
    boxes = page.segments.boxes
    around = max(
        (box for box in boxes if box.first <= good[0] and box.last > good[-1]),
        key=lambda box: box.depth,
    )
    wanted = _shorten(page.segments, good, dice.choice(_KEPT_SHARES))
    for part in dice.sample(pool, min(dice.randint(1, 4), len(pool))):
        around.node.insert_adjacent_html(_side(dice, around), part)
    head = parse(html, positions=False).find("head")
    return f"<html>{'' if head is None else head.html}{boxes[0].node.html}</html>", wanted


def _shorten(cut: PageSegments, good: list[int], share: float) -> str:
    """End the article early; return what is left of it."""
    total = sum(cut.runs[place].words for place in good)
    limit = max(share * total, _LEAST_WORDS)
    seen = 0
    texts: list[str] = []
    for place in good:
        run = cut.runs[place]
        box = cut.boxes[run.box]
        if seen >= limit and box.last - box.first == 1 and box.parent >= 0:
            box.node.decompose()
        else:
            texts.append(run.text)
        seen += run.words
    return "\n".join(texts)


def _side(dice: random.Random, around: BlockBox) -> str:
    chance = dice.random()
    if around.parent < 0 or 0.65 <= chance < 0.85:
        return "beforeend"
    return "afterend" if chance < 0.65 else "beforebegin"
