"""Turn repeated cards (products, results, teasers) into the items of a list.

A card is one of at least three similar neighbours; it is short and begins with a link, or has one
heading with a link.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final

from turbohtml import Element, Text

_THIRD_SIBLING_SELECTOR: Final = "div+div+div,article+article+article,section+section+section,a+a+a"
_CARD_TAGS: Final = frozenset({"a", "article", "div", "section"})
_MIN_CARDS: Final = 3
_MAX_CARD_CHARS: Final = 600
# The limits of nodes to look at in one card and on a page.
_MAX_CARD_NODES: Final = 150
_MAX_NODES: Final = 20_000
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# A card never contains these elements, and a list inside inline text is not a list of cards.
_NOT_IN_CARDS: Final = frozenset({"blockquote", "dl", "form", "li", "pre", "table", "textarea"})
_NO_HOLDERS: Final = frozenset(
    {"a", "button", "dl", "menu", "ol", "p", "pre", "span", "td", "th", "ul"}
)
_BLOCKS: Final = frozenset({"article", "div", "figure", "header", "p", "section"}) | _HEADINGS
_TELLING_TAGS: Final = frozenset({"a"}) | _HEADINGS | _NOT_IN_CARDS
_MAX_ANCESTOR_STEPS: Final = 8


def list_cards(root: Element) -> None:
    """Wrap repeated cards in lists, in place."""
    remaining_nodes = _MAX_NODES
    for group in [group for holder in _card_holders(root) for group in _card_groups(holder)]:
        is_card = True
        for card in group:
            visited, is_card = _inspect_card(card)
            remaining_nodes -= visited
            if not is_card or remaining_nodes < 0:
                break
        if remaining_nodes < 0:
            return
        if is_card:
            _wrap_cards_in_list(group)


def _card_holders(root: Element) -> list[Element]:
    """Return the elements with three similar children in a row, outside tables."""
    boxes = dict.fromkeys(third.parent for third in root.select(_THIRD_SIBLING_SELECTOR))
    holders = [box for box in boxes if isinstance(box, Element) and box.tag not in _NO_HOLDERS]
    in_tables = {
        box for box in holders if box.tag in _CARD_TAGS and box.closest("table") is not None
    }
    # A table around the whole root does not count.
    if in_tables and root.find("table") is not None:
        return [box for box in holders if box not in in_tables]
    return holders


def _card_groups(holder: Element) -> Iterator[list[Element]]:
    """Yield groups of similar neighbours among the children."""
    nodes = [node for node in holder.children if isinstance(node, Element) or node.text.strip()]
    for make, group in groupby(nodes, _card_make):
        members = [node for node in group if isinstance(node, Element)] if make else []
        if len(members) >= _MIN_CARDS:
            yield members


def _card_make(node: object) -> str:
    """Return a card's tag and first class without numbers; blank for other nodes."""
    if not isinstance(node, Element) or node.tag not in _CARD_TAGS:
        return ""
    first, _, _ = (node.attr("class") or "").strip().partition(" ")
    return f"{node.tag}.{first.rstrip('0123456789-_')}"


def _inspect_card(card: Element) -> tuple[int, bool]:
    """Return the number of visited nodes, and whether the element is surely a card."""
    features = _CardFeatures(card)
    telling = _TELLING_TAGS | _BLOCKS if card.tag == "a" else _TELLING_TAGS
    count = 0
    for count, node in enumerate(islice(card.descendants, _MAX_CARD_NODES + 1), 1):
        if isinstance(node, Element):
            if node.tag in telling:
                features.add_card_element(node)
        elif isinstance(node, Text) and not node.data.isspace():
            features.add_card_text(node)
        if features.too_much:
            return count, False
    return count, count <= _MAX_CARD_NODES and features.is_card()


class _CardFeatures:
    """The features of a possible card, gathered node by node."""

    def __init__(self, card: Element) -> None:
        self.too_much = False
        self._card = card
        self._link: Element | None = None
        self._is_titled = card.tag == "a"
        # Links in one line of text are not cards: a link card needs a block inside.
        self._has_blocks = card.tag != "a"
        self._headings = 0
        self._size = 0

    def add_card_text(self, node: Text) -> None:
        length = len(node.data.strip())
        if length and not self._size:
            self._is_titled = self._is_titled or self._is_card_linked(node)
        self._size += length
        self.too_much = self._size > _MAX_CARD_CHARS

    def add_card_element(self, node: Element) -> None:
        tag = node.tag
        self._has_blocks = self._has_blocks or tag in _BLOCKS
        if tag == "a":
            self._link = node
            ancestors = _ancestors_in_card(node, self._card)
            self._is_titled = self._is_titled or any(part.tag in _HEADINGS for part in ancestors)
        elif tag in _HEADINGS:
            self._headings += 1
            self._is_titled = self._is_titled or self._is_card_linked(node)
        self.too_much = tag in _NOT_IN_CARDS or self._headings > 1

    def is_card(self) -> bool:
        return self._size > 0 and self._is_titled and self._has_blocks

    def _is_card_linked(self, node: Element | Text) -> bool:
        return any(above is self._link for above in _ancestors_in_card(node, self._card))


def _ancestors_in_card(node: Element | Text, card: Element) -> Iterator[Element]:
    """Yield the ancestors of a node inside its card."""
    above = node.parent
    for _ in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element) or above is card:
            return
        yield above
        above = above.parent


def _wrap_cards_in_list(group: list[Element]) -> None:
    group[0].wrap_siblings(Element("ul"), until=group[-1])
    for card in group:
        if card.tag == "a":
            card.wrap(Element("li"))
        else:
            card.tag = "li"
