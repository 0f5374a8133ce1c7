"""Index the ends of compound words, so that the German Pumpe also finds Wärmepumpe."""

from collections.abc import Iterable
from functools import lru_cache

_LANGUAGES = frozenset(("da", "de", "et", "fi", "hu", "nb", "nl", "nn", "no", "sv"))
# Minimum length of a compound, of the word that ends it, and of the part before that word.
_MIN_COMPOUND_CHARS, _MIN_END_CHARS, _MIN_START_CHARS = 9, 4, 3
_MARK_PREFIX = "<"
_MARK_CHARS = 6


def has_compounds(language: str) -> bool:
    """Tell whether a language writes compounds as one word."""
    return language in _LANGUAGES


def compound_marks(terms: Iterable[str], language: str) -> list[str]:
    """Return a mark for each long term: the last letters backwards; none without compounds.

    The engine matches words by their beginning, so the end of a word is indexed backwards.

    >>> compound_marks(["die", "warmepump"], "de")
    ['<pmupem']
    """
    if not has_compounds(language):
        return []
    return [_compound_mark(term) for term in terms if len(term) >= _MIN_COMPOUND_CHARS]


def compound_mark_pattern(term: str) -> str | None:
    """Return a pattern for marks of words that end with a term; None if the term is too short.

    >>> compound_mark_pattern("pump"), compound_mark_pattern("rad")
    ('<pmup.*', None)
    """
    can_end = len(term) >= _MIN_END_CHARS and term.isalpha()
    return f"{_compound_mark(term)}.*" if can_end else None


@lru_cache(maxsize=200_000)
def _compound_mark(term: str) -> str:
    return _MARK_PREFIX + term[: -_MARK_CHARS - 1 : -1]


def matching_compound_ends(word: str, ends: Iterable[str]) -> list[str]:
    """Return those of ``ends`` that are the last part of a compound word.

    >>> matching_compound_ends("warmepump", ["pump", "mepump", "warmepump"])
    ['pump', 'mepump']
    """
    if len(word) < _MIN_COMPOUND_CHARS:
        return []
    return [end for end in ends if word.endswith(end) and len(word) - len(end) >= _MIN_START_CHARS]
