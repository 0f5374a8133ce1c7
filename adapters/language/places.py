"""Where words stand in a text: those of a query are looked for, and the rest is left alone."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator

from .folding import folded
from .scripts import (
    has_unspaced,
    is_unspaced,
    part_of_word,
    spaced_word,
    token,
    unspaced_marks,
    words_in,
)
from .words import stems_of, word_terms


def terms_at(
    plain: str, language: str, looked_for: Iterable[str] = ()
) -> Iterator[tuple[int, str]]:
    """Yield the terms of a plain text, and how many are before each; of one term in order.

    Of scripts without blanks only those that are ``looked_for``: to take such a text apart into
    pairs costs as much for each of its characters.
    """
    stems = stems_of(language)
    if not has_unspaced(plain):
        yield from enumerate(map(stems.__getitem__, words_in(plain)))
        return
    starts: list[int] = []
    befores: list[int] = []
    before = 0
    for part in token().finditer(plain):
        if part["word"]:
            yield before, stems[part["word"]]
            before += 1
        else:
            starts.append(part.start())
            befores.append(before)
            before += max(1, len(part[0]) - 1)
    for term in looked_for:
        for at in places_in(plain, term):
            run = bisect_right(starts, at) - 1
            yield befores[run] + at - starts[run], term


def places_in(plain: str, term: str) -> list[int]:
    """Return where a term of a script without blanks stands in a plain text.

    >>> places_in("東京都と京都", "京都"), places_in("東京", "東")
    ([1, 4], [])
    """
    places: list[int] = []
    marks, length = unspaced_marks(), len(term)
    at = plain.find(term)
    while at >= 0:
        # A mark that follows belongs to the last character: it is another one.
        if plain[at + length : at + length + 1] not in marks:
            places.append(at)
        at = plain.find(term, at + 1)
    return places if length > 1 else [at for at in places if _stands_alone(plain, at)]


def term_places(text: str, looked_for: Iterable[str]) -> list[tuple[int, int, frozenset[str]]]:
    """Return where terms of scripts without blanks stand in ``text`` as written."""
    plain = folded(text)
    places = [
        (at, at + len(term), name)
        for term, name in ((term, frozenset((term,))) for term in looked_for if term in plain.text)
        for at in places_in(plain.text, term)
    ]
    if plain.is_in_place:
        return places
    return [(plain.origin(at), plain.origin(end - 1) + 1, name) for at, end, name in places]


def word_places(
    text: str, looked_for: Collection[str], language: str
) -> list[tuple[int, int, frozenset[str]]]:
    """Return where words of these terms stand in ``text`` as written, and which terms they are.

    Each different word is looked up once; then only those that count are looked for.
    """
    known, wanted = word_terms(language), frozenset(looked_for)
    words = set(spaced_word().findall(text) if has_unspaced(text) else words_in(text))
    counting = [word for word in words if not wanted.isdisjoint(known[word])]
    if not counting:
        return []
    is_part = part_of_word(text)
    return [
        (at, at + len(word), wanted.intersection(known[word]))
        for word in counting
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
