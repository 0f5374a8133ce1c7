"""The control words that a reader needs, by their effect, and the state that they change."""

import re
from typing import Final

import msgspec

from webseam.adapters.pages.safe_text import MIN_RAISED_HALF_POINTS

from ..charset import CODE_PAGES, whatwg_codec
from ..symbols import font_symbol

# Groups whose text is not the document's.
ASIDE_GROUPS: Final = frozenset(
    """fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object
    fldinst datastore themedata
    colorschememapping latentstyles xmlnstbl mmathPr filetbl revtbl bkmkstart bkmkend nonshppict
    objdata panose falt do shppict shprslt pgdsctbl userprops atnid atnauthor atnref
    atrfstart atrfend listname liststylename leveltext levelnumbers xe tc tcn upr
    NeXTGraphic""".split()  # noqa: SIM905  a table
)
# Those with groups inside that matter, and the inner groups that are document text again.
TABLE_GROUPS: Final = frozenset({"fonttbl", "stylesheet", "listtable", "listoverridetable"})
RESUMED_GROUPS: Final = {"ud": "upr", "result": "object"}
MAX_NAME_CHARS: Final = 200
PROPERTIES: Final = frozenset({"title", "author", "subject"})
# Groups whose text becomes a link or the label of an item at their end.
LABEL_GROUPS: Final = frozenset({"fldrslt", "listtext", "pntext"})
# Text boxes of shapes, and of drawings before Word 97.
BOX_GROUPS: Final = frozenset({"shptxt", "dptxbxtext"})
MARGINS: Final = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
# Groups with separate text, and those of them that are written on one line.
ONE_LINE_GROUPS: Final = frozenset({"footnote", "annotation", *MARGINS})
SEPARATE_GROUPS: Final = BOX_GROUPS | ONE_LINE_GROUPS
# Groups whose text is document text, and the text outside all groups.
TEXT_GROUPS: Final = LABEL_GROUPS | SEPARATE_GROUPS | {""}
# All words that begin a destination at the start of a group.
DESTINATIONS: Final = frozenset({
    *ASIDE_GROUPS, *LABEL_GROUPS, *SEPARATE_GROUPS, *PROPERTIES, *RESUMED_GROUPS, "info", "creatim",
})  # fmt: skip
# The markdown marks of emphasis; the outer mark first.
EMPHASIS_MARKS: Final = {"strike": "~~", "striked": "~~", "b": "**", "i": "*"}
# Words that start superscript, the second by half points, and words that end it.
RAISED_WORDS: Final = frozenset({"super", "up"})
LOWERED_WORDS: Final = frozenset({"nosupersub", "sub", "dn"})
STYLE_WORDS: Final = frozenset({*EMPHASIS_MARKS, *RAISED_WORDS, *LOWERED_WORDS})
DATE_PARTS: Final = ("yr", "mo", "dy")
CHARACTER_WORDS: Final = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "\u2013", "emspace": " ",
    "enspace": " ", "qmspace": " ", "bullet": "•", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "“", "rdblquote": "”", "~": " ", "_": "-",
}  # fmt: skip
# These may be the fallback letters after a Unicode character.
LETTER_WORDS: Final = frozenset(CHARACTER_WORDS) - {"tab", "line", "lbr"}
# The charset of a font by its fcharset number, in the names of browsers.
FONT_CHARSETS: Final = {
    77: "macintosh", 128: "shift_jis", 129: "euc-kr", 134: "gbk", 136: "big5",
    161: "windows-1253", 162: "windows-1254", 163: "windows-1258", 177: "windows-1255",
    178: "windows-1256", 186: "windows-1257", 204: "windows-1251", 222: "windows-874",
    238: "windows-1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_TYPED_LABEL_PATTERN: Final = re.compile(
    r"\s*(?:(?P<dot>[\u2022\u25e6\u25aa\u2023\u2013\u00b7\uf0b7\uf0a7])|(\(?[0-9a-z]{1,3}[.)]))\t\s*(?=\S)"
)
_WESTERN_CODEC: Final = "cp1252"
_SYMBOL_CHARSET: Final = 2
_SYMBOL_FONTS: Final = frozenset(
    {"symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings", "zapfdingbats"}
)
# Code pages of DOS, which browsers do not know.
_DOS_CODECS: Final = {437: "cp437", 850: "cp850"}
_HEADER_CODECS: Final = {"mac": "macintosh", "pc": "cp437", "pca": "cp850"}
# Letters of symbol fonts are numbered from here on, in the private use area of Unicode.
_FIRST_PRIVATE_CODE: Final = 0xF000
DEFAULT_HALF_POINTS: Final = 24
MAX_TINY_HALF_POINTS: Final = 2
_MAX_HEADING_LEVEL: Final = 6


def typed_item_label(text: str) -> tuple[str, int]:
    r"""Return the label of an item whose bullet or number is text, and where it ends.

    >>> typed_item_label("\u2022\tone")
    ('-', 2)
    >>> typed_item_label("2.\ttwo")
    ('2.', 3)
    >>> typed_item_label("two")
    ('', 0)
    """
    label = _TYPED_LABEL_PATTERN.match(text)
    if not label:
        return "", 0
    return "-" if label["dot"] else label[2], label.end()


class RtfFonts:
    """The code page of a document, and those of its fonts."""

    def __init__(self) -> None:
        self._codec = _WESTERN_CODEC
        self._codecs: dict[int, str] = {}
        self._charsets: dict[int, int] = {}
        self._symbol_fonts: dict[int, str] = {}
        self._default: int | None = None
        self._font = 0
        self._name = ""

    def take_code_page_word(self, word: str, number: int) -> bool:
        """Take a word that sets the code page of the document; tell whether it was one."""
        match word:
            case "ansicpg":
                self._codec = _codec(number) or _WESTERN_CODEC
            case "mac" | "pc" | "pca":
                self._codec = whatwg_codec(_HEADER_CODECS[word]) or _HEADER_CODECS[word]
            case "deff":
                self._default = number
            case _:
                return False
        return True

    def take_font_word(self, word: str, number: int) -> None:
        """Take a word of the font table."""
        match word:
            case "f":
                self._font, self._name = number, ""
            case "fcharset":
                self._charsets[self._font] = number
                if charset := FONT_CHARSETS.get(number):
                    self._codecs[self._font] = whatwg_codec(charset) or charset
            case "cpg":
                if codec := _codec(number):
                    self._codecs[self._font] = codec

    def take_font_name(self, text: str) -> None:
        """Take a piece of a font's name, which ends with a semicolon; note symbol fonts."""
        self._name = (self._name + text)[-MAX_NAME_CHARS:]
        if self._name.endswith(";"):
            name = self._name[:-1].strip()
            if self._charsets.get(self._font) == _SYMBOL_CHARSET and name.lower() in _SYMBOL_FONTS:
                self._symbol_fonts[self._font] = name
            self._name = ""

    def decode_bytes(self, raw: bytes, font: int | None) -> str:
        """Return bytes in a font as text; without a font, in the default font."""
        font = self._default if font is None else font
        if font is None:
            return self.decode_property(raw)
        name = self._symbol_fonts.get(font)
        if name:
            return "".join(font_symbol(name, _FIRST_PRIVATE_CODE | byte) for byte in raw)
        return raw.decode(self._codecs.get(font, self._codec), "replace")

    def decode_property(self, raw: bytes) -> str:
        """Return bytes as text in the code page of the document."""
        return raw.decode(self._codec, "replace")

    def letter(self, code: int, font: int | None) -> str:
        """Return a letter by its code; a letter of a symbol font as its symbol."""
        name = self._symbol_fonts.get(font) if font is not None else None
        return (
            font_symbol(name, code) if name and code & 0xFF00 == _FIRST_PRIVATE_CODE else chr(code)
        )


def _codec(number: int) -> str | None:
    return _DOS_CODECS.get(number) or whatwg_codec(CODE_PAGES.get(number, ""))


class RtfField(msgspec.Struct):
    """A field: its instruction, and whether its checkbox is ticked."""

    instruction: str = ""
    ticked: bool = False


class RtfGroup(msgspec.Struct):
    """The state until the closing brace.

    ``begun`` tells whether the destination began in this group; ``outer_destination`` is the one
    before. ``ink`` and ``paper`` are colours of the text and behind it, by their index.
    """

    font: int | None = None
    destination: str = ""
    outer_destination: str = ""
    hidden: bool = False
    deleted: bool = False
    size: int = DEFAULT_HALF_POINTS
    ink: int = 0
    paper: int = 0
    looks: frozenset[str] = frozenset()
    skip: int = 1
    field: RtfField = msgspec.field(default_factory=RtfField)
    starred: bool = False
    begun: bool = False

    def begin_destination(self, destination: str) -> None:
        """Send the following text to another destination."""
        self.outer_destination, self.destination, self.begun = self.destination, destination, True

    def change_emphasis(self, word: str, number: int | None) -> None:
        """Begin an emphasis or superscript, or end it where the number is too small."""
        is_low = word == "up" and number is not None and number < MIN_RAISED_HALF_POINTS
        if word in LOWERED_WORDS:
            self.looks -= RAISED_WORDS
        elif number == 0 or is_low:
            self.looks -= {word}
        else:
            self.looks |= {word}

    def reset_emphasis(self) -> None:
        """Reset to no emphasis and the default font."""
        self.hidden, self.deleted, self.font, self.looks = False, False, None, frozenset()
        self.size, self.ink, self.paper = DEFAULT_HALF_POINTS, 0, 0

    @property
    def emphasis_marks(self) -> str:
        """The markdown marks of the emphasis; the outer mark first."""
        marks = (mark for word, mark in EMPHASIS_MARKS.items() if word in self.looks)
        return "".join(dict.fromkeys(marks))


class RtfStyleSheet:
    """The levels of headings, by the numbers of their styles."""

    def __init__(self) -> None:
        self._levels: dict[int, int] = {}
        self._style = 0
        self._name = ""

    def begin_style(self, style: int) -> int:
        """Make a style current, and return its heading level, 0 for none."""
        self._style = style
        return self._levels.get(style, 0)

    def set_heading_level(self, level: int) -> None:
        """Set the heading level of the current style."""
        self._levels[self._style] = level

    def take_style_name(self, text: str) -> None:
        """Take a piece of a style's name, which ends with a semicolon; note headings."""
        self._name = (self._name + text)[-MAX_NAME_CHARS:]
        if not self._name.endswith(";"):
            return
        words = self._name[:-1].lower().split()
        self._name = ""
        match words:
            case ["heading", digit] if digit in {*"123456789"}:
                self.set_heading_level(min(int(digit), _MAX_HEADING_LEVEL))
            case ["title"]:
                self.set_heading_level(1)
            case ["subtitle"]:
                self.set_heading_level(2)
