"""Comments under a page, told apart from it.

A comment is a block that its markup calls one, by microdata or by a class of its own ("comment",
not "comments"); where there is none, one that has a comment's number, or that stands in a list of
them. Replies stand inside or after.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Final

from ..features.signs import COMMENTS, SignScope
from ..page_segments import BlockBox, PageSegments

_NAMED: Final = re.compile(
    r"[\s_-](?:user|post|media|single|wp|blog|article)?[_-]?"
    r"(?:comment|comtr|kommentar|commentaire|comentario|commento|komentarz|reactie)"
    r"(?:[_-]?(?:item|entry|thread|node|wrap|wrapper|container|block|box))?(?=\s|$)"
)
_NUMBERED: Final = re.compile(r"(?:li-|div-)?comment[_-]?\d+")
_LIST: Final = re.compile(r"[\s_-]comments?[_-]?list(?=\s|$)")
# What all of these have in them, one or the other.
_TRACES: Final = ("omment", "omentar", "eactie", "comtr")
_HOLDERS: Final = frozenset({"article", "div", "li", "section", "tr"})
# What forums call a post, by their engines: those of XenForo, phpBB, vBulletin, Invision, SMF and
# MyBB, Stack Exchange, Flarum and Discourse, and what others call it.
_POST: Final = re.compile(
    r"\s(?:message|message--post|post|post_wrapper|postbit(?:legacy|im)?|postcontainer|b-post"
    r"|blockpost|cpost|answer|crawler-post|commentpost|(?:forum|topic)[_-]?(?:post|reply))(?=\s|$)"
)
# Where nothing is called so, a post has a number, as those of vBulletin 3 and Invision 3.
_NUMBERED_POST: Final = re.compile(r"((?:post|post_?id|msg|message|reply|entry)[_-]?)[0-9]{2,}")
_ANSWERS: Final = frozenset({"acceptedAnswer", "suggestedAnswer"})
_MIN_POSTS: Final = 2
_REST: Final = 0.3
_ARTICLE_WORDS: Final = 30
_TOLD: Final = 8
_MOSTLY: Final = 0.5


def comment_boxes(segments: PageSegments) -> list[int]:
    """Return the numbers of the boxes that are a comment each, in the page's order.

    A comment's frame and its body are often both called one: of those the outer counts, and an
    inner one only where it looks like the outer ones, which makes it a reply. So is what one writes
    a comment in; but there is only one of it.
    """
    marked = segments.boxes[0].node.select_one("[itemprop=comment]") is not None
    # On most pages nothing is called one: that is told by one look at all of its names.
    if not marked and not _may_be(" ".join([box.names for box in segments.boxes])):
        return []
    likely = [number for number, box in enumerate(segments.boxes) if marked or _may_be(box.names)]
    named = _most({number: sort for number in likely if (sort := _sort(segments.boxes[number]))})
    return named if len(named) >= _MIN_POSTS else _unnamed(segments.boxes) or named


def _unnamed(boxes: list[BlockBox]) -> list[int]:
    """Return the boxes with the number of a comment, or else those in a list of comments."""
    holders = [number for number, box in enumerate(boxes) if _may_hold(box)]
    numbered = _most({number: sort for number in holders if (sort := _number(boxes[number]))})
    lists = {number for number, box in enumerate(boxes) if _LIST.search(box.names.lower())}
    listed = [number for number in holders if boxes[number].parent in lists]
    longest = max(numbered, listed, key=len)
    return longest if len(longest) >= _MIN_POSTS else []


def _may_hold(box: BlockBox) -> bool:
    return box.tag in _HOLDERS and box.last > box.first


def _number(box: BlockBox) -> str:
    match = _NUMBERED.fullmatch(box.node.attr("id") or "")
    return f"{box.tag} {match[0].rstrip('0123456789')}" if match else ""


def post_boxes(segments: PageSegments, comments: list[int]) -> list[int]:
    """Return the numbers of the boxes that are a post each on the page of a forum, or a comment.

    The first post is one of them. What is part of a comment is none.
    """
    posts = _most(
        {number: sort for number, box in enumerate(segments.boxes) if (sort := _post(box))}
    )
    if len(posts) < _MIN_POSTS:
        sorts = ((number, _numbered_post(box)) for number, box in enumerate(segments.boxes))
        posts = _most({number: sort for number, sort in sorts if sort})
    known = set(comments)
    own = [post for post in posts if known.isdisjoint(_above(segments.boxes, post))]
    return sorted({*comments, *own}) if len(own) >= _MIN_POSTS else comments


def _above(boxes: list[BlockBox], number: int) -> Iterator[int]:
    while (number := boxes[number].parent) >= 0:
        yield number


def _most(sorts: dict[int, str]) -> list[int]:
    """Return those of the sort that there is most of."""
    counts = Counter(sorts.values())
    # Of two that are as many the first, which is the outer one.
    most = max(counts, key=counts.__getitem__, default="")
    return [number for number, sort in sorts.items() if sort == most]


def _post(box: BlockBox) -> str:
    if not _may_hold(box):
        return ""
    if box.node.attr("itemprop") in _ANSWERS:
        return f"{box.tag} answer"
    match = _POST.search(box.names.lower())
    return f"{box.tag} {match[0].strip()}" if match else ""


def _numbered_post(box: BlockBox) -> str:
    name = box.node.attr("id") if box.tag == "table" or box.tag in _HOLDERS else ""
    match = _NUMBERED_POST.fullmatch(name) if name and box.last > box.first else None
    return f"{box.tag} {match[1]}" if match else ""


def _may_be(names: str) -> bool:
    first, second, third, fourth = _TRACES
    return first in names or second in names or third in names or fourth in names


def _sort(box: BlockBox) -> str:
    """Return what a comment is called and made of; nothing of what is none."""
    name = _named_by(box) if _may_hold(box) else ""
    return f"{box.tag} {name}" if name else ""


def _named_by(box: BlockBox) -> str:
    if box.node.attr("itemprop") == "comment":
        return "comment"
    match = _NAMED.search(box.names.lower()) if _may_be(box.names) else None
    return match[0].strip(" \t_-") if match else ""


def drop_comments(
    segments: PageSegments, numbers: Sequence[int], kept: list[bool], *, article: bool
) -> None:
    """Drop comments from what was chosen, unless the page is little else.

    An article may have any number of them. Those that stand amid what else is told are its own, as
    what a manual says of each part that is deprecated.
    """
    without = kept.copy()
    for number in numbers:
        box = segments.boxes[number]
        without[box.first : box.last] = [False] * (box.last - box.first)
    words = [run.words for run in segments.runs]
    if not numbers or _are_amid(segments, numbers, without):
        return
    rest = sum(compress(words, without))
    if rest >= _REST * sum(compress(words, kept)) or (article and rest >= _ARTICLE_WORDS):
        kept[:] = without


def _are_amid(cut: PageSegments, numbers: Sequence[int], without: Sequence[bool]) -> bool:
    """Tell whether something else is told after most of the comments, before the next one."""
    boxes = [cut.boxes[number] for number in numbers]
    ends = [*(box.first for box in boxes[1:]), len(cut.runs)]
    after = [range(box.last, end) for box, end in zip(boxes, ends, strict=True)]
    told = [
        any(without[place] and cut.runs[place].words >= _TOLD for place in places)
        for places in after
    ]
    return sum(told) > _MOSTLY * len(told)


def drop_comment_signs(
    segments: PageSegments, numbers: Sequence[int], scopes: Iterable[SignScope], kept: list[bool]
) -> None:
    """Drop what announces comments where none of them is left, nor anything else."""
    begins = [segments.boxes[number].first for number in numbers]
    for scope in scopes if begins else ():
        over = any(scope.first < begin < scope.last for begin in begins)
        if scope.what == COMMENTS and over and True not in kept[scope.first + 1 : scope.last]:
            kept[scope.first] = False


def dropped_comment_words(
    segments: PageSegments, numbers: Sequence[int], kept: Sequence[bool]
) -> int:
    """Return how many words of comments are not chosen."""
    boxes = [segments.boxes[number] for number in numbers]
    places = {place for box in boxes for place in range(box.first, box.last)}
    return sum(segments.runs[place].words for place in places if not kept[place])
