"""Read a page for typed values: what a visitor sees, where it stands, what machines are told."""

import re
from typing import Final

from returns.result import Failure, Result, Success
from turbohtml import Document, Element, Text

from webseam.ports.data import DataPage, LinkedThing, PageBox
from webseam.ports.errors import EmptyContent, ParseFailed, WebError

from ...reader.html import fit_html_page
from ...reader.html_parsing import parse_page
from ...reader.metadata import linked_data_objects, read_meta_tags
from ...reader.structured_data.microdata import read_microdata, read_rdfa
from ...reader.visibility.pruning import prune_page
from ...values.dates import find_days

_INLINE_TAG_NAMES: Final = """
a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span
strike strong sub sup time tt u var wbr
"""
_INLINE_TAGS: Final = frozenset(_INLINE_TAG_NAMES.split())
_TEXTLESS_TAG_NAMES: Final = """
script style template noscript select option textarea iframe svg
"""
_TEXTLESS_TAGS: Final = frozenset(_TEXTLESS_TAG_NAMES.split())
_MENU_TAGS: Final = frozenset({"nav", "footer", "dialog"})
_MENU_ROLES: Final = frozenset({"navigation", "contentinfo", "dialog", "menu"})
_FIGURES_PATTERN: Final = re.compile(r"\d+")


def read_data_page(
    html: str | bytes, url: str = "", content_type: str = ""
) -> Result[DataPage, WebError]:
    """Return the parts of a page, or why it has none."""
    if not html or html.isspace():
        return Failure(EmptyContent(reason="no_body", url=url or None))
    document = parse_page(fit_html_page(html).html, content_type)
    if document is None:
        return Failure(ParseFailed(reason="too_complex", url=url or None))
    title = document.select_one("head title") or document.find("title")
    title_text = "" if title is None else " ".join(title.text.split())
    things, metas = tuple(_read_things(document)), read_meta_tags(document)
    # Prune last: it removes elements that the other readers need.
    pruned = prune_page(document, menus=True)
    text, boxes = _visible_text(Element("body") if pruned is None else pruned.body)
    return Success(
        DataPage(
            url=url,
            title=title_text,
            text=text,
            boxes=boxes,
            days=tuple(find_days(text)),
            things=things,
            metas=metas,
        )
    )


def _read_things(document: Document) -> list[tuple[str, LinkedThing]]:
    things: list[tuple[str, LinkedThing]] = list(linked_data_objects(document))
    things += [(f"microdata[{n}]", it) for n, it in enumerate(read_microdata(document))]
    things += [(f"rdfa[{n}]", it) for n, it in enumerate(read_rdfa(document))]
    return things


def _visible_text(body: Element) -> tuple[str, tuple[PageBox, ...]]:
    """Return the text in lines, one for each block, and the boxes in it, in their order."""
    writer = _TextWriter()
    starts: list[int] = []
    ends: list[int] = []
    heads: list[tuple[str, str, int, bool]] = []
    # A closing element stands again in the stack, as its index.
    stack: list[tuple[object, int]] = [(body, -1)]
    while stack:
        node, parent = stack.pop()
        if isinstance(node, Text):
            writer.write(node.data)
        elif isinstance(node, int):
            writer.break_line(heads[node][0])
            ends[node] = writer.size
        elif isinstance(node, Element) and node.tag not in _TEXTLESS_TAGS:
            tag = node.tag
            writer.break_line(tag)
            number = len(heads)
            role = node.attr("role")
            is_menu = tag in _MENU_TAGS or role in _MENU_ROLES
            heads.append((tag, _make(node, tag), parent, is_menu))
            starts.append(writer.size)
            ends.append(writer.size)
            stack.append((number, parent))
            stack += [(child, number) for child in reversed(node.children)]
    text = writer.text
    boxes = []
    before = 0
    for (tag, make, parent, is_menu), start, end in zip(heads, starts, ends, strict=True):
        first, last = _trim(text, start, end)
        # An empty box stands at a blank; the starts never go back.
        before = max(first, before)
        boxes.append(PageBox(tag, make, parent, before, max(last, before), is_menu))
    return text, tuple(boxes)


class _TextWriter:
    """Writes words in single blanks, and blocks in lines."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.size = 0
        self._is_blank = True

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def write(self, data: str) -> None:
        words = " ".join(data.split())
        if not words:
            if data:
                self._put_blank()
            return
        if data[0].isspace():
            self._put_blank()
        self._put(words)
        self._is_blank = False
        if data[-1].isspace():
            self._put_blank()

    def break_line(self, tag: str) -> None:
        if (tag not in _INLINE_TAGS) and self._parts and self._parts[-1] != "\n":
            self._put("\n")
            self._is_blank = True

    def _put_blank(self) -> None:
        if not self._is_blank:
            self._put(" ")
            self._is_blank = True

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self.size += len(text)


def _make(element: Element, tag: str) -> str:
    """Return a tag and its classes, without their figures."""
    names = element.attr("class")
    if not names:
        return tag
    return f"{tag}.{'.'.join(sorted(_FIGURES_PATTERN.sub('', names).split()))}"


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
