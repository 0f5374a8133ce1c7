"""Detect the language of a text, for two questions that need different answers.

Bulk rows report the language a text is written in, by CLD2, and None if that is uncertain. The
index needs a language to stem by: word lists give one that has a stemmer, and English otherwise.
"""

import re
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import Final

from webseam.ports.text import lazy_pattern

from .function_words import FUNCTION_WORD_LANGUAGES, function_words
from .scripts import find_words
from .stems import ENGLISH

_CLD2_SAMPLE_CHARS: Final = 2000
_CHINESE_CODES: Final = frozenset({"zh", "zh-Hant"})
# CLD2 refuses control characters and lone surrogates; blanks do not change the language.
_CLD2_REFUSED_PATTERN: Final = lazy_pattern("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SAMPLE_CHARS = 800
_MIN_SAMPLE_WORDS, _MIN_DIFFERENT_WORDS = 8, 3
# Minimum share of function words in a text of the language, and a share that settles English.
_MIN_FUNCTION_WORD_SHARE, _CERTAIN_ENGLISH_SHARE = 0.12, 0.2
# Languages that share no function word with another language here.
_OWN_SCRIPT_LANGUAGES = ("el", "hi", "ru")
_MIN_SCRIPT_SHARE = 0.04
# Languages that use endings where others use function words.
_INFLECTED_LANGUAGES = ("fi", "hu", "tr")
_MIN_INFLECTED_SHARE = 0.05
# Letters of scripts that indicate one language; Persian has letters that Arabic lacks.
_SCRIPT_LETTERS = {
    "ar": "\u0621-\u064a", "fa": "\u0621-\u064a\u067e\u0686\u0698\u06a9\u06af\u06cc",
    "el": "\u0370-\u03ff", "he": "\u05d0-\u05ea", "hi": "\u0904-\u0939", "hy": "\u0530-\u058f",
    "ru": "\u0400-\u04ff", "ta": "\u0b83-\u0bb9",
}  # fmt: skip
# Letters that few other languages here use, and how many of them a text needs at least.
# Finnish has no letter of its own, but more of these than languages that also use others.
_DISTINCTIVE_LETTERS = {
    "cs": "ěřů", "fi": "äö", "pl": "ąęłż", "ro": "ățţ", "tr": "\u0131ğ", "vi": "ơưạ-ỹ",
}  # fmt: skip
_MIN_DISTINCTIVE_LETTERS, _MIN_DISTINCTIVE_SHARE = 3, 0.015
_EXCLUDING_PATTERNS = {"fi": re.compile("[åõüß]")}


def detect_written_language(text: str) -> str | None:
    """Return the code of the language a text is written in; None if CLD2 is not certain."""
    import pycld2  # noqa: PLC0415  an extra, with its tables compiled in

    sample = _CLD2_REFUSED_PATTERN.sub(" ", text[:_CLD2_SAMPLE_CHARS])
    try:
        reliable, _, guesses = pycld2.detect(sample, isPlainText=True)
    except pycld2.error:
        return None
    code = str(guesses[0][1])
    if not reliable or code == "un":
        return None
    return _chinese_code(sample) if code in _CHINESE_CODES else code


def _chinese_code(text: str) -> str:
    """Return ``zh-Hant`` for a text with more signs that only the traditional script has.

    CLD2 calls signs that both scripts share traditional. A sign of one script alone is in the
    character set of Taiwan or of China, and not in the other.

    >>> _chinese_code("你好世界"), _chinese_code("漢語和國語"), _chinese_code("汉语和国语")
    ('zh', 'zh-Hant', 'zh')
    """
    balance = 0
    for sign, count in Counter(text).items():
        if not sign.isascii():
            balance += count * (_has_sign("big5", sign) - _has_sign("gb2312", sign))
    return "zh-Hant" if balance > 0 else "zh"


def _has_sign(charset: str, sign: str) -> bool:
    try:
        sign.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def detect_stemmer_language(text: str) -> str:
    """Return the language to stem by: from function words, script or letters, else English.

    >>> detect_stemmer_language("Die Brücke wurde 1912 gebaut und ist die älteste der Stadt.")
    'de'
    >>> detect_stemmer_language("Brücke über die Elbe")
    'en'
    """
    sample = text[:_SAMPLE_CHARS]
    counts = Counter(find_words(sample.lower()))
    words, total = counts.keys(), counts.total()

    def share(language: str) -> float:
        return sum(map(counts.__getitem__, function_words(language) & words)) / total

    if total < _MIN_SAMPLE_WORDS:
        return _script_language(sample)
    if (english_share := share(ENGLISH)) >= _CERTAIN_ENGLISH_SHARE:
        return ENGLISH
    best = max(FUNCTION_WORD_LANGUAGES, key=share)
    min_share = _MIN_INFLECTED_SHARE if best in _INFLECTED_LANGUAGES else _MIN_FUNCTION_WORD_SHARE
    has_own_script = best in _OWN_SCRIPT_LANGUAGES
    threshold = _MIN_SCRIPT_SHARE if has_own_script else max(min_share, english_share)
    has_several = len(function_words(best) & words) >= _MIN_DIFFERENT_WORDS
    return best if has_several and share(best) > threshold else _script_language(sample)


def _script_language(text: str) -> str:
    """Return the language whose script most of a text has, else the one its letters indicate.

    A text of another language is then stemmed by these rules, and so is a query for it.
    """
    if text.isascii():
        return ENGLISH
    letters = sum(map(str.isalpha, text))
    count, language = _most_letters_language(text, _SCRIPT_LETTERS)
    return language if count > letters / 2 else _letters_language(text.lower(), letters)


def _letters_language(lowered: str, letters: int) -> str:
    """Return the language whose distinctive letters a text has, else English."""
    count, language = _most_letters_language(lowered, _DISTINCTIVE_LETTERS)
    has_enough = count >= max(_MIN_DISTINCTIVE_LETTERS, letters * _MIN_DISTINCTIVE_SHARE)
    excluding = _EXCLUDING_PATTERNS.get(language)
    return language if has_enough and not (excluding and excluding.search(lowered)) else ENGLISH


def _most_letters_language(text: str, letters_by_language: Mapping[str, str]) -> tuple[int, str]:
    counts = (
        # ``re`` caches compiled patterns.
        (len(re.findall(f"[{letters}]", text)), language)
        for language, letters in letters_by_language.items()
    )
    return max(counts, key=itemgetter(0))
