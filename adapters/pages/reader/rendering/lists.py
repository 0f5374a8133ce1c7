"""Make lists plain: items stand in a list, and a list that only lays the page out is none."""

from collections import Counter
from itertools import islice
from typing import Final

from turbohtml import Element, Node, Text

from .footnotes import is_note

_LISTS: Final = frozenset({"dir", "menu", "ol", "ul"})
_EVERY_LIST: Final = "dir,menu,ol,ul"
_NEAR_LIST: Final = 6
_BOXES: Final = frozenset({"article", "div", "nav", "section"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HELD: Final = ":is(h1,h2,h3,h4,h5,h6,p,pre,table,dl):is(li *)"
_LEAST_BLOCKS: Final = 5
_LEAST_UNDER_HEADING: Final = 2
_SHORT: Final = 150
_MOST_NODES: Final = 50


def tidy_lists(root: Element) -> None:
    """Tidy every list inside ``root`` in place."""
    _list_items(root)
    _open_nests(root)
    _open_layout(root)


def _list_items(root: Element) -> None:
    """Put items that stand in no list into one."""
    made: Element | None = None
    for item in root.find_all("li"):
        if _is_listed(item):
            continue
        if made is not None and _before(item) is made:
            made.append(item)
        else:
            made = Element("ul")
            item.wrap(made)


def _is_listed(item: Element) -> bool:
    above = item.parent
    for _ in range(_NEAR_LIST):
        if not isinstance(above, Element):
            return False
        if above.tag in _LISTS:
            return True
        above = above.parent
    return False


def _open_nests(root: Element) -> None:
    """Let an item that holds a list and nothing else be no item: it is one that goes deeper."""
    for item in root.find_all("li"):
        inner = _only_block(item)
        for _ in range(_NEAR_LIST):
            if inner is None or inner.tag not in _BOXES:
                break
            inner = _only_block(inner)
        if inner is not None and inner.tag in _LISTS and not is_note(item):
            _open_nest(item, inner)


def _only_block(around: Element) -> Element | None:
    """Return the only thing in an element that says something."""
    said = list(islice((node for node in around.children if says(node)), 2))
    return said[0] if len(said) == 1 and isinstance(said[0], Element) else None


def _open_nest(item: Element, inner: Element) -> None:
    """Give the list in an item to the item before, or let its items stand in its place."""
    around, before = item.parent, _before(item)
    if isinstance(before, Element) and before.tag == "li" and says(before):
        before.append(inner)
        item.decompose()
    elif isinstance(around, Element):
        if _only_item(around) is item:
            around.tag = inner.tag
        if around.tag == inner.tag:
            item.insert_before(inner)
            inner.unwrap()
            item.decompose()


def _before(item: Element) -> Node | None:
    """Return what stands before an item, but blanks."""
    before = item.previous_sibling
    while isinstance(before, Text) and before.data.isspace():
        before = before.previous_sibling
    return before


class _Held:
    """What the only item of a list holds: its blocks, how many are headings, how long they are."""

    def __init__(self, items: Element) -> None:
        self.items = items
        self.blocks = 0
        self.headings = 0
        self.size = 0

    def add(self, block: Element) -> None:
        self.blocks += 1
        self.headings += block.tag in _HEADINGS
        self.size += len(block.text.strip())

    def take(self, inner: "_Held") -> None:
        self.blocks += inner.blocks
        self.headings += inner.headings
        self.size += inner.size

    def is_layout(self) -> bool:
        least = _LEAST_UNDER_HEADING if self.headings else _LEAST_BLOCKS
        return self.blocks >= least and self.size >= _SHORT and not _counts(self.items)


def _open_layout(root: Element) -> None:
    """Let a list whose only item holds several blocks be no list: it lays them out.

    In an item of another list it stays one: an answer to what somebody wrote, a part of a step.
    """
    lists = root.select(_EVERY_LIST)
    singles = {item: _Held(items) for items in lists if (item := _only_item(items)) is not None}
    if not singles:
        return
    _weigh(root, lists, singles)
    inside = set(root.find_all("li"))
    beside = Counter(held.items.parent for held in singles.values())
    for item, held in singles.items():
        around = held.items.closest("li")
        # Of several such lists beside each other, each is a step or a point.
        alone = beside[held.items.parent] == 1
        if around not in inside and alone and held.is_layout() and not is_note(item):
            item.tag = held.items.tag = "div"


def _weigh(root: Element, lists: list[Element], singles: dict[Element, _Held]) -> None:
    """Count what each single item holds; a list of several items in it is one block."""
    for block in root.select(_HELD):
        _around(block, singles).add(block)
    alone = {held.items for held in singles.values()}
    for items in lists:
        if items not in alone:
            _around(items, singles).blocks += 1
    for inner in reversed(singles.values()):
        _around(inner.items, singles).take(inner)


def _around(block: Element, singles: dict[Element, _Held]) -> _Held:
    """Return what holds a block; something of no account where no single item does."""
    item = block.closest("li")
    return _Held(block) if item is None else singles.get(item) or _Held(block)


def _only_item(items: Element) -> Element | None:
    """Return the one item of a list that says something, where nothing else in it does."""
    only = _only_block(items)
    return only if only is not None and only.tag == "li" else None


def says(node: Node) -> bool:
    """Tell whether there are words in a node; one with very many nodes before them has some."""
    if not isinstance(node, Element):
        return isinstance(node, Text) and bool(node.data.strip())
    for looked, one in enumerate(node.descendants, 1):
        if looked > _MOST_NODES or (isinstance(one, Text) and one.data.strip()):
            return True
    return False


def _counts(items: Element) -> bool:
    """Tell a list whose number says something."""
    return "start" in items.attrs or items.select_one(":scope > li[value]") is not None
