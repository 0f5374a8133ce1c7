"""Find hidden panels that a click would show, because a control names or precedes them.

Hidden text that no control opens may be instructions to a model.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

from turbohtml import Document, Element, Node, Text

from ..measures.cues import LABEL_EDGE_CHARS, READ_MORE

_CONTROL_ATTRIBUTES: Final = (
    "aria-controls", "data-target", "data-bs-target", "data-tab", "data-tab-target", "data-panel",
    "href",
)  # fmt: skip
_CONTROL_SELECTOR: Final = ",".join(
    ["a[href^='#']", *(f"[{name}]" for name in _CONTROL_ATTRIBUTES[:-1])]
)
_OPENER_SELECTOR: Final = "button,summary,dt,h2,h3,h4,h5,h6,[role=button],[role=tab]"
_FOLD_CLASS_PATTERN: Final = re.compile(
    r"accordion|faq|toggle|collaps|expand|spoiler|(?:read|show)-?more", re.IGNORECASE
)
_MORE_CLASS_PATTERN: Final = re.compile(
    r"toggle|collaps|expand|(?:\b|_|read|show)more", re.IGNORECASE
)
_TAB_CLASS_PATTERN: Final = re.compile(
    r"(?:^|[\s_-])tab(?:s|s?[_-]?(?:pane|panel|content|body|item)s?)?(?=[\s_-]|$)", re.IGNORECASE
)
_BUTTON_SELECTOR: Final = "button,[role=button],a:not([href]),a[href^='#'],a[href^='javascript:']"
_STREAMED_ID_PREFIX: Final = "S:"
# The paragraphs before a continuation are near. A page may have thousands of siblings.
_MAX_SIBLINGS_BEFORE: Final = 50
# So many similar hidden parts, each under its own heading, are an accordion.
_MIN_SIMILAR_PARTS: Final = 3


def unreachable_hidden_parts(document: Document, hidden: list[Element]) -> list[Element]:
    """Return the hidden parts that no control of the page would show."""
    # Controls name ids: without ids there is nothing to look for.
    has_ids = any(element.attr("id") for element in hidden)
    control_ids = _ids_named_by_controls(document) if has_ids else set()
    is_hidden = set(hidden)

    @cache
    def shown_makes(above: Element) -> set[tuple[str, str]]:
        children = (child for child in above.children if isinstance(child, Element))
        return {_tag_and_first_class(child) for child in children if child not in is_hidden}

    closed = [
        element
        for element in hidden
        if not _is_named_panel(element, control_ids)
        and not _is_folded_panel(element, _element_before(element))
        and not _is_tab_panel(element, shown_makes)
    ]
    makes = [_panel_make(element) if _is_under_opener(element) else () for element in closed]
    counts = Counter(makes)
    return [
        element
        for element, make in zip(closed, makes, strict=True)
        if not make or counts[make] < _MIN_SIMILAR_PARTS
    ]


def _ids_named_by_controls(document: Document) -> set[str]:
    """Return the ids that controls of the page name."""
    return {
        value.lstrip("#")
        for control in document.select(_CONTROL_SELECTOR)
        for name in _CONTROL_ATTRIBUTES
        if (value := control.attr(name))
    }


def _is_named_panel(element: Element, control_ids: set[str]) -> bool:
    name = element.attr("id") or "-"
    return (
        name in control_ids
        or name.startswith(_STREAMED_ID_PREFIX)
        or element.attr("role") == "tabpanel"
    )


def _is_folded_panel(element: Element, before: Element | None) -> bool:
    """Tell whether the element right before opens this one, as in an accordion."""
    if before is None:
        return False
    if before.attr("aria-expanded") is not None or before.select_one("[aria-expanded]") is not None:
        return True
    # Alpine marks a part that a neighbouring button shows.
    if element.attr("x-show") is not None and _is_opener(before):
        return True
    folds = [
        _FOLD_CLASS_PATTERN.search(part.attr("class") or "") is not None
        for part in (element, before)
    ]
    if all(folds) or (any(folds) and _is_opener(before)):
        return True
    controls = (before, next(_sibling_elements(element.next_siblings), None))
    return is_text_continuation(element) and any(
        control is not None and _is_more_control(control, element) for control in controls
    )


def _is_more_control(control: Element, element: Element) -> bool:
    """Tell whether a button is one to read on, by its label or by the classes of the two."""
    is_button = control.matches(_BUTTON_SELECTOR)
    buttons = [control] if is_button else control.select(_BUTTON_SELECTOR)
    label = control.text.casefold().strip(LABEL_EDGE_CHARS) if buttons else ""
    classes = " ".join(part.attr("class") or "" for part in (element, *buttons))
    is_named = _MORE_CLASS_PATTERN.search(classes) is not None
    return bool(buttons) and (is_named or label.startswith(tuple(READ_MORE)))


def is_text_continuation(element: Element) -> bool:
    """Tell whether an element holds paragraphs and stands after paragraphs of the same text."""
    if len(element.find_all("p", limit=2)) <= 1:
        return False
    before = islice(_sibling_elements(element.previous_siblings), _MAX_SIBLINGS_BEFORE)
    return any(node.tag == "p" for node in before)


def _sibling_elements(nodes: Iterable[Node]) -> Iterator[Element]:
    return (node for node in nodes if isinstance(node, Element))


def _is_opener(before: Element) -> bool:
    return before.matches(_OPENER_SELECTOR) or before.select_one(_OPENER_SELECTOR) is not None


def _is_tab_panel(element: Element, shown_makes: Callable[[Element], set[tuple[str, str]]]) -> bool:
    """Tell whether this is a tab panel beside a similar visible one."""
    above, names = element.parent, element.attr("class")
    if not names or not isinstance(above, Element):
        return False
    is_tab = _TAB_CLASS_PATTERN.search(f"{names} {above.attr('class')}") is not None
    return is_tab and _tag_and_first_class(element) in shown_makes(above)


def _tag_and_first_class(element: Element) -> tuple[str, str]:
    first = (element.attr("class") or "").split(maxsplit=1)[:1]
    return element.tag, "".join(first)


def _is_under_opener(element: Element) -> bool:
    before = _element_before(element)
    return before is not None and before.matches(_OPENER_SELECTOR)


def _panel_make(element: Element) -> tuple[str | None, ...]:
    above = element.parent
    parent_class = above.attr("class") if isinstance(above, Element) else None
    return element.tag, element.attr("class"), parent_class


def _element_before(element: Element) -> Element | None:
    node: Node | None = element.previous_sibling
    while isinstance(node, Text) and node.data.isspace():
        node = node.previous_sibling
    return node if isinstance(node, Element) else None
