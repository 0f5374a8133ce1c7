"""Find the rules of style sheets that hide or show elements, by simple selectors. Pure.

Only unconditional rules can hide: ``@media`` with a condition may be for print or phones; rules
that apply on a desktop screen can show. Every step is linear in the length of the sheets.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import Final, NamedTuple, TypeAlias

# A common width of a desktop window.
_SCREEN_WIDTH_PIXELS: Final = 1_280.0
_UNIT_PIXELS: Final = {"px": 1.0, "em": 16.0, "rem": 16.0}
_MEDIA_PATTERN: Final = re.compile(r"@media\b(.{1,400})", re.IGNORECASE)
_WIDTH_BOUND_PATTERN: Final = re.compile(
    r"\(\s*(?:(min|max)-width\s*:|width\s*([<>])=?)\s*(\d{1,6}(?:\.\d{1,6})?)(px|r?em)\s*\)",
    re.IGNORECASE,
)
_MEDIA_FILLER_PATTERN: Final = re.compile(r"(?:\s|\b(?:only|all|screen|and)\b)*", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def is_desktop_screen_rule(head: str) -> bool:
    """Tell whether an ``@media`` rule with only widths applies on a desktop screen.

    >>> is_desktop_screen_rule("@media (min-width:960px)"), is_desktop_screen_rule("@media print")
    (True, False)
    """
    media = _MEDIA_PATTERN.fullmatch(head)
    return media is not None and any(
        _MEDIA_FILLER_PATTERN.fullmatch(_WIDTH_BOUND_PATTERN.sub(" ", query)) is not None
        and all(map(_is_width_met, _WIDTH_BOUND_PATTERN.finditer(query)))
        for query in media[1].split(",")
    )


def _is_width_met(bound: re.Match[str]) -> bool:
    edge, sign, number, unit = bound.groups()
    spare = _SCREEN_WIDTH_PIXELS - float(number) * _UNIT_PIXELS[unit.lower()]
    return spare >= 0 if sign == ">" or (edge or "").lower() == "min" else spare <= 0


_STRING_PATTERN: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
_ALWAYS_PATTERN: Final = re.compile(
    r"@(?:layer\b.*|media\s+(?:only\s+)?(?:all|screen))", re.IGNORECASE
)
# The condition of a block, the strictest last.
_NO_CONDITION, _SCREEN_CONDITION, _OTHER_CONDITION = range(3)
# Selectors, declarations without blanks beside colons, and position. A plain tuple, because there
# are thousands and the garbage collector does not track tuples of plain values.
Block: TypeAlias = tuple[str, str, int]


def parse_css_blocks(css: str) -> tuple[list[Block], list[Block]]:
    """Return the innermost blocks that always apply, and all that apply on a desktop screen."""
    always: list[Block] = []
    screened: list[Block] = []
    # The strictest condition of each open block, from the outside in.
    conditions = [_NO_CONDITION]
    pieces = _split_pieces(css)
    for position, piece in enumerate(pieces, 1):
        head, brace, text = piece.rpartition("{")
        if not brace:
            del conditions[max(1, len(conditions) - 1) :]
            continue
        if "{" in head:
            *outer, head = head.split("{")
            conditions += accumulate(map(_block_condition, outer), max, initial=conditions.pop())
        if conditions[-1] == _OTHER_CONDITION:
            continue
        block = (_last_statement(head) if ";" in head else head.strip(), text, position)
        screened.append(block)
        # An unfinished block may show elements but never hides any.
        if conditions[-1] == _NO_CONDITION and position < len(pieces):
            always.append(block)
    return always, screened


def split_css_selectors(head: str) -> list[str]:
    """Return the selectors of a block, one by one."""
    return [selector.strip() for selector in head.split(",")]


def strip_css_blanks(style: str) -> str:
    """Return a style or a sheet without the blanks around colons.

    >>> strip_css_blanks("color : red; top: 0")
    'color:red; top:0'
    """
    return ":".join(map(str.strip, style.split(":")))


def _split_pieces(css: str) -> list[str]:
    """Return the parts between closing braces, without comments and strings with braces."""
    first, *rest = css.split("/*")
    uncommented = strip_css_blanks(first + "".join(part.partition("*/")[2] for part in rest))
    pieces = uncommented.split("}")
    if any(_has_torn_string(piece) for piece in pieces if '"' in piece or "'" in piece):
        return _STRING_PATTERN.sub('""', uncommented).split("}")
    return pieces


def _has_torn_string(piece: str) -> bool:
    quotes = piece.count('"')
    return bool(quotes % 2 or piece.count("'") % 2 or (quotes and piece.count("{") > 1))


def _block_condition(head: str) -> int:
    line = " ".join(_last_statement(head).split())
    if _ALWAYS_PATTERN.fullmatch(line) is not None:
        return _NO_CONDITION
    return _SCREEN_CONDITION if is_desktop_screen_rule(line) else _OTHER_CONDITION


def _last_statement(head: str) -> str:
    return head.rpartition(";")[2].strip()


_MAX_HIDING_RULES: Final = 2_000
_MAX_SHOWING_RULES: Final = 2_000
# A tag, classes and an id, without combinators.
_COMPOUND_SELECTOR_PATTERN: Final = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)*", re.IGNORECASE)
CSS_NAME_PATTERN: Final = re.compile(r"[.#][\w-]+")
_TAG_PATTERN: Final = re.compile(r"(?:^|[\s>+~])[a-z][a-z0-9-]*", re.IGNORECASE)
_PSEUDO_PATTERN: Final = re.compile(r"::?[a-z-]+(?:\([^()]*\))?", re.IGNORECASE)
_COMBINATOR_PATTERN: Final = re.compile(r"[\s>+~]+")
SHOWN_PATTERN: Final = re.compile(
    r":(?:visible(?<=visibility:visible)|(?<=display:)(?<![\w-]display:)(?!none)\w)", re.IGNORECASE
)
SIZE_PATTERN: Final = re.compile(r"(?<![\w-])font(?:-size)?:([^;]{0,80})", re.IGNORECASE)
_HIDING_PROPERTIES: Final = frozenset({
    "background", "background-clip", "background-color", "bottom", "clip", "clip-path", "color",
    "display", "font-size", "height", "left", "max-height", "max-width", "opacity", "overflow",
    "overflow-x", "overflow-y", "right", "text-indent", "top", "transform", "visibility", "width",
    "-webkit-background-clip",
})  # fmt: skip
_MAX_SELECTOR_CHARS: Final = 200
Specificity = tuple[bool, int, int, int, int]


class CssRule(NamedTuple):
    """A selector, its declarations, and its specificity."""

    selector: str
    declared: str
    weight: Specificity


# Whether a block is important, and its position.
Standing: TypeAlias = tuple[bool, int]
# A selector without states such as ``:hover``, the selector as written, its standing and its
# declarations; the specificity is computed later, because few are compared.
RuleParts: TypeAlias = tuple[str, str, Standing, str]


class CssRules:
    """The rules of a page's sheets, by an id, class or tag of the elements they apply to."""

    def __init__(self, css: str, hides: Callable[[str], bool]) -> None:
        self._always, self._screened = parse_css_blocks(css)
        self.hiding: dict[str, list[CssRule]] = defaultdict(list)
        for rule in _hiding_rules(self._always, hides):
            self.hiding[_rarest_name(rule.selector)].append(rule)

    @cached_property
    def showing(self) -> dict[str, list[RuleParts]]:
        """Rules that show elements, at least after a click."""
        return _rules_by_name(self._screened, SHOWN_PATTERN)

    @cached_property
    def sizing(self) -> dict[str, list[RuleParts]]:
        """Rules that give text a size."""
        return _rules_by_name(self._screened, SIZE_PATTERN)

    @cached_property
    def painted(self) -> frozenset[str]:
        """Names of elements with a background."""
        heads = (head for head, text, _ in self._always if "background" in text)
        selectors = (selector for head in heads for selector in split_css_selectors(head))
        subjects = (_subject(_drop_pseudo_classes(selector)) for selector in selectors)
        return frozenset(_rarest_name(subject) for subject in subjects if subject)


# Pages of one site share their sheets.
@lru_cache(maxsize=8)
def parse_css_rules(css: str, hides: Callable[[str], bool]) -> CssRules:
    """Return the rules of a page's sheets; ``hides`` tells whether declarations hide."""
    return CssRules(css, hides)


def _hiding_rules(blocks: list[Block], hides: Callable[[str], bool]) -> list[CssRule]:
    """Return the simple selectors with hiding declarations, with all of their declarations.

    The last value of a property counts.
    """
    declared: dict[str, dict[str, str]] = {
        selector: {}
        for head, text, _ in blocks
        if hides(text)
        for selector in split_css_selectors(head)
        if 0 < len(selector) <= _MAX_SELECTOR_CHARS
        and _COMPOUND_SELECTOR_PATTERN.fullmatch(selector)
    }
    latest: dict[str, Standing] = {}
    for head, text, position in blocks if declared else ():
        if "," not in head and head not in declared:
            continue
        matching = [selector for selector in split_css_selectors(head) if selector in declared]
        properties = _hiding_declarations(text) if matching else {}
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
        for selector, text in islice(hiding, _MAX_HIDING_RULES)
    ]


def _rules_by_name(blocks: list[Block], pattern: re.Pattern[str]) -> dict[str, list[RuleParts]]:
    """Return the rules that declare a pattern, by an id, class or tag of their elements."""
    rules: dict[str, list[RuleParts]] = defaultdict(list)
    count = 0
    for head, text, position in blocks:
        if pattern.search(text) is None:
            continue
        standing = "!important" in text, position
        for written in split_css_selectors(head):
            selector = _drop_pseudo_classes(" ".join(written.split()))
            if 0 < len(selector) <= _MAX_SELECTOR_CHARS and count < _MAX_SHOWING_RULES:
                count += 1
                rules[_rarest_name(_subject(selector))].append((selector, written, standing, text))
    return rules


def _drop_pseudo_classes(selector: str) -> str:
    return _PSEUDO_PATTERN.sub("", selector).strip() if ":" in selector else selector


def _subject(selector: str) -> str:
    return _COMBINATOR_PATTERN.split(selector)[-1]


def css_specificity(selector: str, standing: Standing) -> Specificity:
    """Return a rule's specificity; the strongest rule is last when sorted."""
    names = CSS_NAME_PATTERN.findall(selector)
    ids = sum(name[0] == "#" for name in names)
    classes = len(names) - ids + selector.count(":") + selector.count("[")
    important, position = standing
    return important, ids, classes, len(_TAG_PATTERN.findall(selector)), position


def _hiding_declarations(text: str) -> dict[str, str]:
    """Return the properties that can hide, with their last values."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    properties = ((name.strip().lower(), value) for name, _, value in pairs)
    return {
        name: " ".join(value.split()) for name, value in properties if name in _HIDING_PROPERTIES
    }


def _rarest_name(selector: str) -> str:
    """Return the name to look a selector up by: an id, or else a class, or else the tag."""
    names: list[str] = CSS_NAME_PATTERN.findall(selector)
    ids = [name for name in names if name[0] == "#"] if "#" in selector else []
    return (ids or names or [selector.lower()])[0]
