"""The control words that matter to a reader, by what they do."""

import re
from typing import Final

# Groups whose text is not the document's.
ASIDE: Final = frozenset(
    """fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object
    fldinst datastore themedata
    colorschememapping latentstyles xmlnstbl mmathPr filetbl revtbl bkmkstart bkmkend nonshppict
    objdata panose falt do shppict shprslt pgdsctbl userprops annotation atnid atnauthor atnref
    atrfstart atrfend listname listlevel leveltext levelnumbers""".split()  # noqa: SIM905  a table
)
PROPERTIES: Final = frozenset({"title", "author", "subject"})
# Groups whose text becomes something else when they end: a link, an item's mark, a footnote.
LABELLED: Final = frozenset({"fldrslt", "listtext", "pntext", "footnote"})
# Text boxes: of shapes, and of what was drawn before Word 97.
BOXES: Final = frozenset({"shptxt", "dptxbxtext"})
MARGINS: Final = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
# Groups that have a text of their own, and those whose paragraphs are told in one line.
APART: Final = BOXES | MARGINS.keys()
IN_A_LINE: Final = frozenset({"footnote", *MARGINS})
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
# What fcharset says of the bytes in a font, by the names browsers have.
CHARSETS: Final = {
    77: "macintosh", 128: "shift_jis", 129: "euc-kr", 134: "gbk", 136: "big5",
    161: "windows-1253", 162: "windows-1254", 163: "windows-1258", 177: "windows-1255",
    178: "windows-1256", 186: "windows-1257", 204: "windows-1251", 222: "windows-874",
    238: "windows-1250",
}  # fmt: skip


_WRITTEN_MARK: Final = re.compile(
    r"(?:(?P<dot>[\u2022\u25e6\u25aa\u2023\u2013\u00b7\uf0b7\uf0a7])|\(?(?:(?P<number>\d{1,3})|[0-9a-z]{1,3})[.)])\t\s*(?=\S)"
)


def parted_item(text: str) -> tuple[str, str]:
    r"""Return the mark of an item whose dot or number was written as text, and its words.

    >>> parted_item("\u2022\tone"), parted_item("2.\ttwo"), parted_item("two")
    (('- ', 'one'), ('2. ', 'two'), ('', 'two'))
    """
    found = _WRITTEN_MARK.match(text)
    if not found:
        return "", text
    mark = "- " if found["dot"] else f"{found['number'] or 1}. "
    return mark, text[found.end() :]
