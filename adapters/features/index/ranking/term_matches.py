"""Find the words of a query's terms in an English text.

The text is not split into terms: words that begin like a term are found, and only those are
stemmed. Other languages also change the beginning of words.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from webseam.adapters.language.folding import TYPOGRAPHY
from webseam.ports.text import lazy_pattern

Names = TypeVar("Names", bound=Collection[str])

_ELISION_PATTERN = lazy_pattern(rb"'(?:s|t|re|ve|ll|d|m)\b")
_LOWER_WORDS_TABLE = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "'" else ord(" ")
    for code in range(128)
).ljust(256)
MAX_CACHED_WORDS = 10_000
_OTHER_LETTER_PATTERN = lazy_pattern(r"[^\W\x00-\x7f]")
# Stems that are longer than the common beginning of their words: dying, skies.
_IRREGULAR_PREFIXES = {"die": "d", "lie": "l", "tie": "t", "vie": "v", "sky": "sk"}
_MIN_STEM_CHARS = 2
# With more prefixes than this it is faster to split the text.
_MAX_SCANNED_PREFIXES = 24
# Last letters of a stem that may differ in the word: study and studi, hoping and hope,
# possibility and possibl.
_CHANGING_LETTERS = ("i", "e", "l")


def blank_separated_words(text: str) -> bytes | None:
    """Return the words of a text between blanks, each one byte behind its offset in the text.

    They are in lower case, without 's, 't and the like. None for letters outside of ASCII.

    >>> blank_separated_words("A heat-pump\u2019s")
    b' a heat pump   '
    """
    # Most texts have no other character: the pattern takes longer than the rest.
    for mark, plain in () if text.isascii() else TYPOGRAPHY:
        text = text.replace(mark, plain)
    if not text.isascii() and _OTHER_LETTER_PATTERN.search(text):
        return None
    words = b" %b " % text.encode("ascii", "replace").translate(_LOWER_WORDS_TABLE)
    if b"'" not in words:
        return words
    return _ELISION_PATTERN.sub(lambda elision: b" " * len(elision[0]), words).replace(b"'", b" ")


def find_named_words(
    words: bytes, beginnings: Sequence[bytes], names_of_word: Mapping[bytes, Names]
) -> list[tuple[int, int, Names]]:
    """Return start, end and names of the words that have names, in order.

    Each beginning is searched by itself: one pattern for all takes five times as long.
    """
    hits: list[tuple[int, int, Names]] = []
    find = words.find
    for beginning in beginnings:
        start = find(beginning)
        while start >= 0:
            end = find(b" ", start + 1)
            if names := names_of_word[words[start + 1 : end]]:
                hits.append((start, end - 1, names))
            start = find(beginning, end)
    hits.sort()
    return hits


def scanned_term_prefixes(texts: Sequence[str]) -> list[bytes]:
    """Return a blank and the beginning of the words of each term, or of several terms.

    Empty if a scan is impossible or takes longer than splitting the text.
    """
    prefixes: list[str] = []
    # What a beginning covers follows it.
    for beginning in sorted({term_prefix(text) for text in texts}):
        if not beginning.startswith(tuple(prefixes[-1:])):
            prefixes.append(beginning)
    is_scanned = len(prefixes) <= _MAX_SCANNED_PREFIXES and all(map(str.isascii, texts))
    return [f" {beginning}".encode() for beginning in prefixes] if is_scanned else []


def term_prefix(text: str) -> str:
    """Return the common beginning of the English words of a term.

    >>> [term_prefix(text) for text in ("studi", "hope", "gas")]
    ['stud', 'hop', 'gas']
    """
    changes_ending = text[-1:] in _CHANGING_LETTERS and len(text) > _MIN_STEM_CHARS
    return _IRREGULAR_PREFIXES.get(text) or (text[:-1] if changes_ending else text)
