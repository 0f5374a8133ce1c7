"""The few lines of a passage that answer best, with the words looked for in **bold**."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from ...language.compounds import has_compounds, marks_ended_by, matching_ends
from ...language.scripts import is_unspaced, word_pattern
from ...language.spelling_variants import identifier_positions
from ...language.stems import ENGLISH
from ...language.symbols import is_symbol, symbol_places
from ...language.term_positions import (
    TermPattern,
    first_positions,
    term_runs,
    unspaced_positions,
    word_positions,
    written_forms,
)
from ...language.tokenising import terms_of_word
from ..query import SpellingVariant
from .scoring import find_runs
from .term_matches import MAX_SCANNED_PREFIXES, term_prefixes, words_like

MAX_SNIPPET_CHARS = 320
_LEAD_CHARS = 60
_ALIKE = 1e-9
# By how many pairs of characters a stretch is chosen: the rarest that a passage has.
_RAREST = 6
# The most marks above and below one character.
_MARKS = 4

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_LINE_MARKS = frozenset("#>-+=_")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}|>|[-+]|\d+\.)[ \t]+")
_RULE = re.compile(r"^[-=_ ]{3,}$")
_EMPHASIS = "*`|"
# What would stand in the way of words that are looked for; joiners are left, which shape letters.
_UNSEEN = "\xad\u200b\u2060\ufeff"
_JOINERS = "\u200c\u200d"
# How far back the last word may begin that is left out because it is cut.
_MAX_WORD_CHARS = 40
# Tones of skin, and letters of flags; what joins two characters behind the first.
_COLOURS, _FLAGS, _LINKS = "\U0001f3fb\U0001f3ff", "\U0001f1e6\U0001f1ff", "\u200d\u034f"

_START = itemgetter(0, 1)

Hit: TypeAlias = tuple[int, int, frozenset[str]]


class Snippets:
    """Shows passages by the terms looked for; ``worth`` is what each of them counts.

    Those of ``beginnings`` stand for every word that begins so, and ``writings`` for their terms.
    """

    def __init__(
        self,
        worth: Mapping[str, float],
        beginnings: Collection[str] = (),
        writings: Sequence[SpellingVariant] = (),
    ) -> None:
        """Get ready for many passages."""
        self._worth = worth
        self._writings = writings
        self._named = TermPattern(frozenset(worth).difference(beginnings), tuple(beginnings))
        self._known = _Known(self._named)
        pairs = filter(is_unspaced, worth)
        self._pairs = sorted(pairs, key=worth.__getitem__, reverse=True)
        self._forms = written_forms(self._pairs)
        words = [term for term in worth if term not in self._pairs] if self._pairs else list(worth)
        self._symbols = list(filter(is_symbol, words))
        words = [term for term in words if term not in self._symbols] if self._symbols else words
        self._has_words = bool(words)
        self._long = list(filter(marks_ended_by, words))
        self._is_plain = all(map(str.isascii, words))
        self._beginnings = term_prefixes(words)

    def snippet(self, body: str, language: str = ENGLISH) -> str:
        r"""Return the best stretch of ``body`` on one line.

        >>> Snippets({"pump": 2.0}).snippet("# Pumps\n\nA heat pump moves heat.")
        '**Pumps** A heat **pump** moves heat.'
        """
        text = markdown_line(body)
        words = self._words(text, language)
        if self._writings:
            words = sorted(words + self._written(text, language), key=_START)
        if self._symbols:
            words = sorted(words + self._symbol_hits(text), key=_START)
        begin = self._begin(text, words)
        end = _end(text, begin)
        shown = _marked(text, begin, end, self._bold(text, begin, words))
        return ("… " if begin else "") + shown + (" …" if end < len(text) else "")

    def _begin(self, text: str, words: list[Hit]) -> int:
        """Return where the stretch begins that holds the most: first of the best, at a word."""
        if len(text) <= MAX_SNIPPET_CHARS:
            return 0
        chosen = _best_start(self._telling(text, words), self._worth)
        begin = max(0, min(chosen - _LEAD_CHARS, len(text) - MAX_SNIPPET_CHARS))
        blank = text.find(" ", begin, chosen) if begin else -1
        if blank >= 0:
            return blank + 1
        while begin < chosen and _is_held(text, begin):
            begin += 1
        return begin

    def _words(self, text: str, language: str) -> list[Hit]:
        """Find the words that were looked for: what joins letters is no part of them."""
        if not self._has_words:
            return []
        if not any(joiner in text for joiner in _JOINERS):
            return self._bare_words(text, language)
        seen = [at for at, character in enumerate(text) if character not in _JOINERS]
        hits = self._bare_words("".join(map(text.__getitem__, seen)), language)
        return [(seen[start], seen[end - 1] + 1, terms) for start, end, terms in hits]

    def _bare_words(self, text: str, language: str) -> list[Hit]:
        """Find words in a text without joiners. Only when none begins alike is each one tried."""
        small = text.lower()
        # A few capitals are longer when they are small: what is found there is not where it seems.
        # Other languages change a word at its beginning: what has an accent there has none here.
        few = len(self._beginnings) <= MAX_SCANNED_PREFIXES
        if self._is_plain and few and language == ENGLISH and len(small) == len(text):
            words = words_like(small, self._beginnings)
            known = self._known
            names = ((start, end, known[small[start:end]]) for start, end in words)
            hits = [hit for hit in names if hit[2]]
            if hits:
                return hits
        found = sorted(word_positions(text, self._named, language), key=_START)
        return found or self._parts(text, language)

    def _parts(self, text: str, language: str) -> list[Hit]:
        """Find the names and compounds that have a word as a part."""
        names = (
            (at, end, self._named.among(parts)) for at, end, parts in identifier_positions(text)
        )
        hits = [hit for hit in names if hit[2]]
        if not has_compounds(language):
            return hits
        words = ((word.start(), word.end()) for word in word_pattern(text).finditer(text))
        ends = ((at, end, self._ends(text[at:end], language)) for at, end in words)
        return sorted([*hits, *(hit for hit in ends if hit[2])], key=_START)

    def _ends(self, word: str, language: str) -> frozenset[str]:
        """Return the terms that end a word, if it is a compound of theirs."""
        terms = (matching_ends(term, self._long) for term in terms_of_word(word, language))
        return frozenset(end for ends in terms for end in ends)

    def _written(self, text: str, language: str) -> list[Hit]:
        """Find the other writings of words."""
        return [
            (start, end, frozenset(writing.typed))
            for writing in self._writings
            for start, end in find_runs(text, writing.other, language)
        ]

    def _symbol_hits(self, text: str) -> list[Hit]:
        return [
            (start, end, frozenset((symbol,)))
            for start, end, symbol in symbol_places(text)
            if symbol in self._symbols
        ]

    def _telling(self, text: str, words: list[Hit]) -> list[Hit]:
        """Return the hits by which a stretch is chosen: words, and the rarest pairs."""
        if not self._pairs:
            return words
        pairs = first_positions(text, self._forms, _RAREST) or unspaced_positions(text, self._pairs)
        return sorted(words + pairs, key=_START)

    def _bold(self, text: str, begin: int, words: list[Hit]) -> list[tuple[int, int]]:
        """Return what is bold: words, and runs of pairs of the stretch that is shown."""
        spans = [(start, stop) for start, stop, _ in words]
        if not self._pairs:
            return spans
        # A little more than is shown: marks belong to the character before them.
        runs = term_runs(text[begin : begin + MAX_SNIPPET_CHARS + _MARKS], self._forms)
        return sorted(spans + [(begin + start, begin + stop) for start, stop in runs])


class _Known(dict[str, frozenset[str]]):
    """Which terms a word of a text is; there are few different ones that begin alike."""

    def __init__(self, named: TermPattern) -> None:
        super().__init__()
        self._named = named

    def __missing__(self, word: str) -> frozenset[str]:
        names = self._named.among(terms_of_word(word))
        self[word] = names
        return names


def markdown_line(markdown: str) -> str:
    r"""Return markdown as one line of plain text.

    >>> markdown_line("## A [link](https://a.example)\n- *item*")
    'A link item'
    """
    text = _LINK.sub(r"\1", markdown) if "](" in markdown else markdown
    for mark in _EMPHASIS:
        text = text.replace(mark, " ")
    for character in _UNSEEN:
        text = text.replace(character, "")
    lines = [line if line[0].isalpha() else _unmarked(line) for line in text.split("\n") if line]
    joined = " ".join(lines)
    # Every blank but the plain one is not printable. Most texts have none, and none side by side.
    if joined.isprintable() and "  " not in joined:
        return joined.strip(" ")
    return " ".join(joined.split())


def _unmarked(line: str) -> str:
    """Return a line without what makes it a heading, an item or a rule; few lines are any."""
    first = line.lstrip()[:1]
    if first in _LINE_MARKS or first.isdecimal():
        return _RULE.sub("", _LINE_START.sub("", line))
    return line


def _end(text: str, begin: int) -> int:
    """Return where a stretch ends: between words, else at least between characters."""
    end = begin + MAX_SNIPPET_CHARS
    if end >= len(text):
        return len(text)
    if not _is_held(text, end) and not all(map(_is_lettered, text[end - 1 : end + 1])):
        return end
    blank = text.rfind(" ", end - _MAX_WORD_CHARS, end)
    if blank > begin:
        return blank
    while end > begin + 1 and _is_held(text, end):
        end -= 1
    return end


def _is_lettered(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _is_held(text: str, at: int) -> bool:
    """Tell whether a character belongs to the one before it."""
    before, character = text[at - 1 : at], text[at]
    if character.isascii():
        return False
    return (
        before in _LINKS
        or character in _LINKS
        or unicodedata.category(character)[0] == "M"
        or _COLOURS[0] <= character <= _COLOURS[1]
        or (_FLAGS[0] <= character <= _FLAGS[1] and _FLAGS[0] <= before <= _FLAGS[1])
    )


def _best_start(hits: list[Hit], worth: Mapping[str, float]) -> int:
    """Return the start of the window that holds the most; each hit enters and leaves it once."""
    best, chosen, last, total = -1.0, 0, 0, 0.0
    held = dict.fromkeys(worth, 0)
    for start, _, terms in hits:
        while last < len(hits) and hits[last][1] <= start + MAX_SNIPPET_CHARS - _LEAD_CHARS:
            for term in hits[last][2]:
                total += 0.0 if held[term] else worth[term]
                held[term] += 1
            last += 1
        # A little more than before: sums of the same terms differ in their last digits.
        if total > best + _ALIKE:
            best, chosen = total, start
        for term in terms:
            held[term] -= 1
            total -= 0.0 if held[term] else worth[term]
    return chosen


def _marked(text: str, begin: int, end: int, bold: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = begin
    for start, stop in bold:
        if begin <= start and stop <= end:
            first = max(start, at)
            pieces += (text[at:first], "**", text[first:stop], "**")
            at = stop
    pieces.append(text[at:end])
    # Words without anything between them are one stretch of bold.
    joined = "".join(pieces).replace("****", "")
    return joined.replace("**\u200d**", "\u200d").strip()
