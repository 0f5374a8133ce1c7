"""Normalise texts for the comparison of quotes, and map offsets back to the page.

Never normalised: digits and their separators, signs, percent, currencies, superscripts, fractions,
full-width forms, look-alike letters, diacritics, case, order, spelling. NFKC would turn 10² into
102 (Unicode Standard Annex #15, table 6, read 2026-11-15), so it is not used.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from webseam.ports.text import IGNORABLE_CHARS, JOINER_CHARS

# Raise this whenever a rule changes: a saved answer names the version that checked it.
NORMALISATION_VERSION = 4

_FILLER = "\u200b"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_BLANKS = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
    "\u3000\t\r\x0b\x0c\x85\u2028\u2029"
)
# Each replacement has one character, so that offsets stay.
_ASCII_FORMS = str.maketrans(
    {
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_BLANKS, " "),
    }
)
_EXPANDED = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06\u2026"
_EXPANSIONS: Mapping[str, str] = MappingProxyType(
    dict(zip(_EXPANDED, ("ff", "fi", "fl", "ffi", "ffl", "st", "st", "..."), strict=True))
)
# White space among the controls stays.
_CONTROLS = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_INVISIBLE = f"{_CONTROLS}{IGNORABLE_CHARS}{JOINER_CHARS}\ud800-\udfff"
_TAG_NAMES = (
    "a|abbr|b|br|cite|code|del|div|em|font|i|img|ins|kbd|li|mark|ol|p|q|s|small|span|strong|sub|sup"
    "|td|th|tr|u|ul"
)
# Our reader writes an image as a link whose label is the alternative text, which is not visible.
_PICTURE_EXTENSIONS = "avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp"
_BREAKING_TAGS = frozenset(("br", "div", "img", "li", "ol", "p", "td", "th", "tr", "ul"))
# Marks that name a source: [3], [^1], [a], [note 2], and those of models.
_CITED = r"\^?\d{1,3}|[a-z]|note\ \d{1,3}|citation\ needed"
CITATION_MARK = rf"\[(?:{_CITED})\\?\]|\u3010[^\u3010\u3011\n]{{1,40}}\u3011"
# The first line lists every character that can begin a match, so most are skipped quickly.
_SPECIAL_PATTERN = re.compile(
    rf"""(?=[\n|<!\[\]\u3010`\\*_~{_EXPANDED}{_INVISIBLE}-]|\ [\ \n|\[\u3010\\-]|\A)(?:
    (?P<unseen>[{_INVISIBLE}]+)
  | (?P<hyphen>(?<=[^\W\d_])-\ ?\n\ *+(?=[^\W\d_]))
  | (?P<rule>(?:\A|\ *+\n)\s*+\|?+[\ :|-]{{3,400}}+(?=\n|\Z))
  | (?P<definition>(?:\A|\n)\ {{0,3}}\[[^\[\]\n]{{1,100}}\]:\ +<?(?:https?://|[/\#])[^\n]{{0,2000}})
  | (?P<line>(?:\A|\ *+\n)\s*+(?:(?:\#{{1,6}}|>+|[-*+\u2022\u25aa\u25cf]|\|)\ +)*+
      (?:(?:```|~~~)[^\n]{{0,40}})?)
  | (?P<dash>\ *-+\s*)
  | (?P<cell>\ *\|\s*)
  | (?P<struck>~~[^~\n]{{1,300}}~~)
  | (?P<tag></?(?P<name>(?i:{_TAG_NAMES}))(?:\ [^<>\n]{{0,300}})?/?>)
  | (?P<image>!\[[^\[\]\n]{{0,300}}\]\([^()\s]{{0,2000}}(?:\ ['"][^'"\n]{{0,300}}['"])?\)
      |\[IMAGE:[^\[\]\n]{{0,300}}\]
      |\[[^\[\]\n]{{1,300}}\]\([^()\s?\#]{{0,2000}}\.(?i:{_PICTURE_EXTENSIONS})(?:[?\#][^()\s]{{0,500}})?\))
  | (?P<citation>(?<=\S)\ ?\\?(?:{CITATION_MARK})(?:\([^()\s]{{0,500}}\))?)
  | (?P<target>\]\([^()\s]{{0,2000}}(?:\([^()\s]{{0,200}}\)[^()\s]{{0,200}})?
      (?:\ ["'][^"'\n]{{0,300}}["'])?\))
  | (?P<mark>\[+|\]|`+|\\(?=[!-/:-@\[-`{{-~])
      |(?<![^\W_])[*_]{{1,3}}(?=\S)|(?<=\S)[*_]{{1,3}}(?![^\W_]))
  | (?P<longer>[{_EXPANDED}])
  | (?P<blank>\s\s+|\n))
    """,
    re.VERBOSE,
)
_DROPPED_GROUPS = frozenset(("unseen", "mark", "target", "citation"))
# Normalised for comparison, but kept for display.
_DISPLAYED_GROUPS = frozenset(("dash", "longer"))
# Bound the run: no language has long runs of combining marks, and composing is quadratic.
_COMBINED_PATTERN = re.compile("[^\\W\\d_][\u0300-\u036f\u3099\u309a]{1,8}|[\u1100-\u11ff]{2,3}")
_QUOTE_NOT_INCH_PATTERN = re.compile(r'(?<!\d)"')
_LINE_HYPHEN_PATTERN = re.compile(r"(?<=[^\W\d_][-\u2010])(\s?\n\s*)(?=[^\W\d_])")


class NormalText(msgspec.Struct, frozen=True, kw_only=True):
    """A normalised text in segments, with the origin of each segment in the page.

    Segment k begins at ``starts[k]`` and stands in the page from ``origins[k]`` to ``ends[k]``; a
    ``copied`` one is identical there.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]
    copied: tuple[bool, ...]

    def page_offset(self, at: int) -> int:
        """Return the page offset where the character at ``at`` begins."""
        segment = bisect_right(self.starts, at) - 1
        within = at - self.starts[segment] if self.copied[segment] else 0
        return self.origins[segment] + within

    def origin_end(self, at: int) -> int:
        """Return the page offset where the character before ``at`` ends."""
        segment = bisect_right(self.starts, at - 1) - 1
        if self.copied[segment]:
            return self.origins[segment] + at - self.starts[segment]
        return self.ends[segment]


def normalise_text(text: str, *, quote: bool = False) -> NormalText:
    r"""Return ``text`` in the form in which quotes are compared.

    A ``quote`` may begin with a sign where a page would have a list item.

    >>> normalise_text("The \u201cfirst\u201d **rule**\u00a0[here](https://a.example/ \"t\")").text
    "The 'first' rule here"
    """
    page = _unify_characters(text)
    segments = _SegmentList()
    offset = 0
    for special in _SPECIAL_PATTERN.finditer(page):
        piece = _replacement_text(special, page, quote=quote)
        if piece is None:
            continue
        segments.add_segment(page[offset : special.start()], offset, special.start(), copied=True)
        segments.add_segment(piece, special.start(), special.end(), copied=False)
        offset = special.end()
    segments.add_segment(page[offset:], offset, len(page), copied=True)
    return segments.join_segments()


def readable_text(text: str) -> str:
    """Return a text for display: without markdown marks, with its dashes unchanged."""
    pieces: list[str] = []
    offset = 0
    for special in _SPECIAL_PATTERN.finditer(text):
        is_displayed = special.lastgroup in _DISPLAYED_GROUPS
        piece = special[0] if is_displayed else _replacement_text(special, text, quote=False) or ""
        pieces += [text[offset : special.start()], piece]
        offset = special.end()
    return " ".join("".join((*pieces, text[offset:])).split())


def join_hyphenated_lines(text: str) -> str:
    """Return ``text`` at its length, with words rejoined that a line break split at a hyphen."""
    return _LINE_HYPHEN_PATTERN.sub(lambda match: _FILLER * len(match[1]), text)


def _unify_characters(text: str) -> str:
    """Return ``text`` at the same length, with quotes, dashes, blanks and accents unified."""
    unified = _QUOTE_NOT_INCH_PATTERN.sub("'", text.translate(_ASCII_FORMS))
    if "<!--" in unified:
        unified = blank_comments(unified)
    if unicodedata.is_normalized("NFC", unified):
        return unified
    return _COMBINED_PATTERN.sub(_compose_letters, unified)


def blank_comments(text: str, filler: str = _FILLER) -> str:
    """Overwrite comments in place, in one pass; a comment without an end stays."""
    pieces, offset = [], 0
    while (start := text.find("<!--", offset)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[offset:start], filler * (end + 3 - start)]
        offset = end + 3
    return "".join((*pieces, text[offset:]))


def _compose_letters(letters: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", letters[0]).ljust(len(letters[0]), _FILLER)


def _replacement_text(special: re.Match[str], page: str, *, quote: bool) -> str | None:
    """Return the replacement of a special match, or None to keep it."""
    kind = special.lastgroup
    after = page[special.end() : special.end() + 1]
    if kind == "tag":
        return " " if special["name"].lower() in _BREAKING_TAGS else ""
    if kind == "hyphen":
        return "" if after.islower() else "-"
    if kind == "dash":
        return _normalise_dash(special[0], after)
    if kind == "longer":
        return _EXPANSIONS[special[0]]
    if kind == "line" and quote and special.start() == 0 and "-" in special[0]:
        # Before a figure at the start of a quote, the hyphen may be a sign.
        return None if after.isdigit() else " "
    return "" if kind in _DROPPED_GROUPS else " "


def _normalise_dash(piece: str, after: str) -> str:
    """Return a dash without surrounding blanks, unless a figure or a sign follows."""
    if after.isalpha() or (after and after in "'\"([_*`"):
        return "-"
    before = " " if piece.startswith(" ") else ""
    return f"{before}-{' ' if piece[-1].isspace() else ''}"


class _SegmentList:
    """Collects segments; merges adjacent blanks and drops a leading one."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._ends: list[int] = []
        self._copied: list[bool] = []
        self._length = 0

    def add_segment(self, piece: str, origin: int, end: int, *, copied: bool) -> None:
        """Append a segment; drop its leading blank after another blank."""
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

    def join_segments(self) -> NormalText:
        """Return the collected segments as one text."""
        return NormalText(
            text="".join(self._pieces),
            starts=tuple(self._starts),
            origins=tuple(self._origins),
            ends=tuple(self._ends),
            copied=tuple(self._copied),
        )
