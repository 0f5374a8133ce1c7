"""What the page's own style sheets hide of it. Pure.

A rule that shows an element again wins as it does in a browser, also one for screens of a usual
width. What a page fetches from elsewhere is not seen.
"""

from collections.abc import Callable, Iterator
from typing import Final

from turbohtml import Document, Element

from .rules import NAMES, Rule, Weight, rules_of, weigh

# More than nearly any page has; the rest is not looked at.
_MOST_CHARACTERS: Final = 300_000
_MOST_MATCHES: Final = 2_000
# So many names are found faster by the parser than by looking at every element.
_FEW: Final = 30


class Sheets:
    """What the style sheets of one page say of its elements."""

    def __init__(self, document: Document, hides: Callable[[str], bool]) -> None:
        """Read the sheets, which are still in the document, for whatever ``hides`` says hides."""
        css = "".join(_text(each) for each in document.find_all("style"))
        self._rules = rules_of(css[:_MOST_CHARACTERS], hides)
        self._matches = _MOST_MATCHES
        hiding = self._rules.hiding
        self.is_all = not hiding or document.select_one("link[rel~=stylesheet]") is None

    def declared(self, document: Document) -> Iterator[tuple[Element, str]]:
        """Yield each element that rules hide and none shows again, with what these declare."""
        hiding = self._rules.hiding
        for element in document.select(self._selector()) if hiding else ():
            names = set(_names(element))
            rules = (rule for name in names for rule in hiding.get(name, ()))
            # In the order in which they count: that of a set is another one in each process.
            holding = sorted((rule for rule in rules if _holds(rule, names)), key=_rank)
            if holding and not self._is_shown(element, holding[-1]):
                yield element, ";".join(rule.declared for rule in holding)

    def paints(self, element: Element) -> bool:
        """Tell whether a rule may put something behind an element."""
        return not self._rules.painted.isdisjoint((*_names(element), "*"))

    def _selector(self) -> str:
        """Return what finds the elements to look at: few names, or whoever has any."""
        hiding = self._rules.hiding
        if len(hiding) <= _FEW:
            return ", ".join(hiding)
        return ", ".join(("[class]", "[id]", *(name for name in hiding if name[0].isalpha())))

    def _is_shown(self, element: Element, hiding: Rule) -> bool:
        """Tell whether a rule that weighs more shows the element, at least after a click."""
        for name in _names(element):
            for rule in self._rules.showing.get(name, ()):
                self._matches -= 1
                if self._matches < 0:
                    return False
                weight = weigh(rule.written, rule.block)
                if weight > hiding.weight and _matches(element, rule.selector):
                    return True
        return False


def _text(sheet: Element) -> str:
    """Return the text of a sheet, inside the condition that its element names."""
    media = (sheet.attr("media") or "").strip()
    return f"@media {media}{{{sheet.text}}}" if media else sheet.text


def _names(element: Element) -> list[str]:
    classes = (element.attr("class") or "").split()
    identity = element.attr("id")
    own = [f"#{identity}"] if identity else []
    return [*own, *(f".{name}" for name in classes), element.tag]


def _holds(rule: Rule, names: set[str]) -> bool:
    tag = rule.selector.partition("#")[0].partition(".")[0].lower()
    return (not tag or tag in names) and names.issuperset(NAMES.findall(rule.selector))


def _rank(rule: Rule) -> tuple[Weight, str]:
    return rule.weight, rule.selector


def _matches(element: Element, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        # Not a selector that the parser knows.
        return False
