"""How else words may be written: e-mail and email, 10 kg and 10kg, U.S. and US, 1,000 and 1000."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .identifiers import identifier_parts
from .scripts import find_words
from .tokenising import STOP_TERMS

# What is written before a word with a hyphen, or as one with it, and is hardly a word by itself.
_PREFIXES = (
    "anti|bi|co|cyber|e|eco|ex|hyper|inter|intra|macro|mega|meta|micro|mid|mini|mono|multi|nano|"
    "neo|non|poly|post|pre|pro|pseudo|re|self|semi|socio|sub|super|tele|trans|tri|ultra|un|wi"
)
_PREFIXED = re.compile(rf"({_PREFIXES})([a-z]{{2,}})")
_CAPITALS = re.compile("[A-Z]{2,5}")
_DIGITS = re.compile(r"\d{4,12}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'\u2019\u202f]\d{3})+")
_GROUP = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
_MIN_JOINED_CHARS = 3
# In a longer text three words are hardly ever one.
_MAX_WORDS_FOR_TRIPLES = 4
_ELIDED = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
# Those who write Vietnamese without its marks have no other letter for this one either.
_D_OF_VIETNAMESE = "\u0111"
# Arabic: an ending that many write with no points, and an alef that many write with no stroke.
_ENDINGS = {"\u0647": "\u0629", "\u0629": "\u0647"}
_ALEF, _LONG_ALEF = "\u0627", "\u0622"
_INNER_ALEF = re.compile(rf"(?<=[\u0628-\u064a]){_ALEF}(?=[\u0628-\u064a])")


Words = tuple[str, ...]


def spelling_variants(text: str) -> Iterator[tuple[Words, Words]]:
    """Yield words of a text, and how else they may be written.

    >>> list(spelling_variants("e-mail of 10 kg"))
    [(('e', 'mail'), ('email',)), (('10', 'kg'), ('10kg',))]
    >>> list(spelling_variants("getUserName of 1000"))
    [(('getUserName',), ('get', 'User', 'Name')), (('1000',), ('1', '000'))]
    """
    chunks = [(chunk, find_words(chunk)) for chunk in text.split()]
    for chunk, words in chunks:
        if len(words) == 1:
            yield from (((words[0],), tuple(other)) for other in _apart(words[0]))
        elif words and _is_one(chunk, words):
            yield tuple(words), ("".join(words),)
    # What is no single word stands between those that are.
    single = [words[0] if len(words) == 1 and _is_part(words[0]) else "" for _, words in chunks]
    threes = (
        zip(single, single[1:], single[2:], strict=False)
        if len(single) <= _MAX_WORDS_FOR_TRIPLES
        else ()
    )
    for run in (*pairwise(single), *threes):
        if all(run) and not (joined := "".join(run)).isdigit():
            yield run, (joined,)


def _is_one(chunk: str, words: list[str]) -> bool:
    """Tell whether words that are written with signs between them may be written as one."""
    joined = "".join(words)
    if _ELIDED.search(chunk):
        return False
    if joined.isdigit():
        return _THOUSANDS.fullmatch(chunk.strip(".,;:!?()")) is not None
    return len(joined) >= _MIN_JOINED_CHARS and joined.lower() not in STOP_TERMS


def _is_part(word: str) -> bool:
    return word.lower() not in STOP_TERMS


def _apart(word: str) -> Iterator[Sequence[str]]:
    """Yield how a single word may be written with something between its parts."""
    if not word.isascii():
        yield from ((other,) for other in _in_arabic(word))
        return
    small = word.lower()
    prefixed = _PREFIXED.fullmatch(small)
    if prefixed:
        yield prefixed.groups()
    if small[0] == "d":
        yield (_D_OF_VIETNAMESE + small[1:],)
    if not small.isalpha() or not word[1:].islower():
        yield from _pieces(word)


def _in_arabic(word: str) -> Iterator[str]:
    if word[-1] in _ENDINGS:
        yield word[:-1] + _ENDINGS[word[-1]]
    if _LONG_ALEF in word:
        yield word.replace(_LONG_ALEF, _ALEF)
    for alef in _INNER_ALEF.finditer(word):
        yield f"{word[: alef.start()]}{_LONG_ALEF}{word[alef.end() :]}"


def _pieces(word: str) -> Iterator[Sequence[str]]:
    """Yield the parts that capitals and digits tell."""
    if _DIGITS.fullmatch(word):
        yield _GROUP.sub(" ", word).split()
    if _CAPITALS.fullmatch(word):
        yield word
    pieces = identifier_parts(word)
    if pieces and any(map(_is_part, pieces)):
        yield pieces
