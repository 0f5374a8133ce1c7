"""Syllables of Vietnamese side by side: most of its words are two, with a blank between them.

Each of a pair tells little, and thousands of words share it. As a term of its own a pair counts by
how rare it is, which found more than the marks of the syllables do (docs/document-index.md).
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

VIETNAMESE = "vi"
# What no word has.
_JOINT = "_"


def has_syllables(language: str) -> bool:
    """Tell whether the words of a language are syllables with blanks between them."""
    return language == VIETNAMESE


def is_pair(term: str) -> bool:
    """Tell whether a term is two syllables."""
    return _JOINT in term


def is_marked(text: str) -> bool:
    """Tell whether a text, in its normal form, has marks that only Vietnamese has."""
    return not text.isascii() and _marked().search(text) is not None


def syllable_pairs(terms: Sequence[str]) -> list[str]:
    """Return each term with the next one.

    >>> syllable_pairs(["lich", "su", "viet"])
    ['lich_su', 'su_viet']
    """
    return list(map(_JOINT.join, pairwise(terms)))


def likely_pairs(query: str, terms: Sequence[str]) -> list[str]:
    """Return the pairs of a query, in its normal form, that may be in any language.

    >>> likely_pairs("lich su of the heat pump", ["lich", "su", "of", "the", "heat", "pump"])
    ['lich_su', 'the_heat']
    """
    pairs = syllable_pairs(terms)
    if is_marked(query):
        return pairs
    return [pair for pair in pairs if _two_syllables().fullmatch(pair)]


@cache
def _marked() -> re.Pattern[str]:
    return re.compile("[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]")


@cache
def _two_syllables() -> re.Pattern[str]:
    begin = "(?:ngh?|nh|gh?|gi|kh|ph|qu|th|tr|ch|[bcd\u0111hklmnprstvx])?"
    syllable = f"{begin}[aeiouy]{{1,3}}(?:ch|ng|nh|[cmnpt])?"
    return re.compile(_JOINT.join((syllable, syllable)))
