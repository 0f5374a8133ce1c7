"""What the page's own style sheets hide of it. Pure.

A rule that shows an element again wins as it does in a browser, also one for screens of a usual
width. What a page fetches from elsewhere is not seen.
"""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final, TypeAlias

from turbohtml import Document, Element

from .css_rules import NAMES, CssRule, Weight, parse_css_rules, rule_specificity

# More than nearly any page has; the rest is not looked at.
_MAX_CSS_CHARS: Final = 300_000
_MAX_MATCHES: Final = 2_000
# The parser looks for each name at every element. More than these are found faster by hand.
_MAX_SELECTED_NAMES: Final = 5
# By which the same rules hold for elements: tag, classes, id.
_Likeness: TypeAlias = tuple[str, str | None, str | None]


class Sheets:
    """What the style sheets of one page say of its elements."""

    def __init__(self, document: Document, hides: Callable[[str], bool]) -> None:
        """Read the sheets, which are still in the document, for whatever ``hides`` says hides."""
        css = "".join(_text(each) for each in document.find_all("style"))
        self._rules = parse_css_rules(css[:_MAX_CSS_CHARS], hides)
        self._matches = _MAX_MATCHES
        hiding = self._rules.hiding
        self.is_all = not hiding or document.select_one("link[rel~=stylesheet]") is None

    def declared(self, document: Document) -> Iterator[tuple[Element, str]]:
        """Yield each element that rules hide and none shows again, with what these declare."""
        known: dict[_Likeness, list[CssRule]] = {}
        for element in _named(document, self._rules.hiding):
            likeness = _likeness(element)
            if likeness not in known:
                known[likeness] = self._holding(set(_names(*likeness)))
            holding = known[likeness]
            if holding and not self._is_shown(element, holding[-1]):
                yield element, ";".join(rule.declared for rule in holding)

    def _holding(self, names: set[str]) -> list[CssRule]:
        """Return the rules that hide what has all these names."""
        rules = (rule for name in names for rule in self._rules.hiding.get(name, ()))
        # In the order in which they count: that of a set is another one in each process.
        return sorted((rule for rule in rules if _holds(rule, names)), key=_rank)

    def paints(self, element: Element) -> bool:
        """Tell whether a rule may put something behind an element."""
        return not self._rules.painted.isdisjoint((*_names(*_likeness(element)), "*"))

    def _is_shown(self, element: Element, hiding: CssRule) -> bool:
        """Tell whether a rule that weighs more shows the element, at least after a click."""
        for name in _names(*_likeness(element)):
            for selector, written, standing in self._rules.showing.get(name, ()):
                self._matches -= 1
                if self._matches < 0:
                    return False
                weight = rule_specificity(written, standing)
                if weight > hiding.weight and _matches(element, selector):
                    return True
        return False


def _text(sheet: Element) -> str:
    """Return the text of a sheet, inside the condition that its element names."""
    media = (sheet.attr("media") or "").strip()
    return f"@media {media}{{{sheet.text}}}" if media else sheet.text


def _named(document: Document, names: Collection[str]) -> list[Element]:
    """Return the elements that have one of these names."""
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


def _likeness(element: Element) -> _Likeness:
    return element.tag, element.attr("class"), element.attr("id")


def _names(tag: str, classes: str | None, identity: str | None) -> list[str]:
    own = [f"#{identity}"] if identity else []
    return [*own, *(f".{name}" for name in (classes or "").split()), tag]


def _holds(rule: CssRule, names: set[str]) -> bool:
    tag = rule.selector.partition("#")[0].partition(".")[0].lower()
    return (not tag or tag in names) and names.issuperset(NAMES.findall(rule.selector))


def _rank(rule: CssRule) -> tuple[Weight, str]:
    return rule.weight, rule.selector


def _matches(element: Element, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        # Not a selector that the parser knows.
        return False
