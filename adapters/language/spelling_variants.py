"""Spelling variants of words: e-mail and email, 10 kg and 10kg, U.S. and US, 1,000 and 1000."""

import re
import string
from collections.abc import Iterator, Sequence
from itertools import pairwise

from webseam.ports.text import lazy_pattern

from ..caches import ComputedValues
from .scripts import find_words
from .tokenising import STOP_TERMS, text_terms

_IDENTIFIER_PART_PATTERN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER_PATTERN = re.compile("[A-Za-z0-9]+")
_MIN_PART_CHARS = 3
_MIN_JOINED_PARTS = 3
_MAX_CACHED_IDENTIFIERS = 100_000
# Map each byte to its class: lower case, capital, digit, or other.
_IDENTIFIER_CHARS = string.ascii_lowercase + string.ascii_uppercase + string.digits
_BYTE_CLASSES = bytes.maketrans(_IDENTIFIER_CHARS.encode(), b"a" * 26 + b"A" * 26 + b"0" * 10)
_OTHER_BYTES = bytes(code for code in range(256) if chr(code) not in _IDENTIFIER_CHARS)
_BYTE_CLASSES = _BYTE_CLASSES.translate(bytes.maketrans(_OTHER_BYTES, b" " * len(_OTHER_BYTES)))


def identifier_parts(word: str) -> list[str]:
    """Return the parts that an identifier is made of; empty for a word of one part.

    >>> (identifier_parts("getUserName"), identifier_parts("PEP484"),
    ...  identifier_parts("HTTPServer"), identifier_parts("pump"))
    (['get', 'User', 'Name'], ['PEP', '484'], ['HTTP', 'Server'], [])
    """
    parts = _IDENTIFIER_PART_PATTERN.findall(word) if word.isascii() else []
    return parts if parts[1:] else []


def identifier_terms(text: str) -> list[str]:
    """Return the terms of the parts of identifiers in a text.

    >>> identifier_terms("Call getUserProfile of the UserProfileView, not of LibreOffice.")
    ['get', 'user', 'profil', 'user', 'profil', 'view']
    """
    content = text.encode("utf-8", "replace")
    # Scan bytes first: most texts have no identifier, and this takes 1 % of their analysis.
    classes = content.translate(_BYTE_CLASSES)
    offset = classes.find(b"aA")
    terms: list[str] = []
    while offset >= 0:
        end = classes.find(b" ", offset)
        end = len(classes) if end < 0 else end
        terms += _IDENTIFIER_TERMS[content[classes.rfind(b" ", 0, offset) + 1 : end]]
        offset = classes.find(b"aA", end)
    return terms


def identifier_positions(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield start, end and terms of each identifier in a text."""
    for name in _IDENTIFIER_PATTERN.finditer(text):
        if terms := _IDENTIFIER_TERMS[name[0].encode()]:
            yield name.start(), name.end(), terms


def _identifier_name_terms(name: bytes) -> list[str]:
    parts = _IDENTIFIER_PART_PATTERN.findall(name.decode("ascii"))
    min_parts = _MIN_JOINED_PARTS if name[:1].isupper() else 2
    long_parts = (part for part in parts if len(part) >= _MIN_PART_CHARS)
    return text_terms(" ".join(long_parts)) if len(parts) >= min_parts else []


_IDENTIFIER_TERMS = ComputedValues(_identifier_name_terms, _MAX_CACHED_IDENTIFIERS)


# Prefixes that are written with or without a hyphen and are hardly ever separate words.
_PREFIXES = (
    "anti|bi|co|cyber|e|eco|ex|hyper|inter|intra|macro|mega|meta|micro|mid|mini|mono|multi|nano|"
    "neo|non|poly|post|pre|pro|pseudo|re|self|semi|socio|sub|super|tele|trans|tri|ultra|un|wi"
)
_PREFIXED_PATTERN = re.compile(rf"({_PREFIXES})([a-z]{{2,}})")
_ABBREVIATION_PATTERN = lazy_pattern("[A-Z]{2,5}")
_NUMBER_PATTERN = lazy_pattern(r"\d{4,12}")
_GROUPED_NUMBER_PATTERN = lazy_pattern(r"\d{1,3}(?:[.,'\u2019\u202f]\d{3})+")
_DIGIT_GROUP_PATTERN = lazy_pattern(r"(?<=\d)(?=(?:\d{3}){1,4}$)")
_MIN_JOINED_CHARS = 3
# Joining three words is only tried in texts of at most this many words.
_MAX_WORDS_FOR_TRIPLES = 4
_ELISION_PATTERN = lazy_pattern(r"['\u2019](?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
# Writers who omit Vietnamese marks also type d for this letter.
_VIETNAMESE_D = "\u0111"
# Arabic: many writers omit the points of this ending and the stroke of this alef.
_ARABIC_ENDINGS = {"\u0647": "\u0629", "\u0629": "\u0647"}
_ALEF, _LONG_ALEF = "\u0627", "\u0622"
_INNER_ALEF_PATTERN = lazy_pattern(rf"(?<=[\u0628-\u064a]){_ALEF}(?=[\u0628-\u064a])")
WordRun = tuple[str, ...]


def spelling_variants(text: str) -> Iterator[tuple[WordRun, WordRun]]:
    """Yield words of a text, each with another spelling of them.

    >>> list(spelling_variants("e-mail of 10 kg"))
    [(('e', 'mail'), ('email',)), (('10', 'kg'), ('10kg',))]
    >>> list(spelling_variants("getUserName of 1000"))
    [(('getUserName',), ('get', 'User', 'Name')), (('1000',), ('1', '000'))]
    """
    chunks = [(chunk, find_words(chunk)) for chunk in text.split()]
    for chunk, words in chunks:
        if len(words) == 1:
            yield from (((words[0],), tuple(parts)) for parts in _word_spellings(words[0]))
        elif words and _may_be_one_word(chunk, words):
            yield tuple(words), ("".join(words),)
    # An empty text stands for a chunk that is not a single word, so that no run crosses it.
    single = [
        words[0] if len(words) == 1 and _is_content_word(words[0]) else "" for _, words in chunks
    ]
    is_short = len(single) <= _MAX_WORDS_FOR_TRIPLES
    triples = zip(single, single[1:], single[2:], strict=False) if is_short else ()
    for run in (*pairwise(single), *triples):
        if all(run) and not (joined := "".join(run)).isdigit():
            yield run, (joined,)


def _may_be_one_word(chunk: str, words: list[str]) -> bool:
    """Tell whether words that punctuation separates may be written as one word."""
    joined = "".join(words)
    if _ELISION_PATTERN.search(chunk):
        return False
    if joined.isdigit():
        return _GROUPED_NUMBER_PATTERN.fullmatch(chunk.strip(".,;:!?()")) is not None
    return len(joined) >= _MIN_JOINED_CHARS and joined.lower() not in STOP_TERMS


def _is_content_word(word: str) -> bool:
    return word.lower() not in STOP_TERMS


def _word_spellings(word: str) -> Iterator[Sequence[str]]:
    """Yield other spellings of a single word, as lists of its parts."""
    if not word.isascii():
        yield from ((spelling,) for spelling in _arabic_spellings(word))
        return
    lowered = word.lower()
    if prefixed := _PREFIXED_PATTERN.fullmatch(lowered):
        yield prefixed.groups()
    if lowered[0] == "d":
        yield (_VIETNAMESE_D + lowered[1:],)
    if not lowered.isalpha() or not word[1:].islower():
        yield from _number_and_name_parts(word)


def _arabic_spellings(word: str) -> Iterator[str]:
    if word[-1] in _ARABIC_ENDINGS:
        yield word[:-1] + _ARABIC_ENDINGS[word[-1]]
    if _LONG_ALEF in word:
        yield word.replace(_LONG_ALEF, _ALEF)
    for alef in _INNER_ALEF_PATTERN.finditer(word):
        yield f"{word[: alef.start()]}{_LONG_ALEF}{word[alef.end() :]}"


def _number_and_name_parts(word: str) -> Iterator[Sequence[str]]:
    """Yield the parts that capitals and digits indicate."""
    if _NUMBER_PATTERN.fullmatch(word):
        yield _DIGIT_GROUP_PATTERN.sub(" ", word).split()
    if _ABBREVIATION_PATTERN.fullmatch(word):
        yield word
    parts = identifier_parts(word)
    if parts and any(map(_is_content_word, parts)):
        yield parts
