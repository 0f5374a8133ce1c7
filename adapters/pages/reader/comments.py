"""Comments under a page, told apart from it.

A comment is a block that its markup calls one, by microdata or by a class of its own ("comment",
not "comments"). Replies stand inside or after.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import Final

from .blocks import Box, Cut

_NAMED: Final = re.compile(
    r"[\s_-](?:user|post|media|single|wp|blog|article)?[_-]?"
    r"(?:comment|comtr|kommentar|commentaire|comentario|commento|komentarz|reactie)"
    r"(?:[_-]?(?:item|entry|thread|node|wrap|wrapper|container|block|box))?(?=\s|$)"
)
# What all of these have in them, one or the other.
_TRACES: Final = ("omment", "omentar", "eactie", "comtr")
_HOLDERS: Final = frozenset({"article", "div", "li", "section", "tr"})
_REST: Final = 0.3
_ARTICLE_WORDS: Final = 100


def comment_boxes(cut: Cut) -> list[int]:
    """Return the numbers of the boxes that are a comment each, in the page's order.

    A comment's frame and its body are often both called one: of those the outer counts, and an
    inner one only where it looks like the outer ones, which makes it a reply. So is what one writes
    a comment in; but there is only one of it.
    """
    marked = cut.boxes[0].node.select_one("[itemprop=comment]") is not None
    # On most pages nothing is called one: that is told by one look at all of its names.
    if not marked and not _may_be(" ".join([box.names for box in cut.boxes])):
        return []
    likely = [number for number, box in enumerate(cut.boxes) if marked or _may_be(box.names)]
    sorts = {number: sort for number in likely if (sort := _sort(cut.boxes[number]))}
    counts = Counter(sorts.values())
    # Of two that are as many the first, which is the outer one.
    most = max(counts, key=counts.__getitem__, default="")
    return [number for number, sort in sorts.items() if sort == most]


def _may_be(names: str) -> bool:
    first, second, third, fourth = _TRACES
    return first in names or second in names or third in names or fourth in names


def _sort(box: Box) -> str:
    """Return what a comment is called and made of; nothing of what is none."""
    name = _named_by(box) if box.tag in _HOLDERS and box.last > box.first else ""
    return f"{box.tag} {name}" if name else ""


def _named_by(box: Box) -> str:
    if box.node.attr("itemprop") == "comment":
        return "comment"
    match = _NAMED.search(box.names.lower()) if _may_be(box.names) else None
    return match[0].strip(" \t_-") if match else ""


def leave_out(cut: Cut, numbers: Sequence[int], chosen: list[bool], *, article: bool) -> None:
    """Drop comments from what was chosen, unless the page is little else.

    An article may have any number of them.
    """
    without = chosen.copy()
    for number in numbers:
        box = cut.boxes[number]
        without[box.first : box.last] = [False] * (box.last - box.first)
    words = [run.words for run in cut.runs]
    rest = sum(compress(words, without))
    if rest >= _REST * sum(compress(words, chosen)) or (article and rest >= _ARTICLE_WORDS):
        chosen[:] = without


def words_left_out(cut: Cut, numbers: Sequence[int], chosen: Sequence[bool]) -> int:
    """Return how many words of comments are not chosen."""
    boxes = [cut.boxes[number] for number in numbers]
    places = {place for box in boxes for place in range(box.first, box.last)}
    return sum(cut.runs[place].words for place in places if not chosen[place])
