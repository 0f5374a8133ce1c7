"""The text that was taken out of a page's tree, by kind: what is not in the content is here.

A text node goes to one kind: the first that takes it. Nodes keep their place in the tree when it is
taken apart, so their blocks are known later.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, get_args

from turbohtml import Element, Node, NodeFilter, NodeIterator, Text

from webseam.adapters.pages.safe_text import strip_hidden
from webseam.ports.pages import LeftOut, LeftOutKind, PagePart
from webseam.ports.words import count_all_words

from .block_text import text_lines

# What a reader may still look for comes first.
_KIND_ORDER: Final[tuple[LeftOutKind, ...]] = (
    "truncated", "walled", "unlikely", "copies", "comments", "controls", "menus", "margins",
    "hidden",
)  # fmt: skip
_TAG_PATTERN: Final = re.compile(r"<[^<>]*+>")
_SILENT_SELECTOR: Final = "script,style,template,noscript"


def text_nodes(element: Element) -> list[Text]:
    """Return the text nodes inside an element, in the page's order."""
    nodes = NodeIterator(element, NodeFilter.SHOW_TEXT)
    return [node for node in nodes if type(node) is Text]


class _TakenText:
    """The nodes of one kind, its lines that are no nodes, and the sources that these count as."""

    def __init__(self) -> None:
        self.nodes: list[Text] = []
        self.lines: list[str] = []
        self.sources: list[str] = []
        # Of texts that are no longer there.
        self.words = 0

    def add(self, taken: "_TakenText") -> None:
        self.nodes += taken.nodes
        self.lines += taken.lines
        self.sources += taken.sources
        self.words += taken.words


class Removals:
    """What was taken out of one page.

    Its parts are in the page's order only with ``keeps_order``, which costs time.
    """

    def __init__(self, *, keeps_order: bool = False) -> None:
        self._keeps_order = keeps_order
        self.taken: defaultdict[LeftOutKind, _TakenText] = defaultdict(_TakenText)
        # The source of texts that we wrote in the place of others.
        self.originals: dict[Text, str] = {}
        self._seen: set[Text] = set()
        self._order: list[Text] = []
        self._waiting: list[tuple[Node | None, LeftOutKind, list[Text], list[str]]] = []

    def take(self, kind: LeftOutKind, element: Element) -> None:
        """Take all text of an element that is about to be removed."""
        self._take_nodes(kind, text_nodes(element))

    def take_text(self, kind: LeftOutKind, node: Text) -> None:
        """Take one text that is about to be removed."""
        self._take_nodes(kind, (node,))

    def take_lines(self, kind: LeftOutKind, lines: Iterable[str], sources: Iterable[str]) -> None:
        """Take lines that are no nodes; ``sources`` are the texts that are counted."""
        self.taken[kind].lines += lines
        self.taken[kind].sources += sources

    def add_words(self, kind: LeftOutKind, words: int) -> None:
        """Count words whose texts are no longer there."""
        self.taken[kind].words += words

    def take_markup(self, kind: LeftOutKind, markup: str) -> None:
        """Take the text of markup that was never part of the tree."""
        # Most markup in ``noscript`` is a picture alone.
        if "<input" in markup.lower() or _TAG_PATTERN.sub("", markup).strip():
            parsed = Element("div")
            parsed.set_inner_html(markup)
            parsed.remove(_SILENT_SELECTOR)
            self.take(kind, parsed)
            values = [value for field in parsed.find_all("input") if (value := field.attr("value"))]
            self.take_lines(kind, values, values)

    def hold(
        self, kind: LeftOutKind, element: Element, nodes: list[Text], values: list[str]
    ) -> None:
        """Hold the text of a removed element until ``settle`` knows whether its place is hidden."""
        if nodes or values:
            self._waiting.append((element.parent, kind, nodes, values))

    def settle(self, body: Element) -> None:
        """Take what is held, as hidden where its place was removed; bring all into order."""
        inside: dict[Node, bool] = {body: True}
        for place, kind, nodes, values in self._waiting:
            settled: LeftOutKind = kind if _is_inside(place, inside) else "hidden"
            self._take_nodes(settled, nodes)
            self.take_lines(settled, values, values)
        self._waiting.clear()
        if self._order:
            offsets = {node: offset for offset, node in enumerate(self._order)}
            for taken in self.taken.values():
                taken.nodes.sort(key=lambda node: offsets.get(node, -1))
            self._order.clear()

    def take_runs(self, kind: LeftOutKind, nodes: Iterable[Text]) -> None:
        """Take the texts of dropped runs."""
        self._take_nodes(kind, nodes)

    def add(self, removals: "Removals") -> None:
        """Add what was taken elsewhere."""
        self.originals |= removals.originals
        for kind, taken in removals.taken.items():
            self.taken[kind].add(taken)

    def rename(self, kind: LeftOutKind, renamed: LeftOutKind) -> None:
        """Give all that was taken as one kind to another."""
        self.taken[renamed].add(self.taken.pop(kind, _TakenText()))

    def replace_source(self, node: Text, sources: Iterable[str]) -> None:
        """Count the sources in the place of a text that we wrote."""
        self.originals[node] = "\n".join(sources)

    def source_text(self, element: Element) -> list[str]:
        """Return the texts of an element as the page has them."""
        if not self.originals:
            return list(element.strings)
        return self.node_sources(text_nodes(element))

    def node_sources(self, nodes: Iterable[Text]) -> list[str]:
        """Return the texts of nodes as the page has them."""
        originals = self.originals
        if not originals:
            return [node.data for node in nodes]
        return [originals.get(node, node.data) for node in nodes]

    def remember_order(self, body: Element) -> None:
        """Remember the order of the page's texts: hidden parts are not taken in it."""
        if self._keeps_order:
            self._order = text_nodes(body)

    def count(self) -> dict[LeftOutKind, int]:
        """Return the number of words of each kind."""
        return {
            kind: count_all_words([*self.node_sources(taken.nodes), *taken.sources]) + taken.words
            for kind, taken in self.taken.items()
        }

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the number of words of each kind that has any."""
        counts = self.count()
        return tuple(
            LeftOut(kind=kind, words=counts[kind])
            for kind in get_args(LeftOutKind)
            if counts.get(kind)
        )

    def parts(self) -> tuple[PagePart, ...]:
        """Return the text of each kind that has any; invisible characters are dropped."""
        return tuple(self._parts())

    def _parts(self) -> Iterator[PagePart]:
        for kind in _KIND_ORDER:
            taken = self.taken.get(kind)
            lines = [] if taken is None else [*text_lines(taken.nodes), *taken.lines]
            if text := strip_hidden("\n".join(lines))[0].strip():
                yield PagePart(kind=kind, text=text)

    def _take_nodes(self, kind: LeftOutKind, nodes: Iterable[Text]) -> None:
        new = [node for node in nodes if node not in self._seen]
        self._seen.update(new)
        self.taken[kind].nodes += new


def _is_inside(place: Node | None, inside: dict[Node, bool]) -> bool:
    """Tell whether a node is inside the body; ``inside`` stores the answers."""
    path: list[Node] = []
    while place is not None and place not in inside:
        path.append(place)
        place = place.parent
    answer = place is not None and inside[place]
    inside.update(dict.fromkeys(path, answer))
    return answer
