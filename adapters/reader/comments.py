"""Find the boxes of comments and forum posts, and drop comments from a page.

A comment is a block with the microdata or class of a comment ("comment", not "comments"), or else
a block with a comment's number, or an item of a comment list. Replies stand inside or after it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Final

from .page_segments import BlockBox, PageSegments

_COMMENT_CLASS_PATTERN: Final = re.compile(
    r"[\s_-](?:user|post|media|single|wp|blog|article)?[_-]?"
    r"(?:comment|comtr|kommentar|commentaire|comentario|commento|komentarz|reactie)"
    r"(?:[_-]?(?:item|entry|thread|node|wrap|wrapper|container|block|box))?(?=\s|$)"
)
_COMMENT_ID_PATTERN: Final = re.compile(r"(?:li-|div-)?comment[_-]?\d+")
_LIST_CLASS_PATTERN: Final = re.compile(r"[\s_-]comments?[_-]?list(?=\s|$)")
# Each of these names contains one of these letters.
_COMMENT_NAME_PARTS: Final = ("omment", "omentar", "eactie", "comtr")
_COMMENT_TAGS: Final = frozenset({"article", "div", "li", "section", "tr"})
# Classes of a post in XenForo, phpBB, vBulletin, Invision, SMF and MyBB, Stack Exchange, Flarum,
# Discourse and others.
_POST_CLASS_PATTERN: Final = re.compile(
    r"\s(?:message|message--post|post|post_wrapper|postbit(?:legacy|im)?|postcontainer|b-post"
    r"|blockpost|cpost|answer|crawler-post|commentpost|(?:forum|topic)[_-]?(?:post|reply))(?=\s|$)"
)
# vBulletin 3 and Invision 3 give posts a numbered id instead.
_POST_ID_PATTERN: Final = re.compile(r"((?:post|post_?id|msg|message|reply|entry)[_-]?)[0-9]{2,}")
_ANSWER_PROPERTIES: Final = frozenset({"acceptedAnswer", "suggestedAnswer"})
_MIN_POSTS: Final = 2
_MIN_TEXT_WORDS: Final = 30
_MIN_PARAGRAPH_WORDS: Final = 15
_MIN_REMARK_WORDS: Final = 8
_MOST_SHARE: Final = 0.5


def comment_boxes(segments: PageSegments) -> list[int]:
    """Return the numbers of the comment boxes, in the page's order.

    A comment's frame and body often have both names: the outer box counts. An inner box counts
    only where it looks like the outer ones: then it is a reply. A comment form also has such a
    name, but a page has only one.
    """
    is_marked = segments.boxes[0].node.select_one("[itemprop=comment]") is not None
    # Most pages have no such name: one search in all names joined shows that.
    if not is_marked and not _may_name_comment(" ".join([box.names for box in segments.boxes])):
        return []
    candidates = [
        number
        for number, box in enumerate(segments.boxes)
        if is_marked or _may_name_comment(box.names)
    ]
    named = _most_frequent_boxes(segments.boxes, candidates, _comment_kind)
    return named if len(named) >= _MIN_POSTS else _unnamed_comment_boxes(segments.boxes) or named


def _unnamed_comment_boxes(boxes: list[BlockBox]) -> list[int]:
    """Return the numbers of boxes with a comment's id, or else of items in a comment list."""
    holders = [number for number, box in enumerate(boxes) if _may_hold_comment(box)]
    numbered = _most_frequent_boxes(boxes, holders, _comment_id_kind)
    lists = {
        number for number, box in enumerate(boxes) if _LIST_CLASS_PATTERN.search(box.names.lower())
    }
    listed = [number for number in holders if boxes[number].parent in lists]
    longest = max(numbered, listed, key=len)
    return longest if len(longest) >= _MIN_POSTS else []


def _may_hold_comment(box: BlockBox) -> bool:
    return box.tag in _COMMENT_TAGS and box.last > box.first


def _comment_id_kind(box: BlockBox) -> str:
    match = _COMMENT_ID_PATTERN.fullmatch(box.node.attr("id") or "")
    return f"{box.tag} {match[0].rstrip('0123456789')}" if match else ""


def post_boxes(segments: PageSegments, comments: list[int]) -> list[int]:
    """Return the numbers of the boxes of posts and comments on a forum page.

    The first post is included; parts of a comment are not.
    """
    every = range(len(segments.boxes))
    posts = _most_frequent_boxes(segments.boxes, every, _post_kind)
    if len(posts) < _MIN_POSTS:
        posts = _most_frequent_boxes(segments.boxes, every, _post_id_kind)
    comment_numbers = set(comments)
    outer_posts = [
        post for post in posts if comment_numbers.isdisjoint(_ancestor_boxes(segments.boxes, post))
    ]
    return sorted({*comments, *outer_posts}) if len(outer_posts) >= _MIN_POSTS else comments


def _ancestor_boxes(boxes: list[BlockBox], number: int) -> Iterator[int]:
    while (number := boxes[number].parent) >= 0:
        yield number


def _most_frequent_boxes(
    boxes: list[BlockBox], numbers: Iterable[int], read_sort: Callable[[BlockBox], str]
) -> list[int]:
    """Return the box numbers of the most frequent sort."""
    sorts = {number: sort for number in numbers if (sort := read_sort(boxes[number]))}
    counts = Counter(sorts.values())
    # Among equals, the first is the outer one.
    most = max(counts, key=counts.__getitem__, default="")
    return [number for number, sort in sorts.items() if sort == most]


def _post_kind(box: BlockBox) -> str:
    if not _may_hold_comment(box):
        return ""
    if box.node.attr("itemprop") in _ANSWER_PROPERTIES:
        return f"{box.tag} answer"
    match = _POST_CLASS_PATTERN.search(box.names.lower())
    return f"{box.tag} {match[0].strip()}" if match else ""


def _post_id_kind(box: BlockBox) -> str:
    name = box.node.attr("id") if box.tag == "table" or box.tag in _COMMENT_TAGS else ""
    match = _POST_ID_PATTERN.fullmatch(name) if name and box.last > box.first else None
    return f"{box.tag} {match[1]}" if match else ""


def _may_name_comment(names: str) -> bool:
    return any(map(names.__contains__, _COMMENT_NAME_PARTS))


def _comment_kind(box: BlockBox) -> str:
    """Return a comment's tag and name; blank where the box is not a comment."""
    if not _may_hold_comment(box):
        return ""
    if box.node.attr("itemprop") == "comment":
        return f"{box.tag} comment"
    match = (
        _COMMENT_CLASS_PATTERN.search(box.names.lower()) if _may_name_comment(box.names) else None
    )
    name = match[0].strip(" \t_-") if match else ""
    return f"{box.tag} {name}" if name else ""


def comment_runs(segments: PageSegments, numbers: Sequence[int]) -> set[int]:
    """Return the indexes of the runs in comments."""
    boxes = [segments.boxes[number] for number in numbers]
    return {index for box in boxes for index in range(box.first, box.last)}


def is_text_beside_comments(
    segments: PageSegments, numbers: Sequence[int], rest: Sequence[bool]
) -> bool:
    """Tell whether the runs in ``rest`` are a page's text, and its comments follow it.

    Comments with text between them do not: a manual has such remarks on each of its parts.
    """
    lengths = [run.words for run in compress(segments.runs, rest)]
    long_words = sum(words for words in lengths if words >= _MIN_PARAGRAPH_WORDS)
    return long_words >= _MIN_TEXT_WORDS and not _are_comments_amid_text(segments, numbers, rest)


def _are_comments_amid_text(
    segments: PageSegments, numbers: Sequence[int], rest: Sequence[bool]
) -> bool:
    """Tell whether other text stands between most comments and the next one."""
    boxes = [segments.boxes[number] for number in numbers]
    ends = [*(box.first for box in boxes[1:]), len(segments.runs)]
    gaps = [range(box.last, end) for box, end in zip(boxes, ends, strict=True)]
    are_followed = [
        any(rest[index] and segments.runs[index].words >= _MIN_REMARK_WORDS for index in gap)
        for gap in gaps
    ]
    return sum(are_followed) > _MOST_SHARE * len(are_followed)
