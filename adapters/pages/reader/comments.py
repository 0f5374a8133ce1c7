"""Comments under a page, told apart from it: who wrote each, when, and what.

A comment is a block that its markup calls one, by microdata or by a class of its own ("comment",
not "comments"). Replies stand inside or after; ``depth`` says how deep. Where the markup has none,
what the page's linked data tells is taken.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final

from turbohtml import Element

from ....ports.pages import PageComment
from ..dates import iso_date
from ..text import one_line, unhide
from .blocks import Box, Cut
from .features.cues import TALK
from .metadata import Head

_NAMED: Final = re.compile(
    r"[\s_-](?:user|post|media|single|wp|blog|article)?[_-]?"
    r"(?:comment|kommentar|commentaire|comentario|commento|komentarz|reactie)"
    r"(?:[_-]?(?:item|entry|thread|node|wrap|wrapper|container|block|box))?(?=\s|$)"
)
# What all of these have in them, one or the other.
_TRACES: Final = ("omment", "omentar", "eactie")
_HOLDERS: Final = frozenset({"article", "div", "li", "section", "tr"})
_AUTHOR: Final = (
    "[itemprop=author],[rel~=author],.fn,cite,[class*=author i],[class*=user-name i],"
    "[class*=username i],[class*=nickname i]"
)
_TIME: Final = "time,[itemprop=dateCreated],[class*=date i],[class*=time i]"
_TOOLS: Final = TALK | {"share", "says", "said", "·", "|"}
_TOOL_WORDS: Final = 4
_REST: Final = 0.3
_ARTICLE_WORDS: Final = 100
_MOST: Final = 500
# A page's metadata may be of 64 kilobytes in all.
_MOST_BYTES: Final = 32_000
_AROUND: Final = 100
_LONGEST: Final = 4_000
_NAME_LENGTH: Final = 80


def comment_boxes(cut: Cut) -> list[int]:
    """Return the numbers of the boxes that are a comment each, in the page's order.

    A comment's frame and its body are often both called one: of those the outer counts, and an
    inner one only where it looks like the outer ones, which makes it a reply. So is what one writes
    a comment in; but there is only one of it.
    """
    marked = cut.boxes[0].node.select_one("[itemprop=comment]") is not None
    likely = [number for number, box in enumerate(cut.boxes) if marked or _may_be(box.names)]
    sorts = {number: sort for number in likely if (sort := _sort(cut.boxes[number]))}
    counts = Counter(sorts.values())
    # Of two that are as many the first, which is the outer one.
    most = max(counts, key=counts.__getitem__, default="")
    return [number for number, sort in sorts.items() if sort == most]


def _may_be(names: str) -> bool:
    first, second, third = _TRACES
    return first in names or second in names or third in names


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


def read_comments(cut: Cut, head: Head, numbers: Sequence[int]) -> tuple[PageComment, ...]:
    """Return the comments in ``numbers``; those of the linked data where there are none."""
    left = _MOST_BYTES
    kept: list[PageComment] = []
    for comment in _marked(cut, numbers, head.language) if numbers else _told(head):
        left -= len(comment.text.encode()) + _AROUND
        if left < 0 or len(kept) == _MOST:
            break
        kept.append(comment)
    return tuple(kept)


def _marked(cut: Cut, numbers: Sequence[int], language: str) -> Iterator[PageComment]:
    depths: dict[int, int] = {}
    members = set(numbers)
    owners = _owners(cut.boxes, members)
    texts: dict[int, list[str]] = {number: [] for number in numbers}
    for run in cut.runs:
        if (owner := owners[run.box]) >= 0:
            texts[owner].append(run.text)
    for number in numbers:
        above = owners[cut.boxes[number].parent]
        depths[number] = depths.get(above, -1) + 1
        node = cut.boxes[number].node
        author = _first(node, _AUTHOR)
        stamp = _first(node, _TIME)
        text = "\n\n".join(line for line in texts[number] if not _is_about(line, author, stamp))
        if text:
            day = iso_date(_day(node)) or iso_date(stamp, language)
            yield _comment(author, day, text, depths[number])


def _owners(boxes: list[Box], members: set[int]) -> list[int]:
    """Return, for each box, the innermost comment that it is part of; -1 for none."""
    owners: list[int] = []
    for number, box in enumerate(boxes):
        above = owners[box.parent] if box.parent >= 0 else -1
        owners.append(number if number in members else above)
    return owners


def _first(node: Element, selector: str) -> str:
    element = node.select_one(selector)
    return "" if element is None else one_line(element.text, _NAME_LENGTH)


def _day(node: Element) -> str:
    moment = node.select_one("time[datetime]")
    return "" if moment is None else moment.attr("datetime") or ""


def _is_about(line: str, author: str, stamp: str) -> bool:
    """Tell a line about the comment (who, when, what to press) from what it says."""
    plain = one_line(line, _NAME_LENGTH)
    words = plain.lower().strip(":·| ").split()
    if len(words) <= _TOOL_WORDS and all(word.strip("():·") in _TOOLS for word in words):
        return True
    rest = plain
    for known in (author, stamp):
        rest = rest.replace(known, "") if known else rest
    return rest != plain and all(
        word.strip("():·,") in _TOOLS | {""} for word in rest.lower().split()
    )


def _comment(author: str, day: str | None, text: str, depth: int) -> PageComment:
    shown = unhide(text)[0]
    return PageComment(
        author=author or None,
        published_at=day,
        text=shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…",
        depth=depth,
    )


def _told(head: Head) -> Iterator[PageComment]:
    for thing in head.things:
        text = thing.get("text")
        if thing.get("@type") == "Comment" and isinstance(text, str) and text.strip():
            author = thing.get("author")
            name = author.get("name") if isinstance(author, dict) else author
            day = thing.get("datePublished") or thing.get("dateCreated")
            yield _comment(
                one_line(name, _NAME_LENGTH) if isinstance(name, str) else "",
                iso_date(day) if isinstance(day, str) else None,
                text.strip(),
                0,
            )
