"""What readers wrote under a page: who, when, what, and how deep a reply stands.

Of each comment the part that its markup calls the text is taken; where none is, all but the lines
that say who wrote it, when, and what to press. Where the page shows none, what its linked data
tells is taken.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec
from turbohtml import Document, Element, Text

from ....ports.pages import PageComment
from ...values.numbers import whole
from ..dates import iso_date
from ..text import one_line, unhide
from .blocks import BLOCKS, Cut
from .features.cues import TALK
from .metadata import Head

# By how sure each is: the first that matches anything tells.
_AUTHORS: Final = (
    "[itemprop=author] [itemprop=name]", "[itemprop=author],[itemprop=creator]", ".fn",
    "[rel~=author]", ".hnuser", "[class*=author i] a", "[class*=author i]",
    "[class*=user-name i],[class*=username i],[class*=nickname i],[class*=meta-name i]", "cite",
)  # fmt: skip
_TIMES: Final = (
    "time[datetime]", "[itemprop=dateCreated],[itemprop=datePublished]", ".age[title]", "time",
    "[class*=date i],[class*=time i]",
)  # fmt: skip
_TEXTS: Final = (
    "[itemprop=text],[itemprop=commentText]", ".comment-content", ".comment-text,.comment_text",
    ".commtext", ".usertext-body", "[slot=comment]", ".comment-message",
    ".comment__body,.comment-body",
)  # fmt: skip
_BY: Final = re.compile(r"\s*(?:says|said|wrote)?\s*:?\s*\Z", re.IGNORECASE)
_LEVEL: Final = re.compile(r"(?:depth|deep|level|indent)[-_]?(\d{1,2})(?!\d)")
_TOOLS: Final = TALK | {"share", "says", "said", "·", "|"}
_TOOL_WORDS: Final = 4
_MOST: Final = 500
# A page's metadata may be of 64 kilobytes in all.
_MOST_BYTES: Final = 32_000
_AROUND: Final = 100
_LONGEST: Final = 4_000
_NAME_LENGTH: Final = 80
_NEAR: Final = 40
_FIRST: Final = 10


class Byline(msgspec.Struct, frozen=True):
    """Who wrote a comment, and what it says of when."""

    author: str = ""
    day: str = ""
    stamp: str = ""


def read_bylines(document: Document) -> dict[Element, Byline]:
    """Return what the footers of comments say, by what they stand in; footers are pruned."""
    footers = document.select(":is([class*=comment i],[itemprop=comment]) footer")[:_MOST]
    return {
        above: _byline(_inside(footer))
        for footer in reversed(footers)
        if isinstance(above := footer.parent, Element)
    }


def read_comments(
    cut: Cut, head: Head, numbers: Sequence[int], bylines: dict[Element, Byline]
) -> tuple[PageComment, ...]:
    """Return the comments in boxes ``numbers``; those of the linked data where there are none."""
    body = cut.boxes[0].node
    boxed = [cut.boxes[number].node for number in numbers[:_MOST]]
    nodes = boxed or body.find_all("shreddit-comment", limit=_MOST)
    left = _MOST_BYTES
    kept: list[PageComment] = []
    told = _Thread(cut, nodes, bylines, head.language).told() if nodes else _linked(head)
    for comment in told:
        left -= len(comment.text.encode()) + _AROUND
        if left < 0 or len(kept) == _MOST:
            break
        kept.append(comment)
    return tuple(kept)


class _Thread:
    """The comments of a page, and which of them each part of it belongs to."""

    def __init__(
        self, cut: Cut, nodes: list[Element], bylines: dict[Element, Byline], language: str
    ) -> None:
        self._cut = cut
        self._nodes = nodes
        self._language = language
        self._places = {node: place for place, node in enumerate(nodes)}
        self._bylines = {self._owner(above): byline for above, byline in reversed(bylines.items())}
        bodies = [self._body(node) for node in nodes]
        self._told = bodies
        self._bodies = {body: place for place, body in enumerate(bodies) if body is not None}

    def told(self) -> Iterator[PageComment]:
        """Yield the comments that say something, in the page's order."""
        runs = self._runs()
        for place, (node, depth) in enumerate(zip(self._nodes, self._depths(), strict=True)):
            byline = self._by(place, node)
            lines = runs[place]
            if self._told[place] is None:
                lines = [line for line in lines if not _is_about(line, byline)]
            if text := "\n\n".join(lines):
                day = iso_date(byline.day) or iso_date(byline.stamp, self._language)
                yield _comment(byline.author, day, text, depth)

    def _owner(self, element: Element) -> int:
        """Return the innermost comment that an element is part of; -1 for none."""
        return next((self._places[one] for one in _upwards(element) if one in self._places), -1)

    def _own(self, place: int, selector: str) -> list[Element]:
        """Return what matches in a comment and in no reply to it."""
        found = self._nodes[place].select(selector)[:_FIRST]
        return [element for element in found if self._owner(element) == place]

    def _body(self, node: Element) -> Element | None:
        place = self._places[node]
        for selector in _TEXTS:
            for element in self._own(place, selector):
                # The frame of a comment is called its body, too.
                if element is not node and not any(map(element.select_one, _AUTHORS)):
                    return element
        return None

    def _runs(self) -> list[list[str]]:
        """Return the lines of each comment: those of its text, or all where it names none."""
        lines: list[list[str]] = [[] for _ in self._nodes]
        told = set(self._bodies.values())
        for run in self._cut.runs:
            place, inside = self._place_of(self._cut.boxes[run.box].node)
            if place >= 0 and (inside or place not in told):
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
        shown = _byline(lambda selector: self._own(place, selector))
        pruned = self._bylines.get(place, Byline())
        author = node.attr("author") or node.attr("data-author") or shown.author or pruned.author
        return Byline(
            author=one_line(author, _NAME_LENGTH) or self._linked_name(place),
            day=node.attr("created") or shown.day or pruned.day,
            stamp=shown.stamp or pruned.stamp,
        )

    def _linked_name(self, place: int) -> str:
        """Return the words of the first link, where that stands before what is said."""
        body = self._told[place]
        links = self._own(place, "a[href]") if body is not None else []
        first = next((link for link in links if link.text.strip()), None)
        if first is None or any(one is body for one in _upwards(first)):
            return ""
        name = one_line(first.text, _NAME_LENGTH)
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
    for _ in range(_NEAR):
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
    return [line for part in "".join(parts).split("\n") if (line := one_line(part, _LONGEST))]


def _level(node: Element) -> int:
    """Return how deep a comment says it stands; boxes that indent count, too."""
    counted = node.attr("depth") or ""
    cell = node.select_one("td.ind[indent]")
    counted = counted or ("" if cell is None else cell.attr("indent") or "")
    if (told := whole(counted)) is not None:
        return told
    if (level := _LEVEL.search(node.attr("class") or "")) is not None:
        return int(level[1])
    return sum("indented" in (above.attr("class") or "").split() for above in _upwards(node))


def _inside(element: Element) -> Callable[[str], list[Element]]:
    return lambda selector: element.select(selector)[:_FIRST]


def _byline(select: Callable[[str], list[Element]]) -> Byline:
    named = (one for selector in _AUTHORS for one in select(selector))
    author = next((name for one in named if (name := _name(one))), "")
    moments = [one for selector in _TIMES for one in select(selector)]
    days = (one.attr("datetime") or one.attr("content") or one.attr("title") for one in moments)
    stamp = next((text for one in moments if (text := one_line(one.text, _NAME_LENGTH))), "")
    return Byline(author, next((day for day in days if day and iso_date(day)), ""), stamp)


def _name(element: Element) -> str:
    return _BY.sub("", one_line(element.text, _NAME_LENGTH))


def _is_about(line: str, byline: Byline) -> bool:
    """Tell a line about the comment (who, when, what to press) from what it says."""
    plain = one_line(line, _NAME_LENGTH)
    words = plain.lower().strip(":·| ").split()
    if len(words) <= _TOOL_WORDS and all(word.strip("():·") in _TOOLS for word in words):
        return True
    rest = plain
    for known in (byline.author, byline.stamp):
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


def _linked(head: Head) -> Iterator[PageComment]:
    """Yield what the linked data tells, each reply after what it replies to."""
    comments = [thing for thing in head.things if _is_comment(thing)]
    replies = {id(reply) for comment in comments for reply in _replies(comment)}
    waiting = [(comment, 0) for comment in reversed(comments) if id(comment) not in replies]
    for _ in range(_MOST):
        if not waiting:
            return
        comment, depth = waiting.pop()
        waiting += [(reply, depth + 1) for reply in reversed(_replies(comment))]
        text = comment.get("text")
        if isinstance(text, str) and text.strip():
            day = comment.get("datePublished") or comment.get("dateCreated")
            moment = iso_date(day) if isinstance(day, str) else None
            yield _comment(_told_name(comment.get("author")), moment, text.strip(), depth)


def _told_name(author: object) -> str:
    one = author[0] if isinstance(author, list) and author else author
    name = one.get("name") if isinstance(one, dict) else one
    return one_line(name, _NAME_LENGTH) if isinstance(name, str) else ""


def _replies(comment: dict[str, object]) -> list[dict[str, object]]:
    inner = comment.get("comment")
    listed = inner if isinstance(inner, list) else [inner]
    return [one for one in listed if isinstance(one, dict) and _is_comment(one)]


def _is_comment(thing: dict[str, object]) -> bool:
    return thing.get("@type") == "Comment"
