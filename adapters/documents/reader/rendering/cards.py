"""Cards that repeat (products, results, teasers) as the items of a list.

Only what is surely a card: at least three beside each other are of one make, each is short and
begins with a link, or has one heading with a link.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final

from turbohtml import Element, Text

_THIRDS: Final = "div+div+div,article+article+article,section+section+section,a+a+a"
_MAKES: Final = frozenset({"a", "article", "div", "section"})
_MIN_CARDS: Final = 3
_MAX_CARD_CHARS: Final = 600
# How many nodes are looked at: in one card, and on a page.
_MAX_CARD_NODES: Final = 150
_MAX_NODES: Final = 20_000
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# A card has no such thing in it, and a list inside of a line of text is none.
_NOT_IN_CARDS: Final = frozenset({"blockquote", "dl", "form", "li", "pre", "table", "textarea"})
_NOT_AROUND: Final = frozenset(
    {"a", "button", "dl", "menu", "ol", "p", "pre", "span", "td", "th", "ul"}
)
_BLOCKS: Final = frozenset({"article", "div", "figure", "header", "p", "section"}) | _HEADINGS
_TELLING: Final = frozenset({"a"}) | _HEADINGS | _NOT_IN_CARDS
_MAX_ANCESTOR_STEPS: Final = 8


def list_cards(root: Element) -> None:
    """Put cards that repeat into lists, in place."""
    left = _MAX_NODES
    for group in [group for holder in _holders(root) for group in _groups(holder)]:
        sure = True
        for card in group:
            looked, sure = _look(card)
            left -= looked
            if not sure or left < 0:
                break
        if left < 0:
            return
        if sure:
            _list(group)


def _holders(root: Element) -> list[Element]:
    """Return the elements with three of one sort beside each other, but those of tables."""
    every = dict.fromkeys(third.parent for third in root.select(_THIRDS))
    holders = [one for one in every if isinstance(one, Element) and one.tag not in _NOT_AROUND]
    tabled = {one for one in holders if one.tag in _MAKES and one.closest("table") is not None}
    # A table around all of it is no table of ours.
    if tabled and root.find("table") is not None:
        return [one for one in holders if one not in tabled]
    return holders


def _groups(holder: Element) -> Iterator[list[Element]]:
    """Yield the children that stand beside each other and are made alike."""
    nodes = [node for node in holder.children if isinstance(node, Element) or node.text.strip()]
    for make, group in groupby(nodes, _make):
        members = [node for node in group if isinstance(node, Element)] if make else []
        if len(members) >= _MIN_CARDS:
            yield members


def _make(node: object) -> str:
    """Return what a card is made like: its tag and the first of its classes, without numbers."""
    if not isinstance(node, Element) or node.tag not in _MAKES:
        return ""
    first, _, _ = (node.attr("class") or "").strip().partition(" ")
    return f"{node.tag}.{first.rstrip('0123456789-_')}"


def _look(card: Element) -> tuple[int, bool]:
    """Return how many nodes were looked at, and whether it is surely a card."""
    found = _Found(card)
    telling = _TELLING | _BLOCKS if card.tag == "a" else _TELLING
    count = 0
    for count, node in enumerate(islice(card.descendants, _MAX_CARD_NODES + 1), 1):
        if isinstance(node, Element):
            if node.tag in telling:
                found.element(node)
        elif isinstance(node, Text) and not node.data.isspace():
            found.text(node)
        if found.too_much:
            return count, False
    return count, count <= _MAX_CARD_NODES and found.is_card()


class _Found:
    """What was found in a card so far."""

    def __init__(self, card: Element) -> None:
        self.too_much = False
        self._card = card
        self._link: Element | None = None
        self._titled = card.tag == "a"
        # Links that follow each other in a line are no cards.
        self._parted = card.tag != "a"
        self._headings = 0
        self._size = 0

    def text(self, node: Text) -> None:
        length = len(node.data.strip())
        if length and not self._size:
            self._titled = self._titled or self._is_linked(node)
        self._size += length
        self.too_much = self._size > _MAX_CARD_CHARS

    def element(self, node: Element) -> None:
        tag = node.tag
        self._parted = self._parted or tag in _BLOCKS
        if tag == "a":
            self._link = node
            self._titled = self._titled or self._is_under_heading(node)
        elif tag in _HEADINGS:
            self._headings += 1
            self._titled = self._titled or self._is_linked(node)
        self.too_much = tag in _NOT_IN_CARDS or self._headings > 1

    def is_card(self) -> bool:
        return self._size > 0 and self._titled and self._parted

    def _is_linked(self, node: Element | Text) -> bool:
        return any(above is self._link for above in _above(node, self._card))

    def _is_under_heading(self, link: Element) -> bool:
        return any(above.tag in _HEADINGS for above in _above(link, self._card))


def _above(node: Element | Text, card: Element) -> Iterator[Element]:
    """Yield the elements around a node, up to its card."""
    above = node.parent
    for _ in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element) or above is card:
            return
        yield above
        above = above.parent


def _list(group: list[Element]) -> None:
    group[0].wrap_siblings(Element("ul"), until=group[-1])
    for card in group:
        if card.tag == "a":
            card.wrap(Element("li"))
        else:
            card.tag = "li"
