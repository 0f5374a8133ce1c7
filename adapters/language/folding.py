"""Fold letters: drop case, accents and variant forms, and map folded characters to their origin."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from webseam.ports.text import lazy_pattern

from .scripts import POINT_CHARS, has_unspaced

TYPOGRAPHY = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", " "), ("\u201d", " "), ("\u2013", " "),
    ("\u2014", " "), ("\u2026", " "), ("\u2022", " "), ("\xa0", " "), ("\xb7", " "),
)  # fmt: skip
_ACCENT_PATTERN = lazy_pattern(rf"[\u0300-\u036f{POINT_CHARS}]+")
# Thai sara am, the only Thai letter that NFKC decomposes into two.
_SARA_AM, _SARA_AM_PARTS = "\u0e33", "\u0e4d\u0e32"
_NARROW_FORMS = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_NARROW_FORMS |= {"\u3000": " ", **dict(TYPOGRAPHY)}
# Characters outside ASCII that may have a case or an accent and need full folding.
_FOLDABLE_CHARS = (
    "\xc0-\xd6\xd8-\xf6\xf8-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2132\u214e\u2183\u2184"
    "\u219a-\u21cf\u2204-\u22ed\u2c00-\u2dff\ua000-\uabff\ud800-\udfff\ufb00-\ufdff"
    "\U00010000-\U0001f0ff\U0001fb00-\U0010ffff"
)
# Patterns are compiled on first use.
_WIDE_FORM_PATTERN = lazy_pattern(f"[{''.join(_NARROW_FORMS)}]")
_RARE_FORM_PATTERN = lazy_pattern(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3099\u309a\u3300-\u33ff\uf900-\ufaff\uff65-\uffdc]"
)
_FOLDABLE_CHAR_PATTERN = lazy_pattern(f"[{_FOLDABLE_CHARS}]")


class FoldedText(NamedTuple):
    """A folded text and the offset in the original text of each of its characters.

    ``origins`` has an offset for each character. It is empty where every character kept its offset,
    except that one character became two at each of ``split_offsets`` of the folded text.
    """

    text: str
    origins: Sequence[int] = ()
    split_offsets: Sequence[int] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original text of a span of the folded text."""
        last = end - 1
        if self.origins:
            return self.origins[start], self.origins[last] + 1
        splits = self.split_offsets
        return start - bisect_left(splits, start), end - bisect_left(splits, last)


def fold_letters(text: str) -> str:
    """Lower the case and drop the accents.

    >>> fold_letters("Über-Größe")
    'uber-grosse'
    """
    if text.isascii():
        return text.lower()
    folded = _fold_unaccented_script(text) if has_unspaced(text) else None
    return _fold_by_normalising(text) if folded is None else folded


def fold_with_offsets(text: str) -> FoldedText:
    """Fold a text and record the original offset of each character."""
    folded = _fold_unaccented_script(text)
    if folded is None:
        normalised = _fold_by_normalising(text)
        return FoldedText(normalised, _folded_char_origins(text, normalised))
    parts = re.finditer(_SARA_AM_PARTS, folded) if len(folded) > len(text) else ()
    return FoldedText(folded, (), [part.start() for part in parts])


def thai_spelling(folded: str) -> str:
    """Return folded Thai as it is usually written, with sara am as one letter."""
    return folded.replace(_SARA_AM_PARTS, _SARA_AM)


def is_usual_spelling(text: str) -> bool:
    """Tell whether letters of unspaced scripts have their usual form, so they need no folding.

    False for half-width kana, for combining marks of kana and for a decomposed sara am.
    """
    return _SARA_AM_PARTS not in text and _RARE_FORM_PATTERN.search(text) is None


def _fold_unaccented_script(text: str) -> str | None:
    """Fold a text of Han, kana, Hangul or Thai that has no accents; return None for other texts.

    Such a text is already in NFKC except for a few characters. Checking that takes a tenth of the
    time of normalising: 0.1 ms for a passage of kana.
    """
    if _SARA_AM_PARTS in text:
        return None
    narrow = _WIDE_FORM_PATTERN.sub(lambda match: _NARROW_FORMS[match[0]], text)
    small = narrow.replace(_SARA_AM, _SARA_AM_PARTS).lower()
    if _FOLDABLE_CHAR_PATTERN.search(small) or not unicodedata.is_normalized("NFKC", small):
        return None
    return small


def _fold_by_normalising(text: str) -> str:
    for typographic, ascii_form in TYPOGRAPHY:
        text = text.replace(typographic, ascii_form)
    if text.isascii():
        return text.lower()
    # Normalise twice: decomposing can expose a capital, and case folding can yield letters that
    # decompose again. Then compose the marks of kana again: a mark alone is not a letter.
    lowered = unicodedata.normalize("NFKD", text).casefold()
    unaccented = _ACCENT_PATTERN.sub("", unicodedata.normalize("NFKD", lowered))
    return unicodedata.normalize("NFC", unaccented)


def _folded_char_origins(text: str, folded: str) -> list[int]:
    marks = (unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) for char in text)
    starts = [offset for offset, mark in enumerate(marks) if not offset or not mark]
    origins: list[int] = []
    for start, end in pairwise([*starts, len(text)]):
        origins += [start] * len(_FOLDED_LETTERS[text[start:end]])
    # Hangul letters join without a mark; assign the surplus characters to the last offset.
    return origins[: len(folded)] + [len(text) - 1] * (len(folded) - len(origins))


class _FoldedLetters(dict[str, str]):
    """Cache of folded characters with their marks; texts of a language have few different ones."""

    def __missing__(self, letter: str) -> str:
        folded = _fold_by_normalising(letter)
        if len(letter) == 1:
            self[letter] = folded
        return folded


_FOLDED_LETTERS = _FoldedLetters()
