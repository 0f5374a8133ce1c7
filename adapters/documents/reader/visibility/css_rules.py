"""Find the rules of style sheets that hide or show elements, by simple selectors. Pure.

Only unconditional rules can hide: ``@media`` with a condition may be for print or phones. Every
step is linear in the length of the sheets.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

from .css_blocks import Block, parse_css_blocks, split_css_selectors

_MAX_HIDING_RULES: Final = 2_000
_MAX_SHOWING_RULES: Final = 2_000
# A tag, classes and an id, without combinators.
_SIMPLE_PATTERN: Final = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)*", re.IGNORECASE)
CSS_NAME_PATTERN: Final = re.compile(r"[.#][\w-]+")
_CSS_TAG_PATTERN: Final = re.compile(r"(?:^|[\s>+~])[a-z][a-z0-9-]*", re.IGNORECASE)
_PSEUDO_PATTERN: Final = re.compile(r"::?[a-z-]+(?:\([^()]*\))?", re.IGNORECASE)
_COMBINATOR_PATTERN: Final = re.compile(r"[\s>+~]+")
SHOWN_PATTERN: Final = re.compile(
    r":(?:visible(?<=visibility:visible)|(?<=display:)(?<![\w-]display:)(?!none)\w)", re.IGNORECASE
)
SIZE_PATTERN: Final = re.compile(r"(?<![\w-])font(?:-size)?:([^;]{0,80})", re.IGNORECASE)
_HIDING_NAMES: Final = frozenset({
    "background", "background-clip", "background-color", "bottom", "clip", "clip-path", "color",
    "display", "font-size", "height", "left", "max-height", "max-width", "opacity", "overflow",
    "overflow-x", "overflow-y", "right", "text-indent", "top", "transform", "visibility", "width",
    "-webkit-background-clip",
})  # fmt: skip
_MAX_SELECTOR_CHARS: Final = 200
Weight = tuple[bool, int, int, int, int]


class CssRule(NamedTuple):
    """A selector, its declarations, and its specificity."""

    selector: str
    declared: str
    weight: Weight


# Whether a block is important, and its position.
Standing: TypeAlias = tuple[bool, int]
# A selector without states such as ``:hover``, the selector as written, its standing and its
# declarations; the specificity is computed later, because few are compared.
Showing: TypeAlias = tuple[str, str, Standing, str]


class CssRules:
    """The rules of a page's sheets, by an id, class or tag of the elements they apply to."""

    def __init__(self, css: str, hides: Callable[[str], bool]) -> None:
        self._blocks = parse_css_blocks(css)
        self.hiding: dict[str, list[CssRule]] = defaultdict(list)
        for rule in _hiding_css_rules(self._blocks.always, hides):
            self.hiding[_rarest_css_name(rule.selector)].append(rule)

    @cached_property
    def showing(self) -> dict[str, list[Showing]]:
        """Rules that show elements, at least after a click."""
        return _css_rules_with(self._blocks.screened, SHOWN_PATTERN)

    @cached_property
    def sizing(self) -> dict[str, list[Showing]]:
        """Rules that give text a size."""
        return _css_rules_with(self._blocks.screened, SIZE_PATTERN)

    @cached_property
    def painted(self) -> frozenset[str]:
        """Names of elements with a background."""
        return _css_painted_names(self._blocks.always)


# Pages of one site share their sheets.
@lru_cache(maxsize=8)
def parse_css_rules(css: str, hides: Callable[[str], bool]) -> CssRules:
    """Return the rules of a page's sheets; ``hides`` tells whether declarations hide."""
    return CssRules(css, hides)


def _hiding_css_rules(blocks: list[Block], hides: Callable[[str], bool]) -> list[CssRule]:
    """Return the simple selectors with hiding declarations, with all of their declarations.

    The last value of a property counts.
    """
    declared: dict[str, dict[str, str]] = {
        selector: {}
        for head, text, _ in blocks
        if hides(text)
        for selector in split_css_selectors(head)
        if _is_simple_selector(selector)
    }
    latest: dict[str, Standing] = {}
    for head, text, position in blocks if declared else ():
        if "," not in head and head not in declared:
            continue
        matching = [selector for selector in split_css_selectors(head) if selector in declared]
        properties = _hiding_css_declarations(text) if matching else {}
        standing = "!important" in text, position
        for selector in matching:
            declared[selector] |= properties
            latest[selector] = standing
    texts = {
        selector: ";".join(f"{name}:{value}" for name, value in properties.items())
        for selector, properties in declared.items()
    }
    hiding = ((selector, text) for selector, text in texts.items() if hides(text))
    return [
        CssRule(selector, text, css_specificity(selector, latest[selector]))
        for selector, text in itertools.islice(hiding, _MAX_HIDING_RULES)
    ]


def _css_rules_with(blocks: list[Block], pattern: re.Pattern[str]) -> dict[str, list[Showing]]:
    """Return the rules that declare a pattern, by an id, class or tag of their elements."""
    rules: dict[str, list[Showing]] = defaultdict(list)
    count = 0
    for head, text, position in blocks:
        if pattern.search(text) is None:
            continue
        standing = "!important" in text, position
        for written in split_css_selectors(head):
            selector = _drop_pseudo_classes(" ".join(written.split()))
            if 0 < len(selector) <= _MAX_SELECTOR_CHARS and count < _MAX_SHOWING_RULES:
                count += 1
                rules[_rarest_css_name(_css_subject(selector))].append(
                    (selector, written, standing, text)
                )
    return rules


def _drop_pseudo_classes(selector: str) -> str:
    return _PSEUDO_PATTERN.sub("", selector).strip() if ":" in selector else selector


def _css_subject(selector: str) -> str:
    return _COMBINATOR_PATTERN.split(selector)[-1]


def _css_painted_names(blocks: list[Block]) -> frozenset[str]:
    subjects = (
        _css_subject(_drop_pseudo_classes(selector))
        for head, text, _ in blocks
        if "background" in text
        for selector in split_css_selectors(head)
    )
    return frozenset(_rarest_css_name(subject) for subject in subjects if subject)


def css_specificity(selector: str, standing: Standing) -> Weight:
    """Return a rule's specificity; the strongest rule is last when sorted."""
    names = CSS_NAME_PATTERN.findall(selector)
    ids = sum(name[0] == "#" for name in names)
    classes = len(names) - ids + selector.count(":") + selector.count("[")
    important, position = standing
    return important, ids, classes, len(_CSS_TAG_PATTERN.findall(selector)), position


def _hiding_css_declarations(text: str) -> dict[str, str]:
    """Return the properties that can hide, with their last values."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    properties = ((name.strip().lower(), value) for name, _, value in pairs)
    return {name: " ".join(value.split()) for name, value in properties if name in _HIDING_NAMES}


def _is_simple_selector(selector: str) -> bool:
    return (
        0 < len(selector) <= _MAX_SELECTOR_CHARS and _SIMPLE_PATTERN.fullmatch(selector) is not None
    )


def _rarest_css_name(selector: str) -> str:
    """Return the name to look a selector up by: an id, or else a class, or else the tag."""
    names: list[str] = CSS_NAME_PATTERN.findall(selector)
    ids = [name for name in names if name[0] == "#"] if "#" in selector else []
    return (ids or names or [selector.lower()])[0]
