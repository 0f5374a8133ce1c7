"""How bytes are read: by a code page for all, or by a font with its own."""

from typing import Final

from ..detection.charset import CODE_PAGES, known_codec
from ..symbols import font_symbol
from .control_words import CHARSETS, MAX_NAME_CHARS

_WESTERN: Final = "cp1252"
_SIGNS: Final = 2
_SIGN_FONTS: Final = frozenset(
    {"symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings", "zapfdingbats"}
)
# Those of DOS, which browsers do not know.
_DOS: Final = {437: "cp437", 850: "cp850"}
_HEADS: Final = {"mac": "macintosh", "pc": "cp437", "pca": "cp850"}
# Signs of a font are numbered from here on, in a part of Unicode that is nobody's.
_NOBODYS: Final = 0xF000


class Fonts:
    """The code page of a document, and those of its fonts."""

    def __init__(self) -> None:
        """Begin with the Western one, and no fonts."""
        self._codec = _WESTERN
        self._codecs: dict[int, str] = {}
        self._charsets: dict[int, int] = {}
        self._signs: dict[int, str] = {}
        self._default: int | None = None
        self._font = 0
        self._name = ""

    def take(self, word: str, number: int) -> bool:
        """Take what says how all bytes are read; tell whether the word was such."""
        match word:
            case "ansicpg":
                self._codec = _codec_of_page(number) or _WESTERN
            case "mac" | "pc" | "pca":
                self._codec = known_codec(_HEADS[word]) or _HEADS[word]
            case "deff":
                self._default = number
            case _:
                return False
        return True

    def describe(self, word: str, number: int) -> None:
        """Take what the table of fonts says of one."""
        match word:
            case "f":
                self._font, self._name = number, ""
            case "fcharset":
                self._charsets[self._font] = number
                if number in CHARSETS:
                    self._codecs[self._font] = known_codec(CHARSETS[number]) or CHARSETS[number]
            case "cpg":
                codec = _codec_of_page(number)
                if codec:
                    self._codecs[self._font] = codec

    def name(self, text: str) -> None:
        """Note a font whose letters are signs; a name ends with a semicolon."""
        self._name = (self._name + text)[-MAX_NAME_CHARS:]
        if self._name.endswith(";"):
            name = self._name[:-1].strip()
            if self._charsets.get(self._font) == _SIGNS and name.lower() in _SIGN_FONTS:
                self._signs[self._font] = name
            self._name = ""

    def decoded(self, raw: bytes, font: int | None) -> str:
        """Return bytes in a font as text, in none in that of the document."""
        return self._read(raw, self._default if font is None else font)

    def plain(self, raw: bytes) -> str:
        """Return bytes that are not shown in a font as text."""
        return raw.decode(self._codec, "replace")

    def sign(self, code: int, font: int | None) -> str:
        """Return a letter by its number, one of a font of signs as it is in Unicode."""
        name = self._signs.get(font) if font is not None else None
        return font_symbol(name, code) if name and code & 0xFF00 == _NOBODYS else chr(code)

    def _read(self, raw: bytes, font: int | None) -> str:
        if font is None:
            return self.plain(raw)
        name = self._signs.get(font)
        if name:
            return "".join(font_symbol(name, _NOBODYS | byte) for byte in raw)
        return raw.decode(self._codecs.get(font, self._codec), "replace")


def _codec_of_page(number: int) -> str | None:
    return _DOS.get(number) or known_codec(CODE_PAGES.get(number, ""))
