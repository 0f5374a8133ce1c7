"""How else words may be written: e-mail and email, 10 kg and 10kg, U.S. and US, 1,000 and 1000."""

import re
import string
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .scripts import find_words
from .tokenising import STOP_TERMS, text_terms

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_NAME = re.compile("[A-Za-z0-9]+")
_MIN_PART_CHARS = 3
_MIN_JOINED_PARTS = 3
_MAX_CACHED_IDENTIFIERS = 100_000
# Every byte as what it is: a small letter, a capital, a digit, or none of them.
_LETTERS = string.ascii_lowercase + string.ascii_uppercase + string.digits
_KINDS = bytes.maketrans(_LETTERS.encode(), b"a" * 26 + b"A" * 26 + b"0" * 10)
_OTHERS = bytes(code for code in range(256) if chr(code) not in _LETTERS)
_KINDS = _KINDS.translate(bytes.maketrans(_OTHERS, b" " * len(_OTHERS)))


def identifier_parts(word: str) -> list[str]:
    """Return what a name is put together of; nothing for a word that is of one piece.

    >>> (identifier_parts("getUserName"), identifier_parts("PEP484"),
    ...  identifier_parts("HTTPServer"), identifier_parts("pump"))
    (['get', 'User', 'Name'], ['PEP', '484'], ['HTTP', 'Server'], [])
    """
    pieces = _PIECE.findall(word) if word.isascii() else []
    return pieces if pieces[1:] else []


def identifier_terms(text: str) -> list[str]:
    """Return the terms that names in a text are put together of.

    >>> identifier_terms("Call getUserProfile of the UserProfileView, not of LibreOffice.")
    ['get', 'user', 'profil', 'user', 'profil', 'view']
    """
    content = text.encode("utf-8", "replace")
    # A look at bytes: most texts have no such name, and this takes a hundredth of their analysis.
    kinds = content.translate(_KINDS)
    at = kinds.find(b"aA")
    found: list[str] = []
    while at >= 0:
        end = kinds.find(b" ", at)
        end = len(kinds) if end < 0 else end
        found += _KNOWN[content[kinds.rfind(b" ", 0, at) + 1 : end]]
        at = kinds.find(b"aA", end)
    return found


def identifier_positions(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield where such names stand in a text, and the terms of each."""
    for name in _NAME.finditer(text):
        parts = _KNOWN[name[0].encode()]
        if parts:
            yield name.start(), name.end(), parts


class _Names(dict[bytes, list[str]]):
    def __missing__(self, name: bytes) -> list[str]:
        if len(self) >= _MAX_CACHED_IDENTIFIERS:
            self.clear()
        self[name] = parts = _parts(name.decode("ascii"))
        return parts


_KNOWN = _Names()


def _parts(name: str) -> list[str]:
    pieces = _PIECE.findall(name)
    is_whole = not pieces[1:] or (name[0].isupper() and not pieces[_MIN_JOINED_PARTS - 1 :])
    if is_whole:
        return []
    return text_terms(" ".join(piece for piece in pieces if len(piece) >= _MIN_PART_CHARS))


# How else words may be written: e-mail and email, 10 kg and 10kg, U.S. and US, 1,000 and 1000.

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
