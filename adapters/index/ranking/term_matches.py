"""Find the query's terms in a passage: their positions in the body, and the terms above it.

An English text is not split into terms: words that begin like a term are found, and only those are
stemmed. That takes some 40 µs for a passage of 180 words, against 120 (2026-11-15). Other languages
also change the beginning of words, so each word is looked up and stemmed once. Pairs of characters
of unspaced scripts are not searched here: the engine's score counts them.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

import msgspec

from ...language.compounds import has_compounds, matching_compound_ends
from ...language.scripts import ALNUM_OR_BLANK_TABLE, find_script_words
from ...language.spelling_variants import identifier_terms
from ...language.stems import ENGLISH
from ...language.symbols import is_symbol, symbol_positions, symbol_terms
from ...language.term_positions import term_numbers, terms_at
from ...language.tokenising import plain_text, terms_of_word, text_terms, without_elisions
from ..passage_terms import PassageText

TermPositions: TypeAlias = dict[str, list[int]]

_WORD_REST_PATTERN = re.compile(r"[^\W_]*")
# Stems that are longer than the common beginning of their words: dying, skies.
_IRREGULAR_PREFIXES = {"die": "d", "lie": "l", "tie": "t", "vie": "v", "sky": "sk"}
_MIN_STEM_CHARS = 2
_NO_NAMES: frozenset[str] = frozenset()
_NO_COUNTS: Mapping[str, int] = {}
# With more prefixes than this it is faster to split the text.
MAX_SCANNED_PREFIXES = 24
# Last letters of a stem that may differ in the word: study and studi, hoping and hope,
# possibility and possibl.
_CHANGING_LETTERS = ("i", "e", "l")


class TermMatches(msgspec.Struct, frozen=True, kw_only=True):
    """Positions in the body, counted in words, and all terms of title and headings.

    ``names`` are terms that are part of an identifier. ``framing`` counts function words in the
    body.
    """

    positions: TermPositions
    title: list[str]
    headings: list[str]
    names: frozenset[str] = _NO_NAMES
    framing: Mapping[str, int] = _NO_COUNTS


class TermMatcher:
    """The terms of a query, prepared for many passages."""

    def __init__(
        self,
        texts: Sequence[str],
        prefixes: Sequence[str] = (),
        inside: Sequence[str] = (),
        ends: Sequence[str] = (),
        framing: Sequence[str] = (),
    ) -> None:
        """Match these terms, and words that begin with ``prefixes``.

        Terms in ``inside`` also match parts of identifiers, terms in ``ends`` ends of compounds.
        Terms in ``framing`` are only counted.
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
        self._beginnings = ranking_term_prefixes([*texts, *prefixes])
        # A cache: few different words begin alike.
        self._names_of_word = cache(self._word_names)

    def match_passage(self, text: PassageText) -> TermMatches:
        """Return the matches of a passage."""
        matches = self._match_words(text)
        if not self._symbols:
            return matches
        positions = dict(matches.positions)
        for offset, _, symbol in symbol_positions(text.body):
            if symbol in self._symbols:
                positions.setdefault(symbol, []).append(len(find_script_words(text.body[:offset])))
        return msgspec.structs.replace(
            matches,
            positions=positions,
            title=matches.title + symbol_terms(text.title),
            headings=matches.headings + symbol_terms(text.headings),
        )

    def _match_words(self, text: PassageText) -> TermMatches:
        """Return the words that match; the text is split only if the fast scan finds none."""
        has_few = len(self._beginnings) <= MAX_SCANNED_PREFIXES
        names = self._identifier_names(text) if self._inside or self._ends else _NO_NAMES
        if self._is_plain and has_few and text.language == ENGLISH:
            quick = self._scan_english(text)
            has_heading_terms = not self._texts.isdisjoint((*quick.title, *quick.headings))
            if quick.positions or names or has_heading_terms:
                return quick if not names else msgspec.structs.replace(quick, names=names)
        positions = self._term_positions(plain_text(text.body, text.language), text.language)
        framing = {term: len(positions.pop(term)) for term in self._framing & positions.keys()}
        return TermMatches(
            positions=positions,
            title=text_terms(text.title, text.language) if text.title else [],
            headings=text_terms(text.headings, text.language) if text.headings else [],
            names=names,
            framing=framing,
        )

    def _identifier_names(self, text: PassageText) -> frozenset[str]:
        """Return the terms that are part of an identifier or compound in this passage."""
        fields = (text.title, text.headings, text.body)
        names = self._inside.intersection(
            term for field in fields for term in identifier_terms(field)
        )
        return names.union(self._compound_end_names(text)) if self._ends else names

    def _compound_end_names(self, text: PassageText) -> list[str]:
        """Return the terms that end a compound in this passage."""
        full_text = f"{text.title} {text.headings} {text.body}"
        words = set(text_terms(full_text, text.language)) if has_compounds(text.language) else ()
        return [end for word in words for end in matching_compound_ends(word, self._ends)]

    def _term_positions(self, plain: str, language: str) -> TermPositions:
        if not self._prefixes:
            return term_numbers(plain, language, self._counted)
        positions: TermPositions = {}
        for at, term in terms_at(plain, language):
            for name in self._term_names(term):
                positions.setdefault(name, []).append(at)
        return positions

    def _scan_english(self, text: PassageText) -> TermMatches:
        lowered = without_elisions(text.body.lower())
        # Replace characters outside words by blanks, so that words can be counted.
        blanked = lowered.encode("ascii", "replace").translate(ALNUM_OR_BLANK_TABLE)
        positions: TermPositions = {}
        word, before = 0, 0
        for start, end in ranking_term_matches(lowered, self._beginnings):
            if names := self._names_of_word(lowered[start:end]):
                word, before = word + len(blanked[before:start].split()), start
                for name in names:
                    positions.setdefault(name, []).append(word)
        title = text_terms(text.title) if text.title else []
        headings = text_terms(text.headings) if text.headings else []
        framing = self._count_function_words(blanked) if self._framing else _NO_COUNTS
        return TermMatches(positions=positions, title=title, headings=headings, framing=framing)

    def _count_function_words(self, blanked: bytes) -> dict[str, int]:
        """Count function words in their usual spelling."""
        count = b"".join((b" ", blanked, b" ")).count
        return {term: count(f" {term} ".encode()) for term in self._framing}

    def _term_names(self, term: str) -> list[str]:
        """Return the terms and prefixes that a term of the text matches."""
        names = [term] if term in self._counted else []
        return names + [begin for begin in self._prefixes if term.startswith(begin)]

    def _word_names(self, word: str) -> list[str]:
        return [name for term in terms_of_word(word) for name in self._term_names(term)]


def ranking_term_matches(lowered: str, beginnings: Sequence[str]) -> list[tuple[int, int]]:
    """Return the spans of words with these beginnings, in order.

    Each beginning is searched by itself: one pattern for all takes five times as long.
    """
    words: list[tuple[int, int]] = []
    for beginning in beginnings:
        start = lowered.find(beginning)
        while start >= 0:
            end = start + len(beginning)
            if not start or not lowered[start - 1].isalnum():
                rest = _WORD_REST_PATTERN.match(lowered, end)
                end = rest.end() if rest else end
                words.append((start, end))
            start = lowered.find(beginning, end)
    return sorted(words) if len(beginnings) > 1 else words


def ranking_term_prefixes(texts: Sequence[str]) -> list[str]:
    """Return the beginnings of words of these terms, without those that another one covers."""
    shortest: list[str] = []
    # What a beginning covers follows it.
    for beginning in sorted({ranking_term_prefix(text) for text in texts}):
        if not beginning.startswith(tuple(shortest[-1:])):
            shortest.append(beginning)
    return shortest


def ranking_term_prefix(text: str) -> str:
    """Return the common beginning of the English words of a term.

    >>> [ranking_term_prefix(text) for text in ("studi", "hope", "gas")]
    ['stud', 'hop', 'gas']
    """
    changes_ending = text[-1:] in _CHANGING_LETTERS and len(text) > _MIN_STEM_CHARS
    return _IRREGULAR_PREFIXES.get(text) or (text[:-1] if changes_ending else text)
