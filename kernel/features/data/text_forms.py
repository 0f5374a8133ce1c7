"""The normal form of text, and search in it with a map back to the page.

Two texts are the same when their letters, figures and signs are. Case, blanks, kinds of quotation
mark and dash do not count; in the loose form nor do brackets and marks outside of figures.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import Final

_FOLDS: Final = {
    **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", ""),
    "⁄": "/",
    "×": "x",
}
_MARK_PATTERN: Final = re.compile(r"(?<!\d)[.,:/-]|[.,:/-](?!\d)|[^\w.,:/%$€£¥+-]|_")
_RUN_PATTERN: Final = re.compile(r"[!-~]+|[^\s!-~]")
_TAG_PATTERN: Final = re.compile(r"<(?:/?[a-zA-Z]|!--)[^<>]*>")
_MAX_PLACES: Final = 50
_UNIT: Final = (
    r"(?<=[\d¼-¾⅐-⅞])\s?(?P<unit>tsps?|teaspoons?|tbsps?|tablespoons?|oz|ounces?|lbs?|pounds?)\b"
)
_UNIT_PATTERN: Final = re.compile(_UNIT, re.IGNORECASE)
_AMOUNT_PATTERN: Final = re.compile(
    r"(?<![\d.,/])(?:(?P<whole>\d{1,3})(?:\s|\s?(?=[¼-¾⅐-⅞])|[ -](?=\d/)))?"
    r"(?:(?P<vulgar>[¼-¾⅐-⅞])|(?P<over>\d{1,2})[/⁄](?P<under>[1-9]\d?))(?![\d/])"
    r"|(?<![\d.,/])(?P<point>\d{1,4}[.,](?:\d{1,2}|\d{4,16}))(?![\d.,/])"
    rf"|{_UNIT}",
    re.IGNORECASE,
)
# Units by the beginnings of their names.
_UNITS: Final = {
    "ts": "tsp", "te": "tsp", "tb": "tbsp", "ta": "tbsp", "oz": "oz", "ou": "oz", "lb": "lb",
    "po": "lb",
}  # fmt: skip
_FIGURE_PATTERN: Final = re.compile(r"\d[.,]\d")


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    folded = _FOLDS.get(char)
    if folded is not None:
        return folded
    wide = unicodedata.normalize("NFKC", char).casefold()
    return "".join(_FOLDS.get(part, part) for part in wide if not part.isspace())


def squeeze(text: str) -> str:
    """Return the normal form of a text.

    >>> squeeze("1 ½ cups – “Plain” flour")
    '11/2cups-"plain"flour'
    """
    return _squeeze(unicodedata.normalize("NFC", text))[0]


def _squeeze(text: str) -> tuple[str, list[int]]:
    """Return the normal form, and the offset in ``text`` that each of its characters is from."""
    parts: list[str] = []
    offsets: list[int] = []
    for match in _RUN_PATTERN.finditer(text):
        run, start = match[0], match.start()
        if run.isascii():
            # A run of ASCII keeps its length.
            parts.append(run.lower().replace("`", "'"))
            offsets.extend(range(start, match.end()))
        else:
            folded = _fold_char(run)
            parts.append(folded)
            offsets.extend([start] * len(folded))
    return "".join(parts), offsets


def loosen(text: str) -> str:
    """Return the loose form: without marks, but for those in figures, and with plain amounts.

    >>> loosen("1 ½ cups flour (sifted), 1,50 g"), loosen("2 Tablespoons oil")
    ('1.5cupsfloursifted1.5g', '2tbspoil')
    """
    return _loosen(unicodedata.normalize("NFC", text))[0]


def is_same_text(one: str, other: str) -> bool:
    """Tell whether two texts differ in nothing that counts."""
    return loosen(one) == loosen(other)


def is_same_words(one: str, other: str) -> bool:
    """Tell whether two texts have the same letters and figures, but for names of units.

    ``1 ½`` is not ``1.5``, and ``1 tsp`` is ``1 teaspoon``.
    """
    first, second = (
        _MARK_PATTERN.sub("", squeeze(_UNIT_PATTERN.sub(_unit_text, text))) for text in (one, other)
    )
    return first == second


def plain_text(markup: str) -> str:
    """Return a text of linked data without tags and references, in single blanks.

    >>> plain_text("Salt &amp;amp; <b>pepper</b>")
    'Salt & pepper'
    """
    text = unescape(unescape(markup)) if "&" in markup else markup
    bare = _TAG_PATTERN.sub(" ", text) if "<" in text else text
    return " ".join(unicodedata.normalize("NFC", bare).split())


def _unit_text(match: re.Match[str]) -> str:
    """Return the short name of a unit: ``teaspoons`` are ``tsp``."""
    return _UNITS[match["unit"][:2].lower()]


def _amount_text(match: re.Match[str]) -> str:
    """Return an amount as a decimal with at most two places: ``1 ½`` and ``1,50`` are ``1.5``."""
    if match["unit"]:
        return _unit_text(match)
    if match["point"]:
        amount = float(match["point"].replace(",", "."))
    else:
        amount = float(match["whole"] or 0)
        if match["vulgar"]:
            amount += unicodedata.numeric(match["vulgar"])
        else:
            amount += int(match["over"]) / int(match["under"])
    return f"{amount:.2f}".rstrip("0").rstrip(".")


def _loosen(text: str) -> tuple[str, list[int]]:
    """Return the loose form, and the offset in ``text`` that each of its characters is from."""
    parts: list[str] = []
    offsets: list[int] = []
    end = 0
    for match in _AMOUNT_PATTERN.finditer(text):
        amount = _amount_text(match)
        _add_loose(text, end, match.start(), parts, offsets)
        parts.append(amount)
        offsets += [match.start()] * (len(amount) - 1) + [match.end() - 1]
        end = match.end()
    _add_loose(text, end, len(text), parts, offsets)
    return "".join(parts), offsets


def _add_loose(text: str, start: int, end: int, parts: list[str], offsets: list[int]) -> None:
    squeezed, origins = _squeeze(text[start:end])
    last = 0
    for match in _MARK_PATTERN.finditer(squeezed):
        parts.append(squeezed[last : match.start()])
        offsets += [start + it for it in origins[last : match.start()]]
        last = match.end()
    parts.append(squeezed[last:])
    offsets += [start + it for it in origins[last:]]


class FoldedText:
    """A text that is searched in its normal form."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._squeezed, self._offsets = _squeeze(text)
        self._loose, self._loose_offsets = _loosen(text)

    def find(self, value: str, after: int = 0, *, is_loose: bool) -> Iterator[tuple[int, int]]:
        """Yield the first spans at or behind an offset that say a text; none cuts a word."""
        wanted, folded, offsets = squeeze(value), self._squeezed, self._offsets
        if is_loose:
            wanted, folded, offsets = loosen(value), self._loose, self._loose_offsets
        index = folded.find(wanted, bisect_left(offsets, after)) if wanted else -1
        places = 0
        while index >= 0 and places < _MAX_PLACES:
            start, end = offsets[index], offsets[index + len(wanted) - 1] + 1
            if not _cuts_word(self._text, start) and not _cuts_word(self._text, end):
                yield start, end
            index = folded.find(wanted, index + 1)
            places += 1


def _cuts_word(text: str, offset: int) -> bool:
    """Tell whether a word or a figure goes on across an offset: ``can|not``, ``3|.5``."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    if before.isalnum() and after.isalnum():
        return not (_has_no_blanks(before) or _has_no_blanks(after))
    return bool(
        _FIGURE_PATTERN.match(text, offset - 1) or _FIGURE_PATTERN.match(text, max(0, offset - 2))
    )


def _has_no_blanks(char: str) -> bool:
    """Tell whether a letter is of a script that writes words without blanks between them."""
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af"
