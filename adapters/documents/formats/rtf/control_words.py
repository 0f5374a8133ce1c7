"""The control words that matter to a reader, by what they do."""

import re
from typing import Final

from ....pages.safe_text import MIN_RAISED_HALF_POINTS
from ..detection.charset import CODE_PAGES, known_codec
from ..symbols import font_symbol

# Groups whose text is not the document's.
ASIDE: Final = frozenset(
    """fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object
    fldinst datastore themedata
    colorschememapping latentstyles xmlnstbl mmathPr filetbl revtbl bkmkstart bkmkend nonshppict
    objdata panose falt do shppict shprslt pgdsctbl userprops atnid atnauthor atnref
    atrfstart atrfend listname liststylename leveltext levelnumbers xe tc tcn upr
    NeXTGraphic""".split()  # noqa: SIM905  a table
)
# Those of them with groups inside that matter, and the groups inside that are the document's again.
TABLES: Final = frozenset({"fonttbl", "stylesheet", "listtable", "listoverridetable"})
RESUMED: Final = {"ud": "upr", "result": "object"}
MAX_NAME_CHARS: Final = 200
PROPERTIES: Final = frozenset({"title", "author", "subject"})
# Groups whose text becomes something else when they end: a link, an item's mark.
LABELLED: Final = frozenset({"fldrslt", "listtext", "pntext"})
# Text boxes: of shapes, and of what was drawn before Word 97.
BOXES: Final = frozenset({"shptxt", "dptxbxtext"})
MARGINS: Final = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
# Groups that have a text of their own, and those of them that are told in one line.
IN_A_LINE: Final = frozenset({"footnote", "annotation", *MARGINS})
APART: Final = BOXES | IN_A_LINE
# All words that begin a place of their own, if nothing stands before them.
PLACES: Final = frozenset({*ASIDE, *LABELLED, *APART, *PROPERTIES, *RESUMED, "info", "creatim"})
# What is emphasised, as markdown marks it; the outer mark first.
MARKS: Final = {"strike": "~~", "striked": "~~", "b": "**", "i": "*"}
# What is set above the line, as such or by half points, and what ends that.
RAISED: Final = frozenset({"super", "up"})
LEVELLED: Final = frozenset({"nosupersub", "sub", "dn"})
LOOKS: Final = frozenset({*MARKS, *RAISED, *LEVELLED})
DATE_PARTS: Final = ("yr", "mo", "dy")
SPOKEN: Final = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "emdash": "—",
    "endash": "\u2013",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "“",
    "rdblquote": "”",
    "~": " ",
    "_": "-",
}
# Those that other letters stand for in readers that know none by number.
LETTERS: Final = frozenset(SPOKEN) - {"tab", "line", "lbr"}
# What fcharset says of the bytes in a font, by the names browsers have.
CHARSETS: Final = {
    77: "macintosh", 128: "shift_jis", 129: "euc-kr", 134: "gbk", 136: "big5",
    161: "windows-1253", 162: "windows-1254", 163: "windows-1258", 177: "windows-1255",
    178: "windows-1256", 186: "windows-1257", 204: "windows-1251", 222: "windows-874",
    238: "windows-1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_WRITTEN_LABEL: Final = re.compile(
    r"\s*(?:(?P<dot>[\u2022\u25e6\u25aa\u2023\u2013\u00b7\uf0b7\uf0a7])|(\(?[0-9a-z]{1,3}[.)]))\t\s*(?=\S)"
)


def written_label(text: str) -> tuple[str, int]:
    r"""Return the label of an item whose dot or number was written as text, and where it ends.

    >>> written_label("\u2022\tone"), written_label("2.\ttwo"), written_label("two")
    (('-', 2), ('2.', 3), ('', 0))
    """
    found = _WRITTEN_LABEL.match(text)
    if not found:
        return "", 0
    return "-" if found["dot"] else found[2], found.end()


# How bytes are read: by a code page for all, or by a font with its own.

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


# A group of marks: what is set in it holds until its closing brace.


class RtfField:
    """What makes a field: its instruction, and whether a box is ticked."""

    __slots__ = ("making", "ticked")

    def __init__(self) -> None:
        """Know nothing yet."""
        self.making = ""
        self.ticked = False


class RtfGroup:
    """What holds until the closing brace.

    ``begun`` is whether its destination began in it, ``around`` the one before that.
    """

    __slots__ = (
        "around", "begun", "deleted", "destination", "field", "font", "hidden", "looks", "skip",
        "starred",
    )  # fmt: skip

    def __init__(self, above: "RtfGroup | None" = None) -> None:
        self.font: int | None = above.font if above else None
        self.destination: str = above.destination if above else ""
        self.around: str = above.around if above else ""
        self.hidden: bool = above.hidden if above else False
        self.deleted: bool = above.deleted if above else False
        self.looks: frozenset[str] = above.looks if above else frozenset()
        self.skip: int = above.skip if above else 1
        self.field: RtfField = above.field if above else RtfField()
        self.starred = False
        self.begun = False

    def begin(self, destination: str) -> None:
        """Have what follows stand in a place of its own."""
        self.around, self.destination, self.begun = self.destination, destination, True

    def resume(self) -> None:
        """Have what follows stand in the place before this one."""
        self.destination = self.around

    def look(self, word: str, number: int | None) -> None:
        """Begin an emphasis, or end it where the number is 0; so for what stands above the line."""
        if word in LEVELLED:
            self.looks -= RAISED
        elif number == 0 or (
            word == "up" and number is not None and number < MIN_RAISED_HALF_POINTS
        ):
            self.looks -= {word}
        else:
            self.looks |= {word}

    def reset(self) -> None:
        """Have letters look like those of no emphasis, in the first font."""
        self.hidden, self.deleted, self.font, self.looks = False, False, None, frozenset()

    @property
    def is_raised(self) -> bool:
        """Whether text stands above the line."""
        return not self.looks.isdisjoint(RAISED)

    @property
    def marks(self) -> str:
        """How markdown marks what is emphasised so; the outer mark first."""
        return "".join(dict.fromkeys(mark for word, mark in MARKS.items() if word in self.looks))


# The style sheet of a document: which styles are headings.

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
