"""Keep the hidden text that a page states as its own in linked data.

A card that a script shows stands hidden in the page, word for word as linked data give it. Only
what is stated is kept: other text beside it may be instructions to a model.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from turbohtml import Element, Text

from ..removals import Removals

_SIGN_PATTERN: Final = re.compile(r"[\W_]+")
_LINE_FIELDS: Final = ("recipeIngredient", "ingredients", "recipeInstructions", "text")
# Steps are objects of their own; the texts of other objects are of comments and answers.
_LINE_TYPES: Final = frozenset({"HowToDirection", "HowToStep", "Recipe"})
_MIN_BODY_PART_CHARS: Final = 40
_BLOCK_SELECTOR: Final = "li,p,td,dd,dt,label,span,div"
_MAX_BLOCK_CHARS: Final = 5_000
_MAX_BLOCKS: Final = 1_000
_MAX_MEASURE_PASSES: Final = 20


class StatedText:
    """The lines of a page's recipe and the bodies of its articles, without signs and blanks."""

    def __init__(self, things: Iterable[dict[str, object]]) -> None:
        self._lines: set[str] = set()
        bodies: list[str] = []
        for thing in things:
            if not _LINE_TYPES.isdisjoint(_types(thing)):
                self._lines.update(filter(None, map(_squeeze, _stated_lines(thing))))
            body = thing.get("articleBody")
            if isinstance(body, str):
                bodies.append(_squeeze(body))
        self._body = " ".join(bodies)
        self._page_text = ""
        self._remaining_blocks = _MAX_BLOCKS
        # Hidden parts may be nested: measuring each again is quadratic, so limit it.
        self._remaining_chars = 0

    def keep_stated_blocks(self, hidden: Element, body: Element, removals: Removals) -> bool:
        """Reduce a hidden part to its stated blocks that the body holds once; tell if any is."""
        if not (self._lines or self._body) or not self._remaining_blocks:
            return False
        if not self._page_text:
            self._page_text = _squeeze(body.text)
            self._remaining_chars = _MAX_MEASURE_PASSES * len(self._page_text)
        blocks = [hidden, *hidden.select(_BLOCK_SELECTOR)][: self._remaining_blocks]
        self._remaining_blocks -= len(blocks)
        stated = {block for block in blocks if self._states(block)}
        if not stated:
            return False
        kept = {block for block in stated if self._page_text.count(_squeeze(block.text)) == 1}
        for node in [node for node in hidden.descendants if isinstance(node, Text)]:
            if kept.isdisjoint(node.ancestors):
                removals.take_text("hidden", node)
                node.extract()
        return bool(kept)

    def _states(self, block: Element) -> bool:
        text = block.text if self._remaining_chars > 0 else ""
        self._remaining_chars -= len(text)
        if len(text) > _MAX_BLOCK_CHARS:
            return False
        squeezed = _squeeze(text)
        is_part = len(squeezed) >= _MIN_BODY_PART_CHARS and squeezed in self._body
        return squeezed in self._lines or is_part


def _types(thing: dict[str, object]) -> list[str]:
    value = thing.get("@type")
    return [
        name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)
    ]


def _stated_lines(thing: dict[str, object]) -> Iterator[str]:
    for name in _LINE_FIELDS:
        value = thing.get(name)
        for line in value if isinstance(value, list) else [value]:
            if isinstance(line, str):
                yield line


def _squeeze(text: str) -> str:
    return _SIGN_PATTERN.sub("", text.lower())
