"""Read comments: author, date, text and depth of reply.

The text is the element that the markup marks as such, or else every line that is not a byline or a
button. A page without visible comments may have them in linked data.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Final

import msgspec
from turbohtml import Document, Element, Text, parse

from webseam.ports.pages import PageComment
from webseam.ports.text import truncate

from ..pages.safe_text import one_line, strip_hidden
from ..values.dates import iso_date
from ..values.json_values import parse_whole_number
from .block_text import BLOCKS
from .measures.cues import COMMENT_BUTTON_LABELS
from .metadata import PageHead, linked_author_names
from .page_segments import PageSegments

# The surest selector comes first; the first match counts.
AUTHOR_SELECTORS: Final = (
    "[itemprop=author] [itemprop=name]", "[itemprop=author] a", "[itemprop=author]",
    "[itemprop=creator]", ".fn",
    "[rel~=author]", ".hnuser,.comment-user", ".username,.message-name", ".poster h4",
    "[class*=author i] a",
    "[class*=author i]:not(:has([class*=author i]))", "[class*=author i]",
    "[class*=user-name i],[class*=username i],[class*=nickname i],[class*=meta-name i]",
    "cite:not(blockquote cite)", ".postleft dt", ".by a",
)  # fmt: skip
_TIME_SELECTORS: Final = (
    "time[datetime]", "[itemprop=dateCreated],[itemprop=datePublished]", ".age[title]", "time",
    "[class*=date i],[class*=time i]", ".comment-meta,.commentmetadata", "p.author",
    ".keyinfo .smalltext", ".otherdetails", ".blockpost > h2", ".published", ".thead",
)  # fmt: skip
# Attributes of a comment's element that hold its author.
AUTHOR_ATTRIBUTES: Final = ("author", "data-author", "data-username")
MAX_NAME_CHARS: Final = 80
MAX_BYLINE_ELEMENTS: Final = 10
_MAX_FOOTERS: Final = 500
_SAYS_PATTERN: Final = re.compile(r"\s*(?:says|said|wrote)?\s*:?\s*\Z", re.IGNORECASE)


class Byline(msgspec.Struct, frozen=True):
    """The author of a comment, its machine-readable day, and its visible dates."""

    author: str = ""
    day: str = ""
    stamps: tuple[str, ...] = ()


def read_bylines(document: Document) -> dict[Element, Byline]:
    """Return the bylines in footers of comments, by parent element; footers are pruned later."""
    footers = document.select(":is([class*=comment i],[itemprop=comment]) footer")[:_MAX_FOOTERS]
    return {
        above: comment_byline(byline_selector(footer))
        for footer in reversed(footers)
        if isinstance(above := footer.parent, Element)
    }


def byline_selector(element: Element) -> Callable[[str], list[Element]]:
    """Return a function that selects the first matches of a selector in an element."""
    return lambda selector: element.select(selector)[:MAX_BYLINE_ELEMENTS]


def comment_byline(select: Callable[[str], list[Element]]) -> Byline:
    """Return the byline in the elements that ``select`` finds; fields may be blank."""
    nodes = [node for selector in _TIME_SELECTORS for node in select(selector)]
    days = (node.attr("datetime") or node.attr("content") or node.attr("title") for node in nodes)
    stamps = (text for node in nodes if (text := one_line(node.text, MAX_NAME_CHARS)))
    return Byline(
        post_author(select),
        next((day for day in days if day and iso_date(day)), ""),
        tuple(dict.fromkeys(stamps)),
    )


def post_author(select: Callable[[str], list[Element]]) -> str:
    """Return the first author name that ``select`` finds; blank if none."""
    nodes = (node for selector in AUTHOR_SELECTORS for node in select(selector))
    return next((name for node in nodes if (name := _author_name(node))), "")


def keep_post_authors(segments: PageSegments, numbers: Sequence[int], kept: list[bool]) -> None:
    """Keep the author line of each post with kept text."""
    for number in numbers:
        box = segments.boxes[number]
        if True in kept[box.first : box.last]:
            declared = (box.node.attr(attribute) for attribute in AUTHOR_ATTRIBUTES)
            name = next(filter(None, declared), "") or post_author(byline_selector(box.node))
            indexes = range(box.first, box.last) if name else ()
            index = next((index for index in indexes if segments.runs[index].text == name), None)
            if index is not None:
                kept[index] = True


def _author_name(element: Element) -> str:
    # A <meta> element has the name in an attribute.
    return _SAYS_PATTERN.sub("", one_line(element.attr("content") or element.text, MAX_NAME_CHARS))


# Elements that surely are the text; then elements that may also be a frame with the byline.
_TEXT_SELECTORS: Final = (
    "[itemprop=text],[itemprop=commentText]", ".comment-copy", ".commtext", ".usertext-body",
    "[slot=comment]", ".bbWrapper", ".postcontent", ".post_body", "[data-role=commentContent]",
    ".s-prose", ".postbody .content", ".postarea .post", ".messageText",
    ".comment-text .description", ".postmsg", ".userContent", "[id^=post_message_]",
)  # fmt: skip
_FRAME_SELECTORS: Final = (
    ".comment-content", ".comment-text,.comment_text", ".comment-message",
    ".comment__body,.comment-body,.commentBody", ".post-content,.post__content,.post-body",
    ".message-content,.message-body",
)  # fmt: skip
# XenForo puts this button under a quotation.
_BUTTON_TEXTS: Final = frozenset({"Click to expand..."})
_DEPTH_PATTERN: Final = re.compile(r"(?:depth|deep|level|indent)[-_]?(\d{1,2})(?!\d)")
_TOOL_NAMES: Final = COMMENT_BUTTON_LABELS | {"share", "says", "said", "·", "|"}
_MAX_TOOL_WORDS: Final = 4
_MAX_COMMENTS: Final = 500
# All metadata of a page together may have 64 kilobytes.
_MAX_COMMENT_BYTES: Final = 32_000
_OVERHEAD_BYTES: Final = 100
_MAX_COMMENT_CHARS: Final = 4_000
_MAX_ANCESTOR_STEPS: Final = 40
_MAX_FRAME_STEPS: Final = 3
_MARKUP_PATTERN: Final = re.compile(r"</[a-zA-Z]|<(?:br|p)\b", re.IGNORECASE)


class ReadComments(msgspec.Struct, frozen=True):
    """The comments of a page, and whether there are more, or longer ones, than are returned."""

    comments: tuple[PageComment, ...] = ()
    is_cut: bool = False


def read_comments(
    segments: PageSegments, head: PageHead, numbers: Sequence[int], bylines: dict[Element, Byline]
) -> ReadComments:
    """Return the comments in boxes ``numbers``, or else those of the linked data."""
    body = segments.boxes[0].node
    boxed = [segments.boxes[number].node for number in numbers[:_MAX_COMMENTS]]
    elements = boxed or body.find_all("shreddit-comment", limit=_MAX_COMMENTS)
    remaining_bytes = _MAX_COMMENT_BYTES
    kept: list[PageComment] = []
    comments = (
        _Thread(segments, elements, bylines, head.language).comments()
        if elements
        else _linked_comments(head)
    )
    for comment in comments:
        remaining_bytes -= len(comment.text.encode()) + _OVERHEAD_BYTES
        if remaining_bytes < 0 or len(kept) == _MAX_COMMENTS:
            return ReadComments(tuple(kept), is_cut=True)
        kept.append(comment)
    has_short_text = any(len(comment.text) == _MAX_COMMENT_CHARS for comment in kept)
    return ReadComments(tuple(kept), len(numbers) > _MAX_COMMENTS or has_short_text)


class _Thread:
    """The comment elements of a page, and the comment that each other element belongs to."""

    def __init__(
        self,
        segments: PageSegments,
        nodes: list[Element],
        bylines: dict[Element, Byline],
        language: str,
    ) -> None:
        self._segments = segments
        self._nodes = nodes
        self._language = language
        self._numbers = {node: index for index, node in enumerate(nodes)}
        self._bylines = {
            self._innermost_comment_index(element): byline
            for element, byline in reversed(bylines.items())
        }
        texts = [self._find_comment_text(node) for node in nodes]
        self._text_elements = texts
        self._text_indexes = {text: index for index, text in enumerate(texts) if text is not None}

    def comments(self) -> Iterator[PageComment]:
        """Yield the comments with text, in the page's order."""
        runs = self._lines_by_comment()
        for index, (node, depth) in enumerate(zip(self._nodes, self._reply_depths(), strict=True)):
            byline = self._resolve_byline(index, node)
            lines = runs[index]
            if self._text_elements[index] is None:
                lines = [line for line in lines if not _is_byline_or_button(line, byline)]
            if text := "\n\n".join(lines):
                days = (day for stamp in byline.stamps if (day := iso_date(stamp, self._language)))
                day = iso_date(byline.day) or next(days, None)
                yield _make_page_comment(byline.author, day, text, depth)

    def _innermost_comment_index(self, element: Element) -> int:
        """Return the index of the innermost comment around an element; -1 for none."""
        return next(
            (
                self._numbers[above]
                for above in _inclusive_ancestors(element)
                if above in self._numbers
            ),
            -1,
        )

    def _select_in_comment(self, index: int, selector: str) -> list[Element]:
        """Return the matching elements of a comment that are not in a reply to it."""
        matches = self._nodes[index].select(selector)[:MAX_BYLINE_ELEMENTS]
        return [element for element in matches if self._innermost_comment_index(element) == index]

    def _find_comment_text(self, node: Element) -> Element | None:
        index = self._numbers[node]
        for selector in (*_TEXT_SELECTORS, *_FRAME_SELECTORS):
            for child in self._select_in_comment(index, selector):
                is_frame = selector in _FRAME_SELECTORS
                has_author = is_frame and any(map(child.select_one, AUTHOR_SELECTORS))
                if child is not node and not has_author:
                    return child
        return None

    def _lines_by_comment(self) -> list[list[str]]:
        """Return the lines of each comment: those of its text element, or else all."""
        lines: list[list[str]] = [[] for _ in self._nodes]
        with_text = set(self._text_indexes.values())
        for run in self._segments.runs:
            index, is_text = self._locate_in_comments(self._segments.boxes[run.box].node)
            if index >= 0 and (is_text or index not in with_text) and run.text not in _BUTTON_TEXTS:
                lines[index].append(run.text)
        for body, index in self._text_indexes.items():
            # The cells of a short row are one run, whose box is outside the text element.
            if not lines[index]:
                lines[index] += _block_lines(body)
        return lines

    def _locate_in_comments(self, element: Element) -> tuple[int, bool]:
        """Return the index of an element's comment, and whether it is in the comment's text."""
        for above in _inclusive_ancestors(element):
            if (index := self._text_indexes.get(above)) is not None:
                return index, True
            if (index := self._numbers.get(above)) is not None:
                return index, False
        return -1, False

    def _resolve_byline(self, index: int, node: Element) -> Byline:
        shown = comment_byline(lambda selector: self._select_outside_text(index, selector))
        pruned = self._bylines.get(index, Byline())
        declared = next((name for key in AUTHOR_ATTRIBUTES if (name := node.attr(key))), "")
        author = declared or shown.author or pruned.author
        name = one_line(author, MAX_NAME_CHARS) or self._linked_author(index)
        frame = Byline() if name else self._frame_byline(index)
        return Byline(
            author=name or frame.author,
            day=node.attr("created") or shown.day or pruned.day or frame.day,
            stamps=shown.stamps or pruned.stamps or frame.stamps,
        )

    def _select_outside_text(self, index: int, selector: str) -> list[Element]:
        """Return the matching elements outside a comment's text, which may quote others."""
        text = self._text_elements[index]
        matches = self._select_in_comment(index, selector)
        return [
            node
            for node in matches
            if not any(above is text for above in _inclusive_ancestors(node))
        ]

    def _frame_byline(self, index: int) -> Byline:
        """Return the byline in the outermost frame that holds this comment and no neighbour."""
        neighbours = [*self._nodes[max(index - 1, 0) : index], *self._nodes[index + 1 : index + 2]]
        shared = {above for node in neighbours for above in _inclusive_ancestors(node)}
        frames = islice(_inclusive_ancestors(self._nodes[index]), 1, 1 + _MAX_FRAME_STEPS)
        frames_alone = [frame for frame in frames if frame not in shared] if neighbours else []
        return comment_byline(byline_selector(frames_alone[-1])) if frames_alone else Byline()

    def _linked_author(self, index: int) -> str:
        """Return the text of the first link if it stands before the comment's text."""
        text = self._text_elements[index]
        links = self._select_in_comment(index, "a[href]") if text is not None else []
        first = next((link for link in links if any(map(str.isalpha, link.text))), None)
        if first is None or any(above is text for above in _inclusive_ancestors(first)):
            return ""
        name = one_line(first.text, MAX_NAME_CHARS)
        is_tool = len(name.split()) > _MAX_TOOL_WORDS or name.lower() in _TOOL_NAMES
        return "" if is_tool else name

    def _reply_depths(self) -> list[int]:
        """Return each comment's depth by nesting, or by its markup where none is nested."""
        depths: list[int] = []
        for node in self._nodes:
            above = (
                self._innermost_comment_index(node.parent)
                if isinstance(node.parent, Element)
                else -1
            )
            depths.append(depths[above] + 1 if 0 <= above < len(depths) else 0)
        if any(depths):
            return depths
        levels = [_markup_depth(node) for node in self._nodes]
        least = min(levels, default=0)
        return [level - least for level in levels]


def _inclusive_ancestors(element: Element) -> Iterator[Element]:
    """Yield an element and its ancestors, the nearest first."""
    above = islice(element.ancestors, _MAX_ANCESTOR_STEPS - 1)
    return (node for node in (element, *above) if isinstance(node, Element))


def _block_lines(body: Element) -> list[str]:
    """Return the text of an element, a line for each of its blocks."""
    parts = [
        node.data if isinstance(node, Text) else "\n"
        for node in body.descendants
        if isinstance(node, Text) or (isinstance(node, Element) and node.tag in BLOCKS)
    ]
    return [
        line for part in "".join(parts).split("\n") if (line := one_line(part, _MAX_COMMENT_CHARS))
    ]


def _markup_depth(node: Element) -> int:
    """Return the depth in a comment's markup; indenting boxes count too."""
    cell = node.select_one("td.ind[indent]")
    indent = None if cell is None else cell.attr("indent")
    if (depth := parse_whole_number(node.attr("depth") or indent or "")) is not None:
        return depth
    if (level := _DEPTH_PATTERN.search(node.attr("class") or "")) is not None:
        return int(level[1])
    return sum(
        "indented" in (above.attr("class") or "").split() for above in _inclusive_ancestors(node)
    )


def _is_byline_or_button(line: str, byline: Byline) -> bool:
    """Tell whether a line is a byline or a button of a comment, not its text."""
    text = one_line(line, MAX_NAME_CHARS)
    words = text.lower().strip(":·| ").split()
    if len(words) <= _MAX_TOOL_WORDS and all(word.strip("():·") in _TOOL_NAMES for word in words):
        return True
    rest = text
    for label in (byline.author, *byline.stamps):
        rest = rest.replace(label, "") if label else rest
    return rest != text and all(
        word.strip("():·,") in _TOOL_NAMES | {""} for word in rest.lower().split()
    )


def _make_page_comment(author: str, day: str | None, text: str, depth: int) -> PageComment:
    return PageComment(
        author=author or None,
        published_at=day,
        text=truncate(strip_hidden(text)[0], _MAX_COMMENT_CHARS),
        depth=depth,
    )


def _linked_comments(head: PageHead) -> Iterator[PageComment]:
    """Yield the comments of the linked data, each reply after its parent."""
    comments = [thing for thing in head.things if thing.get("@type") == "Comment"]
    replies = {id(reply) for comment in comments for reply in _comment_replies(comment)}
    waiting = [(comment, 0) for comment in reversed(comments) if id(comment) not in replies]
    for _ in range(_MAX_COMMENTS):
        if not waiting:
            return
        comment, depth = waiting.pop()
        waiting += [(reply, depth + 1) for reply in reversed(_comment_replies(comment))]
        text = comment.get("text")
        if isinstance(text, str) and text.strip():
            day = comment.get("datePublished") or comment.get("dateCreated")
            moment = iso_date(day) if isinstance(day, str) else None
            names = linked_author_names(comment.get("author"))
            author = one_line(names[0], MAX_NAME_CHARS) if names else ""
            yield _make_page_comment(author, moment, _markup_to_text(text), depth)


def _markup_to_text(text: str) -> str:
    """Return a comment of linked data as plain text; it may be HTML or have entities."""
    markup = unescape(text)
    body = parse(markup, positions=False).find("body") if _MARKUP_PATTERN.search(markup) else None
    lines = markup.splitlines() if body is None else _block_lines(body)
    return "\n\n".join(cleaned for line in lines if (cleaned := one_line(line, _MAX_COMMENT_CHARS)))


def _comment_replies(comment: dict[str, object]) -> list[dict[str, object]]:
    inner = comment.get("comment")
    listed = inner if isinstance(inner, list) else [inner]
    return [
        reply for reply in listed if isinstance(reply, dict) and reply.get("@type") == "Comment"
    ]
