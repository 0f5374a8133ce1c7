"""Tidy inline markup: blanks, emphasis, superscripts, neighbouring code."""

import re
import unicodedata
from typing import Final

from turbohtml import Element, NodeFilter, NodeIterator, Text

from ...pages.safe_text import absolute_url, strip_hidden
from ...values.superscripts import superscript
from ..removals import Removals

# Blanks of all widths, and Unicode line and paragraph separators.
_SPECIAL_BLANK_PATTERN: Final = re.compile(
    r"[\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
# The selector of all tags with the same meaning.
_EMPHASIS_SELECTORS: Final = {"b": "b,strong", "strong": "b,strong", "em": "em,i", "i": "em,i"}
# Superscripts by style or class, from some editors and books.
_SUPERSCRIPT_SELECTOR: Final = (
    "span:is([style*='vertical-align:super' i],[style*='vertical-align: super' i],.sup,.super,"
    ".superscript)"
)
# The limit of breaks in a row without text between them.
_MAX_BREAKS: Final = 100
_BLOCK_LINK_SELECTOR: Final = (
    "a:has(h1,h2,h3,h4,h5,h6,p,div,ul,ol,li,table,section,article,blockquote,pre,figure)"
)
_LINK_HOLDER_SELECTOR: Final = "h1,h2,h3,h4,h5,h6"
_MAX_ICON_LABEL_CHARS: Final = 8
_PERMALINK_LABELS: Final = frozenset(
    {"", "#", "¶", "§", "◆", "🔗", "link", "permalink", "↩", "↩\ufe0e", "↑", "^", "⤴", "jump up"}
)
_CLOSING_CHARS: Final = frozenset(".,;:!?)]}…»”\u2019'\"")
_MAX_LINKS: Final = 20_000


def tidy_inline_markup(root: Element) -> None:
    """Tidy the inline markup inside ``root``, in place."""
    _normalise_blanks(root)
    _join_emphasis(root)
    elements = list(root.iter_elements(_TIDIERS_BY_TAG))
    for element in elements:
        _TIDIERS_BY_TAG[element.tag](element)
    for element in root.select(_SUPERSCRIPT_SELECTOR):
        _write_superscript(element)
    if len(elements) > _MAX_BREAKS:
        _drop_line_breaks(root)


def _normalise_blanks(root: Element) -> None:
    """Replace special blanks with spaces: at the edge of a link or bold text they break it."""
    has_blanks = _SPECIAL_BLANK_PATTERN.search(root.text) is not None
    for node in NodeIterator(root, NodeFilter.SHOW_TEXT) if has_blanks else ():
        if isinstance(node, Text) and _SPECIAL_BLANK_PATTERN.search(text := node.data):
            node.data = _SPECIAL_BLANK_PATTERN.sub(" ", text)


def _join_emphasis(root: Element) -> None:
    """Join emphasis with nested or adjacent emphasis of its sort: marks cannot be doubled."""
    parts = list(root.iter_elements(_EMPHASIS_SELECTORS))
    for inner in parts:
        if (
            inner.parent is not None
            and inner.parent.closest(_EMPHASIS_SELECTORS[inner.tag]) is not None
        ):
            inner.unwrap()
    for part in parts:
        before = part.previous_sibling
        if (
            isinstance(before, Element)
            and _EMPHASIS_SELECTORS.get(before.tag) == _EMPHASIS_SELECTORS[part.tag]
        ):
            before.extend(list(part.children))
            part.decompose()


def _write_superscript(element: Element) -> None:
    """Write a number with superscript characters; a linked one is a footnote's mark."""
    text = "" if element.find("a") is not None else element.text
    if text and (raised := superscript(text)) != text:
        element.set_text(raised)


def _replace_link_break(broken: Element) -> None:
    """Replace a line break in a link with a blank."""
    if broken.closest("a") is not None:
        broken.replace_with(Text(" "))


def _drop_line_breaks(root: Element) -> None:
    """Drop breaks after many others: the renderer's time is quadratic in their number."""
    break_count = 0
    for node in list(root.descendants):
        if isinstance(node, Text) and not node.data.isspace():
            break_count = 0
        elif isinstance(node, Element) and node.tag == "br":
            break_count += 1
            if break_count > _MAX_BREAKS and node.closest("pre") is None:
                node.decompose()


def _separate_inline_code(code: Element) -> None:
    """Put a blank between neighbouring code elements."""
    above, before = code.parent, code.previous_sibling
    is_block = isinstance(above, Element) and above.tag == "pre"
    if isinstance(before, Element) and before.tag == "code" and not is_block:
        code.insert_before(Text(" "))


_TIDIERS_BY_TAG: Final = {
    "br": _replace_link_break,
    "code": _separate_inline_code,
    "sup": _write_superscript,
}


def tidy_links(root: Element, base: str, removals: Removals) -> int:
    """Make every link absolute, in place; return the number of links."""
    count = 0
    for link in _join_or_separate_links(root.find_all("a")):
        label = _link_label(link)
        target = link.attr("href") or ""
        if not label or ("#" in target and label.lower() in _PERMALINK_LABELS):
            removals.take("controls", link)
            link.decompose()
            continue
        address = absolute_url(target, base) if target and count < _MAX_LINKS else None
        if address is None:
            link.unwrap()
        else:
            link.attrs["href"] = address
            link.attrs.pop("title", None)
            count += 1
    return count


def _link_label(link: Element) -> str:
    """Return the visible text of a link, without hidden characters and icons of a font."""
    label = link.text.strip()
    if len(label) > _MAX_ICON_LABEL_CHARS or label.isascii():
        return label
    return "".join(
        char for char in strip_hidden(label)[0] if unicodedata.category(char) != "Co"
    ).strip()


def unwrap_card_links(root: Element) -> None:
    """Move a link around whole blocks to their heading, or to their first words."""
    for link in root.select(_BLOCK_LINK_SELECTOR):
        target = link.attr("href")
        holder = link.select_one(_LINK_HOLDER_SELECTOR) or _first_text_parent(link)
        if target and holder is not None and holder.find("a") is None:
            holder.wrap_children(Element("a", {"href": target}))
        link.unwrap()


def _first_text_parent(link: Element) -> Element | None:
    for node in link.descendants:
        if isinstance(node, Text) and not node.data.isspace():
            parent = node.parent
            return parent if isinstance(parent, Element) and parent is not link else None
    return None


def _join_or_separate_links(links: list[Element]) -> list[Element]:
    """Join a link that was split in two, put a blank between other neighbours; return the rest.

    Two links with one target are one where a word or punctuation continues in the second.
    """
    ends: dict[Element, str] = {}
    remaining = []
    for link in links:
        before = link.previous_sibling
        if isinstance(before, Element) and before.tag == "a" and link.closest("pre") is None:
            text = link.text
            end, start = ends.get(before) or before.text[-1:], text[:1]
            continues = end.isspace() or not (start.isupper() or start.isdigit())
            if continues and link.attr("href") == before.attr("href"):
                before.extend(list(link.children))
                link.decompose()
                ends[before] = text[-1:] or end
                continue
            if start not in _CLOSING_CHARS and not end.isspace():
                link.insert_before(Text(" "))
        remaining.append(link)
    return remaining
