"""Text taken apart into terms: the form of a word under which it is indexed and looked up.

Words are runs of letters and digits, in lower case, stemmed by the rules of their language and
without accents or points. Vowel signs of India's scripts belong to their word. Scripts that put no
blanks between words (Chinese, Japanese, Thai, ...) become overlapping pairs of characters, each
with what belongs to it, which finds any word of two or more without a dictionary. So do
words of Korean, which has blanks, but none between a word and its particles.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from operator import add

from .folding import TYPOGRAPHY, fold
from .scripts import cluster_pattern, find_words, has_unspaced, is_clustered, unspaced_pattern
from .stems import ENGLISH, stem

# A soft hyphen, joiners and places where a line may break: part of the writing, not of the word.
UNSEEN = ("\xad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
_DOTTED, _DOTLESS_LANGUAGE = "\u0130", "tr"
# Letters that are not another one with an accent, but are typed so where there is no key for them.
# Not that of Vietnamese, where it makes other words: to fold it lost 0.03 of nDCG on a manual.
# Then letters of Persian that differ by keyboard, and a stroke that only makes words longer.
_LETTERS = {
    "\u0131": "i", "ø": "o", "ł": "l", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
    "ħ": "h", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u0640": "",
    # Hindi: a point below a letter is often left out, and the moon over one is often a point.
    "\u093c": "", "\u0901": "\u0902",
}  # fmt: skip


def without_unseen(text: str) -> str:
    r"""Return a text without what is not seen in it.

    >>> without_unseen("co\xadoperation")
    'cooperation'
    """
    if text.isascii():
        return text
    for character in UNSEEN:
        text = text.replace(character, "")
    return text


def lower_case(text: str, language: str) -> str:
    """Return a text in small letters; in Turkish a capital without a dot is small without one.

    >>> lower_case("\u0130I", "tr") == "i\u0131", lower_case("\u0130I", "de")
    (True, 'ii')
    """
    undotted = text.replace("I", "\u0131") if language == _DOTLESS_LANGUAGE else text
    return undotted.replace(_DOTTED, "i").lower()


def normalise_spelling(word: str) -> str:
    """Return the one spelling of a folded word that others are taken for.

    >>> normalise_spelling("łodz"), normalise_spelling("हिन्दी") == normalise_spelling("हिंदी")
    ('lodz', True)
    """
    if word.isascii():
        return word
    return _nasal().sub("\u0902", word.translate(_table()))


@cache
def _table() -> dict[int, str]:
    return str.maketrans(_LETTERS)


@cache
def _nasal() -> re.Pattern[str]:
    # In Hindi, an n or m right before another consonant can be written as a point above.
    return re.compile("[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])")


# Text taken apart into terms: the form of a word under which it is indexed and looked up.

_ELISION = re.compile(r"'(?:s|t|re|ve|ll|d|m)\b")
_MAX_STEMMED_CHARS = 64
_MAX_CACHED_STEMS = 500_000
# Words that say how a sentence is built and not what it is about. Left out of what is looked for
# when other words remain; never left out of the index, so that phrases stay exact.
_FRAME = (
    "a about an and are as at be been being but by can did do does for from had has have he her "
    "his how i if in into is it me my no not of on or s she such t that the their then there these "
    "they this to was we were what when where which who why will with you your"
)
FRAME_WORDS = frozenset(_FRAME.split())
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
        if len(self) >= _MAX_CACHED_STEMS:
            self.clear()
        stemmed = stem(word[:_MAX_STEMMED_CHARS], self._language)
        folded = stemmed if self._language == ENGLISH else fold(stemmed)
        # A point or a stroke that stands alone is all there is: no term is empty.
        self[word] = term = normalise_spelling(folded) or word
        return term


_STEMS = _Stems(ENGLISH)


@cache
def stem_table(language: str) -> Mapping[str, str]:
    """Return the terms of plain words of a language, by the word."""
    return _STEMS if language == ENGLISH else _Stems(language)


def text_terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of ``text`` in order.

    >>> text_terms("The café's RUNNING costs, 東京都")
    ['the', 'cafe', 'run', 'cost', '東京', '京都']
    >>> text_terms("Die Häuser des Malers", "de")
    ['die', 'haus', 'des', 'mal']
    """
    return _terms_of(plain_text(text, language), stem_table(language))


def plain_text(text: str, language: str = ENGLISH) -> str:
    """Return a text as its words are cut out of it: small, and in English without accents."""
    text = without_unseen(text)
    if language != ENGLISH:
        return lower_case(_with_plain_marks(unicodedata.normalize("NFC", text)), language)
    return _ELISION.sub(" ", folded) if "'" in (folded := fold(text)) else folded


def _terms_of(plain: str, stems: Mapping[str, str]) -> list[str]:
    words = find_words(plain)
    if not has_unspaced(plain):
        return list(map(stems.__getitem__, words))
    is_marked, is_whole = is_clustered(plain), unspaced_pattern().fullmatch
    found: list[str] = []
    for word in words:
        if word.isascii():
            found.append(stems[word])
        elif is_whole(word):
            found += _pairs(word, is_marked=is_marked)
        else:
            found += _split(word, stems, is_marked=is_marked)
    return found


def without_elisions(small: str) -> str:
    """Return lower-case English with blanks where 's, 't and their like are; no shorter, no longer.

    >>> without_elisions("the caf\u00e9's menu, don\u2019t")
    'the caf\u00e9   menu, don  '
    """
    plain = small.replace("\u2019", "'").replace("\u2018", "'")
    return _ELISION.sub(_blanks, plain) if "'" in plain else small


def _blanks(elision: re.Match[str]) -> str:
    return " " * len(elision[0])


def _with_plain_marks(text: str) -> str:
    if not text.isascii():
        for mark, plain in TYPOGRAPHY:
            text = text.replace(mark, plain)
    return text


def terms_of_word(word: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a run of letters and digits: nearly always one."""
    return word_terms(language)[word]


class WordTerms(dict[str, list[str]]):
    """The terms of every word of a language so far, however it is written.

    ``joined`` has them as texts, which for nearly all words is their one term; ``several`` are the
    others.
    """

    def __init__(self, language: str) -> None:
        """Know no word yet."""
        super().__init__()
        self._language = language
        self.joined = _Joined(self)
        self.several: set[str] = set()

    def __missing__(self, word: str) -> list[str]:
        if len(self) >= _MAX_CACHED_STEMS:
            self.clear()
            self.joined.clear()
            self.several.clear()
        if word.isascii():
            found = [stem_table(self._language)[word.lower()]]
        else:
            found = text_terms(word, self._language)
        self[word] = found
        if len(found) > 1:
            self.several.add(word)
        return found


class _Joined(dict[str, str]):
    def __init__(self, known: WordTerms) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, word: str) -> str:
        found = " ".join(self._known[word])
        self[word] = found
        return found


@cache
def word_terms(language: str) -> WordTerms:
    """Return the terms of words of a language, by the word."""
    return WordTerms(language)


def content_terms(all_terms: list[str], frame: Collection[str] | None = None) -> list[str]:
    """Return the terms that say something, each once; all of them when none does.

    ``frame`` are the terms that say nothing; those of English where nobody tells.

    >>> content_terms(text_terms("What is the capital of France?"))
    ['capit', 'franc']
    """
    unsaid = _FRAME_TERMS if frame is None else frame
    once = list(dict.fromkeys(all_terms))
    return [term for term in once if term not in unsaid] or once


def _split(word: str, stems: Mapping[str, str], *, is_marked: bool) -> list[str]:
    split_terms: list[str] = []
    at = 0
    for run in unspaced_pattern().finditer(word):
        if run.start() > at:
            split_terms.append(stems[word[at : run.start()]])
        split_terms += _pairs(run[0], is_marked=is_marked)
        at = run.end()
    return [*split_terms, stems[word[at:]]] if at < len(word) else split_terms


def _pairs(run: str, *, is_marked: bool) -> list[str]:
    letters = cluster_pattern().findall(run) if is_marked else run
    return list(map(add, letters, letters[1:])) or [run]


_FRAME_TERMS = frozenset(map(stem, FRAME_WORDS))
STOP_TERMS = _FRAME_TERMS.union(stem(word) for word in _WEAK_WORDS.split())
