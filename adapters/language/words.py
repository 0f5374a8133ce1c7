"""Text taken apart into terms: the form of a word under which it is indexed and looked up.

Words are runs of letters and digits, in lower case, stemmed by the rules of their language and
without accents or points. Vowel signs of India's scripts belong to their word. Scripts that put no
blanks between words (Chinese, Japanese, Thai, ...) become overlapping pairs of characters, each
with the marks above and below it, which finds any word of two or more without a dictionary.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from .stems import ENGLISH, stem

# Han, kana, Hangul is spaced and stays whole; Thai, Lao, Khmer and Burmese are not spaced.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
# Combining marks, which Python's ``\\w`` is not: of India's scripts, and of those without blanks.
_VOWEL_SIGNS = (
    "\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd"
    "\u09d7\u09e2\u09e3\u09fe\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd"
    "\u0ae2\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c\u0b3e-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7"
    "\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03"
    "\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3"
)
_UNSPACED_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3"
)
# Points of Hebrew and Arabic: mostly left out in writing, so they are dropped like accents.
_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_WORD = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"'(?:s|t|re|ve|ll|d|m)\b")
# As bytes: a table of text is looked up anew in every text that it translates.
BLANKED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_TYPOGRAPHY = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", " "), ("\u201d", " "), ("\u2013", " "),
    ("\u2014", " "), ("\u2026", " "), ("\u2022", " "), ("\xa0", " "), ("\xb7", " "),
)  # fmt: skip
_PLAIN = dict(_TYPOGRAPHY)
_TYPOGRAPHIC = re.compile("|".join(_PLAIN))
_ACCENT = re.compile(rf"[\u0300-\u036f{_POINTS}]+")
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
    plain = plain_text(text, language)
    if language != ENGLISH:
        return _terms_of(plain, _stems_of(language))
    # The same words twice: the first way is three times as fast, and nearly all text is ASCII.
    if plain.isascii():
        words = plain.encode("ascii").translate(BLANKED).decode("ascii").split()
        return list(map(_STEMS.__getitem__, words))
    return _terms_of(plain, _STEMS)


def plain_text(text: str, language: str = ENGLISH) -> str:
    """Return a text as its words are cut out of it: small, and in English without accents."""
    if language != ENGLISH:
        return _TYPOGRAPHIC.sub(_plain, unicodedata.normalize("NFC", text)).lower()
    return _ELISION.sub(" ", folded) if "'" in (folded := fold(text)) else folded


def _terms_of(plain: str, stems: _Stems) -> list[str]:
    words = words_in(plain)
    if not _unspaced().search(plain):
        return list(map(stems.__getitem__, words))
    return [term for word in words for term in _split(word, stems)]


def without_elisions(small: str) -> str:
    """Return lower-case English with blanks where 's, 't and their like are; no shorter, no longer.

    >>> without_elisions("the caf\u00e9's menu, don\u2019t")
    'the caf\u00e9   menu, don  '
    """
    plain = small.replace("\u2019", "'").replace("\u2018", "'")
    return _ELISION.sub(_blanks, plain) if "'" in plain else small


def _blanks(elision: re.Match[str]) -> str:
    return " " * len(elision[0])


def words_in(text: str) -> list[str]:
    """Return the runs of letters, digits and the marks that belong to them."""
    return _words_of(text).findall(text)


def _words_of(text: str) -> re.Pattern[str]:
    """Return what a word of this text is: most have no marks, and are faster without."""
    return _marked_word() if not text.isascii() and _marks().search(text) else _WORD


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
    # What is left of it, such as the marks of kana, is put together: a mark is no letter by itself.
    small = unicodedata.normalize("NFKD", text).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", small))
    return unicodedata.normalize("NFC", bare)


def _plain(mark: re.Match[str]) -> str:
    return _PLAIN[mark[0]]


def spaced_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each word's start and end in ``text`` as written, and the word.

    Words of scripts without blanks are none of these: see ``term_places``.
    """
    mixed = has_unspaced(text)
    for word in _words_of(text).finditer(text):
        if not mixed or word[0].isascii() or not _unspaced().search(word[0]):
            yield word.start(), word.end(), word[0]


def has_unspaced(text: str) -> bool:
    """Tell whether some of a text is of a script that puts no blanks between words."""
    return not text.isascii() and _unspaced().search(text) is not None


def terms_at(
    plain: str, language: str = ENGLISH, looked_for: Iterable[str] = ()
) -> Iterator[tuple[int, str]]:
    """Yield the terms of a plain text, and how many are before each; of one term in order.

    Of scripts without blanks only those that are ``looked_for``: to take such a text apart into
    pairs costs as much for each of its characters.
    """
    stems = _stems_of(language)
    if not has_unspaced(plain):
        yield from enumerate(map(stems.__getitem__, words_in(plain)))
        return
    starts: list[int] = []
    befores: list[int] = []
    before = 0
    for token in _token().finditer(plain):
        if token["word"]:
            yield before, stems[token["word"]]
            before += 1
        else:
            starts.append(token.start())
            befores.append(before)
            before += max(1, len(token[0]) - 1)
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
    at = plain.find(term)
    while at >= 0:
        end = at + len(term)
        # A mark that follows belongs to the last character: it is another one.
        alone = len(term) > 1 or _stands_alone(plain, at)
        if alone and not (end < len(plain) and _unspaced_mark().match(plain, end)):
            places.append(at)
        at = plain.find(term, at + 1)
    return places


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
    """Characters, folded; there are few different ones in all texts of a language."""

    def __missing__(self, character: str) -> str:
        self[character] = folded = fold(character)
        return folded


_FOLDS = _Folds()


def _with_origins(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and for each of its characters the place it came from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text))
    pieces = list(map(_FOLDS.__getitem__, text))
    origins = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origins


def terms_of_word(word: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a run of letters and digits: nearly always one."""
    return word_terms(language)[word]


class _WordTerms(dict[str, list[str]]):
    """The terms of every word of a language so far, however it is written."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> list[str]:
        if len(self) >= _MOST_STEMS:
            self.clear()
        if word.isascii():
            found = [_stems_of(self._language)[word.lower()]]
        else:
            found = terms(word, self._language)
        self[word] = found
        return found


@cache
def word_terms(language: str) -> Mapping[str, list[str]]:
    """Return the terms of words of a language, by the word."""
    return _WordTerms(language)


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
        split_terms += _pairs(run[0])
        at = run.end()
    return [*split_terms, stems[word[at:]]] if at < len(word) else split_terms


def _pairs(run: str) -> list[str]:
    letters = _cluster().findall(run) if _marks().search(run) else run
    return ["".join(letters[at : at + 2]) for at in range(max(1, len(letters) - 1))]


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(rf"[{_VOWEL_SIGNS}{_UNSPACED_MARKS}{_POINTS}]")


@cache
def _token() -> re.Pattern[str]:
    marks = f"{_VOWEL_SIGNS}{_POINTS}"
    return re.compile(rf"[{_UNSPACED}]+|(?P<word>(?:[^\W_{_UNSPACED}]|[{marks}])+)")


@cache
def _unspaced_mark() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED_MARKS}]")


@cache
def _marked_word() -> re.Pattern[str]:
    return re.compile(rf"(?:[^\W_]|[{_VOWEL_SIGNS}{_UNSPACED_MARKS}{_POINTS}])+")


@cache
def _cluster() -> re.Pattern[str]:
    return re.compile(rf".[{_UNSPACED_MARKS}]*")


@cache
def _unspaced() -> re.Pattern[str]:
    # Compiled when it is first needed: so many characters take longer than the rest of the module.
    return re.compile(rf"[{_UNSPACED}]+")


_FRAME_TERMS = frozenset(stem(word) for word in _FRAME_WORDS.split())
STOP_TERMS = _FRAME_TERMS.union(stem(word) for word in _WEAK_WORDS.split())
