"""Find the elements that the page's own style sheets hide, and text of size zero. Pure.

A stronger rule that shows an element wins as in a browser, also one for desktop screens. External
sheets are not read. A row of columns often has the size zero, against the gaps between them, and
each column sets its own size. Sizes relative to zero are zero.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache
from typing import Final, TypeAlias

from turbohtml import Document, Element, Text

from ..removals import Removals
from . import css_rules
from .css_rules import CssRule

# More than nearly any page has; the rest is ignored.
_MAX_CSS_CHARS: Final = 300_000
_MAX_MATCHES: Final = 2_000
# The parser compares each name with every element; from here on our own search is faster.
_MAX_SELECTED_NAMES: Final = 5
# Elements with the same tag, classes and id match the same simple rules.
_MatchKey: TypeAlias = tuple[str, str | None, str | None]
_LENGTH_PATTERN: Final = re.compile(
    r"(?<![\w.-])(\d{0,5}\.?\d{1,5})(px|pt|rem|vw)\b", re.IGNORECASE
)
_UNIT_PIXELS: Final = {"px": 1.0, "pt": 4 / 3, "rem": 16.0, "vw": 12.8}
_MIN_SHOWN_PIXELS: Final = 2.0
_SIZE_NAME_PATTERN: Final = re.compile(
    r"\b(?:x{0,3}-?(?:small|large)|medium|initial|revert)\b", re.IGNORECASE
)
_COMPUTED_SIZE_PATTERN: Final = re.compile(r"\b(?:var|calc|clamp|min|max)\(", re.IGNORECASE)
# Where a size may be set unseen, text of this share of a page is no plant.
_MIN_UNKNOWN_SHARE: Final = 0.3
_MAX_MEASURE_PASSES: Final = 4


class Sheets:
    """The style sheets of one page."""

    def __init__(self, document: Document, hides: Callable[[str], bool]) -> None:
        """Read the sheets in the document; ``hides`` tells whether declarations hide."""
        texts = (
            (sheet.text, (sheet.attr("media") or "").strip())
            for sheet in document.find_all("style")
        )
        css = "".join(f"@media {media}{{{text}}}" if media else text for text, media in texts)
        self._rules = css_rules.parse_css_rules(css[:_MAX_CSS_CHARS], hides)
        self._remaining_matches = _MAX_MATCHES
        hiding = self._rules.hiding
        self.is_complete = not hiding or not (
            document.select_one("link[rel~=stylesheet]")
            or "@supports" in css
            or "@container" in css
        )

    def hidden_elements(self, document: Document) -> Iterator[tuple[Element, str]]:
        """Yield each element that rules hide and none shows again, with the declarations."""
        rules_by_likeness: dict[_MatchKey, list[CssRule]] = {}
        for element in _elements_with_names(document, self._rules.hiding):
            likeness = _match_key(element)
            if likeness not in rules_by_likeness:
                rules_by_likeness[likeness] = self._hiding_rules_for_names(
                    set(_selector_names(*likeness))
                )
            holding = rules_by_likeness[likeness]
            if holding and not self._is_shown_by_css(element, holding[-1]):
                yield element, ";".join(rule.declared for rule in holding)

    def _hiding_rules_for_names(self, names: set[str]) -> list[CssRule]:
        """Return the hiding rules for elements with all these names, weakest first."""
        rules = (rule for name in names for rule in self._rules.hiding.get(name, ()))
        # Sort by strength: the order of a set differs between processes.
        applied = (rule for rule in rules if _can_rule_apply(rule, names))
        return sorted(applied, key=lambda rule: (rule.weight, rule.selector))

    def may_hide(self, element: Element) -> bool:
        """Tell whether a rule may hide an element; a stronger one may show it again."""
        names = _selector_names(*_match_key(element))
        return bool(self._hiding_rules_for_names(set(names)))

    def may_have_background(self, element: Element) -> bool:
        """Tell whether a rule may give an element a background."""
        return not self._rules.painted.isdisjoint((*_selector_names(*_match_key(element)), "*"))

    def size_declarations(self, element: Element) -> list[str]:
        """Return the declarations that give an element's text a size, strongest last."""
        rules = [
            (css_rules.css_specificity(written, standing), text)
            for name in (*_selector_names(*_match_key(element)), "*")
            for selector, written, standing, text in self._rules.sizing.get(name, ())
            if self._try_take_match() and _is_selected(element, selector)
        ]
        return [text for _, text in sorted(rules)]

    def _try_take_match(self) -> bool:
        self._remaining_matches -= 1
        return self._remaining_matches >= 0

    def _is_shown_by_css(self, element: Element, hiding: CssRule) -> bool:
        """Tell whether a stronger rule shows the element, at least after a click."""
        for name in (*_selector_names(*_match_key(element)), "*"):
            for selector, written, standing, _ in self._rules.showing.get(name, ()):
                if not self._try_take_match():
                    return False
                weight = css_rules.css_specificity(written, standing)
                if weight > hiding.weight and _is_selected(element, selector):
                    return True
        return False


def _elements_with_names(document: Document, names: Collection[str]) -> list[Element]:
    """Return the elements with one of these names."""
    if len(names) <= _MAX_SELECTED_NAMES:
        return document.select(", ".join(names)) if names else []
    classes = {name[1:] for name in names if name[0] == "."}
    ids = {name[1:] for name in names if name[0] == "#"}
    tags = {name for name in names if name[0] not in ".#"}
    has_class = cache(lambda written: not classes.isdisjoint(written.split()))
    return [
        element
        for element in document.select("*" if tags else "[class],[id]")
        if has_class(element.attr("class") or "")
        or (ids and element.attr("id") in ids)
        or (tags and element.tag in tags)
    ]


def _match_key(element: Element) -> _MatchKey:
    return element.tag, element.attr("class"), element.attr("id")


def _selector_names(tag: str, classes: str | None, identity: str | None) -> list[str]:
    id_names = [f"#{identity}"] if identity else []
    return [*id_names, *(f".{name}" for name in (classes or "").split()), tag]


def _can_rule_apply(rule: CssRule, names: set[str]) -> bool:
    tag = rule.selector.partition("#")[0].partition(".")[0].lower()
    return (not tag or tag in names) and names.issuperset(
        css_rules.CSS_NAME_PATTERN.findall(rule.selector)
    )


def _is_selected(element: Element, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        # The parser does not support this selector.
        return False


def unsized_parts(
    tiny: list[Element], sheets: Sheets, length: int, removals: Removals
) -> list[Element]:
    """Return the parts of tiny elements that are hidden; remove the texts directly in these.

    ``length`` is the length of the page's text. Other sheets and computed values may give a part
    a size; then it is hidden unless it is much of the page.
    """
    is_tiny = set(tiny)
    sizes: dict[Element, float | None] = {}
    for element in tiny:
        if element not in sizes:
            inside = (element, *element.select("*"))
            sizes |= {inner: _declared_size(inner, sheets) for inner in inside}
    sized = {element for element, size in sizes.items() if size and element not in is_tiny}
    holders = _ancestors(sized)
    is_unknown = not sheets.is_complete or None in sizes.values()
    hidden: list[Element] = []
    # Tiny parts may be nested: measure each text only a few times.
    budget = _MAX_MEASURE_PASSES * length if is_unknown else 0
    for element in tiny:
        is_holder = element in holders
        parts = list(_parts_without_size(element, sized, holders)) if is_holder else [element]
        chars = sum(len(part.text) for part in parts) if budget > 0 else 0
        budget -= chars
        is_doubtful = chars >= max(_MIN_UNKNOWN_SHARE * length, 1)
        hidden += () if is_doubtful else parts
        if is_holder or is_doubtful:
            _remove_own_texts(element, removals)
    return hidden


def _ancestors(elements: set[Element]) -> set[Element]:
    """Return all elements around these."""
    holders: set[Element] = set()
    for element in elements:
        above = element.parent
        while isinstance(above, Element) and above not in holders:
            holders.add(above)
            above = above.parent
    return holders


def _declared_size(element: Element, sheets: Sheets) -> float | None:
    """Return the pixels that an element declares; zero for none, None where they are unknown."""
    declared = [
        *sheets.size_declarations(element),
        css_rules.strip_css_blanks(element.attr("style") or ""),
    ]
    value = next(filter(None, map(_last_size, reversed(declared))), "")
    if _COMPUTED_SIZE_PATTERN.search(value):
        return None
    length = _LENGTH_PATTERN.search(value)
    if length is None:
        return 16.0 if _SIZE_NAME_PATTERN.search(value) else 0.0
    pixels = float(length[1]) * _UNIT_PIXELS[length[2].lower()]
    return pixels if pixels >= _MIN_SHOWN_PIXELS else 0.0


# A page repeats a few declarations.
@lru_cache(maxsize=1_000)
def _last_size(declared: str) -> str:
    values: list[str] = css_rules.SIZE_PATTERN.findall(declared)
    return values[-1] if values else ""


def _parts_without_size(
    element: Element, sized: set[Element], holders: set[Element]
) -> Iterator[Element]:
    """Yield the largest parts inside an element that neither have nor hold a size."""
    queue = [element]
    while queue:
        for child in queue.pop().children:
            if isinstance(child, Element) and child not in sized:
                if child in holders:
                    queue.append(child)
                else:
                    yield child


def _remove_own_texts(element: Element, removals: Removals) -> None:
    for node in list(element.children):
        if isinstance(node, Text) and not node.data.isspace():
            removals.take_text("hidden", node)
            node.extract()
