"""The style sheet of a document: which styles are headings."""

from typing import Final

from .control_words import MAX_NAME_CHARS

_MAX_HEADING_LEVEL: Final = 6


class StyleSheet:
    """The levels of headings, by the numbers of their styles."""

    def __init__(self) -> None:
        """Know none."""
        self._levels: dict[int, int] = {}
        self._style = 0
        self._name = ""

    def begin(self, style: int) -> int:
        """Go on with a style, and return its level, 0 for one that is no heading."""
        self._style = style
        return self._levels.get(style, 0)

    def set_level(self, level: int) -> None:
        """Take what a style says of its level."""
        self._levels[self._style] = level

    def name(self, text: str) -> None:
        """Note a style whose name says that it is a heading; a name ends with a semicolon."""
        self._name = (self._name + text)[-MAX_NAME_CHARS:]
        if not self._name.endswith(";"):
            return
        words = self._name[:-1].lower().split()
        self._name = ""
        match words:
            case ["heading", digit] if digit in {*"123456789"}:
                self.set_level(min(int(digit), _MAX_HEADING_LEVEL))
            case ["title"]:
                self.set_level(1)
            case ["subtitle"]:
                self.set_level(2)
