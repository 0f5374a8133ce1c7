"""Where the characters of a page's text are in PDFium."""

import re
from bisect import bisect_left
from typing import Any, Final

_ASTRAL_PATTERN: Final = re.compile("[\U00010000-\U0010ffff]")


class CharacterIndex:
    """Finds PDFium's index of a character; PDFium counts one beyond U+FFFF as two.

    Letters of formulas are such characters.
    """

    def __init__(self, text: str, page: Any, raw: Any) -> None:  # noqa: ANN401  PDFium has no types
        self._page, self._raw = page, raw
        self._astral = [match.start() for match in _ASTRAL_PATTERN.finditer(text)]

    def find(self, offset: int) -> int:
        """Return the index of the character at an offset of the text."""
        if self._astral:
            offset += bisect_left(self._astral, offset)
        index: int = self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, offset)
        # PDFium returns -1 for a character that it has made up.
        return index if index > 0 else 0  # noqa: FURB136  a third of the time of max()
