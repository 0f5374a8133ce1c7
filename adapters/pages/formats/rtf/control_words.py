"""The control words that matter to a reader, by what they do."""

import re
from typing import Final

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
