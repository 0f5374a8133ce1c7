"""Make lists plain: items stand in a list, and a list that only lays the page out is none."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from turbohtml import Element, Node, Text

from .footnotes import is_note

_LISTS: Final = frozenset({"dir", "menu", "ol", "ul"})
_MAX_ANCESTOR_STEPS: Final = 6
_BOXES: Final = frozenset({"article", "div", "nav", "section"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS: Final = _HEADINGS | {"dl", "p", "pre", "table"}
_TITLED: Final = "li > section:has(> :is(h2,h3,h4):first-child)"
_MIN_LAYOUT_BLOCKS: Final = 5
_MIN_BLOCKS_UNDER_HEADING: Final = 2
_MIN_LAYOUT_CHARS: Final = 150
_MAX_SEARCHED_NODES: Final = 50


def tidy_lists(root: Element) -> None:
    """Tidy every list inside ``root`` in place."""
    _list_items(root)
    _open_indents(root)
    _open_sections(root)
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
    for _ in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element):
            return False
        if above.tag in _LISTS:
            return True
        above = above.parent
    return False


def _open_indents(root: Element) -> None:
    """Let a list be none that holds lists and no item: it moves them in. So is one before items."""
    lists = [one for one in root.iter_elements(_LISTS) if _is_in_list(one)]
    for outer in dict.fromkeys(inner.parent for inner in lists):
        if isinstance(outer, Element) and not any(map(_is_item, outer.children)):
            outer.tag = "div"
    for inner in lists:
        if _is_in_list(inner) and _before(inner) is None:
            inner.unwrap()


def _is_in_list(inner: Element) -> bool:
    return isinstance(inner.parent, Element) and inner.parent.tag in _LISTS


def _is_item(node: Node) -> bool:
    return isinstance(node, Element) and node.tag == "li"


def _open_sections(root: Element) -> None:
    """Let a list be none whose items are nothing but sections, each with its heading."""
    titled = root.select(_TITLED) if root.find("section") is not None else []
    items = {section.parent for section in titled}
    for listed in dict.fromkeys(item.parent for item in items if item is not None):
        told = (
            [node for node in listed.children if has_visible_words(node)]
            if listed is not None
            else []
        )
        held = [node for node in told if isinstance(node, Element) and node in items]
        alone = told == held and None not in map(_only_block, held)
        if alone and isinstance(listed, Element):
            for element in (listed, *held):
                element.tag = "div"


def _open_nests(root: Element) -> None:
    """Let an item that holds a list and nothing else be no item: it is one that goes deeper."""
    holders = {_holder(inner) for inner in root.iter_elements(_LISTS)} - {None}
    for item in root.find_all("li") if holders else ():
        inner = _inner_list(item) if item in holders else None
        if inner is not None and not is_note(item):
            _open_nest(item, inner)


def _holder(inner: Element) -> Element | None:
    """Return the item that a list stands in, with nothing but few boxes between."""
    above = inner.parent
    for _ in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element) or above.tag not in _BOXES:
            break
        above = above.parent
    return above if isinstance(above, Element) and above.tag == "li" else None


def _inner_list(item: Element) -> Element | None:
    """Return the list that is all that an item holds."""
    inner = _only_block(item)
    for _ in range(_MAX_ANCESTOR_STEPS):
        if inner is None or inner.tag not in _BOXES:
            break
        inner = _only_block(inner)
    return inner if inner is not None and inner.tag in _LISTS else None


def _only_block(around: Element) -> Element | None:
    """Return the only thing in an element that says something."""
    only: Element | None = None
    for node in filter(has_visible_words, around.children):
        if only is not None or not isinstance(node, Element):
            return None
        only = node
    return only


def _open_nest(item: Element, inner: Element) -> None:
    """Give the list in an item to the item before, or let its items stand in its place."""
    around, before = item.parent, _before(item)
    if isinstance(before, Element) and before.tag == "li" and has_visible_words(before):
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

    def __init__(self, items: Element, blocks: int = 0) -> None:
        self.items = items
        self.blocks = blocks
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
        least = _MIN_BLOCKS_UNDER_HEADING if self.headings else _MIN_LAYOUT_BLOCKS
        return self.blocks >= least and self.size >= _MIN_LAYOUT_CHARS and not _counts(self.items)


def _open_layout(root: Element) -> None:
    """Let a list whose only item holds several blocks be no list: it lays them out.

    In an item of another list it stays one: an answer to what somebody wrote, a part of a step.
    """
    lists = list(root.iter_elements(_LISTS))
    singles = {item: _Held(items) for items in lists if (item := _only_item(items)) is not None}
    inside = set(root.find_all("li")) if singles else set()
    # Of several such lists beside each other, each is a step or a point.
    beside = Counter(held.items.parent for held in singles.values())
    alone = {item: held for item, held in singles.items() if beside[held.items.parent] == 1}
    if all(held.items.closest("li") in inside for held in alone.values()):
        return
    _weigh(root, lists, singles)
    for item, held in alone.items():
        around = held.items.closest("li")
        if around not in inside and held.is_layout() and not is_note(item):
            item.tag = held.items.tag = "div"


def _weigh(root: Element, lists: list[Element], singles: dict[Element, _Held]) -> None:
    """Count what each single item holds; a list of several items in it is one block."""
    for block in root.iter_elements(_BLOCKS):
        if (held := _around(block, singles)) is not None:
            held.add(block)
    own = {held.items: held for held in singles.values()}
    # Inner lists before the outer ones that they are part of.
    for items in reversed(lists):
        if (held := _around(items, singles)) is not None:
            held.take(own.get(items) or _Held(items, blocks=1))


def _around(block: Element, singles: dict[Element, _Held]) -> _Held | None:
    """Return what holds a block; nothing where no single item does."""
    item = block.closest("li")
    return None if item is None else singles.get(item)


def _only_item(items: Element) -> Element | None:
    """Return the one item of a list that says something, where nothing else in it does."""
    only = _only_block(items)
    return only if only is not None and only.tag == "li" else None


def has_visible_words(node: Node) -> bool:
    """Tell whether there are words in a node; one with very many nodes before them has some."""
    if not isinstance(node, Element):
        return isinstance(node, Text) and bool(node.data.strip())
    for looked, one in enumerate(node.descendants, 1):
        if looked > _MAX_SEARCHED_NODES or (isinstance(one, Text) and one.data.strip()):
            return True
    return False


def _counts(items: Element) -> bool:
    """Tell a list whose number says something."""
    return "start" in items.attrs or items.select_one(":scope > li[value]") is not None


# What a list says of its terms, marked as PHP Markdown Extra and Pandoc do.

_DEFINITIONS_BLOCKS: Final = frozenset(
    ["blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"]
)
# What a term is, as docutils and Sphinx set it: a style sheet writes the colon.
_SORTS: Final = "dt > .classifier:not(.classifier-delimiter ~ .classifier)"


def mark_definitions(root: Element) -> None:
    """Write ``: `` before what a list says of a term, in place.

    Under a term without words, such as a picture, it is a paragraph like any other.
    """
    for sort in root.select(_SORTS) if root.find("dt") is not None else ():
        sort.insert_before(Text(" : "))
    for said in _definitions(root):
        nodes = (node for node in said.children if isinstance(node, Element) or node.text.strip())
        first = next(nodes, None)
        if isinstance(first, Element) and first.tag in _DEFINITIONS_BLOCKS:
            if first.tag == "p" and first.text.strip():
                first.insert(0, Text(": "))
        elif said.text.strip():
            said.insert(0, Text(": "))


def _definitions(root: Element) -> Iterator[Element]:
    for holder in dict.fromkeys(term.parent for term in root.find_all("dt")):
        if isinstance(holder, Element):
            yield from _of_terms([node for node in holder.children if isinstance(node, Element)])


def _of_terms(nodes: list[Element]) -> Iterator[Element]:
    """Yield what is said of terms that have words; several terms may share it."""
    named = told = False
    for node in nodes:
        if node.tag == "dt":
            named = has_visible_words(node) or (named and not told)
            told = False
        elif node.tag == "dd":
            told = True
            if named:
                yield node
