"""Words that end others, in languages that write two as one: Pumpe ends Wärmepumpe."""

from collections.abc import Iterable

_LANGUAGES = frozenset(("da", "de", "et", "fi", "hu", "nb", "nl", "nn", "no", "sv"))
# How long a compound is at least, a word that ends one, and what is before that.
_SHORTEST, _SHORTEST_END, _SHORTEST_BEGIN = 9, 4, 3
_MARK = "<"
_MARKED = 6
_MAX_CACHED_MARKS = 200_000


def has_compounds(language: str) -> bool:
    """Tell whether a language writes as one word what others write as two."""
    return language in _LANGUAGES


class _Marks(dict[str, str]):
    """The mark of every long word so far."""

    def __missing__(self, term: str) -> str:
        if len(self) >= _MAX_CACHED_MARKS:
            self.clear()
        self[term] = mark = _mark(term)
        return mark


_MARKS = _Marks()


def compound_marks(terms: Iterable[str], language: str) -> list[str]:
    """Return what a text is found by where one of its terms ends with another.

    The engine finds words by how they begin, so that the end of each long one is there backwards.

    >>> compound_marks(["die", "warmepump"], "de")
    ['<pmupem']
    """
    if not has_compounds(language):
        return []
    return [_MARKS[term] for term in terms if len(term) >= _SHORTEST]


def marks_ended_by(term: str) -> str | None:
    """Return a pattern of the marks of words that a term ends; None for one that is too short.

    >>> marks_ended_by("pump"), marks_ended_by("rad")
    ('<pmup.*', None)
    """
    can_end = len(term) >= _SHORTEST_END and term.isalpha()
    return f"{_mark(term)}.*" if can_end else None


def _mark(term: str) -> str:
    return _MARK + term[: -_MARKED - 1 : -1]


def matching_ends(word: str, ends: Iterable[str]) -> list[str]:
    """Return those of the terms that end a word as its last part.

    >>> matching_ends("warmepump", ["pump", "mepump", "warmepump"])
    ['pump', 'mepump']
    """
    if len(word) < _SHORTEST:
        return []
    return [end for end in ends if word.endswith(end) and len(word) - len(end) >= _SHORTEST_BEGIN]
