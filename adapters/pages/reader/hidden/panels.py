"""Tell what a click would show: panels that a control on the page names, or stands right before.

Such a part is hidden only until somebody asks for it. Hidden text that nothing on the page opens
is where instructions to a model are planted.
"""

import re
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
_STREAMED: Final = "S:"


def unreachable(document: Document, hidden: list[Element]) -> list[Element]:
    """Return those of the hidden parts that no control of the page would show."""
    if not hidden:
        return []
    named = {
        value.lstrip("#")
        for control in document.select(_CONTROLS)
        for name in _NAMING
        if (value := control.attr(name))
    }
    return [element for element in hidden if not _is_reachable(element, named)]


def _is_reachable(element: Element, named: set[str]) -> bool:
    name = element.attr("id") or "-"
    is_named = name in named or name.startswith(_STREAMED) or element.attr("role") == "tabpanel"
    return is_named or _is_folded(element)


def _is_folded(element: Element) -> bool:
    """Tell whether the element right before is one that opens this one, as in an accordion."""
    before = _element_before(element)
    if before is None:
        return False
    if before.attr("aria-expanded") is not None or before.select_one("[aria-expanded]") is not None:
        return True
    names = f"{element.attr('class')} {before.attr('class')}"
    opens = before.matches(_OPENERS) or before.select_one(_OPENERS) is not None
    return opens and _FOLDS.search(names) is not None


def _element_before(element: Element) -> Element | None:
    node: Node | None = element.previous_sibling
    while isinstance(node, Text) and node.data.isspace():
        node = node.previous_sibling
    return node if isinstance(node, Element) else None
