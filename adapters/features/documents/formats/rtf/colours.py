"""The colours of a document's text, and of what is behind it."""

import re
from typing import Final

from webseam.adapters.reader.visibility.colours import WHITE, Colour, are_similar_colours

# Shades of paragraphs, cells and pages, and drawings, may be behind any text.
_SHADE_PATTERN: Final = re.compile(
    rb"\\(?:(?:cl|tr|tscell)?cbpat|shading|(?:cl|tr)shdng|background|shp|do)(?![a-z])"
)
_MAX_COLOURS: Final = 4_096
_CHANNELS: Final = ("red", "green", "blue")


class RtfColours:
    """The colour table of a document, and whether all of its text is on white."""

    def __init__(self, body: bytes) -> None:
        self._is_on_white = _SHADE_PATTERN.search(body) is None
        self._colours: list[Colour | None] = []
        self._channels: dict[str, int] = {}

    def take_colour_word(self, word: str, number: int) -> None:
        """Take a word of the colour table."""
        if word in _CHANNELS:
            self._channels[word] = min(max(number, 0), 255)

    def take_colour_end(self, text: str) -> None:
        """Take text of the colour table: a semicolon ends a colour, one alone the automatic one."""
        for _ in range(min(text.count(";"), _MAX_COLOURS - len(self._colours))):
            red, green, blue = (self._channels.get(name, 0) for name in _CHANNELS)
            self._colours.append((red, green, blue) if self._channels else None)
            self._channels = {}

    def is_hidden(self, ink: int, paper: int) -> bool:
        """Tell whether text has the colour behind it; ``paper`` is 0 for the page."""
        colour = self._colour(ink)
        behind = self._colour(paper) if paper else WHITE
        if colour is None or behind is None or not (paper or self._is_on_white):
            return False
        return are_similar_colours(colour, behind)

    def _colour(self, index: int) -> Colour | None:
        return self._colours[index] if 0 < index < len(self._colours) else None
