"""Where words stand side by side that are another writing of what is looked for."""

import re
from functools import lru_cache

from ...language.scripts import word_pattern
from ...language.stems import ENGLISH
from ...language.tokenising import terms_of_word
from .term_matches import term_prefix

Run = tuple[str, ...]


def find_runs(text: str, run: Run, language: str = ENGLISH) -> list[tuple[int, int]]:
    """Return from where to where words of these terms stand side by side.

    >>> find_runs("An e-mail, no email", ("e", "mail"))
    [(3, 9)]
    """
    if language == ENGLISH and all(map(str.isascii, run)):
        return _english(text, run)
    words = list(word_pattern(text).finditer(text))
    found = [terms_of_word(word[0], language) for word in words]
    wanted, length = [[term] for term in run], len(run)
    starts = (at for at in range(len(words)) if found[at : at + length] == wanted)
    return [(words[at].start(), words[at + length - 1].end()) for at in starts]


def _english(text: str, run: Run) -> list[tuple[int, int]]:
    small = text.lower()
    small = small if len(small) == len(text) else text
    # Most texts have none: to see that takes a tenth of what the pattern takes.
    if max(map(term_prefix, run), key=len) not in small:
        return []
    likely = (match for match in _pattern(run).finditer(small) if _begins(match))
    return [match.span() for match in likely if _terms(match) == list(run)]


def _begins(likely: re.Match[str]) -> bool:
    """Tell whether a word begins there: a pattern that asks for it takes five times as long."""
    return not likely.string[max(0, likely.start() - 1) : likely.start()].isalnum()


def _terms(likely: re.Match[str]) -> list[str]:
    return [term for word in likely.groups() for term in terms_of_word(word)]


@lru_cache(maxsize=256)
def _pattern(run: Run) -> re.Pattern[str]:
    """Return what words of these terms look like in English: each begins alike."""
    begun = (re.escape(term_prefix(term)) for term in run)
    # No other word than itself has a single letter as its term.
    words = (f"({begin})" if len(begin) == 1 else rf"({begin}[^\W_]*)" for begin in begun)
    return re.compile(r"[\W_]+".join(words) + r"(?![^\W_])")
