"""Tags of old, written as those that say the same today: the renderer does not know them."""

from typing import Final

from turbohtml import Element, Text

_NEW_TAGS: Final = {"center": "div", "dir": "ul"}
_TYPED: Final = "tt"
_OLD: Final = (*_NEW_TAGS, _TYPED)
_MAX_CENTRED_CHARS: Final = 80


def modernise_tags(root: Element) -> None:
    """Rename old tags, in place: a centred line is one of its own, what is typed is code."""
    for element in list(root.iter_elements(_OLD)):
        if element.tag != _TYPED:
            element.tag = _NEW_TAGS[element.tag]
        elif _is_code(element):
            element.tag = "code"


def _is_code(typed: Element) -> bool:
    """Tell a word or two of code from a text that is only set so."""
    nodes = typed.children
    if len(nodes) != 1 or not isinstance(nodes[0], Text) or typed.closest("pre,code") is not None:
        return False
    return 0 < len(nodes[0].data.strip()) <= _MAX_CENTRED_CHARS
