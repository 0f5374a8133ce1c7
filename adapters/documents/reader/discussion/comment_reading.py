"""What readers wrote under a page: who, when, what, and how deep a reply stands.

Of each comment the part that its markup calls the text is taken; where none is, all but the lines
that say who wrote it, when, and what to press. Where the page shows none, what its linked data
tells is taken.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Final

from turbohtml import Element, Text, parse

from .....ports.pages import PageComment
from ....pages.safe_text import one_line, strip_hidden
from ....values.numbers import parse_whole_number
from ...dates import iso_date
from ..features.cues import TALK
from ..metadata import PageHead
from ..page_segments import BLOCKS, PageSegments
from .bylines import (
    AUTHOR_ATTRIBUTES,
    AUTHORS,
    MAX_BYLINE_ELEMENTS,
    MAX_NAME_CHARS,
    Byline,
    comment_byline,
)

# What is surely the text; then what may also be the frame around it, with who wrote it.
_TEXTS: Final = (
    "[itemprop=text],[itemprop=commentText]", ".comment-copy", ".commtext", ".usertext-body",
    "[slot=comment]", ".bbWrapper", ".postcontent", ".post_body", "[data-role=commentContent]",
    ".s-prose", ".postbody .content", ".postarea .post", ".messageText",
    ".comment-text .description", ".postmsg", ".userContent", "[id^=post_message_]",
)  # fmt: skip
_FRAMES: Final = (
    ".comment-content", ".comment-text,.comment_text", ".comment-message",
    ".comment__body,.comment-body,.commentBody", ".post-content,.post__content,.post-body",
    ".message-content,.message-body",
)  # fmt: skip
# Under what is quoted, as XenForo has it.
_BUTTONS: Final = frozenset({"Click to expand..."})
_LEVEL: Final = re.compile(r"(?:depth|deep|level|indent)[-_]?(\d{1,2})(?!\d)")
_TOOLS: Final = TALK | {"share", "says", "said", "·", "|"}
_TOOL_WORDS: Final = 4
_MAX_COMMENTS: Final = 500
# A page's metadata may be of 64 kilobytes in all.
_MAX_COMMENT_BYTES: Final = 32_000
_AROUND: Final = 100
_MAX_COMMENT_CHARS: Final = 4_000
_MAX_ANCESTOR_STEPS: Final = 40
_NEAREST: Final = 3
_MARKUP: Final = re.compile(r"</[a-zA-Z]|<(?:br|p)\b", re.IGNORECASE)


def read_comments(
    segments: PageSegments, head: PageHead, numbers: Sequence[int], bylines: dict[Element, Byline]
) -> tuple[PageComment, ...]:
    """Return the comments in boxes ``numbers``; those of the linked data where there are none."""
    body = segments.boxes[0].node
    boxed = [segments.boxes[number].node for number in numbers[:_MAX_COMMENTS]]
    nodes = boxed or body.find_all("shreddit-comment", limit=_MAX_COMMENTS)
    left = _MAX_COMMENT_BYTES
    kept: list[PageComment] = []
    told = _Thread(segments, nodes, bylines, head.language).told() if nodes else _linked(head)
    for comment in told:
        left -= len(comment.text.encode()) + _AROUND
        if left < 0 or len(kept) == _MAX_COMMENTS:
            break
        kept.append(comment)
    return tuple(kept)


class _Thread:
    """The comments of a page, and which of them each part of it belongs to."""

    def __init__(
        self, cut: PageSegments, nodes: list[Element], bylines: dict[Element, Byline], language: str
    ) -> None:
        self._cut = cut
        self._nodes = nodes
        self._language = language
        self._places = {node: place for place, node in enumerate(nodes)}
        self._bylines = {self._owner(above): by for above, by in reversed(bylines.items())}
        bodies = [self._body(node) for node in nodes]
        self._told = bodies
        self._bodies = {body: place for place, body in enumerate(bodies) if body is not None}

    def told(self) -> Iterator[PageComment]:
        """Yield the comments that say something, in the page's order."""
        runs = self._runs()
        for place, (node, depth) in enumerate(zip(self._nodes, self._depths(), strict=True)):
            by = self._by(place, node)
            lines = runs[place]
            if self._told[place] is None:
                lines = [line for line in lines if not _is_about(line, by)]
            if text := "\n\n".join(lines):
                yield _comment(by.author, self._day(by), text, depth)

    def _day(self, by: Byline) -> str | None:
        shown = (day for stamp in by.stamps if (day := iso_date(stamp, self._language)))
        return iso_date(by.day) or next(shown, None)

    def _owner(self, element: Element) -> int:
        """Return the innermost comment that an element is part of; -1 for none."""
        return next((self._places[one] for one in _upwards(element) if one in self._places), -1)

    def _own(self, place: int, selector: str) -> list[Element]:
        """Return what matches in a comment and in no reply to it."""
        found = self._nodes[place].select(selector)[:MAX_BYLINE_ELEMENTS]
        return [element for element in found if self._owner(element) == place]

    def _body(self, node: Element) -> Element | None:
        place = self._places[node]
        sure = (one for selector in _TEXTS for one in self._own(place, selector))
        if (text := next((one for one in sure if one is not node), None)) is not None:
            return text
        frames = (one for selector in _FRAMES for one in self._own(place, selector))
        named = (one for one in frames if one is not node)
        return next((one for one in named if not any(map(one.select_one, AUTHORS))), None)

    def _runs(self) -> list[list[str]]:
        """Return the lines of each comment: those of its text, or all where it names none."""
        lines: list[list[str]] = [[] for _ in self._nodes]
        told = set(self._bodies.values())
        for run in self._cut.runs:
            place, inside = self._place_of(self._cut.boxes[run.box].node)
            if place >= 0 and (inside or place not in told) and run.text not in _BUTTONS:
                lines[place].append(run.text)
        for body, place in self._bodies.items():
            # The cells of a short row are one run.
            if not lines[place]:
                lines[place] += _lines(body)
        return lines

    def _place_of(self, element: Element) -> tuple[int, bool]:
        """Return the comment that an element belongs to, and whether it is in its text."""
        for above in _upwards(element):
            if (place := self._bodies.get(above)) is not None:
                return place, True
            if (place := self._places.get(above)) is not None:
                return place, False
        return -1, False

    def _by(self, place: int, node: Element) -> Byline:
        shown = comment_byline(lambda selector: self._around(place, selector))
        pruned = self._bylines.get(place, Byline())
        told = next((name for mark in AUTHOR_ATTRIBUTES if (name := node.attr(mark))), "")
        author = told or shown.author or pruned.author
        name = one_line(author, MAX_NAME_CHARS) or self._linked_name(place)
        frame = Byline() if name else self._framed(place)
        return Byline(
            author=name or frame.author,
            day=node.attr("created") or shown.day or pruned.day or frame.day,
            stamps=shown.stamps or pruned.stamps or frame.stamps,
        )

    def _around(self, place: int, selector: str) -> list[Element]:
        """Return what matches in a comment beside its text: in there others are quoted."""
        body = self._told[place]
        found = self._own(place, selector)
        return [one for one in found if not any(above is body for above in _upwards(one))]

    def _framed(self, place: int) -> Byline:
        """Return what stands beside a comment in a frame that holds no other one."""
        beside = [*self._nodes[max(place - 1, 0) : place], *self._nodes[place + 1 : place + 2]]
        shared = {above for node in beside for above in _upwards(node)}
        frames = islice(_upwards(self._nodes[place]), 1, 1 + _NEAREST)
        own = [frame for frame in frames if frame not in shared] if beside else []
        return (
            comment_byline(lambda selector: own[-1].select(selector)[:MAX_BYLINE_ELEMENTS])
            if own
            else Byline()
        )

    def _linked_name(self, place: int) -> str:
        """Return the words of the first link, where that stands before what is said."""
        body = self._told[place]
        links = self._own(place, "a[href]") if body is not None else []
        first = next((link for link in links if any(map(str.isalpha, link.text))), None)
        if first is None or any(one is body for one in _upwards(first)):
            return ""
        name = one_line(first.text, MAX_NAME_CHARS)
        return name if len(name.split()) <= _TOOL_WORDS and name.lower() not in _TOOLS else ""

    def _depths(self) -> list[int]:
        """Return how deep each stands: as nested, or as their markup counts where none is."""
        depths: list[int] = []
        for node in self._nodes:
            above = self._owner(node.parent) if isinstance(node.parent, Element) else -1
            depths.append(depths[above] + 1 if 0 <= above < len(depths) else 0)
        if any(depths):
            return depths
        levels = [_level(node) for node in self._nodes]
        least = min(levels, default=0)
        return [level - least for level in levels]


def _upwards(element: Element) -> Iterator[Element]:
    """Yield an element and those around it, the nearest first."""
    above: object = element
    for _ in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element):
            return
        yield above
        above = above.parent


def _lines(body: Element) -> list[str]:
    """Return what an element says, a line for each of its blocks."""
    parts = [
        node.data if isinstance(node, Text) else "\n"
        for node in body.descendants
        if isinstance(node, Text) or (isinstance(node, Element) and node.tag in BLOCKS)
    ]
    return [
        line for part in "".join(parts).split("\n") if (line := one_line(part, _MAX_COMMENT_CHARS))
    ]


def _level(node: Element) -> int:
    """Return how deep a comment says it stands; boxes that indent count, too."""
    counted = node.attr("depth") or ""
    cell = node.select_one("td.ind[indent]")
    counted = counted or ("" if cell is None else cell.attr("indent") or "")
    if (told := parse_whole_number(counted)) is not None:
        return told
    if (level := _LEVEL.search(node.attr("class") or "")) is not None:
        return int(level[1])
    return sum("indented" in (above.attr("class") or "").split() for above in _upwards(node))


def _is_about(line: str, by: Byline) -> bool:
    """Tell a line about the comment (who, when, what to press) from what it says."""
    plain = one_line(line, MAX_NAME_CHARS)
    words = plain.lower().strip(":·| ").split()
    if len(words) <= _TOOL_WORDS and all(word.strip("():·") in _TOOLS for word in words):
        return True
    rest = plain
    for known in (by.author, *by.stamps):
        rest = rest.replace(known, "") if known else rest
    return rest != plain and all(
        word.strip("():·,") in _TOOLS | {""} for word in rest.lower().split()
    )


def _comment(author: str, day: str | None, text: str, depth: int) -> PageComment:
    shown = strip_hidden(text)[0]
    return PageComment(
        author=author or None,
        published_at=day,
        text=shown if len(shown) <= _MAX_COMMENT_CHARS else shown[: _MAX_COMMENT_CHARS - 1] + "…",
        depth=depth,
    )


def _linked(head: PageHead) -> Iterator[PageComment]:
    """Yield what the linked data tells, each reply after what it replies to."""
    comments = [thing for thing in head.things if _is_comment(thing)]
    replies = {id(reply) for comment in comments for reply in _replies(comment)}
    waiting = [(comment, 0) for comment in reversed(comments) if id(comment) not in replies]
    for _ in range(_MAX_COMMENTS):
        if not waiting:
            return
        comment, depth = waiting.pop()
        waiting += [(reply, depth + 1) for reply in reversed(_replies(comment))]
        text = comment.get("text")
        if isinstance(text, str) and text.strip():
            day = comment.get("datePublished") or comment.get("dateCreated")
            moment = iso_date(day) if isinstance(day, str) else None
            yield _comment(_told_name(comment.get("author")), moment, _plain(text), depth)


def _plain(text: str) -> str:
    """Return a text of linked data as it is meant: often it is HTML, or was made from it."""
    shown = unescape(text)
    body = parse(shown, positions=False).find("body") if _MARKUP.search(shown) else None
    lines = shown.splitlines() if body is None else _lines(body)
    return "\n\n".join(plain for line in lines if (plain := one_line(line, _MAX_COMMENT_CHARS)))


def _told_name(author: object) -> str:
    one = author[0] if isinstance(author, list) and author else author
    name = one.get("name") if isinstance(one, dict) else one
    return one_line(name, MAX_NAME_CHARS) if isinstance(name, str) else ""


def _replies(comment: dict[str, object]) -> list[dict[str, object]]:
    inner = comment.get("comment")
    listed = inner if isinstance(inner, list) else [inner]
    return [one for one in listed if isinstance(one, dict) and _is_comment(one)]


def _is_comment(thing: dict[str, object]) -> bool:
    return thing.get("@type") == "Comment"
