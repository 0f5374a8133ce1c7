"""Letters without case, accents and other differences of writing, and where they came from."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from .scripts import POINTS, has_unspaced

TYPOGRAPHY = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", " "), ("\u201d", " "), ("\u2013", " "),
    ("\u2014", " "), ("\u2026", " "), ("\u2022", " "), ("\xa0", " "), ("\xb7", " "),
)  # fmt: skip
_ACCENT = re.compile(rf"[\u0300-\u036f{POINTS}]+")
# The one letter of Thai that is folded to two.
_AM, _AM_APART = "\u0e33", "\u0e4d\u0e32"
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"\u3000": " "}
# What has a case or an accent beside ASCII, so that more than a normal form has to be looked at.
_LETTERED = (
    "\xc0-\xd6\xd8-\xf6\xf8-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2132\u214e\u2183\u2184"
    "\u219a-\u21cf\u2204-\u22ed\u2c00-\u2dff\ua000-\uabff\ud800-\udfff\ufb00-\ufdff"
    "\U00010000-\U0001f0ff\U0001fb00-\U0010ffff"
)


class Folded(NamedTuple):
    """A folded text, and from where in the text each of its characters came.

    ``origins`` are those of all characters, or nothing where each stayed in its place but for those
    ``apart``: places of the folded text where one became two.
    """

    text: str
    origins: Sequence[int] = ()
    apart: Sequence[int] = ()

    @property
    def is_in_place(self) -> bool:
        """Whether every character is where it was."""
        return not self.origins and not self.apart

    def origin(self, at: int) -> int:
        """Return from where a character of the folded text came."""
        return self.origins[at] if self.origins else at - bisect_left(self.apart, at)


def fold(text: str) -> str:
    """Lower the case and drop the accents.

    >>> fold("Über-Größe")
    'uber-grosse'
    """
    if text.isascii():
        return text.lower()
    plain = _plainly(text) if has_unspaced(text) else None
    return _whole(text) if plain is None else plain


def fold_with_offsets(text: str) -> Folded:
    """Fold a text, and remember where its characters came from."""
    plain = _plainly(text)
    if plain is None:
        whole = _whole(text)
        return Folded(whole, _origins(text, whole))
    apart = _places(plain, _AM_APART) if len(plain) > len(text) else ()
    return Folded(plain, (), apart)


def thai_spelling(plain: str) -> str:
    """Return a folded text of Thai as it is written: with one letter that is folded to two."""
    return plain.replace(_AM_APART, _AM)


def is_as_written(text: str) -> bool:
    """Tell whether letters of scripts without blanks stand in a text as most people write them.

    Then they need not be folded to be found: no half-width kana, no marks or letters apart.
    """
    return _AM_APART not in text and _rare_forms().search(text) is None


def _plainly(text: str) -> str | None:
    """Fold a text of Han, kana, Hangul or Thai, where nothing has an accent; None for others.

    Such a text is in its normal form, but for a few characters. To see that takes a tenth of the
    time that it takes to make it: 0.1 ms for a passage of kana.
    """
    if _AM_APART in text:
        return None
    small = _wide().sub(_narrow, text).replace(_AM, _AM_APART).lower()
    if _lettered().search(small) or not unicodedata.is_normalized("NFKC", small):
        return None
    return small


def _whole(text: str) -> str:
    for mark, plain in TYPOGRAPHY:
        text = text.replace(mark, plain)
    if text.isascii():
        return text.lower()
    # Twice: taking a letter apart can show a capital, and small letters can be taken apart again.
    # What is left of it, such as the marks of kana, is put together: a mark is no letter by itself.
    small = unicodedata.normalize("NFKD", text).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", small))
    return unicodedata.normalize("NFC", bare)


def _origins(text: str, whole: str) -> list[int]:
    """Return for each folded character where the one that it came from began."""
    starts = [at for at, each in enumerate(text) if not at or not _is_mark(each)]
    origins: list[int] = []
    for start, end in pairwise([*starts, len(text)]):
        origins += [start] * len(_LETTERS[text[start:end]])
    # Characters that join without a mark, as those of Hangul do, count as the last one.
    return origins[: len(whole)] + [len(text) - 1] * (len(whole) - len(origins))


def _is_mark(character: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) != 0


class _Letters(dict[str, str]):
    """Characters with their marks, folded; there are few different ones in texts of a language."""

    def __missing__(self, letter: str) -> str:
        whole = _whole(letter)
        if len(letter) == 1:
            self[letter] = whole
        return whole


_LETTERS = _Letters()


def _places(text: str, part: str) -> list[int]:
    return [match.start() for match in re.finditer(part, text)]


def _narrow(wide: re.Match[str]) -> str:
    return _narrowed()[wide[0]]


@cache
def _narrowed() -> dict[str, str]:
    return dict(TYPOGRAPHY) | _WIDE


@cache
def _wide() -> re.Pattern[str]:
    marks = "".join(mark for mark, _ in TYPOGRAPHY)
    return re.compile(f"[\uff01-\uff5e\u3000{marks}]")


@cache
def _rare_forms() -> re.Pattern[str]:
    return re.compile(
        "[\u1100-\u11ff\u2e80-\u2fdf\u3099\u309a\u3300-\u33ff\uf900-\ufaff\uff65-\uffdc]"
    )


@cache
def _lettered() -> re.Pattern[str]:
    return re.compile(f"[{_LETTERED}]")
