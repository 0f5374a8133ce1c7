"""Where words stand in a text: those of a query are looked for, and the rest is left alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .folding import fold_with_offsets, is_as_written, thai_spelling
from .scripts import (
    combining_pattern,
    find_words,
    has_unspaced,
    is_clustered,
    is_sign,
    is_unspaced,
    leading_vowels,
    part_of_word,
    spaced_word_pattern,
    token_pattern,
)
from .tokenising import WordTerms, stem_table, word_terms

# From where to where, and as which terms.
Place: TypeAlias = tuple[int, int, frozenset[str]]


def terms_at(plain: str, language: str) -> Iterator[tuple[int, str]]:
    """Yield the terms of words with blanks around them, and how many terms are before each."""
    stems = stem_table(language)
    if not has_unspaced(plain):
        yield from enumerate(map(stems.__getitem__, find_words(plain)))
        return
    before = 0
    for part in token_pattern().finditer(plain):
        if part["word"]:
            yield before, stems[part["word"]]
            before += 1
        else:
            before += max(1, len(part[0]) - 1)


def term_numbers(plain: str, language: str, wanted_terms: frozenset[str]) -> dict[str, list[int]]:
    """Return those of the terms that a text has, and how many terms are before each.

    A step of Python for each that is there, not for each word: half of what the words take.
    """
    if has_unspaced(plain):
        numbers: dict[str, list[int]] = {}
        for at, term in terms_at(plain, language):
            if term in wanted_terms:
                numbers.setdefault(term, []).append(at)
        return numbers
    found = list(map(stem_table(language).__getitem__, find_words(plain)))
    return {term: list(_each(found, term)) for term in wanted_terms.intersection(found)}


def _each(found: list[str], term: str) -> Iterator[int]:
    at = -1
    for _ in range(found.count(term)):
        at = found.index(term, at + 1)
        yield at


class UnspacedTerm(NamedTuple):
    """How a term of a script without blanks stands in a text.

    ``is_free`` is whether nothing beside it can make it another one. ``is_led`` is whether it has a
    vowel before its first consonant already.
    """

    text: str
    length: int
    is_free: bool
    is_led: bool
    names: frozenset[str]


def unspaced_terms(terms: Iterable[str]) -> list[UnspacedTerm]:
    """Return terms as they stand in a text that is folded."""
    return [_form(term, term) for term in terms]


def written_forms(terms: Iterable[str]) -> list[UnspacedTerm]:
    """Return terms as they are mostly written."""
    return [_form(term, thai_spelling(term)) for term in terms]


def _form(term: str, text: str) -> UnspacedTerm:
    is_free = len(text) > 1 and not is_clustered(text)
    return UnspacedTerm(text, len(text), is_free, text[0] in leading_vowels(), frozenset((term,)))


def unspaced_positions(text: str, wanted_terms: Iterable[str]) -> list[Place]:
    """Return where terms of scripts without blanks stand in ``text`` as written."""
    plain = fold_with_offsets(text)
    places = [
        (at, end, form.names)
        for form in unspaced_terms(wanted_terms)
        for at, end in _ends(plain.text, (form,)).items()
    ]
    if plain.is_in_place:
        return places
    return [(plain.origin(at), plain.origin(end - 1) + 1, name) for at, end, name in places]


def term_runs(text: str, wanted_terms: Sequence[UnspacedTerm]) -> list[tuple[int, int]]:
    """Return the runs of characters that terms cover, given as they are mostly written.

    >>> term_runs("東京都と京都", written_forms(["東京", "京都"]))
    [(0, 3), (4, 6)]
    """
    if is_as_written(text):
        return _joined(_ends(text, wanted_terms))
    plain = fold_with_offsets(text)
    runs = _joined(
        _ends(plain.text, unspaced_terms(name for form in wanted_terms for name in form.names))
    )
    if plain.is_in_place:
        return runs
    return [(plain.origin(start), plain.origin(end - 1) + 1) for start, end in runs]


def _joined(ends: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return stretches, each its end by its start, as one where they overlap or touch."""
    runs: list[tuple[int, int]] = []
    begin = reach = -1
    for start in sorted(ends):
        if start > reach:
            runs.append((begin, reach))
            begin = start
        reach = ends[start]
    return [*runs[1:], (begin, reach)] if ends else []


def _ends(plain: str, forms: Iterable[UnspacedTerm]) -> dict[int, int]:
    """Return where forms begin, and where each ends there. Of two at one place, one has a mark.

    What stands beside a form can belong to it: with that, it is another one.
    """
    find, behind, before = plain.find, combining_pattern(), leading_vowels()
    ends: dict[int, int] = {}
    for text, length, is_free, is_led, _ in forms:
        at = find(text)
        while at >= 0:
            end = at + length
            if is_free or (
                plain[end : end + 1] not in behind
                and (is_led or plain[at - 1 : at] not in before)
                and (length > 1 or is_sign(text) or _stands_alone(plain, at))
            ):
                ends[at] = end
            at = find(text, at + 1)
    return ends


def first_positions(
    text: str, wanted_terms: Iterable[UnspacedTerm], max_positions: int
) -> list[Place]:
    """Return where the first of such terms stand, so many of those that a text has.

    To fold a text takes as long as to look for ten terms: what is written otherwise than most are
    is left out.
    """
    places: list[Place] = []
    for form in wanted_terms:
        ends = _ends(text, (form,)) if form.text in text else None
        if ends:
            names = form.names
            places += [(at, end, names) for at, end in ends.items()]
            max_positions -= 1
            if not max_positions:
                break
    return places


class TermPattern(NamedTuple):
    """What is looked for: terms, and how others begin that count as well."""

    terms: frozenset[str]
    beginnings: tuple[str, ...] = ()

    def among(self, terms: Sequence[str]) -> frozenset[str]:
        """Return as what terms of a text count."""
        names = self.terms.intersection(terms)
        if not self.beginnings:
            return names
        return names.union(
            begin for begin in self.beginnings for term in terms if term.startswith(begin)
        )

    def counting(self, words: list[str], known: WordTerms) -> list[tuple[str, frozenset[str]]]:
        """Return the words of a text that count, and as what; most do not."""
        likely = words
        if not self.beginnings:
            joined = list(map(known.joined.__getitem__, words))
            present = self.terms.intersection(joined)
            likely = [word for word, term in zip(words, joined, strict=True) if term in present]
            likely += known.several.intersection(words)
        return [(word, names) for word in likely if (names := self.among(known[word]))]


def word_positions(text: str, pattern: TermPattern, language: str) -> list[Place]:
    """Return where words of these terms stand in ``text`` as written, and which terms they are.

    Each different word is looked up once; then only those that count are looked for.
    """
    is_mixed = has_unspaced(text)
    words = list(set(spaced_word_pattern().findall(text) if is_mixed else find_words(text)))
    counting = pattern.counting(words, word_terms(language))
    if not counting:
        return []
    is_part = part_of_word(text, is_mixed=is_mixed)
    return [
        (at, at + len(word), names)
        for word, names in counting
        for at in _whole(text, word, is_part)
    ]


def _whole(text: str, word: str, is_part: Callable[[str], bool]) -> Iterator[int]:
    """Yield where a word stands by itself."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not is_part(text[max(0, at - 1) : at]) and not is_part(text[end : end + 1]):
            yield at
        at = text.find(word, end)


def _stands_alone(plain: str, at: int) -> bool:
    return not any(map(is_unspaced, (plain[max(0, at - 1) : at], plain[at + 1 : at + 2])))
