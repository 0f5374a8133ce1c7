"""Tell what a click would show: panels that a control on the page names, or stands right before.

Such a part is hidden only until somebody asks for it. Hidden text that nothing on the page opens
is where instructions to a model are planted.
"""

import re
from collections import Counter
from typing import Final

from turbohtml import Document, Element, Node, Text

_NAMING: Final = (
    "aria-controls", "data-target", "data-bs-target", "data-tab", "data-tab-target", "data-panel",
    "href",
)  # fmt: skip
_CONTROLS: Final = ",".join(["a[href^='#']", *(f"[{name}]" for name in _NAMING[:-1])])
_OPENERS: Final = "button,summary,dt,h2,h3,h4,h5,h6,[role=button],[role=tab]"
_FOLDS: Final = re.compile(
    r"accordion|faq|toggle|collaps|expand|spoiler|(?:read|show)-?more", re.IGNORECASE
)
_TABS: Final = re.compile(
    r"(?:^|[\s_-])tab(?:s|s?[_-]?(?:pane|panel|content|body|item)s?)?(?=[\s_-]|$)", re.IGNORECASE
)
_STREAMED: Final = "S:"
# So many hidden parts that look alike, each under a heading of its own, are an accordion.
_ALIKE: Final = 3


def unreachable_parts(document: Document, hidden: list[Element]) -> list[Element]:
    """Return those of the hidden parts that no control of the page would show."""
    if not hidden:
        return []
    # Controls name ids: without any there is none to look for.
    has_ids = any(element.attr("id") for element in hidden)
    named = _named(document) if has_ids else set()
    unnamed = [element for element in hidden if not _is_named(element, named)]
    tabs = _Tabs(hidden)
    closed = [
        element
        for element in unnamed
        if not _is_folded(element, _element_before(element)) and not tabs.has(element)
    ]
    alike = Counter(_make(element) for element in closed if _is_headed(element))
    return [
        element for element in closed if alike[_make(element)] < _ALIKE or not _is_headed(element)
    ]


def _named(document: Document) -> set[str]:
    """Return the ids that controls name."""
    return {
        value.lstrip("#")
        for control in document.select(_CONTROLS)
        for name in _NAMING
        if (value := control.attr(name))
    }


def _is_named(element: Element, named: set[str]) -> bool:
    name = element.attr("id") or "-"
    return name in named or name.startswith(_STREAMED) or element.attr("role") == "tabpanel"


def _is_folded(element: Element, before: Element | None) -> bool:
    """Tell whether the element right before is one that opens this one, as in an accordion."""
    if before is None:
        return False
    if before.attr("aria-expanded") is not None or before.select_one("[aria-expanded]") is not None:
        return True
    # As Alpine writes what a button beside it shows.
    if element.attr("x-show") is not None and _opens(before):
        return True
    folds = [_FOLDS.search(one.attr("class") or "") is not None for one in (element, before)]
    return all(folds) or (any(folds) and _opens(before))


def _opens(before: Element) -> bool:
    return before.matches(_OPENERS) or before.select_one(_OPENERS) is not None


class _Tabs:
    """Tabs beside others like them; what stands beside a part is looked at once for all of it."""

    def __init__(self, hidden: list[Element]) -> None:
        self._hidden = set(hidden)
        self._shown: dict[Element, frozenset[tuple[str, str]]] = {}

    def has(self, element: Element) -> bool:
        """Tell whether this is a tab beside one like it that is shown."""
        above = element.parent
        names = element.attr("class")
        if not names or not isinstance(above, Element):
            return False
        if not _TABS.search(f"{names} {above.attr('class')}"):
            return False
        if above not in self._shown:
            children = (child for child in above.children if isinstance(child, Element))
            self._shown[above] = frozenset(
                _sort(child) for child in children if child not in self._hidden
            )
        return _sort(element) in self._shown[above]


def _sort(element: Element) -> tuple[str, str]:
    first = (element.attr("class") or "").split(maxsplit=1)[:1]
    return element.tag, "".join(first)


def _is_headed(element: Element) -> bool:
    before = _element_before(element)
    return before is not None and before.matches(_OPENERS)


def _make(element: Element) -> tuple[str | None, ...]:
    above = element.parent
    around = above.attr("class") if isinstance(above, Element) else None
    return element.tag, element.attr("class"), around


def _element_before(element: Element) -> Element | None:
    node: Node | None = element.previous_sibling
    while isinstance(node, Text) and node.data.isspace():
        node = node.previous_sibling
    return node if isinstance(node, Element) else None
