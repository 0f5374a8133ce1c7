"""What two texts may differ in and still be the same quotation, with the way back to the page.

Never normalised: digits and their separators, signs, percent, currencies, superscripts, fractions,
full-width forms, look-alike letters, diacritics, case, order, spelling. NFKC is not used: it makes
102 of 10² (Unicode Standard Annex #15, table 6, read 2026-11-15).
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec

# Raised whenever a rule changes: a saved answer says by which rules it was checked.
NORMALISATION_VERSION = 2

_NOTHING = "\u200b"
_SINGLE = "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4"
_DOUBLE = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_BLANKS = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
    "\u3000\t\r\x0b\x0c\x85\u2028\u2029"
)
# One character for one, so that offsets stay.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys(_SINGLE, "'"),
        **dict.fromkeys(_DOUBLE, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_BLANKS, " "),
    }
)
_LONGER: Mapping[str, str] = MappingProxyType(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        "\u2026": "...",
    }
)
# Controls, soft hyphens, fillers, zero width, bidirectional, variation selectors, tag characters.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ud800-\udfff"
    r"\U000e0000-\U000e0fff"
)
_TAGS = (
    "a|abbr|b|br|cite|code|del|div|em|font|i|img|ins|kbd|li|mark|ol|p|q|s|small|span|strong|sub|sup"
    "|td|th|tr|u|ul"
)
# Our reader writes a picture as a link to it, under the words that stand for it and nobody sees.
_PICTURES = "avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp"
_BREAKING = frozenset(("br", "div", "img", "li", "ol", "p", "td", "th", "tr", "ul"))
# The first line says what any of the others can begin with: most characters can begin none.
_SPECIAL = re.compile(
    rf"""(?=[\n|<!\[\]`\\*_~{"".join(_LONGER)}{_INVISIBLE}-]|\ [\ \n|\[\\-]|\A)(?:
    (?P<unseen>[{_INVISIBLE}]+)
  | (?P<hyphen>(?<=[^\W\d_])-\ ?\n\ *+(?=[^\W\d_]))
  | (?P<rule>(?:\A|\ *+\n)\s*+\|?+[\ :|-]{{3,400}}+(?=\n|\Z))
  | (?P<definition>(?:\A|\n)\ {{0,3}}\[[^\[\]\n]{{1,100}}\]:\ +<?(?:https?://|[/\#])[^\n]{{0,2000}})
  | (?P<line>(?:\A|\ *+\n)\s*+(?:(?:\#{{1,6}}|>+|[-*+\u2022\u25aa\u25cf]|\|)\ +)*+
      (?:(?:```|~~~)[^\n]{{0,40}})?)
  | (?P<dash>\ *-+\s*)
  | (?P<cell>\ *\|\s*)
  | (?P<struck>~~[^~\n]{{1,300}}~~)
  | (?P<tag></?(?P<name>(?i:{_TAGS}))(?:\ [^<>\n]{{0,300}})?/?>)
  | (?P<image>!\[[^\[\]\n]{{0,300}}\]\([^()\s]{{0,2000}}(?:\ ['"][^'"\n]{{0,300}}['"])?\)
      |\[IMAGE:[^\[\]\n]{{0,300}}\]
      |\[[^\[\]\n]{{1,300}}\]\([^()\s?\#]{{0,2000}}\.(?i:{_PICTURES})(?:[?\#][^()\s]{{0,500}})?\))
  | (?P<citation>(?<=\S)\ ?\\?\[\^?\d{{1,3}}\\?\](?:\([^()\s]{{0,500}}\))?)
  | (?P<target>\]\([^()\s]{{0,2000}}(?:\([^()\s]{{0,200}}\)[^()\s]{{0,200}})?
      (?:\ ["'][^"'\n]{{0,300}}["'])?\))
  | (?P<mark>\[+|\]|`+|\\(?=[!-/:-@\[-`{{-~])
      |(?<![^\W_])[*_]{{1,3}}(?=\S)|(?<=\S)[*_]{{1,3}}(?![^\W_]))
  | (?P<longer>[{"".join(_LONGER)}])
  | (?P<blank>\s\s+|\n))
    """,
    re.VERBOSE,
)
_DROPPED = frozenset(("unseen", "mark", "target", "citation"))
# Folded to compare, and not to be read.
_AS_THEY_STAND = frozenset(("dash", "longer"))
# Long runs of combining marks are no language; composing them all takes quadratic time.
_COMBINED = re.compile("[^\\W\\d_][\u0300-\u036f\u3099\u309a]{1,8}|[\u1100-\u11ff]{2,3}")
_INCHES_APART = re.compile(r'(?<!\d)"')
_LINE_HYPHEN = re.compile(r"(?<=[^\W\d_][-\u2010])(\s?\n\s*)(?=[^\W\d_])")


class NormalText(msgspec.Struct, frozen=True, kw_only=True):
    """A text after normalisation, in segments, and where each of them came from.

    Segment k begins at ``starts[k]`` and stands in the page from ``origins[k]`` to ``ends[k]``; one
    that is ``copied`` is the same there, letter by letter.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]
    copied: tuple[bool, ...]

    def origin(self, at: int) -> int:
        """Return where in the page the character at ``at`` begins."""
        segment = bisect_right(self.starts, at) - 1
        within = at - self.starts[segment] if self.copied[segment] else 0
        return self.origins[segment] + within

    def origin_end(self, at: int) -> int:
        """Return where in the page the character before ``at`` ends."""
        segment = bisect_right(self.starts, at - 1) - 1
        if self.copied[segment]:
            return self.origins[segment] + at - self.starts[segment]
        return self.ends[segment]


def normalise_text(text: str, *, quote: bool = False) -> NormalText:
    r"""Return ``text`` in the form in which quotes are compared.

    A ``quote`` may begin with a sign, where a page would have a list.

    >>> normalise_text("The \u201cfirst\u201d **rule**\u00a0[here](https://a.example/ \"t\")").text
    "The 'first' rule here"
    """
    page = _prepared(text)
    segments = _Segments()
    at = 0
    for start, end, piece in _replacements(page, quote=quote):
        segments.add(page[at:start], at, start, copied=True)
        segments.add(piece, start, end, copied=False)
        at = end
    segments.add(page[at:], at, len(page), copied=True)
    return segments.joined()


def readable_text(text: str) -> str:
    """Return a text as people see it: without the marks of markdown, its dashes as they stand.

    >>> readable_text("**Run** `webseam index --check` -- it [reads](https://a.example/) all.")
    'Run webseam index --check -- it reads all.'
    """
    pieces: list[str] = []
    at = 0
    for special in _SPECIAL.finditer(text):
        stays = special.lastgroup in _AS_THEY_STAND
        piece = special[0] if stays else _piece(special, text, quote=False) or ""
        pieces += [text[at : special.start()], piece]
        at = special.end()
    return " ".join("".join((*pieces, text[at:])).split())


def with_line_hyphens(text: str) -> str:
    r"""Return ``text``, as long as before, with words that were cut at a hyphen made whole.

    >>> normalise_text(with_line_hyphens("a well-\nknown fact")).text
    'a well-known fact'
    """
    return _LINE_HYPHEN.sub(lambda cut: _NOTHING * len(cut[1]), text)


def _prepared(text: str) -> str:
    """Return ``text``, as long as before, without what is no more than a way to write it."""
    plain = _INCHES_APART.sub("'", text.translate(_PLAIN))
    if "<!--" in plain:
        plain = _without_comments(plain)
    if unicodedata.is_normalized("NFC", plain):
        return plain
    return _COMBINED.sub(_composed, plain)


def _without_comments(text: str) -> str:
    """Blot out comments in place, looking at each once; one without an end hides nothing."""
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[at:start], _NOTHING * (end + 3 - start)]
        at = end + 3
    return "".join((*pieces, text[at:]))


def _composed(letters: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", letters[0]).ljust(len(letters[0]), _NOTHING)


def _replacements(page: str, *, quote: bool) -> Iterator[tuple[int, int, str]]:
    for special in _SPECIAL.finditer(page):
        piece = _piece(special, page, quote=quote)
        if piece is not None:
            yield special.start(), special.end(), piece


def _piece(special: re.Match[str], page: str, *, quote: bool) -> str | None:
    """Return what stands for a special piece of the page, None for itself."""
    kind = special.lastgroup
    after = page[special.end() : special.end() + 1]
    if kind == "tag":
        return " " if special["name"].lower() in _BREAKING else ""
    if kind == "hyphen":
        return "" if after.islower() else "-"
    if kind == "dash":
        return _dash(special[0], after)
    if kind == "longer":
        return _LONGER[special[0]]
    if kind == "line" and quote and special.start() == 0 and "-" in special[0]:
        # Before a figure at the start of a quote it may be a sign.
        return None if after.isdigit() else " "
    return "" if kind in _DROPPED else " "


def _dash(piece: str, after: str) -> str:
    """Return a dash without the blanks beside it, unless a figure or a sign follows."""
    if after.isalpha() or (after and after in "'\"([_*`"):
        return "-"
    before = " " if piece.startswith(" ") else ""
    return f"{before}-{' ' if piece[-1].isspace() else ''}"


class _Segments:
    """Segments on their way: no two blanks in a row, none at the beginning."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._ends: list[int] = []
        self._copied: list[bool] = []
        self._length = 0

    def add(self, piece: str, origin: int, end: int, *, copied: bool) -> None:
        """Put a piece behind the others; its blank goes where one is before it."""
        if piece.startswith(" ") and (not self._pieces or self._pieces[-1].endswith(" ")):
            piece, origin = piece[1:], origin + copied
        if not piece:
            return
        self._pieces.append(piece)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._ends.append(end)
        self._copied.append(copied)
        self._length += len(piece)

    def joined(self) -> NormalText:
        """Return the whole."""
        return NormalText(
            text="".join(self._pieces),
            starts=tuple(self._starts),
            origins=tuple(self._origins),
            ends=tuple(self._ends),
            copied=tuple(self._copied),
        )
