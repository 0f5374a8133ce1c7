"""The rules of style sheets, as far as they hide or show something: simple selectors. Pure.

Only rules that always hold hide: ``@media`` with a condition may be for paper or for phones. Every
step is linear in the length of the sheets, whatever is in them.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

from .css_blocks import Block, parse_css_blocks, split_selectors

_MAX_HIDING_RULES: Final = 2_000
_MAX_SHOWING_RULES: Final = 2_000
# A tag, classes and an id, and nothing around them.
_SIMPLE: Final = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)*", re.IGNORECASE)
NAMES: Final = re.compile(r"[.#][\w-]+")
_TAGS: Final = re.compile(r"(?:^|[\s>+~])[a-z][a-z0-9-]*", re.IGNORECASE)
_PSEUDO: Final = re.compile(r"::?[a-z-]+(?:\([^()]*\))?", re.IGNORECASE)
_COMBINED: Final = re.compile(r"[\s>+~]+")
SHOWN: Final = re.compile(
    r":(?:visible(?<=visibility:visible)|(?<=display:)(?<![\w-]display:)(?!none)\w)", re.IGNORECASE
)
_PROPERTIES: Final = frozenset({
    "background", "background-clip", "background-color", "bottom", "clip", "clip-path", "color",
    "display", "font-size", "height", "left", "max-height", "max-width", "opacity", "overflow",
    "overflow-x", "overflow-y", "right", "text-indent", "top", "transform", "visibility", "width",
    "-webkit-background-clip",
})  # fmt: skip
_MAX_SELECTOR_CHARS: Final = 200
Weight = tuple[bool, int, int, int, int]


class CssRule(NamedTuple):
    """A selector with what is declared for it, and how much it weighs against others."""

    selector: str
    declared: str
    weight: Weight


# Whether a block says that it is important, and its place among the others.
Standing: TypeAlias = tuple[bool, int]
# A selector without states such as ``:hover``, as it is written, and where: few are weighed.
Showing: TypeAlias = tuple[str, str, Standing]


class CssRules:
    """The rules of the sheets of a page, each by a name that whatever they are for has."""

    def __init__(self, css: str, hides: Callable[[str], bool]) -> None:
        self._blocks = parse_css_blocks(css)
        self.hiding: dict[str, list[CssRule]] = defaultdict(list)
        for rule in _hiding(self._blocks.always, hides):
            self.hiding[_rarest(rule.selector)].append(rule)

    @cached_property
    def showing(self) -> dict[str, list[Showing]]:
        """What shows something, at least after a click."""
        return _showing(self._blocks.screened)

    @cached_property
    def painted(self) -> frozenset[str]:
        """Whatever has something put behind it."""
        return _painted(self._blocks.always)


# The pages of one site have the same sheets.
@lru_cache(maxsize=8)
def parse_css_rules(css: str, hides: Callable[[str], bool]) -> CssRules:
    """Return the rules of the sheets of a page, for whatever ``hides`` says hides."""
    return CssRules(css, hides)


def _hiding(blocks: list[Block], hides: Callable[[str], bool]) -> list[CssRule]:
    """Return the simple selectors that anything hiding is declared for, with all of it.

    Of one property, what comes last counts.
    """
    declared: dict[str, dict[str, str]] = {
        selector: {}
        for head, text, _ in blocks
        if hides(text)
        for selector in split_selectors(head)
        if _is_simple(selector)
    }
    latest: dict[str, Standing] = {}
    for head, text, place in blocks if declared else ():
        if "," not in head and head not in declared:
            continue
        known = [selector for selector in split_selectors(head) if selector in declared]
        properties = _declarations(text) if known else {}
        standing = _is_important(text), place
        for selector in known:
            declared[selector] |= properties
            latest[selector] = standing
    spelled = ((selector, _spelled(each)) for selector, each in declared.items())
    hiding = (each for each in spelled if hides(each[1]))
    return [
        CssRule(selector, text, rule_specificity(selector, latest[selector]))
        for selector, text in itertools.islice(hiding, _MAX_HIDING_RULES)
    ]


def _showing(blocks: list[Block]) -> dict[str, list[Showing]]:
    """Return the rules that show something, by a name that whatever they are for has."""
    found: dict[str, list[Showing]] = defaultdict(list)
    count = 0
    for head, text, place in blocks:
        if not _shows(text):
            continue
        standing = _is_important(text), place
        for written in split_selectors(head):
            selector = _stateless(" ".join(written.split()))
            if 0 < len(selector) <= _MAX_SELECTOR_CHARS and count < _MAX_SHOWING_RULES:
                count += 1
                found[_rarest(_subject(selector))].append((selector, written, standing))
    return found


def _shows(text: str) -> bool:
    return ("display:" in text or "visibility:" in text) and SHOWN.search(text) is not None


def _stateless(selector: str) -> str:
    return _PSEUDO.sub("", selector).strip() if ":" in selector else selector


def _subject(selector: str) -> str:
    return _COMBINED.split(selector)[-1]


def _painted(blocks: list[Block]) -> frozenset[str]:
    subjects = (
        _subject(_stateless(selector))
        for head, text, _ in blocks
        if "background" in text
        for selector in split_selectors(head)
    )
    return frozenset(_rarest(subject) for subject in subjects if subject)


def rule_specificity(selector: str, standing: Standing) -> Weight:
    """Return how much a rule weighs against others, the heaviest last when sorted."""
    names = NAMES.findall(selector)
    ids = sum(name[0] == "#" for name in names)
    classes = len(names) - ids + selector.count(":") + selector.count("[")
    important, place = standing
    return important, ids, classes, len(_TAGS.findall(selector)), place


def _is_important(text: str) -> bool:
    return "!important" in text


def _declarations(text: str) -> dict[str, str]:
    """Return the properties that can hide, with their values; of one twice, the last."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    named = ((name.strip().lower(), value) for name, _, value in pairs)
    return {name: " ".join(value.split()) for name, value in named if name in _PROPERTIES}


def _spelled(declared: Mapping[str, str]) -> str:
    return ";".join(f"{name}:{value}" for name, value in declared.items())


def _is_simple(selector: str) -> bool:
    return 0 < len(selector) <= _MAX_SELECTOR_CHARS and _SIMPLE.fullmatch(selector) is not None


def _rarest(selector: str) -> str:
    """Return the name by which a selector is found: an id, else a class, else the tag."""
    names: list[str] = NAMES.findall(selector)
    ids = [name for name in names if name[0] == "#"] if "#" in selector else []
    return (ids or names or [selector.lower()])[0]
