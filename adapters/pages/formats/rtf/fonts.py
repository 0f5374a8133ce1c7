"""How bytes are read: by a code page for all, or by a font with its own."""

from ..detection.charset import CODE_PAGES, known_codec
from .group import WESTERN, Group
from .words import CHARSETS


class Fonts:
    """The code page of a document, and those of its fonts."""

    def __init__(self) -> None:
        """Begin with the Western one, and no fonts."""
        self.codec = WESTERN
        self._codecs: dict[int, str] = {}
        self._font = 0

    def take(self, word: str, number: int, group: Group) -> bool:
        """Take what says how bytes are read; tell whether the word was such."""
        match word:
            case "ansicpg" | "mac":
                label = CODE_PAGES.get(number, "") if word == "ansicpg" else "macintosh"
                self.codec = group.codec = _codec(label)
            case "f":
                self._font = number
                group.codec = self._codecs.get(number, self.codec)
            case "fcharset" if group.destination == "fonttbl" and number in CHARSETS:
                self._codecs[self._font] = _codec(CHARSETS[number])
            case "cpg" if group.destination == "fonttbl" and number in CODE_PAGES:
                self._codecs[self._font] = _codec(CODE_PAGES[number])
            case _:
                return False
        return True


def _codec(label: str) -> str:
    """Return the codec of a label that browsers know, Western for any other."""
    return known_codec(label) or WESTERN
