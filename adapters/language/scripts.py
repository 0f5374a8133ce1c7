"""Unicode classes of scripts: word characters, unspaced scripts, combining marks."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from webseam.ports.text import lazy_pattern

# Han with its iteration marks, and Hangul: a single character is often a word.
_SIGN_CHARS = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
# Scripts without blanks between words, including kana, Thai, Lao, Khmer and Burmese. Hangul has
# blanks, but none between a word and its particles.
UNSPACED_CHARS = rf"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff{_SIGN_CHARS}"
# Combining marks of India's scripts and of unspaced scripts; Python's ``\\w`` excludes them.
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
# Thai and Lao write some vowels as separate letters before or after the consonant.
_LEADING_VOWELS = "\u0e40-\u0e44\u0ec0-\u0ec4"
_THAI_LAO_CHARS = "\u0e01-\u0eff"
_CONSONANTS = "\u0e01-\u0e2e\u0e81-\u0eae"
_TRAILING_VOWELS = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3"
# Points of Hebrew and Arabic: writers mostly omit them, so they are dropped like accents.
POINT_CHARS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
# Word characters outside ASCII of scripts with blanks between words: Latin, Greek, Cyrillic,
# Hebrew, Arabic, Devanagari, Hangul.
_SPACED_LETTERS = (
    "\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02af\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5"
    "\u03f7-\u0481\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0660-\u0669\u0671-\u06d3\u06f0-\u06f9"
    f"\u0900-\u0963\u0966-\u096f\u0971-\u097f\u1e00-\u1eff\uac00-\ud7a3{POINT_CHARS}"
)
# Separators outside ASCII for these scripts.
_WORD_SEPARATORS = (
    "\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u05be\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u0970\u200e-\u2027\u2030-\u203e\u20a0-\u20bf\u2190-\u23ff"
)
_WORD_PATTERN = re.compile(r"[^\W_]+")
# Bytes tables: str.translate looks its table up again for every text.
_ASCII_BLANK_TABLE, _WESTERN_BLANK_TABLE = (
    bytes(
        code if bytes((code,)).decode("cp1252", "replace").isalnum() or code > last else ord(" ")
        for code in range(256)
    )
    for last in (0x7F, 0xFF)
)


def find_words(text: str) -> list[str]:
    """Return the runs of letters, digits and the marks that belong to them."""
    # Skip the patterns where possible: splitting on blanks takes a fifth of the time.
    separated = text
    if not text.isascii():
        with suppress(UnicodeEncodeError):  # nothing in Windows-1252 is a mark
            western = text.encode("cp1252").translate(_WESTERN_BLANK_TABLE)
            return western.decode("cp1252").split()
        if _UNUSUAL_CHAR_PATTERN.search(text):
            separated = _WORD_SEPARATOR_PATTERN.sub(" ", text)
            if _UNUSUAL_CHAR_PATTERN.search(separated):
                return word_pattern(text).findall(text)
    return separated.encode().translate(_ASCII_BLANK_TABLE).decode().split()


def word_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern for words of this text; a text without marks gets a faster one."""
    has_marks = not text.isascii() and _WORD_MARK_PATTERN.search(text)
    return _MARKED_WORD_PATTERN if has_marks else _WORD_PATTERN


def has_unspaced(text: str) -> bool:
    """Tell whether a text has characters of a script without blanks between words."""
    try:
        # Nothing in Windows-1252 is unspaced, and asking takes half as long as the pattern.
        text.isascii() or text.encode("cp1252")
    except UnicodeEncodeError:
        return _UNSPACED_CHAR_PATTERN.search(text) is not None
    return False


def word_char_test(text: str, *, is_mixed: bool) -> Callable[[str], bool]:
    """Return a test for word characters of spaced scripts; ``is_mixed`` if it has others."""
    if not is_mixed and word_pattern(text) is _WORD_PATTERN:
        return str.isalnum
    return lambda character: SPACED_WORD_PATTERN.match(character) is not None


def is_unspaced(term: str) -> bool:
    """Tell whether a term is of a script without blanks between words."""
    return not term.isascii() and UNSPACED_PATTERN.fullmatch(term) is not None


def is_script_sign(term: str) -> bool:
    """Tell whether a term is a single character or syllable that can be a word.

    >>> is_script_sign("犬")
    True
    >>> is_script_sign("책")
    True
    >>> is_script_sign("ไฟ")
    True
    >>> is_script_sign("の")
    False
    >>> is_script_sign("東京")
    False
    """
    return not term.isascii() and _SIGN_PATTERN.fullmatch(term) is not None


def pair_pattern(sign: str) -> str:
    """Return a pattern for the terms that begin with a sign: the sign itself, or a pair."""
    if len(sign) == 1:
        return f"{sign}.*"
    # Name the ranges: the engine takes ten times as long to read a pattern with any character.
    return f"{sign}([{_CONSONANTS}{_LEADING_VOWELS}][{_THAI_LAO_CHARS}]*)?"


def ending_signs(text: str) -> list[str]:
    """Return the signs that end a run of unspaced characters.

    >>> ending_signs("子犬。犬 と 猫, ห้องไฟ")
    ['犬', '犬', '猫', 'ไฟ']
    """
    return _ENDING_SIGN_PATTERN.findall(text)


# A run of unspaced characters.
UNSPACED_PATTERN = lazy_pattern(rf"[{UNSPACED_CHARS}]+")
_TRAILING_CLASS = f"[{_UNSPACED_MARKS}{_TRAILING_VOWELS}]"
# A Thai or Lao consonant with its vowels; no word splits it.
_THAI_SYLLABLE = f"[{_LEADING_VOWELS}]?[{_CONSONANTS}]{_TRAILING_CLASS}*"
_VOWELED_SYLLABLE = (
    f"[{_LEADING_VOWELS}][{_CONSONANTS}]{_TRAILING_CLASS}*|[{_CONSONANTS}]{_TRAILING_CLASS}+"
)
_SPACED_WORD = rf"(?:[^\W_{UNSPACED_CHARS}]|[{_VOWEL_SIGNS}{POINT_CHARS}])+"
_ENDING_SIGN_PATTERN = lazy_pattern(
    rf"(?:[{_SIGN_CHARS}]|{_VOWELED_SYLLABLE})(?![{UNSPACED_CHARS}])"
)
# A single Thai consonant is not a word, and nearly every text has it.
_SIGN_PATTERN = lazy_pattern(rf"[{_SIGN_CHARS}]|(?!.\Z){_THAI_SYLLABLE}", re.DOTALL)
# Match one character: a search for a repetition runs at a third of the speed.
_UNSPACED_CHAR_PATTERN = lazy_pattern(rf"[{UNSPACED_CHARS}]")
_CLUSTERED_SCRIPT_PATTERN = lazy_pattern("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_WORD_MARK_PATTERN = lazy_pattern(f"[{_VOWEL_SIGNS}{_UNSPACED_MARKS}{POINT_CHARS}]")
_MARKED_WORD_PATTERN = lazy_pattern(rf"(?:[^\W_]|[{_VOWEL_SIGNS}{_UNSPACED_MARKS}{POINT_CHARS}])+")
_UNUSUAL_CHAR_PATTERN = lazy_pattern(rf"[^\x00-\x7f{_SPACED_LETTERS}]")
_WORD_SEPARATOR_PATTERN = lazy_pattern(f"[{_WORD_SEPARATORS}]")
# A character with its marks, and in Thai and Lao its vowels.
SCRIPT_CLUSTER_PATTERN = lazy_pattern(rf"{_THAI_SYLLABLE}|.[{_UNSPACED_MARKS}]*", re.DOTALL)
# A word of a spaced script and a blank after it.
SPACED_WORD_PATTERN = lazy_pattern(rf"({_SPACED_WORD}) ?")


@cache
def combining_characters() -> frozenset[str]:
    """Return the marks and trailing vowels that belong to the character before them."""
    return frozenset(filter(re.compile(_TRAILING_CLASS).match, map(chr, range(0x0E00, 0x1800))))


@cache
def leading_vowels() -> frozenset[str]:
    """Return the vowels that belong to the character after them."""
    is_vowel = re.compile(f"[{_LEADING_VOWELS}]").match
    return frozenset(filter(is_vowel, map(chr, range(0x0E00, 0x0F00))))


def has_clusters(text: str) -> bool:
    """Tell whether a text has a script whose characters form clusters."""
    return _CLUSTERED_SCRIPT_PATTERN.search(text) is not None
