"""Find the offsets of query words in a text without analysing the rest of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .folding import fold_with_offsets, is_usual_spelling, thai_spelling
from .scripts import (
    SPACED_WORD_PATTERN,
    combining_characters,
    find_words,
    has_clusters,
    has_unspaced,
    is_script_sign,
    is_unspaced,
    leading_vowels,
    word_char_test,
)
from .tokenising import single_terms, terms_of_word

# Start, end and terms of a match.
TermSpan: TypeAlias = tuple[int, int, frozenset[str]]


class UnspacedTerm(NamedTuple):
    """A term of an unspaced script as it occurs in a text.

    ``is_free`` says that no neighbouring character can change the term. ``is_led`` says that a
    vowel already precedes its first consonant.
    """

    text: str
    length: int
    is_free: bool
    is_led: bool
    names: frozenset[str]


def unspaced_terms(terms: Iterable[str]) -> list[UnspacedTerm]:
    """Return terms as they occur in folded text."""
    return [_unspaced_term(term, term) for term in terms]


def written_forms(terms: Iterable[str]) -> list[UnspacedTerm]:
    """Return terms in their usual spelling."""
    return [_unspaced_term(term, thai_spelling(term)) for term in terms]


def _unspaced_term(term: str, text: str) -> UnspacedTerm:
    is_free = len(text) > 1 and not has_clusters(text)
    return UnspacedTerm(text, len(text), is_free, text[0] in leading_vowels(), frozenset((term,)))


def unspaced_positions(text: str, wanted_terms: Iterable[str]) -> list[TermSpan]:
    """Return the spans of terms of unspaced scripts in ``text`` as written."""
    folded = fold_with_offsets(text)
    return [
        (*folded.original_span(start, end), form.names)
        for form in unspaced_terms(wanted_terms)
        for start, end in _unspaced_ends(folded.text, (form,)).items()
    ]


def term_runs(text: str, wanted_terms: Sequence[UnspacedTerm]) -> list[tuple[int, int]]:
    """Return the runs of characters that terms in their usual spelling cover.

    >>> term_runs("東京都と京都", written_forms(["東京", "京都"]))
    [(0, 3), (4, 6)]
    """
    if is_usual_spelling(text):
        return _merge_term_spans(_unspaced_ends(text, wanted_terms))
    folded = fold_with_offsets(text)
    forms = unspaced_terms(name for form in wanted_terms for name in form.names)
    runs = _merge_term_spans(_unspaced_ends(folded.text, forms))
    return [folded.original_span(start, end) for start, end in runs]


def _merge_term_spans(ends: Mapping[int, int]) -> list[tuple[int, int]]:
    """Merge spans that overlap or touch; ``ends`` maps each start to its end."""
    runs: list[tuple[int, int]] = []
    run_start = end = -1
    for start in sorted(ends):
        if start > end:
            runs.append((run_start, end))
            run_start = start
        end = ends[start]
    return [*runs[1:], (run_start, end)] if ends else []


def _unspaced_ends(plain: str, forms: Iterable[UnspacedTerm]) -> dict[int, int]:
    """Return the end of each match by its start. At the same start the last form wins.

    A character beside a match can belong to it, and then the match is another term.
    """
    find_text, combining, leading = plain.find, combining_characters(), leading_vowels()
    ends: dict[int, int] = {}
    for form_text, length, is_free, is_led, _ in forms:
        start = find_text(form_text)
        while start >= 0:
            end = start + length
            if is_free or (
                plain[end : end + 1] not in combining
                and (is_led or plain[start - 1 : start] not in leading)
                and (
                    length > 1 or is_script_sign(form_text) or _is_lone_unspaced_char(plain, start)
                )
            ):
                ends[start] = end
            start = find_text(form_text, start + 1)
    return ends


def first_positions(
    text: str, wanted_terms: Iterable[UnspacedTerm], max_positions: int
) -> list[TermSpan]:
    """Return the spans of the first terms that a text has, at most ``max_positions`` terms.

    Folding a text takes as long as searching ten terms, so unusual spellings are not found.
    """
    spans: list[TermSpan] = []
    for form in wanted_terms:
        ends = _unspaced_ends(text, (form,)) if form.text in text else {}
        spans += [(start, end, form.names) for start, end in ends.items()]
        max_positions -= bool(ends)
        if not max_positions:
            break
    return spans


class TermPattern(NamedTuple):
    """Terms to look for, and beginnings of terms that count as well."""

    terms: frozenset[str]
    beginnings: tuple[str, ...] = ()

    def match_terms(self, terms: Sequence[str]) -> frozenset[str]:
        """Return the wanted terms that the terms of a text match."""
        names = self.terms.intersection(terms)
        begins = (begin for begin in self.beginnings for term in terms if term.startswith(begin))
        return names.union(begins) if self.beginnings else names

    def match_words(self, words: list[str], language: str) -> list[tuple[str, frozenset[str]]]:
        """Return the words of a text that match, each with its terms; most do not."""
        matches = words
        if not self.beginnings:
            singles = list(map(single_terms(language).__getitem__, words))
            possible = {"", *self.terms.intersection(singles)}
            matches = [word for word, term in zip(words, singles, strict=True) if term in possible]
        terms = ((word, self.match_terms(terms_of_word(word, language))) for word in matches)
        return [(word, names) for word, names in terms if names]


def word_positions(text: str, pattern: TermPattern, language: str) -> list[TermSpan]:
    """Return spans and terms of matching words in ``text``; look up each distinct word once."""
    is_mixed = has_unspaced(text)
    words = list(set(SPACED_WORD_PATTERN.findall(text) if is_mixed else find_words(text)))
    matches = pattern.match_words(words, language)
    if not matches:
        return []
    is_word_char = word_char_test(text, is_mixed=is_mixed)
    return [
        (start, start + len(word), names)
        for word, names in matches
        for start in _whole_word_offsets(text, word, is_word_char)
    ]


def _whole_word_offsets(text: str, word: str, is_word_char: Callable[[str], bool]) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not is_word_char(text[max(0, at - 1) : at]) and not is_word_char(text[end : end + 1]):
            yield at
        at = text.find(word, end)


def _is_lone_unspaced_char(text: str, at: int) -> bool:
    return not any(map(is_unspaced, (text[max(0, at - 1) : at], text[at + 1 : at + 2])))
