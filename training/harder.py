"""Harder articles: one that ends early, among teasers, comments and boxes of other pages.

The articles of the corpus are long and clean; what a reader fails on is a short one among much
that is like it: leftovers of other pages, or teasers, next articles and comments as a site writes
them. What is put in comes from pages of the same fold, so that no site is in two folds.
"""

import random
import zlib
from dataclasses import dataclass, field
from html import escape

from turbohtml import parse

from webseam.adapters.reader.measures.page_features import MeasuredPage
from webseam.adapters.reader.page_segments import BlockBox, PageSegments

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
_NEIGHBOURS = 0.5
_LEAST_PARAGRAPH = 12
_TITLE_WORDS = range(3, 21)
_PARAGRAPHS = 8
_TEASER_COUNT = 6


# What a site's other texts around an article are made of; a copy draws its markup from these.
_HOLDERS_AND_ITEMS = (("div", "div"), ("section", "article"), ("ul", "li"), ("div", "section"), ("table", "tr"), ("aside", "div"), ("main", "article"))  # fmt: skip
_CLASSES = ("", "item", "news-item", "card", "post", "x7", "b-list__row", "story", "entry", "block")
_LINKS = (
    "<a href={href}>{title}</a>", "<h3><a href={href}>{title}</a></h3>",
    "<a href={href}><b>{title}</b></a>", "<h4 class=t><a href={href}>{title}</a></h4>",
    "<a href={href}><h3>{title}</h3></a>", "<p><a href={href}>{title}</a></p>",
)  # fmt: skip
_TEXTS = ("<p>{text}</p>", "<div class=text>{text}</div>", "<span>{text}</span>", "<br>{text}", "")
_TIMES = ("<time>{time}</time> ", "<span class=time>{time}</span> ", "<div>{date}</div>", "")
_HEADINGS = (
    "<h2><a href={href}>{title}</a></h2>", "<h1><a href={href}>{title}</a></h1>",
    "<header><h2>{title}</h2></header>", "<h3><a href={href}>{title}</a></h3>",
)  # fmt: skip
_BYLINES = (
    "<div class=meta>By {name}, {date}</div>",
    "<p>{name} | {date}</p>",
    "<time>{date}</time>",
)
_BODIES = ("{body}", "<div class=article-body>{body}</div>", "<div>{body}</div>")
_NAMES = (
    "<h4><a href={href}>{name}</a></h4>",
    "<b>{name}</b>",
    "<cite>{name}</cite>",
    "<a href={href}>{name}</a>",
)
_DAYS = ("<div class=date>{date}</div>", "<span>{date}</span>", "<time>{date}, {time}</time>", "")
_POSTS = (
    "<p>{post}</p>",
    "<div>{post}</div>",
    "<div class=body><p>{post}</p></div><a href=#>Reply</a>",
)
_SIGNS = ("Other news", "Latest", "Today", "", "", "In this section", "Comments")
_PEOPLE = ("Ann Lee", "Tom Ray", "Eva Holm", "Jan Kos", "Lia Moretti", "Sam Okoro")


@dataclass
class Stock:
    """Titles and paragraphs of a fold's articles, and posts of its forums."""

    articles: list[tuple[str, list[str]]] = field(default_factory=list)
    posts: list[str] = field(default_factory=list)

    def add(self, page: MeasuredPage, wanted: str, kind: str) -> None:
        """Add the texts of one page."""
        lines = [
            line.strip() for line in wanted.split("\n") if len(line.split()) > _LEAST_PARAGRAPH
        ]
        titles = [
            run.text for run in page.segments.runs if run.tag == "h1" and run.words in _TITLE_WORDS
        ]
        if kind == "article" and titles and len(lines) > _FEWEST_CARDS:
            self.articles.append((titles[0], lines))
        elif kind == "forum":
            self.posts += [line for line in lines if len(line.split()) < _CARD_WORDS[1]]


def _neighbours(dice: random.Random, stock: Stock) -> tuple[str, str]:
    """Return what stands before and after an article on a site's page, as HTML."""
    pieces, counts = dice.choice(
        (
            ((_TIMES, _LINKS, _TEXTS), (6, 12, 30, 45)),
            ((_LINKS, _TEXTS, _TIMES), (6, 12, 30, 45)),
            ((_HEADINGS, _BYLINES, _BODIES), (1, 2, 3)),
            ((_NAMES, _DAYS, _POSTS), (3, 8, 20, 40)),
        )
    )
    item = "".join(map(dice.choice, pieces))
    outer, inner = dice.choice(_HOLDERS_AND_ITEMS)
    names = [f" class={name}" if name else "" for name in dice.choices(_CLASSES, k=2)]
    cell = ("<td>", "</td>") if inner == "tr" else ("", "")
    holder = f"<{outer}{names[0]}>{dice.choice(('', '<h3>{sign}</h3>'))}{{items}}</{outer}>"
    item = f"<{inner}{names[1]}>{cell[0]}{item}{cell[1]}</{inner}>"
    count, items = dice.choice(counts), []
    for number in range(count):
        title, lines = dice.choice(stock.articles)
        items.append(
            item.format(
                title=escape(title),
                text=escape(" ".join(lines[0].split()[: dice.randint(8, 30)])),
                body="".join(f"<p>{escape(line)}</p>" for line in lines[:_PARAGRAPHS]),
                post=escape(dice.choice(stock.posts)),
                name=dice.choice(_PEOPLE),
                href=f"/p/{dice.randint(100, 9999)}-{number}",
                time=f"{dice.randint(0, 23)}:{dice.randint(10, 59)}",
                date=f"{dice.randint(1, 28)}.{dice.randint(1, 12)}.20{dice.randint(10, 24)}",
            )
        )
    middle = count // 3 if counts[0] == _TEASER_COUNT and dice.random() < _NEIGHBOURS else 0
    parts = (items[:middle], items[middle:])
    before, after = (holder.format(sign=dice.choice(_SIGNS), items="".join(some)) for some in parts)
    return (before if middle else ""), after


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
    page: MeasuredPage,
    labels: list[float],
    pool: list[str],
    stock: Stock,
    original: tuple[str, str],
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
    if dice.random() < _NEIGHBOURS and around.parent >= 0 and stock.articles and stock.posts:
        before, after = _neighbours(dice, stock)
        around.node.insert_adjacent_html("beforebegin", before)
        around.node.insert_adjacent_html("afterend", after)
    else:
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
