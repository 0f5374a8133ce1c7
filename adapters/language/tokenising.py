"""Split text into terms: the form of a word that is indexed and looked up.

Words are runs of letters and digits, in lower case, stemmed by the rules of their language, without
accents or points. Vowel signs of India's scripts belong to their word. Scripts without blanks
between words (Chinese, Japanese, Thai, ...) become overlapping pairs of characters with their
marks, which finds any word of two or more without a dictionary. So do words of Korean, which has
blanks, but none between a word and its particles.
"""

import unicodedata
from collections.abc import Collection, Mapping
from functools import cache, partial
from operator import add

from webseam.ports.text import lazy_pattern

from ..caches import ComputedValues
from . import scripts
from .folding import TYPOGRAPHY, fold_letters
from .stems import ENGLISH, stem_word

# Soft hyphen, joiners and optional line breaks: part of the writing, not of the word.
UNSEEN_CHARS = ("\xad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
_DOTTED_CAPITAL_I, _DOTLESS_LANGUAGE = "\u0130", "tr"
# Letters without a decomposition that are often typed as another. Not the Vietnamese d with
# stroke: folding it lost 0.03 of nDCG on a manual, because it makes other words.
# Then letters of Persian that differ by keyboard, and a stroke that only stretches words.
_LETTER_SPELLINGS = str.maketrans({
    "\u0131": "i", "ø": "o", "ł": "l", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
    "ħ": "h", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u0640": "",
    # Hindi: a point below a letter is often left out, and the moon over one is often a point.
    "\u093c": "", "\u0901": "\u0902",
})  # fmt: skip
# In Hindi, an n or m right before another consonant can be written as a point above.
_HINDI_NASAL_PATTERN = lazy_pattern("[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])")
_ELISION_PATTERN = lazy_pattern(r"'(?:s|t|re|ve|ll|d|m)\b")
_MAX_STEMMED_CHARS = 64
_MAX_CACHED_STEMS = 500_000
# Function words. Left out of a query when other words remain, but never out of the index, so that
# phrases stay exact.
_ENGLISH_FRAME_WORDS = (
    "a about an and are as at be been being but by can did do does for from had has have he her "
    "his how i if in into is it me my no not of on or s she such t that the their then there these "
    "they this to was we were what when where which who why will with you your"
)
FRAME_WORDS = frozenset(_ENGLISH_FRAME_WORDS.split())
# Words with little meaning. A query still looks for them: a quoted sentence is found by them.
_WEAK_WORDS = (
    "above after again all also am any because before below between both could doing don down "
    "during each few further having here hers him its itself just more most nor now off once only "
    "other our ours out over own please same should so some than theirs them those through too "
    "under until up us very while whom whose would yours"
)
_FRAME_TERMS = frozenset(map(stem_word, FRAME_WORDS))


def strip_unseen_chars(text: str) -> str:
    r"""Return a text without soft hyphens, joiners and other invisible characters.

    >>> strip_unseen_chars("co\xadoperation")
    'cooperation'
    """
    if text.isascii():
        return text
    for character in UNSEEN_CHARS:
        text = text.replace(character, "")
    return text


def lower_case_letters(text: str, language: str) -> str:
    r"""Return a text in lower case; in Turkish a dotless capital stays dotless.

    >>> ascii(lower_case_letters("İI", "tr"))
    "'i\\u0131'"
    >>> lower_case_letters("İI", "de")
    'ii'
    """
    undotted = text.replace("I", "\u0131") if language == _DOTLESS_LANGUAGE else text
    return undotted.replace(_DOTTED_CAPITAL_I, "i").lower()


def normalise_spelling(word: str) -> str:
    """Return the common spelling of a folded word that has several.

    >>> normalise_spelling("łodz")
    'lodz'
    >>> normalise_spelling("हिन्दी") == normalise_spelling("हिंदी")
    True
    """
    if word.isascii():
        return word
    return _HINDI_NASAL_PATTERN.sub("\u0902", word.translate(_LETTER_SPELLINGS))


def _plain_word_term(language: str, word: str) -> str:
    """Return the term of a plain word.

    English words come folded. Words of other languages come in lower case as written: their endings
    depend on accents, which are dropped afterwards, so that a query without accents matches.
    """
    stemmed = stem_word(word[:_MAX_STEMMED_CHARS], language)
    folded = stemmed if language == ENGLISH else fold_letters(stemmed)
    # A word that consists of a point or a stroke stays: no term is empty.
    return normalise_spelling(folded) or word


@cache
def stem_table(language: str) -> Mapping[str, str]:
    """Return the terms of plain words of a language by word."""
    return ComputedValues(partial(_plain_word_term, language), _MAX_CACHED_STEMS)


def text_terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of ``text`` in order.

    >>> text_terms("The café's RUNNING costs, 東京都")
    ['the', 'cafe', 'run', 'cost', '東京', '京都']
    >>> text_terms("Die Häuser des Malers", "de")
    ['die', 'haus', 'des', 'mal']
    """
    return _split_plain_terms(plain_text(text, language), stem_table(language))


def plain_text(text: str, language: str = ENGLISH) -> str:
    """Return a text ready for splitting: lower case, and in English without accents."""
    text = strip_unseen_chars(text)
    if language == ENGLISH:
        folded = fold_letters(text)
        return _ELISION_PATTERN.sub(" ", folded) if "'" in folded else folded
    text = unicodedata.normalize("NFC", text)
    for mark, plain in () if text.isascii() else TYPOGRAPHY:
        text = text.replace(mark, plain)
    return lower_case_letters(text, language)


def _split_plain_terms(plain: str, stems: Mapping[str, str]) -> list[str]:
    words = scripts.find_words(plain)
    if not scripts.has_unspaced(plain):
        return list(map(stems.__getitem__, words))
    is_marked = scripts.has_clusters(plain)
    match_unspaced = scripts.UNSPACED_PATTERN.fullmatch
    terms: list[str] = []
    for word in words:
        if word.isascii():
            terms.append(stems[word])
        elif match_unspaced(word):
            terms += _character_pairs(word, is_marked=is_marked)
        else:
            terms += _mixed_script_terms(word, stems, is_marked=is_marked)
    return terms


def terms_of_word(word: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a run of letters and digits; nearly always one."""
    return _word_terms(language)[word]


@cache
def _word_terms(language: str) -> Mapping[str, list[str]]:
    def word_terms(word: str) -> list[str]:
        is_plain = word.isascii()
        return [stem_table(language)[word.lower()]] if is_plain else text_terms(word, language)

    return ComputedValues(word_terms, _MAX_CACHED_STEMS)


@cache
def single_terms(language: str) -> Mapping[str, str]:
    """Return the term of each word in any spelling; empty for the few words without just one."""

    def single_term(word: str) -> str:
        terms = terms_of_word(word, language)
        return terms[0] if len(terms) == 1 else ""

    return ComputedValues(single_term, _MAX_CACHED_STEMS)


def content_terms(all_terms: list[str], frame: Collection[str] | None = None) -> list[str]:
    """Return the terms with meaning, each once; all of them when none has.

    ``frame`` has the terms without meaning; by default those of English.

    >>> content_terms(text_terms("What is the capital of France?"))
    ['capit', 'franc']
    """
    frame_terms = _FRAME_TERMS if frame is None else frame
    distinct = list(dict.fromkeys(all_terms))
    return [term for term in distinct if term not in frame_terms] or distinct


def _mixed_script_terms(word: str, stems: Mapping[str, str], *, is_marked: bool) -> list[str]:
    split_terms: list[str] = []
    offset = 0
    for run in scripts.UNSPACED_PATTERN.finditer(word):
        if run.start() > offset:
            split_terms.append(stems[word[offset : run.start()]])
        split_terms += _character_pairs(run[0], is_marked=is_marked)
        offset = run.end()
    return [*split_terms, stems[word[offset:]]] if offset < len(word) else split_terms


def _character_pairs(run: str, *, is_marked: bool) -> list[str]:
    clusters = scripts.SCRIPT_CLUSTER_PATTERN.findall(run) if is_marked else run
    return list(map(add, clusters, clusters[1:])) or [run]


STOP_TERMS = _FRAME_TERMS.union(stem_word(word) for word in _WEAK_WORDS.split())
