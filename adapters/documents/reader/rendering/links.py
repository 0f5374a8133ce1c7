"""Tidy links: absolute, with visible text, joined where split, separated from neighbours."""

import unicodedata
from typing import Final

from turbohtml import Element, Text

from ....pages.safe_text import absolute_page_url, strip_hidden

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


def tidy_links(root: Element, base: str) -> int:
    """Make every link absolute, in place; return the number of links."""
    count = 0
    for link in _separate_links(root.find_all("a")):
        label = _link_label(link)
        target = link.attr("href") or ""
        if not label or ("#" in target and label.lower() in _PERMALINK_LABELS):
            link.decompose()
            continue
        address = absolute_page_url(target, base) if target and count < _MAX_LINKS else None
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


def _separate_links(links: list[Element]) -> list[Element]:
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
