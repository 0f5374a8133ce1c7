"""Make links plain: absolute, on words, each whole and apart from the next."""

import unicodedata
from typing import Final

from turbohtml import Element, Text

from ....pages.safe_text import absolute_url, strip_hidden

_BLOCKS_IN_LINK: Final = (
    "a:has(h1,h2,h3,h4,h5,h6,p,div,ul,ol,li,table,section,article,blockquote,pre,figure)"
)
_LINK_HOLDERS: Final = "h1,h2,h3,h4,h5,h6"
_ICON_LENGTH: Final = 8
_PERMALINKS: Final = frozenset(
    {"", "#", "¶", "§", "◆", "🔗", "link", "permalink", "↩", "↩\ufe0e", "↑", "^", "⤴", "jump up"}
)
_CLOSING: Final = frozenset(".,;:!?)]}…»”\u2019'\"")
_MAX_LINKS: Final = 20_000


def tidy_links(root: Element, base: str) -> int:
    """Make every link absolute, in place; return how many there are."""
    count = 0
    for link in _parted(root.find_all("a")):
        label = _label(link)
        target = link.attr("href") or ""
        if not label or ("#" in target and label.lower() in _PERMALINKS):
            link.decompose()
            continue
        address = absolute_url(target, base) if target and count < _MAX_LINKS else None
        if address is None:
            link.unwrap()
        else:
            _point(link, target, address)
            count += 1
    return count


def _label(link: Element) -> str:
    """Return the words of a link; characters that hide and icons of a font are none."""
    label = link.text.strip()
    if len(label) > _ICON_LENGTH or label.isascii():
        return label
    return "".join(sign for sign in strip_hidden(label)[0] if not _is_icon(sign)).strip()


def _is_icon(sign: str) -> bool:
    return unicodedata.category(sign) == "Co"


def _point(link: Element, target: str, address: str) -> None:
    attributes = link.attrs
    if address != target:
        attributes["href"] = address
    if "title" in attributes:
        del attributes["title"]


def unwrap_card_links(root: Element) -> None:
    """Let a link around whole blocks be a link on their heading, or on their first words."""
    for link in root.select(_BLOCKS_IN_LINK):
        target = link.attr("href")
        holder = link.select_one(_LINK_HOLDERS) or _first_words(link)
        if target and holder is not None and holder.find("a") is None:
            holder.wrap_children(Element("a", {"href": target}))
        link.unwrap()


def _first_words(link: Element) -> Element | None:
    for node in link.descendants:
        if isinstance(node, Text) and not node.data.isspace():
            parent = node.parent
            return parent if isinstance(parent, Element) and parent is not link else None
    return None


def _parted(links: list[Element]) -> list[Element]:
    """Join a link that was cut in two; let others that stand beside each other not run together.

    A word that goes on in the next link is one, and so is a sign at its end. Return those left.
    """
    ends: dict[Element, str] = {}
    left = []
    for link in links:
        before = link.previous_sibling
        if isinstance(before, Element) and before.tag == "a" and link.closest("pre") is None:
            text = link.text
            end, start = ends.get(before) or before.text[-1:], text[:1]
            if link.attr("href") == before.attr("href") and _goes_on(end, start):
                before.extend(list(link.children))
                link.decompose()
                ends[before] = text[-1:] or end
                continue
            if start not in _CLOSING and not end.isspace():
                link.insert_before(Text(" "))
        left.append(link)
    return left


def _goes_on(end: str, start: str) -> bool:
    return end.isspace() or not (start.isupper() or start.isdigit())
