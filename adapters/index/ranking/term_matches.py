"""What a passage has of the terms looked for: where in its body, and above it.

An English text is not taken apart for that: words that begin like a term are found, and only those
are stemmed. Some 40 µs a passage of 180 words, against 120 (2026-11-15). Other languages change
their words at the beginning too: each word is looked up, and stemmed once. Pairs of characters, of
scripts without blanks, are never looked for here: they are counted where they were found.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from ...language.compounds import has_compounds, matching_ends
from ...language.scripts import BLANKED, find_words
from ...language.spelling_variants import identifier_terms
from ...language.stems import ENGLISH
from ...language.symbols import is_symbol, symbol_places, symbol_terms
from ...language.term_positions import term_numbers, terms_at
from ...language.tokenising import plain_text, terms_of_word, text_terms, without_elisions
from ..passage_terms import PassageText

Places: TypeAlias = dict[str, list[int]]

_REST = re.compile(r"[^\W_]*")
# Stems that are longer than what their words have in common: dying, skies.
_SHORTER = {"die": "d", "lie": "l", "tie": "t", "vie": "v", "sky": "sk"}
_MIN_STEM_CHARS = 2
_NO_NAMES: frozenset[str] = frozenset()
_NO_COUNTS: Mapping[str, int] = {}
# With more words to look for than these it is faster to take a text apart.
MAX_SCANNED_PREFIXES = 24
# Last letters of a stem that may be others in the word: study and studi, hoping and hope,
# possibility and possibl.
_CHANGED = ("i", "e", "l")


class TermMatches(msgspec.Struct, frozen=True, kw_only=True):
    """Places in the body are counted in words; the title and the headings are all their terms.

    ``names`` are the terms that are part of a name somewhere. ``framing`` is how often words that
    only build sentences are in the body.
    """

    places: Places
    title: list[str]
    headings: list[str]
    names: frozenset[str] = _NO_NAMES
    framing: Mapping[str, int] = _NO_COUNTS


class TermMatcher:
    """The terms of one query, ready to be looked for in many passages."""

    def __init__(
        self,
        texts: Sequence[str],
        prefixes: Sequence[str] = (),
        inside: Sequence[str] = (),
        ends: Sequence[str] = (),
        framing: Sequence[str] = (),
    ) -> None:
        """Look for these terms, and words that begin as these do.

        Those ``inside`` are looked for as parts of names, too, and those of ``ends`` of compounds.
        Those of ``framing`` are only counted.
        """
        self._symbols = frozenset(filter(is_symbol, texts))
        texts = [text for text in texts if text not in self._symbols]
        self._texts = frozenset(texts)
        self._inside = frozenset(inside)
        self._ends = tuple(ends)
        self._framing = frozenset(framing)
        self._counted = self._texts | self._framing
        self._prefixes = tuple(prefixes)
        self._is_plain = all(map(str.isascii, (*texts, *prefixes)))
        self._beginnings = term_prefixes([*texts, *prefixes])
        self._known = _Known(self)

    def evidence(self, text: PassageText) -> TermMatches:
        """Return what a passage has."""
        found = self._of_words(text)
        if not self._symbols:
            return found
        places = dict(found.places)
        for at, _, symbol in symbol_places(text.body):
            if symbol in self._symbols:
                places.setdefault(symbol, []).append(len(find_words(text.body[:at])))
        return msgspec.structs.replace(
            found,
            places=places,
            title=found.title + symbol_terms(text.title),
            headings=found.headings + symbol_terms(text.headings),
        )

    def _of_words(self, text: PassageText) -> TermMatches:
        """Return the words that a passage has; it is taken apart where none is found fast."""
        few = len(self._beginnings) <= MAX_SCANNED_PREFIXES
        names = self._names(text) if self._inside or self._ends else _NO_NAMES
        if self._is_plain and few and text.language == ENGLISH:
            quick = self._found(text)
            if quick.places or names or not self._texts.isdisjoint((*quick.title, *quick.headings)):
                return quick if not names else msgspec.structs.replace(quick, names=names)
        places = self._places(plain_text(text.body, text.language), text.language)
        framing = {term: len(places.pop(term)) for term in self._framing & places.keys()}
        return TermMatches(
            places=places,
            title=text_terms(text.title, text.language) if text.title else [],
            headings=text_terms(text.headings, text.language) if text.headings else [],
            names=names,
            framing=framing,
        )

    def _names(self, text: PassageText) -> frozenset[str]:
        """Return the terms that are part of a name here."""
        whole = (text.title, text.headings, text.body)
        names = self._inside.intersection(term for each in whole for term in identifier_terms(each))
        return names.union(self._ended(text)) if self._ends else names

    def _ended(self, text: PassageText) -> list[str]:
        """Return the terms that end a compound here."""
        whole = f"{text.title} {text.headings} {text.body}"
        words = set(text_terms(whole, text.language)) if has_compounds(text.language) else ()
        return [end for word in words for end in matching_ends(word, self._ends)]

    def _places(self, plain: str, language: str) -> Places:
        if not self._prefixes:
            return term_numbers(plain, language, self._counted)
        places: Places = {}
        for at, term in terms_at(plain, language):
            for name in self.names(term):
                places.setdefault(name, []).append(at)
        return places

    def _found(self, text: PassageText) -> TermMatches:
        small = without_elisions(text.body.lower())
        # A blank for each character that is part of no word, so that words can be counted.
        blanked = small.encode("ascii", "replace").translate(BLANKED)
        places: Places = {}
        known = self._known
        word, before = 0, 0
        for start, end in words_like(small, self._beginnings):
            names = known[small[start:end]]
            if names:
                word, before = word + len(blanked[before:start].split()), start
                for name in names:
                    places.setdefault(name, []).append(word)
        title = text_terms(text.title) if text.title else []
        headings = text_terms(text.headings) if text.headings else []
        framing = self._framed(blanked) if self._framing else _NO_COUNTS
        return TermMatches(places=places, title=title, headings=headings, framing=framing)

    def _framed(self, blanked: bytes) -> dict[str, int]:
        """Count words that only build sentences, as they are mostly written."""
        count = b"".join((b" ", blanked, b" ")).count
        return {term: count(f" {term} ".encode()) for term in self._framing}

    def names(self, term: str) -> list[str]:
        """Return as what a word of the text counts: as a term, and as a beginning."""
        names = [term] if term in self._counted else []
        return names + [begin for begin in self._prefixes if term.startswith(begin)]


class _Known(dict[str, list[str]]):
    """As what words of a text count; there are few different ones that begin alike."""

    def __init__(self, wanted: TermMatcher) -> None:
        super().__init__()
        self._wanted = wanted

    def __missing__(self, word: str) -> list[str]:
        names = [name for term in terms_of_word(word) for name in self._wanted.names(term)]
        self[word] = names
        return names


def words_like(small: str, beginnings: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the words stand that begin so, in order.

    By looking for each beginning: a pattern of all of them takes five times as long.
    """
    words: list[tuple[int, int]] = []
    for beginning in beginnings:
        at = small.find(beginning)
        while at >= 0:
            end = at + len(beginning)
            if not at or not small[at - 1].isalnum():
                end = _rest_of(small, end)
                words.append((at, end))
            at = small.find(beginning, end)
    return sorted(words) if len(beginnings) > 1 else words


def _rest_of(small: str, start: int) -> int:
    rest = _REST.match(small, start)
    return rest.end() if rest else start


def term_prefixes(texts: Sequence[str]) -> list[str]:
    """Return how words of these terms begin; one that begins like another is found with it."""
    shortest: list[str] = []
    for beginning in sorted({term_prefix(text) for text in texts}, key=len):
        if not beginning.startswith(tuple(shortest)):
            shortest.append(beginning)
    return shortest


def term_prefix(text: str) -> str:
    """Return what every English word of a term begins with.

    >>> [term_prefix(text) for text in ("studi", "hope", "gas")]
    ['stud', 'hop', 'gas']
    """
    is_cut = text[-1:] in _CHANGED and len(text) > _MIN_STEM_CHARS
    return _SHORTER.get(text) or (text[:-1] if is_cut else text)
