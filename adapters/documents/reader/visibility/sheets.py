"""Find the elements that the page's own style sheets hide. Pure.

A stronger rule that shows an element wins as in a browser, also one for desktop screens. External
sheets are not read.
"""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final, TypeAlias

from turbohtml import Document, Element

from .css_rules import CSS_NAME_PATTERN, CssRule, css_specificity, parse_css_rules

# More than nearly any page has; the rest is ignored.
_MAX_CSS_CHARS: Final = 300_000
_MAX_MATCHES: Final = 2_000
# The parser compares each name with every element; from here on our own search is faster.
_MAX_SELECTED_NAMES: Final = 5
# Elements with the same tag, classes and id match the same simple rules.
_Likeness: TypeAlias = tuple[str, str | None, str | None]


class Sheets:
    """The style sheets of one page."""

    def __init__(self, document: Document, hides: Callable[[str], bool]) -> None:
        """Read the sheets in the document; ``hides`` tells whether declarations hide."""
        css = "".join(_css_sheet_text(sheet) for sheet in document.find_all("style"))
        self._rules = parse_css_rules(css[:_MAX_CSS_CHARS], hides)
        self._remaining_matches = _MAX_MATCHES
        hiding = self._rules.hiding
        self.is_all = not hiding or document.select_one("link[rel~=stylesheet]") is None

    def hidden_elements(self, document: Document) -> Iterator[tuple[Element, str]]:
        """Yield each element that rules hide and none shows again, with the declarations."""
        rules_by_likeness: dict[_Likeness, list[CssRule]] = {}
        for element in _css_named_elements(document, self._rules.hiding):
            likeness = _css_likeness(element)
            if likeness not in rules_by_likeness:
                rules_by_likeness[likeness] = self._hiding_rules_for_names(
                    set(_css_names(*likeness))
                )
            holding = rules_by_likeness[likeness]
            if holding and not self._is_shown_by_css(element, holding[-1]):
                yield element, ";".join(rule.declared for rule in holding)

    def _hiding_rules_for_names(self, names: set[str]) -> list[CssRule]:
        """Return the hiding rules for elements with all these names, weakest first."""
        rules = (rule for name in names for rule in self._rules.hiding.get(name, ()))
        # Sort by strength: the order of a set differs between processes.
        applied = (rule for rule in rules if _css_rule_applies(rule, names))
        return sorted(applied, key=lambda rule: (rule.weight, rule.selector))

    def paints_background(self, element: Element) -> bool:
        """Tell whether a rule may give an element a background."""
        return not self._rules.painted.isdisjoint((*_css_names(*_css_likeness(element)), "*"))

    def size_declarations(self, element: Element) -> list[str]:
        """Return the declarations that give an element's text a size, strongest last."""
        rules = [
            (css_specificity(written, standing), text)
            for name in _css_names(*_css_likeness(element))
            for selector, written, standing, text in self._rules.sizing.get(name, ())
            if self._may_match() and _matches_css_selector(element, selector)
        ]
        return [text for _, text in sorted(rules)]

    def _may_match(self) -> bool:
        self._remaining_matches -= 1
        return self._remaining_matches >= 0

    def _is_shown_by_css(self, element: Element, hiding: CssRule) -> bool:
        """Tell whether a stronger rule shows the element, at least after a click."""
        for name in _css_names(*_css_likeness(element)):
            for selector, written, standing, _ in self._rules.showing.get(name, ()):
                if not self._may_match():
                    return False
                weight = css_specificity(written, standing)
                if weight > hiding.weight and _matches_css_selector(element, selector):
                    return True
        return False


def _css_sheet_text(sheet: Element) -> str:
    """Return the text of a sheet, wrapped in its element's media condition."""
    media = (sheet.attr("media") or "").strip()
    return f"@media {media}{{{sheet.text}}}" if media else sheet.text


def _css_named_elements(document: Document, names: Collection[str]) -> list[Element]:
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


def _css_likeness(element: Element) -> _Likeness:
    return element.tag, element.attr("class"), element.attr("id")


def _css_names(tag: str, classes: str | None, identity: str | None) -> list[str]:
    id_names = [f"#{identity}"] if identity else []
    return [*id_names, *(f".{name}" for name in (classes or "").split()), tag]


def _css_rule_applies(rule: CssRule, names: set[str]) -> bool:
    tag = rule.selector.partition("#")[0].partition(".")[0].lower()
    return (not tag or tag in names) and names.issuperset(CSS_NAME_PATTERN.findall(rule.selector))


def _matches_css_selector(element: Element, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        # The parser does not support this selector.
        return False
