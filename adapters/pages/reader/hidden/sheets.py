"""The page's own style sheets, as far as they hide text: rules with simple selectors. Pure.

Only rules that always hold hide: ``@media`` with a condition may be for paper or for phones. A
rule that shows an element again wins as it does in a browser, also one for screens of a usual
width. What a page fetches from elsewhere is not seen. Every step is linear in the length of the
sheets, whatever is in them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from turbohtml import Document, Element

from .screens import holds_on_a_screen

# More than nearly any page has; the rest is not looked at.
_MOST_CHARACTERS: Final = 300_000
_MOST_HIDING: Final = 2_000
_MOST_SHOWING: Final = 2_000
_MOST_MATCHES: Final = 2_000
# So many names are found faster by the parser than by looking at every element.
_FEW: Final = 30
_TEXTS: Final = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_ALWAYS: Final = re.compile(r"@(?:layer\b.*|media\s+(?:only\s+)?(?:all|screen))", re.IGNORECASE)
# A tag, classes and an id, and nothing around them.
_SIMPLE: Final = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)*", re.IGNORECASE)
_NAMES: Final = re.compile(r"[.#][\w-]+")
_TAGS: Final = re.compile(r"(?:^|[\s>+~])[a-z][a-z0-9-]*", re.IGNORECASE)
_PSEUDO: Final = re.compile(r"::?[a-z-]+(?:\([^()]*\))?", re.IGNORECASE)
_COMBINED: Final = re.compile(r"[\s>+~]+")
SHOWN: Final = re.compile(
    r"(?<![\w-])display\s*:\s*(?!none)\w|visibility\s*:\s*visible", re.IGNORECASE
)
# One of these is in whatever may hide; to look for them in a whole sheet costs next to nothing.
_MARKS: Final = (
    "display:none", "visibility:hidden", "opacity:0", "font-size:0", "font-size:.0",
    "font-size:1px", "text-indent:-", "left:-", "right:-", "top:-", "bottom:-", "left:9", "top:9",
    "0000px", "translate", "scale(", "clip:", "clip-path:", "height:0", "width:0", "color:#f",
    "color:white", "color:snow", "color:ivory", "color:ghostwhite", "color:rgb",
    "color:transparent",
)  # fmt: skip
_PROPERTIES: Final = frozenset({
    "background", "background-clip", "background-color", "bottom", "clip", "clip-path", "color",
    "display", "font-size", "height", "left", "max-height", "max-width", "opacity", "overflow",
    "overflow-x", "overflow-y", "right", "text-indent", "top", "transform", "visibility", "width",
    "-webkit-background-clip",
})  # fmt: skip
_LONGEST_SELECTOR: Final = 200
_Weight = tuple[bool, int, int, int, int]


class Rule(NamedTuple):
    """A selector with what is declared for it, and how much it weighs against others."""

    selector: str
    declared: str
    weight: _Weight


class _Showing(NamedTuple):
    """A selector without states such as ``:hover``, as it is written, and where.

    What it weighs is asked of few.
    """

    selector: str
    written: str
    block: "_Block"


class Sheets:
    """What the style sheets of one page say of its elements."""

    def __init__(self, document: Document, hides: Callable[[str], bool]) -> None:
        """Read the sheets, which are still in the document, for whatever ``hides`` says hides."""
        css = _plain("".join(_text(each) for each in document.find_all("style")))
        marked = _marked(css) if css else set()
        every = list(_blocks(css)) if marked else []
        self._blocks = [block for block in every if block.always]
        self._screened = every
        self._hiding: dict[str, list[Rule]] = defaultdict(list)
        for rule in _hiding(self._blocks, marked, hides):
            self._hiding[_rarest(rule.selector)].append(rule)
        self._showing: dict[str, list[_Showing]] | None = None
        self._matches = _MOST_MATCHES
        self._painted: frozenset[str] | None = None
        self.is_all = not self._hiding or document.select_one("link[rel~=stylesheet]") is None

    def declared(self, document: Document) -> Iterator[tuple[Element, str]]:
        """Yield each element that rules hide and none shows again, with what these declare."""
        for element in document.select(self._selector()) if self._hiding else ():
            names = set(_names(element))
            rules = (rule for name in names for rule in self._hiding.get(name, ()))
            # In the order in which they count: that of a set is another one in each process.
            holding = sorted((rule for rule in rules if _holds(rule, names)), key=_rank)
            if holding and not self._is_shown(element, holding[-1]):
                yield element, ";".join(rule.declared for rule in holding)

    def paints(self, element: Element) -> bool:
        """Tell whether a rule may put something behind an element."""
        if self._painted is None:
            self._painted = _painted(self._blocks)
        return not self._painted.isdisjoint((*_names(element), "*"))

    def _selector(self) -> str:
        """Return what finds the elements to look at: few names, or whoever has any."""
        if len(self._hiding) <= _FEW:
            return ", ".join(self._hiding)
        return ", ".join(("[class]", "[id]", *(name for name in self._hiding if name[0].isalpha())))

    def _is_shown(self, element: Element, hiding: Rule) -> bool:
        """Tell whether a rule that weighs more shows the element, at least after a click."""
        if self._showing is None:
            self._showing = _by_subject(_showing(self._screened))
        for name in _names(element):
            for rule in self._showing.get(name, ()):
                self._matches -= 1
                if self._matches < 0:
                    return False
                weight = _weigh(rule.written, rule.block)
                if weight > hiding.weight and _matches(element, rule.selector):
                    return True
        return False


def _text(sheet: Element) -> str:
    """Return the text of a sheet, inside the condition that its element names."""
    media = (sheet.attr("media") or "").strip()
    return f"@media {media}{{{sheet.text}}}" if media else sheet.text


_NONE, _SCREEN, _OTHER = range(3)


class _Block(NamedTuple):
    head: str
    text: str
    # Where it ends in the sheet, which is also its place among the others.
    end: int
    important: bool
    # False for one that holds only on screens of a usual width.
    always: bool


def _plain(css: str) -> str:
    """Return a sheet without comments, texts with braces in them, and needless blanks."""
    first, *rest = css[:_MOST_CHARACTERS].split("/*")
    bare = first + "".join(part.partition("*/")[2] for part in rest)
    bare = " ".join(bare.split()).replace(" :", ":").replace(": ", ":")
    bare = bare.replace("{ ", "{").replace("; ", ";")
    torn = any(
        part.count('"') % 2 or part.count("'") % 2 or ('"' in part and part.count("{") > 1)
        for part in bare.split("}")
        if '"' in part or "'" in part
    )
    return _TEXTS.sub('""', bare) if torn else bare


def _blocks(css: str) -> Iterator[_Block]:
    """Yield the innermost blocks that always hold, or on a usual screen."""
    # What each block that is open depends on, and how many on a screen, or on anything else.
    open_blocks: list[int] = []
    counts = [0, 0, 0]
    end = 0
    for piece in css.split("}"):
        end += len(piece) + 1
        *heads, text = piece.split("{")
        if not heads:
            if open_blocks:
                counts[open_blocks.pop()] -= 1
            continue
        for head in heads[:-1]:
            open_blocks.append(_condition(_last(head)))
            counts[open_blocks[-1]] += 1
        if not counts[_OTHER]:
            important = "!important" in text
            yield _Block(_last(heads[-1]), text, end, important, not counts[_SCREEN])


def _condition(head: str) -> int:
    if _ALWAYS.fullmatch(head) is not None:
        return _NONE
    return _SCREEN if holds_on_a_screen(head) else _OTHER


def _last(head: str) -> str:
    return head.rpartition(";")[2].strip()


def _marked(css: str) -> set[int]:
    """Return the ends of the blocks of a sheet in which something may be that hides."""
    lowered = css.lower()
    ends = {0} if ";color:" in lowered or "{color:" in lowered else set()
    for mark in _MARKS:
        at = lowered.find(mark)
        while at >= 0:
            # One in a block is enough.
            end = lowered.find("}", at)
            ends.add(end + 1)
            at = lowered.find(mark, end) if end >= 0 else -1
    return ends


def _hiding(blocks: list[_Block], marked: set[int], hides: Callable[[str], bool]) -> list[Rule]:
    """Return the simple selectors that anything hiding is declared for, with all of it.

    Of one property, what comes last counts.
    """
    declared: dict[str, dict[str, str]] = {
        selector: {}
        for block in blocks
        if block.end in marked or _is_coloured(block.text)
        for selector in _simple_ones(block, hides)
    }
    weights: dict[str, _Weight] = {}
    for block in blocks if declared else ():
        if "," not in block.head and block.head not in declared:
            continue
        known = [selector for selector in _selectors(block) if selector in declared]
        properties = _declarations(block.text) if known else {}
        for selector in known:
            declared[selector] |= properties
            weights[selector] = _weigh(selector, block)
    rules = (Rule(each, _spelled(declared[each]), weights[each]) for each in declared)
    return [rule for rule in rules if hides(rule.declared)][:_MOST_HIDING]


def _simple_ones(block: _Block, hides: Callable[[str], bool]) -> list[str]:
    simple = [each for each in _selectors(block) if _is_simple(each)]
    return simple if simple and hides(block.text) else []


def _is_coloured(text: str) -> bool:
    """Tell whether a block says both what a text is like and what is behind it."""
    return "background" in text and (";color:" in text or text.startswith("color:"))


def _selectors(block: _Block) -> list[str]:
    return [selector.strip() for selector in block.head.split(",")]


def _by_subject(rules: Iterable[_Showing]) -> dict[str, list[_Showing]]:
    """Return the rules by a name that whatever they are for has."""
    found: dict[str, list[_Showing]] = defaultdict(list)
    for rule in rules:
        found[_rarest(_COMBINED.split(rule.selector)[-1])].append(rule)
    return found


def _showing(blocks: list[_Block]) -> Iterator[_Showing]:
    """Yield the rules that show something under a condition, without states such as ``:hover``."""
    count = 0
    for block in blocks:
        if "display:" not in block.text and "visibility:" not in block.text:
            continue
        if not SHOWN.search(block.text):
            continue
        for selector in _selectors(block):
            plain = _PSEUDO.sub("", selector).strip()
            if plain and len(plain) <= _LONGEST_SELECTOR and count < _MOST_SHOWING:
                count += 1
                yield _Showing(plain, selector, block)


def _painted(blocks: list[_Block]) -> frozenset[str]:
    subjects = (
        _COMBINED.split(_PSEUDO.sub("", selector).strip())[-1]
        for block in blocks
        if "background" in block.text
        for selector in _selectors(block)
    )
    return frozenset(_rarest(subject) for subject in subjects if subject)


def _weigh(selector: str, block: _Block) -> _Weight:
    names = _NAMES.findall(selector)
    ids = sum(name[0] == "#" for name in names)
    classes = len(names) - ids + selector.count(":") + selector.count("[")
    return block.important, ids, classes, len(_TAGS.findall(selector)), block.end


def _declarations(text: str) -> dict[str, str]:
    """Return the properties that can hide, with their values; of one twice, the last."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    named = ((name.strip().lower(), value.strip()) for name, _, value in pairs)
    return {name: value for name, value in named if name in _PROPERTIES}


def _spelled(declared: Mapping[str, str]) -> str:
    return ";".join(f"{name}:{value}" for name, value in declared.items())


def _is_simple(selector: str) -> bool:
    return 0 < len(selector) <= _LONGEST_SELECTOR and _SIMPLE.fullmatch(selector) is not None


def _rarest(selector: str) -> str:
    """Return the name by which a selector is found: an id, else a class, else the tag."""
    names: list[str] = _NAMES.findall(selector)
    ids = [name for name in names if name[0] == "#"]
    return (ids or names or [selector.lower()])[0]


def _names(element: Element) -> list[str]:
    classes = (element.attr("class") or "").split()
    identity = element.attr("id")
    own = [f"#{identity}"] if identity else []
    return [*own, *(f".{name}" for name in classes), element.tag]


def _holds(rule: Rule, names: set[str]) -> bool:
    tag = rule.selector.partition("#")[0].partition(".")[0].lower()
    return (not tag or tag in names) and names.issuperset(_NAMES.findall(rule.selector))


def _rank(rule: Rule) -> tuple[_Weight, str]:
    return rule.weight, rule.selector


def _matches(element: Element, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        # Not a selector that the parser knows.
        return False
