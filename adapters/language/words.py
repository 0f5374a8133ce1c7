"""Text taken apart into terms: the form of a word under which it is indexed and looked up.

Words are runs of letters and digits, in lower case, stemmed by the rules of their language and
without accents. Scripts
that put no blanks between words (Chinese, Japanese, Thai, ...) become overlapping pairs of
characters, which finds any word of two or more characters without a dictionary.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .stems import ENGLISH, stem

# Han, kana, Hangul is spaced and stays whole; Thai, Lao, Khmer and Burmese are not spaced.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_WORD = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"'(?:s|t|re|ve|ll|d|m)\b")
# As bytes: a table of text is looked up anew in every text that it translates.
_BLANKED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_TYPOGRAPHY = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", " "), ("\u201d", " "), ("\u2013", " "),
    ("\u2014", " "), ("\u2026", " "), ("\u2022", " "), ("\xa0", " "), ("\xb7", " "),
)  # fmt: skip
_PLAIN = dict(_TYPOGRAPHY)
_TYPOGRAPHIC = re.compile("|".join(_PLAIN))
_ACCENT = re.compile(r"[\u0300-\u036f]+")
_LONGEST = 64
_MOST_STEMS = 500_000

# Words that say how a sentence is built and not what it is about. Left out of what is looked for
# when other words remain; never left out of the index, so that phrases stay exact.
_FRAME_WORDS = (
    "a about an and are as at be been being but by can did do does for from had has have he her "
    "his how i if in into is it me my no not of on or s she such t that the their then there these "
    "they this to was we were what when where which who why will with you your"
)
# Words that say little more. Looked for all the same: a sentence is found again by them.
_WEAK_WORDS = (
    "above after again all also am any because before below between both could doing don down "
    "during each few further having here hers him its itself just more most nor now off once only "
    "other our ours out over own please same should so some than theirs them those through too "
    "under until up us very while whom whose would yours"
)


class _Stems(dict[str, str]):
    """Every term of a language so far; a dict is several times faster than ``lru_cache`` here.

    English words come folded. Others come as they are written, but small: their endings are told
    by their accents, which are dropped afterwards, so that a query without them finds them too.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_STEMS:
            self.clear()
        stemmed = stem(word[:_LONGEST], self._language)
        self[word] = term = stemmed if self._language == ENGLISH else fold(stemmed)
        return term


_STEMS = _Stems(ENGLISH)


@cache
def _stems_of(language: str) -> _Stems:
    return _STEMS if language == ENGLISH else _Stems(language)


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of ``text`` in order.

    >>> terms("The café's RUNNING costs, 東京都")
    ['the', 'cafe', 'run', 'cost', '東京', '京都']
    >>> terms("Die Häuser des Malers", "de")
    ['die', 'haus', 'des', 'mal']
    """
    if language != ENGLISH:
        small = _TYPOGRAPHIC.sub(_plain, unicodedata.normalize("NFC", text)).lower()
        return _terms_of(small, _stems_of(language))
    plain = _ELISION.sub(" ", folded) if "'" in (folded := fold(text)) else folded
    # The same words twice: the first way is three times as fast, and nearly all text is ASCII.
    if plain.isascii():
        words = plain.encode("ascii").translate(_BLANKED).decode("ascii").split()
        return list(map(_STEMS.__getitem__, words))
    return _terms_of(plain, _STEMS)


def _terms_of(plain: str, stems: _Stems) -> list[str]:
    words = _WORD.findall(plain)
    if not _unspaced().search(plain):
        return list(map(stems.__getitem__, words))
    return [term for word in words for term in _split(word, stems)]


def fold(text: str) -> str:
    """Lower the case and drop the accents.

    >>> fold("Über-Größe")
    'uber-grosse'
    """
    if text.isascii():
        return text.lower()
    for mark, plain in _TYPOGRAPHY:
        text = text.replace(mark, plain)
    if text.isascii():
        return text.lower()
    # Twice: taking a letter apart can show a capital, and small letters can be taken apart again.
    small = unicodedata.normalize("NFKD", text).casefold()
    return _ACCENT.sub("", unicodedata.normalize("NFKD", small))


def _plain(mark: re.Match[str]) -> str:
    return _PLAIN[mark[0]]


def spans(text: str, language: str = ENGLISH) -> Iterator[tuple[int, int, list[str]]]:
    """Yield each word's start, end and terms, where it stands in ``text`` as written.

    In a script without blanks each pair of characters is a word, and they overlap.
    """
    for word in _WORD.finditer(text):
        whole = word[0]
        if not whole.isascii() and _unspaced().search(whole):
            yield from _pair_spans(whole, word.start())
        else:
            yield word.start(), word.end(), terms_of_word(whole, language)


def spaced_spans(text: str, language: str = ENGLISH) -> Iterator[tuple[int, int, list[str]]]:
    """Yield each word's start, end and terms, but of no script without blanks."""
    for word in _WORD.finditer(text):
        if word[0].isascii() or not _unspaced().search(word[0]):
            yield word.start(), word.end(), terms_of_word(word[0], language)


def is_unspaced(term: str) -> bool:
    """Tell whether a term is of a script that puts no blanks between words."""
    return not term.isascii() and _unspaced().fullmatch(term) is not None


def term_places(text: str, looked_for: Iterable[str]) -> list[tuple[int, int, str]]:
    """Return where terms of scripts without blanks stand in ``text`` as written, in order.

    By looking for each in the folded text: to take a text apart into pairs costs as much for each
    of its characters.
    """
    folded, origins = _with_origins(text)
    places: list[tuple[int, int, str]] = []
    for term in looked_for:
        at = folded.find(term)
        while at >= 0:
            end = at + len(term)
            if len(term) > 1 or _stands_alone(folded, at):
                places.append((origins[at], origins[end - 1] + 1, term))
            at = folded.find(term, at + 1)
    return sorted(places)


def _stands_alone(folded: str, at: int) -> bool:
    return not any(map(is_unspaced, (folded[max(0, at - 1) : at], folded[at + 1 : at + 2])))


class _Folds(dict[str, str]):
    """Characters, folded; there are few different ones in a text."""

    def __missing__(self, character: str) -> str:
        self[character] = folded = fold(character)
        return folded


def _with_origins(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and for each of its characters the place it came from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text))
    folds = _Folds()
    pieces = [folds[character] for character in text]
    origins = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origins


def terms_of_word(word: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a run of letters and digits: nearly always one."""
    return [_stems_of(language)[word.lower()]] if word.isascii() else terms(word, language)


def _pair_spans(word: str, start: int) -> Iterator[tuple[int, int, list[str]]]:
    for at in range(max(1, len(word) - 1)):
        pair = word[at : at + 2]
        yield start + at, start + at + len(pair), terms(pair)


def telling(looked_for: list[str]) -> list[str]:
    """Return the terms that say something, each once; all of them when none does.

    >>> telling(terms("What is the capital of France?"))
    ['capit', 'franc']
    """
    once = list(dict.fromkeys(looked_for))
    return [term for term in once if term not in _FRAME_TERMS] or once


def _split(word: str, stems: _Stems) -> list[str]:
    split_terms: list[str] = []
    at = 0
    for run in _unspaced().finditer(word):
        if run.start() > at:
            split_terms.append(stems[word[at : run.start()]])
        split_terms += [run[0][pair : pair + 2] for pair in range(max(1, len(run[0]) - 1))]
        at = run.end()
    return [*split_terms, stems[word[at:]]] if at < len(word) else split_terms


@cache
def _unspaced() -> re.Pattern[str]:
    # Compiled when it is first needed: so many characters take longer than the rest of the module.
    return re.compile(rf"[{_UNSPACED}]+")


_FRAME_TERMS = frozenset(stem(word) for word in _FRAME_WORDS.split())
STOP_TERMS = _FRAME_TERMS.union(stem(word) for word in _WEAK_WORDS.split())
