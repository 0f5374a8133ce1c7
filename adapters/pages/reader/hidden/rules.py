"""The rules of style sheets, as far as they hide or show something: simple selectors. Pure.

Only rules that always hold hide: ``@media`` with a condition may be for paper or for phones. Every
step is linear in the length of the sheets, whatever is in them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from .screens import holds_on_a_screen

_MOST_HIDING: Final = 2_000
_MOST_SHOWING: Final = 2_000
_TEXTS: Final = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_ALWAYS: Final = re.compile(r"@(?:layer\b.*|media\s+(?:only\s+)?(?:all|screen))", re.IGNORECASE)
# A tag, classes and an id, and nothing around them.
_SIMPLE: Final = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)*", re.IGNORECASE)
NAMES: Final = re.compile(r"[.#][\w-]+")
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
Weight = tuple[bool, int, int, int, int]


class Rule(NamedTuple):
    """A selector with what is declared for it, and how much it weighs against others."""

    selector: str
    declared: str
    weight: Weight


_NONE, _SCREEN, _OTHER = range(3)


class _Block(NamedTuple):
    head: str
    text: str
    # Where it ends in the sheet, which is also its place among the others.
    end: int
    important: bool
    # False for one that holds only on screens of a usual width.
    always: bool


class Showing(NamedTuple):
    """A selector without states such as ``:hover``, as it is written, and where.

    What it weighs is asked of few.
    """

    selector: str
    written: str
    block: _Block


class Rules:
    """The rules of the sheets of a page, each by a name that whatever they are for has."""

    def __init__(self, css: str, hides: Callable[[str], bool]) -> None:
        plain = _plain(css)
        marked = _marked(plain) if plain else set()
        self._screened = list(_blocks(plain)) if marked else []
        self._always = [block for block in self._screened if block.always]
        self.hiding: dict[str, list[Rule]] = defaultdict(list)
        for rule in _hiding(self._always, marked, hides):
            self.hiding[_rarest(rule.selector)].append(rule)

    @cached_property
    def showing(self) -> dict[str, list[Showing]]:
        """What shows something, at least after a click."""
        return _by_subject(_showing(self._screened))

    @cached_property
    def painted(self) -> frozenset[str]:
        """Whatever has something put behind it."""
        return _painted(self._always)


# The pages of one site have the same sheets.
@lru_cache(maxsize=8)
def rules_of(css: str, hides: Callable[[str], bool]) -> Rules:
    """Return the rules of the sheets of a page, for whatever ``hides`` says hides."""
    return Rules(css, hides)


def _plain(css: str) -> str:
    """Return a sheet without comments, texts with braces in them, and needless blanks."""
    first, *rest = css.split("/*")
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
    weights: dict[str, Weight] = {}
    for block in blocks if declared else ():
        if "," not in block.head and block.head not in declared:
            continue
        known = [selector for selector in _selectors(block) if selector in declared]
        properties = _declarations(block.text) if known else {}
        for selector in known:
            declared[selector] |= properties
            weights[selector] = weigh(selector, block)
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


def _by_subject(rules: Iterable[Showing]) -> dict[str, list[Showing]]:
    """Return the rules by a name that whatever they are for has."""
    found: dict[str, list[Showing]] = defaultdict(list)
    for rule in rules:
        found[_rarest(_COMBINED.split(rule.selector)[-1])].append(rule)
    return found


def _showing(blocks: list[_Block]) -> Iterator[Showing]:
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
                yield Showing(plain, selector, block)


def _painted(blocks: list[_Block]) -> frozenset[str]:
    subjects = (
        _COMBINED.split(_PSEUDO.sub("", selector).strip())[-1]
        for block in blocks
        if "background" in block.text
        for selector in _selectors(block)
    )
    return frozenset(_rarest(subject) for subject in subjects if subject)


def weigh(selector: str, block: _Block) -> Weight:
    """Return how much a rule weighs against others, the heaviest last when sorted."""
    names = NAMES.findall(selector)
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
    names: list[str] = NAMES.findall(selector)
    ids = [name for name in names if name[0] == "#"]
    return (ids or names or [selector.lower()])[0]
