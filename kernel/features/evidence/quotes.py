"""Find the stretch of a page that a model chose by its quote.

A quote only chooses: what is shown are the whole sentences that it touches, as the page has them.
So it is compared by its words alone, whatever their case, marks and markup.
"""

import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

import msgspec

from webseam.ports.text import IGNORABLE_CHARS

from .page_view import CLAIM_BLOCKS, PageView
from .printing import blank_comments

MAX_QUOTE_CHARS = 2000
_MIN_QUOTE_WORDS = 3
# Scripts without blanks between words; each sign of them is a word here.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD_PATTERN = re.compile(
    rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_][\u0300-\u036f\u0900-\u0dff{IGNORABLE_CHARS}]*)+"
)
_IGNORABLE_PATTERN = re.compile(f"[{IGNORABLE_CHARS}]+")
_TARGET_PATTERN = re.compile(r"\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?\)")
_STEM_CHARS = 5
# A sentence that has this share of a quote's words, by their rarity, may be the one that was meant,
# if every other sentence has less by this share. Of 944 sentences with a third of their words left
# out and a quarter replaced, 390 lead home so and 13 astray; half of the true ones were not there.
_MIN_SHARE, _MIN_LEAD = 0.25, 0.15
_MAX_WORDED_DIGITS = 2


class QuoteSpan(msgspec.Struct, frozen=True, gc=False):
    """The start and end of what a quote chose."""

    start: int
    end: int


class PageWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a page, joined by blanks, with the place of each in the page."""

    joined: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]


def find_words(text: str) -> PageWords:
    """Return the words of a page; those of comments and of the targets of links are none."""
    shown = blank_comments(text, " ")
    shown = _TARGET_PATTERN.sub(lambda target: " " * len(target[0]), shown)
    matches = list(_WORD_PATTERN.finditer(shown))
    words = [_fold_word(match[0]) for match in matches]
    starts, length = [], 1
    for word in words:
        starts.append(length)
        length += len(word) + 1
    return PageWords(
        joined=f" {' '.join(words)} ",
        starts=tuple(starts),
        origins=tuple(match.start() for match in matches),
        ends=tuple(match.end() for match in matches),
    )


def quote_words(text: str) -> list[str]:
    """Return the words of a text as they are compared."""
    return [_fold_word(word) for word in _WORD_PATTERN.findall(_TARGET_PATTERN.sub(" ", text))]


def _fold_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", _IGNORABLE_PATTERN.sub("", word)).casefold()


def find_quote(
    page: PageWords, quote: str, start: int = 0, end: int | None = None
) -> QuoteSpan | None:
    """Return where the words of a quote stand in a row between two offsets, or None."""
    words = quote_words(quote[:MAX_QUOTE_CHARS])
    if not words:
        return None
    needle = f" {' '.join(words)} "
    first = bisect_right(page.ends, start)
    at = page.joined.find(needle, page.starts[first] - 1) if first < len(page.starts) else -1
    if at < 0:
        return None
    index = bisect_right(page.starts, at + 1) - 1
    span = QuoteSpan(page.origins[index], page.ends[index + len(words) - 1])
    return span if end is None or span.end <= end else None


def nearest_unit(view: PageView, quote: str) -> QuoteSpan | None:
    """Return the one sentence, item or row of a page that has most of a quote's words, or None.

    This is for a model that rewrote its quote; None where two are nearly as close.
    """
    words = quote_words(quote[:MAX_QUOTE_CHARS])
    asked = {stem: _is_figure(word) for stem, word in zip(_stems(words), words, strict=True)}
    figures = {stem for stem, is_figure in asked.items() if is_figure}
    spans = [
        QuoteSpan(*span)
        for index, block in enumerate(view.blocks)
        if block.kind in CLAIM_BLOCKS
        for span in view.units(index)
    ]
    stems = [frozenset(_stems(quote_words(view.text[it.start : it.end]))) for it in spans]
    spread = Counter(stem for unit in stems for stem in unit)
    weights = {stem: math.log(1 + len(spans) / (0.5 + spread[stem])) for stem in asked}
    total = sum(weights.values()) or 1.0
    shares = []
    for unit in stems:
        shared = sum(weights[stem] for stem in asked if stem in unit)
        shares.append(0.0 if _has_other_figures(unit, figures) else shared / total)
    ranked = sorted(range(len(spans)), key=lambda number: -shares[number])
    if not ranked or shares[ranked[0]] < _MIN_SHARE:
        return None
    if len(ranked) > 1 and shares[ranked[0]] - shares[ranked[1]] < _MIN_LEAD:
        return None
    return spans[ranked[0]]


def _has_other_figures(unit: frozenset[str], figures: set[str]) -> bool:
    """Tell whether a sentence lacks a figure, and cannot have it in words, as 35 or 60,000."""
    missing = figures - unit
    are_short = all(len(figure.strip("0")) <= _MAX_WORDED_DIGITS for figure in missing)
    return bool(missing) and (not are_short or any(map(_is_figure, unit)))


def _is_figure(word: str) -> bool:
    return any(map(str.isdigit, word))


def _stems(words: Iterable[str]) -> Iterable[str]:
    """Yield the beginnings of words; of scripts without blanks, pairs of signs."""
    last = ""
    for word in words:
        if len(word) == 1 and not word.isascii():
            yield last + word
            last = word
        else:
            last = ""
            yield word[:_STEM_CHARS]


def is_choice(quote: str) -> bool:
    """Tell whether a quote has words enough to choose a sentence."""
    return len(quote_words(quote)) >= _MIN_QUOTE_WORDS
